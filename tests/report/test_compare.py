from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from profiling_series import compare, comparison
from profiling_series.errors import UsageError
from profiling_series.trace import read
from profiling_series.trace.per_step import per_step

CASES = Path(__file__).parents[1] / "data" / "cases"
EAGER, COMPILED = "83-eager.json", "83-compiled.json"


def case(name):
    return read(CASES / name)


def rows(view, title):
    """The cells of the table of that title, by their first."""
    soup = BeautifulSoup(view._repr_html_(), "html.parser")
    table = next(found for found in soup.find_all("table") if title in found.caption.text)
    lines = [[cell.text for cell in line.find_all(["th", "td"])] for line in table.tbody.find_all("tr")]
    return {line[0]: line[1:] for line in lines}


def test_copies_count_as_work_beside_kernels():
    step = rows(compare(case(EAGER), case(COMPILED)), "step by step")
    assert step["CPU: step time µs"][:2] == ["70", "140"]
    assert step["GPU events"] == ["2", "2", "="]
    assert step["… kernels"] == ["2", "1", "−1"]
    assert step["… copies"] == ["0", "1", "+1"]
    assert step["… memsets"] == ["0", "0", "="]
    assert step["cudaLaunchKernel calls"] == ["2", "1", "−1"]
    assert step["cudaMemcpyAsync calls"] == ["0", "1", "+1"]
    assert step["GPU sum µs"][:2] == step["GPU busy µs"][:2] == ["620", "616"]
    assert step["GPU sum µs"][2].replace("\u202f", " ") == "−0.65 %"


def test_fewer_launches_are_never_called_fusion():
    text = compare(case(EAGER), case(COMPILED)).text()
    assert "1 kernel fewer a step, and 1 copy or memset more" in " ".join(text.split())
    for word in ("fused", "fusion", "faster", "saved by"):
        assert word not in text


def test_totals_do_not_matter():
    step = rows(compare(case("84-three-steps.json"), case("84-five-steps.json")), "step by step")
    assert step["CPU: step time µs"][:2] == ["70", "70"]
    assert step["GPU sum µs"] == ["620", "620", "="]
    assert step["GPU events"] == ["2", "2", "="]
    assert step["cudaLaunchKernel calls"] == ["2", "2", "="]


def test_rows_of_one_side_are_told_with_their_side():
    one_sided = rows(compare(case(EAGER), case(COMPILED), ("eager", "compiled")), "one side alone")
    assert one_sided["aten::mm"] == ["eager", "1", "20.0"]
    assert one_sided["TorchDynamo Cache Lookup"] == ["compiled", "1", "20.0"]
    assert one_sided["aten::addmm"] == ["compiled", "1", "48.0"]
    assert "ProfilerStep#2" not in one_sided


def test_kernels_stand_side_by_side_by_name():
    work = rows(compare(case(EAGER), case(COMPILED)), "Kernels")
    gemm = next(cells for name, cells in work.items() if "s16816gemm" in name)
    assert gemm == ["1", "580.0", "1", "583.0"]
    copy = next(cells for name, cells in work.items() if "Memcpy" in name)
    assert copy == ["", "", "1", "33.0"]


class TestFactor:
    """Of CPU times: told from five processes a side, or where it is larger than processes differ by."""

    def process(self, us, make_trace, tmp_path):
        events = []
        for number in range(3):
            start = number * 10 * us
            events.append(("user_annotation", f"ProfilerStep#{number}", 5, 5, start, us, {}))
            events.append(("cpu_op", "aten::mm", 5, 5, start + 1, us - 2, {}))
        trace = make_trace(events)
        (tmp_path / "made.json").rename(tmp_path / f"made{us}.json")
        return trace

    def test_not_from_one_process_each(self, make_trace, tmp_path):
        one, other = self.process(100.0, make_trace, tmp_path), self.process(200.0, make_trace, tmp_path)
        assert comparison(one, other).factors(lambda run: run.cpu_us.median) == ()
        view = compare(one, other)
        assert rows(view, "step by step")["CPU: step time µs"] == ["100", "200", "not told"]
        assert "fewer than 5 processes" in view.text()

    def test_a_large_one_is_told_from_one_process_each(self, make_trace, tmp_path):
        one, other = self.process(100.0, make_trace, tmp_path), self.process(10.0, make_trace, tmp_path)
        view = compare(one, other)
        assert rows(view, "step by step")["CPU: step time µs"] == ["100", "10", "÷ 10"]
        assert "fewer than" not in view.text()

    def test_from_five_with_the_range_over_all_pairs(self, make_trace, tmp_path):
        before = [self.process(us, make_trace, tmp_path) for us in (100.0, 90.0, 110.0, 95.0, 105.0)]
        after = [self.process(us, make_trace, tmp_path) for us in (200.0, 180.0, 220.0, 190.0, 330.0)]
        step = rows(compare(before, after), "step by step")
        assert step["CPU: step time µs"] == ["100 (90–110)", "200 (180–330)", "× 2 (1.64–3.67)"]

    def test_not_where_one_step_lasts_as_long_as_one_of_the_other(self, make_trace):
        def steps(*times):
            events, start = [], 0.0
            for number, time in enumerate(times):
                events.append(("user_annotation", f"ProfilerStep#{number}", 5, 5, start, time, {}))
                events.append(("cpu_op", "aten::mm", 5, 5, start + 1, time - 2, {}))
                start += 2 * time
            return make_trace(events)

        slow = steps(100.0, 700.0, 700.0, 90.0)
        assert per_step(slow).cpu_us.low == 90.0
        quick = steps(100.0, 100.0, 100.0, 100.0)
        assert comparison(quick, slow).factors(lambda run: run.cpu_us.median) == ()

    def test_five_against_four_are_too_few(self, make_trace, tmp_path):
        five = [self.process(100.0 + at, make_trace, tmp_path) for at in range(5)]
        assert comparison(five, five[:4]).factors(lambda run: run.cpu_us.median) == ()


def test_a_changed_name_is_told_part_by_part(make_trace, tmp_path):
    def with_kernel(name):
        trace = make_trace(
            [
                ("user_annotation", "ProfilerStep#1", 5, 5, 0.0, 100.0, {}),
                ("cuda_runtime", "cudaLaunchKernel", 5, 5, 20.0, 8.0, {"correlation": 1}),
                ("kernel", name, 0, 7, 30.0, 50.0, {"device": 0, "stream": 7, "correlation": 1}),
            ]
        )
        (tmp_path / "made.json").rename(tmp_path / f"{name}.json")
        return trace

    plain, added = "nvjet_sm90_tst_64x8_64x16_1x2_h_bz_NNT", "nvjet_sm90_tst_64x8_64x16_1x2_h_badd_NNT"
    told = " ".join(compare(with_kernel(plain), with_kernel(added)).text().split())
    assert f"{plain} became {added}: bz → badd (" in told
    same = compare(with_kernel(plain), with_kernel(plain), ("a", "b")).text()
    assert "became" not in same


def test_a_cpu_trace_is_compared_without_a_gpu():
    alone = case("72-cpu-only.json")
    step = rows(compare(alone, alone), "step by step")
    assert set(step) <= {"CPU: step time µs", "pace µs"}


def test_labels_come_from_what_differs_in_the_keys():
    def capture(key):
        return SimpleNamespace(trace=case(EAGER), key=key, source_line="recorded on Test GPU")

    made = [capture(f"01_matmul_add/64_bf16_warm_{mode}_active20") for mode in ("eager", "compile")]
    found = comparison(*made)
    assert (found.before.label, found.after.label) == ("eager", "compile")
    assert found.source_line == "recorded on Test GPU"
    loop, batch = capture("01_small/64x64_bf16"), capture("01_small/64x64_bf16_batched")
    assert comparison(loop, batch).before.label == "64x64_bf16"
    assert comparison(loop, loop).after.label == "second"


@pytest.mark.parametrize(
    ("sides", "labels", "told"),
    [
        (([], EAGER), None, "at least one capture or trace a side"),
        ((3, EAGER), None, "a view needs a Capture or a Trace, not int"),
        (("56-no-profiler-step.json", EAGER), None, "holds no complete step"),
        ((EAGER, EAGER), ("one",), "two labels"),
        ((EAGER, EAGER), "ab", "two labels"),
    ],
)
def test_wrong_use_is_told_in_one_line(sides, labels, told):
    with pytest.raises(UsageError, match=told) as caught:
        compare(*(case(side) if isinstance(side, str) else side for side in sides), labels)
    assert "\n" not in str(caught.value)


def test_hostile_names_and_labels_stay_text(hostile):
    name, trace = hostile
    page = compare(trace, trace, ("<b>a</b>", "\x1b[31m"))._repr_html_()
    assert "<script>alert" not in page
    assert "<b>a" not in page
    assert "\x1b" not in page
    assert "\x1b" not in compare(trace, case(EAGER), (name, "b")).text()
    assert max(map(len, compare(trace, trace, ("a", "b")).text().splitlines())) <= 100
