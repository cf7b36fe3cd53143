"""What a decoded kernel name holds."""

from __future__ import annotations

from dataclasses import dataclass, field

NOT_KNOWN = "not known"
_EPILOGUES = {"badd": "badd (a matrix is added)"}
"""Epilogues whose name does not speak for itself."""


@dataclass(frozen=True)
class Source:
    """Where the meaning of a part comes from.

    Attributes
    ----------
    id : str
        Its short name, as parts carry it.
    kind : str
        ``"documentation"``, ``"source code"`` or ``"measured"`` (seen in traces, not documented).
    title : str
        What it is.
    url : str or None
        Where it is; None for what was measured.
    """

    id: str
    kind: str
    title: str
    url: str | None


@dataclass(frozen=True)
class Part:
    """A piece of the name; the pieces, joined, give the name back.

    Attributes
    ----------
    text : str
        The piece itself.
    meaning : str
        What it says, ``"not known"``, or an empty string for a separator.
    source : str or None
        Id of the `Source` of the meaning.
    field : str or None
        The attribute of `KernelName` that it fills.
    """

    text: str
    meaning: str = NOT_KNOWN
    source: str | None = None
    field: str | None = None

    @property
    def known(self) -> bool:
        """Whether something is said of it."""
        return bool(self.meaning) and self.meaning != NOT_KNOWN


@dataclass(frozen=True)
class KernelName:
    """All that a kernel's name says, part by part; None means that the name does not tell.

    Attributes
    ----------
    name, demangled : str
        The name as given, and as shown (the same unless it was a mangled C++ symbol).
    rule : str
        Id of the rule that recognised it.
    family : str
        Short label, as `family` returns it.
    known : bool
        False where the family itself is not known.
    library : str or None
        Who made the kernel.
    operation : str or None
        What it computes.
    kind : str or None
        ``"pointwise"``, ``"reduction"``, ``"persistent reduction"``, ``"template"``, …
    dtypes : tuple of str
        Types that the name gives, in its order, each once.
    tile : str or None
        Tile of one block, as digits (``"128x256"``).
    stages : int or None
        Stages of the pipeline that loads the inputs.
    layout : str or None
        Layouts of the inputs, ``n`` or ``t`` each.
    tensor_cores : bool or None
        Whether it runs on Tensor Cores (or AMD's Matrix Cores).
    architecture : str or None
        The GPU generation that it was made for (a later GPU may run it).
    epilogue : str or None
        Work done before the output is written.
    fused_ops : tuple of str
        Operators that Inductor fused into it.
    number : int or None
        Inductor's counter.
    memory : tuple of str
        Of a copy or a memset: the kinds of memory.
    seen : tuple of str
        Those of these attributes whose meaning was measured, and is documented nowhere.
    notes : tuple of str
        What must not be read into it.
    parts : tuple of Part
        The name, piece by piece.
    """

    name: str
    demangled: str
    rule: str
    family: str
    known: bool = True
    library: str | None = None
    operation: str | None = None
    kind: str | None = None
    dtypes: tuple[str, ...] = ()
    tile: str | None = None
    stages: int | None = None
    layout: str | None = None
    tensor_cores: bool | None = None
    architecture: str | None = None
    epilogue: str | None = None
    fused_ops: tuple[str, ...] = ()
    number: int | None = None
    memory: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    parts: tuple[Part, ...] = field(default=(), repr=False)

    @property
    def summary(self) -> str:
        """One line: the family, what the name tells beyond it, and last what was only seen to mean that."""
        if self.fused_ops:
            first = f"{self.family}: {', '.join(self.fused_ops)}"
        elif self.known:
            first = f"{self.family}: {self.operation or NOT_KNOWN}"
        else:
            first = self.family
        cores = {True: "Tensor or Matrix Cores", False: "no Tensor Cores", None: None}[self.tensor_cores]
        said = {
            "memory": " to ".join(self.memory),
            "architecture": self.architecture and f"made for {self.architecture}",
            "dtypes": "/".join(self.dtypes),
            "tile": self.tile and f"tile {self.tile}",
            "stages": self.stages and f"{self.stages} stage{'s' if self.stages > 1 else ''}",
            "layout": self.layout and f"layout {self.layout}",
            "epilogue": self.epilogue and f"epilogue {_EPILOGUES.get(self.epilogue, self.epilogue)}",
            "tensor_cores": cores,
        }
        told = [(key in self.seen, text) for key, text in said.items() if text]
        documented = ", ".join([first, *(text for seen, text in told if not seen)])
        unsure = ", ".join(text for seen, text in told if seen)
        return f"{documented}; seen, not documented: {unsure}" if unsure else documented
