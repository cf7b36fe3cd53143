from __future__ import annotations

import re
from pathlib import Path

from bs4 import BeautifulSoup

from profiling_series import summary
from profiling_series.report.summary import MAX_STEPS
from profiling_series.trace import read


def test_it_tells_verdict_reason_thresholds_steps_kernels_and_dead_windows(trace):
    text = summary(trace).text()
    assert re.search(r"Verdict +overhead-bound", text)
    assert re.search(r"Thresholds +gpu-bound from 90 % GPU busy, overhead-bound below 50 %", text)
    assert re.search(r"ProfilerStep#2 +200\.0 +300\.0 +50\.0 +2 +2\.78 +2\.78", text)
    assert re.search(r"unqueued +9\.00 +12\.0 +15\.0 +15\.0", text)
    assert re.search(r"cuBLAS GEMM \(nvjet\) +2 +1\.92 +1\.92 +3\.84 +69\.0 %", text)
    assert re.search(r"matmul_add +2 +255\.0 +20\.0, 10\.0 +aten::matmul", text)


def test_text_fits_a_terminal(trace, busy_trace):
    for one in (trace, busy_trace):
        assert max(map(len, summary(one).text().split("\n"))) <= 100


def test_text_and_html_say_the_same_figures(trace):
    view = summary(trace)
    soup = BeautifulSoup(view._repr_html_(), "html.parser")
    page = soup.get_text(" ").replace("\u202f", " ")
    for figure in re.findall(r"\d[\d,]*\.\d+", view.to_text()):
        assert figure in page


def test_tables_are_tables(trace):
    soup = BeautifulSoup(summary(trace)._repr_html_(), "html.parser")
    assert len(soup.find_all("table")) == 6
    for table in soup.find_all("table"):
        assert table.caption.get_text()
        width = len(table.thead.find_all("th", scope="col"))
        for row in table.tbody.find_all("tr"):
            assert len(row.find_all(["th", "td"])) == width
            assert row.find("th", scope="row").get_text()
        assert table.parent["tabindex"] == "0"
        assert table.parent["aria-label"]
    assert [term.get_text() for term in soup.find_all("dt")][:2] == ["Verdict", "Because"]


def test_what_cannot_be_told_is_said(make_trace):
    trace = make_trace([("cpu_op", "aten::mm", 5, 5, 0.0, 10.0, {})])
    text = summary(trace).text()
    assert re.search(r"Verdict +undetermined", text)
    assert "CPU only" in text
    assert "no ProfilerStep" in text
    assert "GPU events" not in text


def test_captures_add_their_own_warnings(capture):
    capture.warnings = ("the clock ran backwards",)
    assert "the clock ran backwards" in summary(capture).text()


def test_many_steps_are_not_all_listed_and_it_says_so(make_trace):
    steps = [
        ("user_annotation", f"ProfilerStep#{n}", 5, 5, n * 100.0, 90.0, {}) for n in range(MAX_STEPS + 8)
    ]
    ops = [("cpu_op", "aten::mm", 5, 5, n * 100.0 + 5, 50.0, {}) for n in range(MAX_STEPS + 8)]
    text = summary(make_trace(steps + ops)).text()
    assert "ProfilerStep#3 " in text
    assert "ProfilerStep#10" not in text
    assert f"{MAX_STEPS} steps between the fourth and the fourth last are not listed" in text


def found(monkeypatch, trace, *findings):
    """Return the summary of a trace in which the rules found just these: (title, stake, confidence)."""
    made = [
        {
            "id": title.lower(),
            "title": title,
            "says": f"{title} says",
            "confidence": sure,
            "at_stake_us": stake,
        }
        for title, stake, sure in findings
    ]
    monkeypatch.setattr(
        "profiling_series.report.summary.reading", lambda _: {**trace.as_dict(), "findings": made}
    )
    return summary(trace)


def test_findings_come_before_the_tables_with_what_is_at_stake(trace, monkeypatch):
    text = found(monkeypatch, trace, ("Gap", 20.0, "likely"), ("Mix", 5.0, "sure")).text()
    assert text.index("20.0 µs at stake: Gap (gap, likely): Gap says") < text.index("Mix (mix): Mix says")
    assert text.index("Mix says") < text.index("Steps")


def test_findings_without_a_stake_are_folded_and_listed_in_a_terminal(trace, monkeypatch):
    view = found(monkeypatch, trace, ("Gap", 20.0, "sure"), ("Bias", None, "unknown"), ("Zero", 0.0, "sure"))
    assert "2 further findings, with nothing at stake in the steady steps\n" in view.text()
    assert "Bias (bias, unknown): Bias says\n" in view.text()
    folded = BeautifulSoup(view._repr_html_(), "html.parser").find("details", class_="ps-folded")
    assert "open" not in folded.attrs
    assert folded.summary.get_text() == "2 further findings, with nothing at stake in the steady steps"
    assert [item.get_text() for item in folded.find_all("li")] == [
        "Bias (bias, unknown): Bias says",
        "Zero (zero): Zero says",
    ]


def test_the_rules_are_asked(make_trace):
    assert "The trace has no steps (no-steps" in " ".join(
        summary(make_trace([("cpu_op", "aten::mm", 5, 5, 0.0, 10.0, {})])).text().split()
    )


def test_a_trace_of_the_cpu_alone_names_the_ops_that_take_the_time():
    trace = read(Path(__file__).parent.parent / "data" / "cases" / "72-cpu-only.json")
    text = summary(trace).text()
    assert "Ops by self time" in text
    assert text.index("aten::mm") < text.index("aten::add")
    assert "85.7 %" in text.replace("\u202f", " ")  # 600 of 700 µs
    assert "Thresholds" not in text
