"""The bytes of a trace file: plain or gzip by their content, whole or in ranges, within a stated limit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from isal import igzip

from ...errors import TraceError

GZIP_MAGIC = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
DEFAULT_MAX_BYTES = 16 * 10**9
BLOCK_BYTES = 4 << 20
# Random access into a gzip file means inflating it again, so a small one is kept once inflated.
KEEP_BYTES = 64 << 20


class Source:
    """A trace file opened for reading: its decompressed bytes, from the start or by range.

    Parameters
    ----------
    path : Path
        The file.
    max_bytes : int
        Limit on the decompressed size.

    Raises
    ------
    TraceError
        The file is missing, empty, no regular file, or larger than the limit.
    """

    def __init__(self, path: Path, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self.path, self.max_bytes = path, max_bytes
        self._kept: bytes | None = None
        try:
            if path.is_dir():
                raise TraceError(f"{path}: a directory, not a trace file")
            with path.open("rb") as file:
                self.gzipped = file.read(2) == GZIP_MAGIC
            self.size = path.stat().st_size
        except OSError as error:
            raise TraceError(f"{path}: {error.strerror or error}") from None
        if not self.gzipped:
            if self.size == 0:
                raise TraceError(f"{path}: the file is empty (0 bytes)")
            self._check(self.size)

    def _check(self, size: int) -> None:
        if size > self.max_bytes:
            raise TraceError(
                f"{self.path}: more than {self.max_bytes:,} bytes once unpacked; "
                "raise the limit (--max-bytes) if you trust the file"
            )

    def blocks(self) -> Iterator[bytes]:
        """The decompressed bytes, a few MB at a time."""
        if self._kept is not None:
            yield self._kept
            return
        total, kept = 0, []
        try:
            with igzip.open(self.path, "rb") if self.gzipped else self.path.open("rb") as file:
                while block := file.read(BLOCK_BYTES):
                    total += len(block)
                    self._check(total)
                    if self.gzipped and total <= KEEP_BYTES:
                        kept.append(block)
                    yield block
        except EOFError:
            self.cut_short = True
        except (OSError, igzip.BadGzipFile, igzip.isal_zlib.error) as error:
            raise TraceError(
                f"{self.path}: not readable as gzip after {total:,} unpacked bytes: {error}"
            ) from None
        if total == 0:
            raise TraceError(f"{self.path}: the file is empty (it unpacks to 0 bytes)")
        if self.gzipped and total <= KEEP_BYTES:
            self._kept = b"".join(kept)

    cut_short = False

    def read_at(self, offset: int, size: int) -> bytes:
        """Up to ``size`` decompressed bytes from ``offset`` on."""
        if self._kept is not None:
            return self._kept[offset : offset + size]
        with igzip.open(self.path, "rb") if self.gzipped else self.path.open("rb") as file:
            file.seek(offset)
            return file.read(size)

    def pread(self, descriptor: int, offset: int, size: int) -> bytes:
        """Bytes of a plain file through an open descriptor (safe from several threads)."""
        return os.pread(descriptor, size, offset)
