"""The language of measures: what it says, what it refuses, and the units of what it works out."""

from __future__ import annotations

from contextlib import suppress
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiling_series.errors import UsageError
from profiling_series.measures import UNTOLD, Measured, evaluate
from profiling_series.measures.subjects import over_processes


@pytest.fixture
def variables(capture):
    timings = [SimpleNamespace(median_us=value) for value in (20.0, 30.0, 40.0)]
    return {"cap": capture, "timed": timings, "by": {"a": timings, "b": timings[:1]}, "n": 4096, "key": "a"}


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("cap: step(1).dur", 200, "µs"),
        ("cap.step(1).dur", 200, "µs"),
        ("cap: step(1).dur / step(-1).dur", 2, ""),
        ("cap.step(1).dur - cap.step(-1).dur", 100, "µs"),
        ("2 * cap.step(1).dur", 400, "µs"),
        ("-cap.step(1).dur + 1", -199, "µs"),
        ("cap: step(1).dur > 1.2 * step(-1).dur", True, ""),
        ("cap: 100 <= step(-1).dur < 200 < step(1).dur + 1", True, ""),
        ('cap: regime == "overhead-bound" and not step(1).dur < 100', True, ""),
        ('cap: regime == "gpu-bound" or step(9).dur', False, ""),
        ('cap: "mm" in op("aten::mm").name', True, ""),
        ("n", 4096, ""),
        ("us(n) + 4", 4100, "µs"),
        ("timed.time", 30, "µs"),
        ("timed[0].time", 20, "µs"),
        ("timed[-1].time.high", None, ""),  # one timing has no spread
        ("timed.time.high", 40, "µs"),
        ("by[key]: time", 30, "µs"),
        ('by["b"].time', 20, "µs"),
        ("percent(timed[0].time / timed[1].time)", 100 * 2 / 3, "%"),
        ("ms(timed[0].time)", 0.02, "ms"),
        ("whole(1.6 * timed[0].time)", 32, ""),
        ("abs(timed[0].time - timed[1].time)", 10, "µs"),
        ("cap: step(9).dur", None, ""),
        ("cap: step(9).dur > 1", False, ""),
        ("cap: not step(9).dur", True, ""),
        ("cap: step(9).dur + 1", None, ""),
        ("cap.step(1).dur / 0", None, ""),
    ],
)
def test_what_an_expression_says(text, value, unit, variables):
    found = evaluate(text, variables)
    assert found.value == (value if isinstance(value, str | bool) else pytest.approx(value))
    assert found.unit == (unit if found.value is not None else "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cap: stp(1).dur", "no measure 'stp' to call"),
        ("cap: step(1).dr", "no measure 'dr' of steps; did you mean dur"),
        ("gone: pace", "there is no variable 'gone'"),
        ("cap: paec", "there is no variable 'paec' nor a measure of Run"),
        ("cap: step(1)", "this is no figure yet; ask it for"),
        ("cap: step()", "step.nth.: missing a required argument"),
        ("cap: step(1).dur +", "no expression"),
        ('cap: step(1).dur > "x"', "compares a word with a number"),
        ("cap: step(1).dur > busy_share", "compares µs with %"),
        ("cap: step(1).dur + busy_share", "mixes µs with %"),
        ("cap: step(1).dur * pace", "mixes µs with µs"),
        ("cap: regime + 1", "calculates with a word"),
        ("timed[7].time", "there is no 7"),
        ("n[0]", "is no list"),
        ("factor(n)", "factor: "),
        ("lambda n: n", "not in the language"),
        ("[n for n in timed]", "not in the language"),
        ("n ** 9", "not in the language"),
        ("cap.__class__", "no measure '__class__'"),
        ("__import__('os')", "no measure '__import__' to call"),
        ("(lambda: 1)()", "calls what is no measure"),
        ("b'x'", "not in the language"),
    ],
)
def test_what_is_refused(text, message, variables):
    with pytest.raises(UsageError, match=message):
        evaluate(text, variables)


@given(st.text(max_size=30))
def test_any_text_is_answered_or_refused(text):
    with suppress(UsageError):
        evaluate(text, {"n": 1})


def test_before_the_colon_each_process_is_asked_and_after_it_the_medians_are():
    slow, fast = (
        [SimpleNamespace(median_us=us) for us in each] for each in ((10.0, 20.0, 60.0), (1.0, 2.0, 3.0))
    )
    assert evaluate("runs: time / 2", {"runs": slow}) == Measured(10.0, "µs", (5.0, 10.0, 30.0), "process")
    assert evaluate("slow.time / fast.time", {"slow": slow, "fast": fast}).value == 10


def test_one_process_that_cannot_tell_leaves_the_figure_untold(capture):
    other = SimpleNamespace(trace=capture.trace, workload=None)  # which has no table
    assert evaluate("both: self_cpu_total", {"both": [capture, other]}) == UNTOLD
    assert evaluate("both.self_cpu_total", {"both": [capture, other]}) == UNTOLD


def test_words_are_told_together_where_they_differ():
    assert over_processes([Measured("mm"), Measured("mm")]) == Measured("mm")
    assert over_processes([Measured("mm"), Measured("bmm")]) == Measured("mm or bmm")


def _timings(*values):
    return [SimpleNamespace(median_us=value) for value in values]


def test_a_factor_takes_five_processes_a_side():
    before, after = _timings(10.0, 20.0, 30.0, 40.0, 50.0), _timings(60.0, 60.0, 60.0, 60.0, 75.0)
    found = evaluate("factor(before.time, after.time)", {"before": before, "after": after})
    assert found.value == pytest.approx(2)
    assert (min(found.each), max(found.each), len(found.each)) == (1.2, 7.5, 25)
    assert evaluate("factor(before.time, after.time)", {"before": before, "after": after[:4]}) == UNTOLD
    assert evaluate("factor(a, b)", {"a": 1, "b": 2}) == UNTOLD


def test_ranges_that_touch_overlap():
    several = {"a": _timings(1.0, 3.0), "b": _timings(3.0, 5.0), "c": _timings(4.0, 5.0)}
    assert evaluate("overlap(a.time, b.time)", several).value is True
    assert evaluate("overlap(a.time, c.time)", several).value is False


def test_the_lowest_of_several_programs_by_name():
    five, other, few = _timings(*[20.0] * 5), _timings(*[10.0] * 5), _timings(1.0)
    programs = {"every": {"slow": five, "fast": other, "few": few}}
    assert evaluate("every.time.lowest_name(1)", programs).value == "fast"
    assert evaluate("every.time.lowest(2)", programs) == Measured(20.0, "µs", (20.0,) * 5, "process")
    assert evaluate("every.time.lowest(3)", programs) == UNTOLD, "one process is not ranked"
