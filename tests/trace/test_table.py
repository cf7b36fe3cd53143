"""torch's text table, read back: inputs of our own, values by hand, and a table printed here and now."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_series.errors import UsageError
from profiling_series.trace.table import TableError, parse_table
from profiling_series.trace.table_cells import parse_cell

COLUMNS = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
CUDA = ["Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg", "# of Calls"]


def table(columns: list[str], rows: list[list[str]], totals: list[str] = (), width: int = 55) -> str:
    """Lay a table out as torch does: right-aligned columns, two spaces between them."""
    widths = [width] + [12] * (len(columns) - 1)
    dashes = "  ".join("-" * each for each in widths) + "  "

    def line(cells: list[str]) -> str:
        return "  ".join(cell.rjust(each) for cell, each in zip(cells, widths, strict=True)) + "  "

    return "\n".join([dashes, line(columns), dashes, *map(line, rows), dashes, *totals, ""])


def cpu_row(name: str, self_cpu: str, total: str, *more: str) -> list[str]:
    return [name, "1.00%", self_cpu, "2.00%", total, total, *more]


MIXED = table(
    [*COLUMNS, *CUDA],
    [
        cpu_row("my_region", "1.200s", "1.201s", "0.000us", "0.00%", "3.250ms", "3.250ms", "1"),
        cpu_row("aten::mm", "612.500us", "700.000us", "3.000ms", "92.31%", "3.000ms", "1.500ms", "2"),
        cpu_row(
            "void at::native::ker...",
            "0.000us",
            "0.000us",
            "150.000us",
            "4.62%",
            "150.000us",
            "75.000us",
            "2",
        ),
        cpu_row(
            "void at::native::ker...",
            "0.000us",
            "0.000us",
            "100.000us",
            "3.08%",
            "100.000us",
            "100.000us",
            "1",
        ),
    ],
    ["Self CPU time total: 1.201s", "Self CUDA time total: 3.250ms"],
)


def test_each_cell_has_its_own_unit_and_every_time_is_in_microseconds():
    parsed = parse_table(MIXED)
    assert parsed.columns == (*COLUMNS, *CUDA)
    assert [row["Self CPU"].value for row in parsed.rows] == [1_200_000.0, 612.5, 0.0, 0.0]
    assert [row["Self CPU"].unit for row in parsed.rows] == ["s", "us", "us", "us"]
    assert [row["Self CUDA"].value for row in parsed.rows] == [0.0, 3000.0, 150.0, 100.0]
    assert parsed.rows[0]["CPU total"].value == 1_201_000.0
    assert parsed.rows[1]["Self CUDA %"].value == 92.31
    assert parsed.rows[1]["# of Calls"].value == 2
    assert (parsed.self_cpu_total_us, parsed.self_device_total_us) == (1_201_000.0, 3250.0)
    assert parsed.device == "CUDA"


def test_rows_with_one_cut_name_are_kept_apart_and_told():
    parsed = parse_table(MIXED)
    cut = [row for row in parsed.rows if "cut" in row.flags]
    assert [row["Self CUDA"].value for row in cut] == [150.0, 100.0]
    assert sum("cut these names" in warning for warning in parsed.warnings) == 1


def test_columns_are_found_by_the_header_whatever_the_device():
    columns = [
        "Name",
        "Self CPU",
        "CPU total",
        "Self  XPU",
        "Self  XPU %",
        "XPU total",
        "CPU Mem",
        "# of Calls",
    ]
    rows = [
        ["aten::add", "67.168ms", "287.125ms", "4.500us", "100.00%", "4.500us", "12.00 Kb", "3"],
        ["launch", "287.000us", "287.000us", "0.000us", "0.00%", "0.000us", "-4 b", "3"],
    ]
    parsed = parse_table(
        table(columns, rows, ["Self CPU time total: 287.200ms", "Self XPU time total: 4.500us"])
    )
    assert parsed.columns[3:5] == ("Self XPU", "Self XPU %")
    assert parsed.device == "XPU"
    assert parsed.self_device_total_us == 4.5
    add, launch = parsed.rows
    assert (add["Self XPU"].value, add["CPU Mem"].value, add["# of Calls"].value) == (4.5, 12288.0, 3)
    assert (launch["CPU Mem"].value, launch["CPU Mem"].unit) == (-4.0, "b")
    assert not launch.flags  # memory may be negative: the operator freed more than it took


def test_a_line_of_dashes_that_does_not_fit_the_header_is_told_and_the_header_wins():
    lines = MIXED.split("\n")
    lines[0] = lines[2] = "  ".join(["-" * 55] + ["-" * 12] * 8)
    parsed = parse_table("\n".join(lines))
    assert [row["Self CUDA"].value for row in parsed.rows] == [0.0, 3000.0, 150.0, 100.0]
    assert "names 11 columns, the dashes 9" in parsed.warnings[0]


def test_a_negative_self_time_keeps_its_sign_and_is_flagged():
    parsed = parse_table(
        table(
            [*COLUMNS, "# of Calls"],
            [
                ["ProfilerStep*", "-5.00%", "-2000.000us", "100.00%", "40.000ms", "40.000ms", "1"],
                ["aten::mm", "105.00%", "42.000ms", "105.00%", "42.000ms", "21.000ms", "2"],
            ],
            ["Self CPU time total: 40.000ms"],
        )
    )
    assert parsed.rows[0]["Self CPU"].value == -2000.0
    assert [row.flags for row in parsed.rows] == [("negative-self",), ()]
    assert "ProfilerStep*: a self time below zero" in parsed.warnings[0]
    assert (parsed.self_cpu_total_us, parsed.self_device_total_us, parsed.device) == (40_000.0, None, None)


def annotated(share: str = "103.28%") -> str:
    return table(
        [*COLUMNS, *CUDA],
        [
            cpu_row("my_step", "0.000us", "0.000us", "601.251us", share, "601.251us", "200.417us", "3"),
            cpu_row("my_step", "121.883us", "386.046us", "0.000us", "0.00%", "582.145us", "194.048us", "3"),
            cpu_row(
                "triton_poi_fused_add_0",
                "9.000us",
                "20.000us",
                "70.000us",
                "12.00%",
                "70.000us",
                "70.000us",
                "1",
            ),
            cpu_row(
                "triton_poi_fused_add_0",
                "0.000us",
                "0.000us",
                "70.000us",
                "12.00%",
                "70.000us",
                "70.000us",
                "1",
            ),
            cpu_row("gemm", "0.000us", "0.000us", "512.145us", "88.00%", "512.145us", "170.715us", "3"),
        ],
        ["Self CPU time total: 668.367us", "Self CUDA time total: 582.145us"],
    )


@pytest.mark.parametrize("share", ["103.28%", "53.01%"])
def test_the_gpu_row_of_an_annotation_is_a_span_and_a_triton_kernel_is_not(share):
    parsed = parse_table(annotated(share))
    assert [row.flags for row in parsed.rows] == [("span",), (), (), (), ()]
    work = [
        row["Self CUDA"].value
        for row in parsed.rows
        if not row["CPU total"].value and "span" not in row.flags
    ]
    assert sum(work) == pytest.approx(parsed.self_device_total_us)
    assert "my_step: the row without CPU time is the span" in parsed.warnings[0]


def test_a_span_whose_cpu_row_is_not_shown_is_known_by_its_share():
    lines = annotated().split("\n")
    del lines[4]
    assert parse_table("\n".join(lines)).rows[0].flags == ("span",)


def test_names_with_two_spaces_and_odd_characters_stay_whole():
    name = "my  region <b>\x1b[31m"
    parsed = parse_table(table([*COLUMNS, "# of Calls"], [cpu_row(name, "1.000us", "1.000us", "1")]))
    assert parsed.rows[0].name == name


def test_flops_shapes_and_numbers_without_a_value():
    columns = ["Name", "Self CPU", "CPU total", "# of Calls", "Input Shapes", "Total MFLOPs"]
    rows = [
        ["aten::mm", "1.000us", "1.000us", "2", "[[8, 8], []]", "   1.572"],
        ["aten::t", "NaN", "0", "2", "[]", "--"],
    ]
    mm, t = parse_table(table(columns, rows)).rows
    assert mm["Total MFLOPs"].value == 1_572_000.0
    assert mm["Input Shapes"].text == "[[8, 8], []]"
    assert (t["Self CPU"].value, t["CPU total"].value, t["Total MFLOPs"].value) == (None, 0.0, None)


def test_an_empty_cell_is_found_by_its_place():
    columns = ["Name", "Overload Name", "Self CPU", "CPU total", "# of Calls"]
    rows = [["aten::add", "Tensor", "1.000us", "2.000us", "3"], ["my_region", "", "4.000us", "5.000us", "6"]]
    add, region = parse_table(table(columns, rows)).rows
    assert (add["Overload Name"].text, region["Overload Name"].text) == ("Tensor", "")
    assert (region["Self CPU"].value, region["# of Calls"].value) == (4.0, 6)


def test_stacks_belong_to_the_row_above():
    dashes = "-" * 20 + "  " + "-" * 12 + "  " + "-" * 24 + "  "
    text = "\n".join(
        [
            dashes,
            f"{'Name':>20}  {'Self CPU':>12}  {'Source Location':<24}  ",
            dashes,
            f"{'aten::mm':>20}  {'1.000us':>12}  {'net.py(3): forward':<24}  ",
            f"{'':>20}  {'':>12}  {'...train.py(9): main':<24}  ",
            f"{'':>20}  {'':>12}  {'':<24}  ",
            f"{'aten::add':>20}  {'2.000us':>12}  {'':<24}  ",
            dashes,
        ]
    )
    mm, add = parse_table(text).rows
    assert mm.stack == ("net.py(3): forward", "...train.py(9): main")
    assert (add.stack, add["Self CPU"].value) == ((), 2.0)


def test_other_lines_around_the_table_do_no_harm():
    assert parse_table(f"step 3\n====\nhello\n{MIXED}\nloss 0.1\n").rows == parse_table(MIXED).rows
    assert parse_table(MIXED.replace("\n", "\r\n")).rows == parse_table(MIXED).rows


def test_a_cut_table_and_a_second_one_are_told():
    cut = MIXED.split("\n")[:5]
    assert "closing line of dashes is missing" in parse_table("\n".join(cut)).warnings[0]
    assert any("more than one table" in warning for warning in parse_table(MIXED + MIXED).warnings)


def test_a_line_that_does_not_fit_is_left_out_and_told():
    lines = MIXED.split("\n")
    lines[0] = lines[2] = "  ".join(["-" * 55] + ["-" * 12] * 8)
    lines.insert(4, "a stray line")
    parsed = parse_table("\n".join(lines))
    assert len(parsed.rows) == 4
    assert any("line 5 does not fit" in warning for warning in parsed.warnings)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the table is empty"),
        (" \n ", "the table is empty"),
        ('{"traceEvents": []}', "no header between two lines of dashes"),
        ("-----\nName\n-----\n", "no header"),
        (table([*COLUMNS], []), "no rows"),
    ],
)
def test_what_is_no_table_is_refused_in_one_line(text, says):
    with pytest.raises(TableError, match=says) as refused:
        parse_table(text)
    assert "\n" not in str(refused.value)
    assert isinstance(refused.value, UsageError)


@pytest.mark.parametrize(
    ("column", "text", "value", "unit"),
    [
        ("Self CPU", "1.201s", 1_201_000.0, "s"),
        ("Self CPU", "-0.500ms", -500.0, "ms"),
        ("Self CPU", "12.5ns", 0.0125, "ns"),
        ("Self CPU", "3.000µs", 3.0, "µs"),
        ("CPU Mem", "2 b", 2.0, "b"),
        ("CPU Mem", "1.50 GB", 1.5 * 1024**3, "GB"),
        ("Self CPU %", "-5.00%", -5.0, "%"),
        ("Self CPU %", "NaN", None, None),
        ("Total FLOPs", "17.000", 17.0, None),
        ("Total TFLOPs", "2.000", 2e12, None),
        ("Name", "12.000us", None, None),
        ("# of Calls", "", None, None),
    ],
)
def test_cells(column, text, value, unit):
    cell = parse_cell(column, text)
    assert (cell.text, cell.value, cell.unit) == (text, value, unit)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from([*MIXED.split("\n"), "", "-", "-----  -----", "Name  X", "\x00", "a  b  c"]),
        max_size=12,
    )
)
def test_no_text_does_more_than_be_refused(lines):
    try:
        parsed = parse_table("\n".join(lines))
    except TableError:
        return
    assert all(set(row.cells) == set(parsed.columns) for row in parsed.rows)


def test_a_table_that_torch_prints_here_is_read_whole():
    torch = pytest.importorskip("torch")
    x = torch.ones(16, 16)
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU],
        profile_memory=True,
        record_shapes=True,
        with_flops=True,
    ) as profiler:
        for _ in range(3):
            torch.relu(x @ x)
    averages = profiler.key_averages(group_by_input_shape=True)
    parsed = parse_table(averages.table(sort_by="self_cpu_time_total"))
    mm = next(row for row in parsed.rows if row.name == "aten::mm")
    assert mm["# of Calls"].value == 3
    assert mm["CPU Mem"].value == 3 * 16 * 16 * 4
    flops = next(column for column in parsed.columns if column.endswith("FLOPs"))
    assert mm[flops].value == pytest.approx(3 * 2 * 16**3)
    assert mm["Input Shapes"].text == "[[16, 16], [16, 16]]"
    assert len(parsed.rows) == len(averages)
    assert sum(row["Self CPU"].value for row in parsed.rows) == pytest.approx(
        parsed.self_cpu_total_us, abs=1.0
    )
    assert not parsed.warnings or "below zero" in parsed.warnings[0]
