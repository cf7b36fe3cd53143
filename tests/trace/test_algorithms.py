"""Intervals, nesting and joins against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from profiling_series.trace import intervals as iv
from profiling_series.trace.groups import groups, last_before
from profiling_series.trace.launches import first_events, unqueued
from profiling_series.trace.nesting import parents

from .build import (
    call,
    kernel,
    read_events,
)

settings.register_profile(
    "here",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("here")

# Intervals, on a line of 40 points

POINTS = 40
spans = st.lists(st.tuples(st.integers(0, POINTS), st.integers(-2, POINTS)), max_size=12)


def arrays(pairs) -> iv.Intervals:
    return (
        np.array([a for a, _ in pairs], np.int64),
        np.array([a + d for a, d in pairs], np.int64),
    )


def points(intervals) -> set[int]:
    """The unit cells that intervals cover."""
    return {p for a, b in zip(*(x.tolist() for x in intervals), strict=True) for p in range(a, b)}


def check_disjoint(intervals) -> None:
    start, end = intervals
    assert np.all(end > start)
    assert np.all(start[1:] > end[:-1]), "sorted, and neighbours that touch are one"


@given(spans)
def test_union(pairs):
    found = iv.union(*arrays(pairs))
    check_disjoint(found)
    assert points(found) == points(arrays(pairs))
    assert iv.measure(found) == len(points(arrays(pairs)))


@given(spans, st.integers(-3, POINTS + 3), st.integers(-3, POINTS + 3))
def test_clip_and_gaps(pairs, low, high):
    whole = iv.union(*arrays(pairs))
    window = set(range(low, high))
    clipped = iv.clip(whole, low, high)
    check_disjoint(clipped)
    assert points(clipped) == points(whole) & window
    free = iv.gaps(whole, low, high)
    check_disjoint(free)
    assert points(free) == window - points(whole)


@given(spans, spans)
def test_intersect_and_subtract(one, two):
    a, b = iv.union(*arrays(one)), iv.union(*arrays(two))
    both = iv.intersect(a, b)
    assert points(both) == points(a) & points(b)
    assert np.all(both[1] > both[0])
    rest = iv.subtract(a, b)
    assert points(rest) == points(a) - points(b)
    assert iv.measure(both) + iv.measure(rest) == iv.measure(a)


@given(spans, st.lists(st.integers(-3, 2 * POINTS), max_size=10))
def test_covered(pairs, at):
    whole = iv.union(*arrays(pairs))
    cells = points(whole)
    here = np.array(at, np.int64)
    assert iv.covered(whole, here).tolist() == [sum(c < p for c in cells) for p in at]
    assert iv.covered_by(whole, here).tolist() == [p in cells for p in at]


@given(spans, spans)
def test_covered_between(pairs, windows):
    whole = iv.union(*arrays(pairs))
    low, high = arrays(windows)
    expected = [
        len(points(whole) & set(range(a, b))) for a, b in zip(low.tolist(), high.tolist(), strict=True)
    ]
    assert iv.covered_between(whole, low, high).tolist() == expected


# Nesting


def by_stack(events: list[tuple[int, int, int]]) -> tuple[list[int], list[int]]:
    """Parents and clamped ends, one event after the other, from the definition."""
    parent, ends = [], [end for _, end, _ in events]
    for i, (start, _, lane) in enumerate(events):
        above = -1
        for j in range(i):
            # Open at the start: it has not ended; one of no length is open at its own moment.
            empty = ends[j] == events[j][0]
            is_open = events[j][2] == lane and (
                ends[j] > start or (empty and events[j][0] == start == events[i][1])
            )
            if is_open and all(k in chain(parent, j) for k in range(i) if k == above):
                above = j
        parent.append(above)
        if above >= 0:
            ends[i] = min(ends[i], ends[above])
    return parent, ends


def chain(parent: list[int], row: int) -> list[int]:
    """The event and all that enclose it."""
    found = [row]
    while parent[row] >= 0:
        row = parent[row]
        found.append(row)
    return found


host_events = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12), st.integers(0, 2)), max_size=25).map(
    lambda es: sorted(((s, s + d, lane) for s, d, lane in es), key=lambda e: (e[0], -e[1]))
)


@settings(max_examples=400)
@given(host_events)
def test_parents_against_a_stack(events):
    start, end, lane = (np.array([e[i] for e in events], np.int64) for i in range(3))
    parent, clamped = parents(start, end, lane)
    expected_parent, expected_end = by_stack(events)
    assert parent.tolist() == expected_parent
    assert clamped.tolist() == expected_end


@given(host_events)
def test_every_parent_encloses(events):
    start, end, lane = (np.array([e[i] for e in events], np.int64) for i in range(3))
    parent, clamped = parents(start, end, lane)
    inside = np.flatnonzero(parent >= 0)
    above = parent[inside]
    assert np.all(above < inside)
    assert np.all(lane[above] == lane[inside])
    assert np.all(start[above] <= start[inside])
    assert np.all(clamped[above] >= clamped[inside])
    assert np.all(clamped >= start)


@pytest.mark.parametrize("lanes", [1, 3, 200])
def test_many_lanes_and_few_give_the_same(lanes):
    """The loop over lanes takes another way where there are many."""
    random = np.random.default_rng(1)
    start = np.sort(random.integers(0, 500, 2000))
    end = start + random.integers(0, 40, 2000)
    order = np.lexsort((-end, start))
    start, end, lane = start[order], end[order], random.integers(0, lanes, 2000)
    found, clamped = parents(start, end, lane)
    for number in range(lanes):
        rows = np.flatnonzero(lane == number)
        alone, ends = parents(start[rows], end[rows], np.zeros(len(rows), int))
        assert np.array_equal(found[rows], np.where(alone >= 0, rows[alone], -1))
        assert np.array_equal(clamped[rows], ends)


# Joins


@given(st.lists(st.integers(0, 5), max_size=20))
def test_groups(keys):
    found = [part.tolist() for part in groups(np.array(keys, np.int64))]
    assert found == [[i for i, k in enumerate(keys) if k == key] for key in sorted(set(keys))]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 20)), min_size=1, max_size=15),
    st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 22)), max_size=15),
)
def test_last_before(calls, queries):
    calls = sorted(calls, key=lambda c: c[1])
    queries = [q for q in queries if q[0] in {k for k, _ in calls}]
    key, ts = (np.array([c[i] for c in calls], np.int64) for i in (0, 1))
    asked, at = (np.array([q[i] for q in queries], np.int64) for i in (0, 1))
    expected = []
    for k, t in queries:
        mine = [i for i, c in enumerate(calls) if c[0] == k]
        before = [i for i in mine if calls[i][1] <= t]
        expected.append(before[-1] if before else mine[0])
    assert last_before(key, ts, asked, at).tolist() == expected


some_calls = st.tuples(
    st.integers(0, 60),  # ts
    st.integers(0, 6),  # dur
    st.integers(-1, 6),  # correlation
    st.sampled_from(["cudaLaunchKernel", "cudaStreamIsCapturing", "cudaMemcpyAsync"]),
)
some_work = st.tuples(st.integers(0, 80), st.integers(0, 8), st.integers(-1, 6), st.integers(0, 1))


@settings(max_examples=150)
@given(st.lists(some_calls, max_size=10), st.lists(some_work, max_size=10))
def test_links_of_one_process(tmp_path, calls, works):
    """By correlation; of several calls, of those that launch by their name, the last begun by then."""
    events = [call(ts, dur, c, name, tid=i) for i, (ts, dur, c, name) in enumerate(calls)]
    events += [kernel(ts, dur, c, device=d) for ts, dur, c, d in works]
    trace = read_events(tmp_path, *events)
    rows = trace.call_rows.tolist()
    for row in trace.gpu_rows.tolist():
        correlation = int(trace.correlation[row])
        mine = [r for r in rows if correlation >= 0 and trace.correlation[r] == correlation]
        mine = [r for r in mine if trace.name(r) != "cudaStreamIsCapturing"] or mine
        before = [r for r in mine if trace.ts[r] <= trace.ts[row]]
        expected = (before[-1] if before else mine[0]) if mine else -1
        assert trace.launch_of[row] == expected


@settings(max_examples=150)
@given(
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 30), st.integers(1, 20), st.integers(0, 1)), max_size=10
    )
)
def test_unqueued(tmp_path, works):
    """The device has ended all that was launched before the call (by other calls, at an earlier time)."""
    events = []
    for i, (ts, latency, dur, device) in enumerate(works):
        events += [call(ts, 1, i), kernel(ts + latency, dur, i, device=device)]
    trace = read_events(tmp_path, *events)
    calls, firsts = first_events(trace)
    expected = []
    for row, first in zip(calls.tolist(), firsts.tolist(), strict=True):
        device = trace.device_of(first)
        earlier = [
            g
            for g in trace.gpu_rows.tolist()
            if trace.device_of(g) == device and trace.ts[trace.launch_of[g]] < trace.ts[row]
        ]
        expected.append(all(trace.end[g] <= trace.ts[row] for g in earlier))
    assert unqueued(trace).tolist() == expected


def test_the_brute_force_itself():
    """a [0, 10) > b [2, 5) > c [3, 9) clamped to 5, by hand."""
    assert by_stack([(0, 10, 0), (2, 5, 0), (3, 9, 0)]) == ([-1, 0, 1], [10, 5, 5])
    assert points(arrays([(1, 2), (5, -1)])) == {1, 2}
