"""What a timeline shows, as plain data: lanes, bars, connectors and idle gaps, before anything is drawn.

The picture, its text reading and what the page's script gets are all made from a `Scene`.
"""

from __future__ import annotations

from msgspec import Struct


class Window(Struct, frozen=True):
    """The stretch of the trace that is shown.

    Attributes
    ----------
    start_ns, end_ns : int
        Its edges, relative to the first event of the trace.
    origin_ns : int
        Where the axis reads 0: the start of the first chosen step.
    origin_name : str
        What starts there.
    """

    start_ns: int
    end_ns: int
    origin_ns: int
    origin_name: str

    @property
    def start_us(self) -> float:
        """Return the left edge as the axis reads it."""
        return (self.start_ns - self.origin_ns) / 1000

    @property
    def end_us(self) -> float:
        """Return the right edge as the axis reads it."""
        return (self.end_ns - self.origin_ns) / 1000

    @property
    def length_us(self) -> float:
        """Return how long the window is."""
        return (self.end_ns - self.start_ns) / 1000


class Lane(Struct, frozen=True):
    """A horizontal band: a CPU thread, a GPU stream, or the profiler's own overhead.

    Attributes
    ----------
    kind : str
        ``"cpu"``, ``"overhead"`` or ``"gpu"``.
    label : str
        Its heading.
    rows : int
        Bars stacked in it: the depth of nesting on a thread, 1 on a stream.
    device : int
        The GPU of a stream, -1 elsewhere.
    """

    kind: str
    label: str
    rows: int
    device: int = -1


class Bar(Struct, frozen=True):
    """One event, or several merged because each would be too narrow to see.

    Attributes
    ----------
    row : int
        The event's row of the trace, of a merged bar its first.
    kind : str
        A key of `palette.PAINTS`.
    name : str
        The event's full name.
    start_us, dur_us : float
        From the window's origin, and as drawn; the picture clips them at the window's edges. A duration that
        cannot be, because it overruns its stream by far, ends where the next event begins.
    lane, depth : int
        Index into the scene's lanes, and the row in that lane.
    count : int
        1, or the number of events merged.
    work_us : float
        The recorded duration, of a merged bar the sum of them.
    detail : tuple of str
        Arguments worth reading, a line each.
    """

    row: int
    kind: str
    name: str
    start_us: float
    dur_us: float
    lane: int
    depth: int
    count: int = 1
    work_us: float = 0.0
    detail: tuple[str, ...] = ()

    @property
    def end_us(self) -> float:
        """Return where the bar ends."""
        return self.start_us + self.dur_us


class Link(Struct, frozen=True, array_like=True):
    """A launch tied to the GPU event that it caused: where the call starts and where the event does."""

    call_row: int
    gpu_row: int
    call_us: float
    call_lane: int
    call_depth: int
    gpu_us: float
    gpu_lane: int


class Gap(Struct, frozen=True, array_like=True):
    """A time in which a GPU has no work on any stream."""

    device: int
    start_us: float
    dur_us: float


class Mark(Struct, frozen=True, array_like=True):
    """A step's start, or the last one's end, drawn across the lanes."""

    us: float
    name: str


class Scene(Struct, frozen=True):
    """A timeline before it is drawn. `notes` says what is not drawn one by one, and why."""

    window: Window
    lanes: tuple[Lane, ...]
    bars: tuple[Bar, ...]
    links: tuple[Link, ...]
    gaps: tuple[Gap, ...]
    marks: tuple[Mark, ...]
    notes: tuple[str, ...]

    def bars_of(self, lane: int) -> list[Bar]:
        """Return the bars of one lane in time order, an enclosing one before what it holds.

        Parameters
        ----------
        lane : int
            Index into the lanes.
        """
        return sorted((bar for bar in self.bars if bar.lane == lane), key=lambda b: (b.start_us, b.depth))

    def painted(self) -> dict[tuple[str, bool], list[Bar]]:
        """Return the bars by kind and whether they are merged, in the order of the picture's rectangles."""
        groups: dict[tuple[str, bool], list[Bar]] = {}
        for bar in self.bars:
            groups.setdefault((bar.kind, bar.count > 1), []).append(bar)
        return groups

    def busy_share(self, device: int) -> float:
        """Return the part of the window in which a GPU works, 0 to 1.

        Parameters
        ----------
        device : int
            A GPU of the window.
        """
        idle = sum(gap.dur_us for gap in self.gaps if gap.device == device)
        return max(0.0, 1 - idle / self.window.length_us) if self.window.length_us else 0.0
