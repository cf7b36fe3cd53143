"""One clear line for what torch raises as a page."""

from __future__ import annotations

from collections.abc import Iterator

from profiling_series.errors import CaptureError, ProfilingSeriesError, UsageError

_EAGER = "or capture it eager (compile=None)"


def explain(error: BaseException) -> ProfilingSeriesError:
    """Return the error of ours that says in one line what went wrong and what to do.

    Parameters
    ----------
    error : BaseException
        Whatever was raised while a capture ran.

    Returns
    -------
    ProfilingSeriesError
        `error` itself if it is one of ours; `UsageError` where this machine cannot do what was asked; else
        `CaptureError`.
    """
    if isinstance(error, ProfilingSeriesError):
        return error
    chain = list(_chain(error))
    for link in chain:
        known = _known(link)
        if known:
            return UsageError(known)
    last = chain[-1]
    return CaptureError(f"the capture failed: {type(last).__name__}: {first_line(str(last))}")


def first_line(text: str) -> str:
    """Return the first line that says something, at most 300 characters of it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0][:300] if lines else "no message"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and its causes, outermost first; torch keeps one in ``inner_exception``, too."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = getattr(link, "inner_exception", None) or link.__cause__ or link.__context__


def _known(error: BaseException) -> str | None:
    # By name: the classes live in private modules, which differ between torch versions.
    name, text = type(error).__name__, str(error)
    if isinstance(error, ModuleNotFoundError) and error.name == "torch":
        return "capturing needs torch, which is not installed here: pip install torch"
    if name == "InvalidCxxCompiler":
        return f"torch.compile needs a C++ compiler, and none works here: install g++ (or set CXX), {_EAGER}"
    if name == "CppCompileError":
        return f"torch.compile: the C++ compiler failed ({first_line(text)}): repair it, {_EAGER}"
    if "Failed to find C compiler" in text:
        return f"torch.compile: Triton needs a C compiler, and found none: install gcc (or set CC), {_EAGER}"
    if name == "GPUTooOldForTriton" or "too old to be supported by the triton" in text:
        return f"torch.compile needs a GPU of compute capability 7.0 or later for Triton: {_EAGER[3:]}"
    if name == "TritonMissing":
        return f"torch.compile needs Triton, which is missing or too old here: install it, {_EAGER}"
    if name == "OutOfMemoryError" or "can't allocate memory" in text:
        return f"out of memory: choose a smaller size ({first_line(text)})"
    if isinstance(error, NotImplementedError) or "not implemented for" in text:
        return f"torch has no such operation here ({first_line(text)})"
    return None
