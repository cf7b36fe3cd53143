"""The bytes of a trace file: plain or gzip by their content, whole or in ranges, within a stated limit."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from isal import isal_zlib
from isal.igzip_lib import IsalError

from ...errors import TraceError
from ...format import visible

GZIP_MAGIC = b"\x1f\x8b"
_GzipError: type[Exception] = IsalError  # type: ignore[assignment]  # its stub is wrong
GZIP_FORMAT = 31  # zlib's wbits for a gzip header and its checksum
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
        self.shown = visible(str(path))  # for messages
        self._kept: bytes | None = None
        # Of a gzip file too large to be kept: its blocks, where in it _ahead stands, and what was read ahead.
        self._stream: Iterator[bytes] | None = None
        self._at, self._ahead = 0, b""
        self.cut_short, self.trailing_bytes = False, 0
        try:
            kind = path.stat()
            if stat.S_ISDIR(kind.st_mode):
                raise TraceError(f"{self.shown}: a directory, not a trace file")
            if not stat.S_ISREG(kind.st_mode):
                raise TraceError(
                    f"{self.shown}: not a regular file (a pipe or a device); write the trace to a file"
                )
            with path.open("rb") as file:
                self.gzipped = file.read(2) == GZIP_MAGIC
            self.size = kind.st_size
        except (OSError, ValueError) as error:
            raise TraceError(f"{self.shown}: {getattr(error, 'strerror', None) or error}") from None
        if not self.gzipped:
            if self.size == 0:
                raise TraceError(f"{self.shown}: the file is empty (0 bytes)")
            self._check(self.size)

    def _check(self, size: int) -> None:
        if size > self.max_bytes:
            raise TraceError(
                f"{self.shown}: more than {self.max_bytes:,} bytes once unpacked; "
                "raise the limit (--max-bytes) if you trust the file"
            )

    def blocks(self) -> Iterator[bytes]:
        """The decompressed bytes, a few MB at a time."""
        if self._kept is not None:
            yield self._kept
            return
        total, kept = 0, []
        for block in self._inflated() if self.gzipped else self._plain():
            total += len(block)
            self._check(total)
            if self.gzipped and total <= KEEP_BYTES:
                kept.append(block)
            yield block
        if total == 0:
            where = "it is cut short" if self.cut_short else "it unpacks to 0 bytes"
            raise TraceError(f"{self.shown}: the file is empty ({where})")
        if self.gzipped and total <= KEEP_BYTES:
            self._kept = b"".join(kept)

    def _plain(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            while block := file.read(BLOCK_BYTES):
                yield block

    def _inflated(self) -> Iterator[bytes]:
        """What the gzip members unpack to, up to where the file is cut or no member follows.

        `igzip.open` would throw away what it read before a cut.
        """
        total, member = 0, isal_zlib.decompressobj(GZIP_FORMAT)
        with self.path.open("rb") as file:
            while packed := file.read(BLOCK_BYTES // 8):
                while packed:
                    try:
                        block = member.decompress(packed, BLOCK_BYTES)
                    except _GzipError as error:
                        raise TraceError(
                            f"{self.shown}: damaged gzip after {total:,} unpacked bytes: {error}"
                        ) from None
                    if block:
                        total += len(block)
                        yield block
                    packed = member.unconsumed_tail
                    if member.eof:
                        # Another member may follow; as gzip does, pass over zeros and stop at anything else.
                        packed = (member.unused_data or file.read(BLOCK_BYTES // 8)).lstrip(b"\0")
                        if packed and packed[:1] != GZIP_MAGIC[:1]:
                            self.trailing_bytes = len(packed)
                            return
                        member = isal_zlib.decompressobj(GZIP_FORMAT) if packed else member
        self.cut_short = not member.eof

    def read_at(self, offset: int, size: int) -> bytes:
        """Up to ``size`` decompressed bytes from ``offset`` on."""
        if self._kept is not None:
            return self._kept[offset : offset + size]
        if not self.gzipped:
            with self.path.open("rb") as file:
                file.seek(offset)
                return file.read(size)
        return self._read_gzip_at(offset, size)

    def _read_gzip_at(self, offset: int, size: int) -> bytes:
        """`read_at` of a gzip file: from where the last one ended if that is before ``offset``, else anew."""
        if self._stream is None or offset < self._at:
            self._stream, self._at, self._ahead = self._inflated(), 0, b""
        while self._at + len(self._ahead) < offset + size:
            block = next(self._stream, None)
            if block is None:
                break
            if self._at + len(self._ahead) <= offset:
                self._at, self._ahead = self._at + len(self._ahead), b""
            self._ahead += block
        skip = offset - self._at
        return self._ahead[skip : skip + size]
