"""What kernel names tell: a table of names with the values that are right, and names that try to break the
decoder."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_series.trace.kernel_names import decode, family, sources
from profiling_series.trace.kernel_names.rules import raw

TABLE = Path(__file__).parent.parent / "data" / "kernel_names.tsv"
CORES = {True: "yes", False: "no", None: "-"}


def read_table() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


ROWS = read_table()
FRAGMENTS = sorted({hint for rule in raw()["rules"] for hint in rule.get("hint", ())})


@pytest.mark.parametrize("row", ROWS, ids=[row["name"][:60] or "empty" for row in ROWS])
def test_a_name_tells_what_the_table_says(row):
    kernel = decode(row["name"])
    assert {
        "name": row["name"],
        "family": kernel.family,
        "operation": kernel.operation or "-",
        "types": "/".join(kernel.dtypes) or "-",
        "tile": kernel.tile or "-",
        "stages": "-" if kernel.stages is None else str(kernel.stages),
        "layout": kernel.layout or "-",
        "tensor cores": CORES[kernel.tensor_cores],
        "architecture": kernel.architecture or "-",
        "epilogue": kernel.epilogue or "-",
        "fused ops": " ".join(kernel.fused_ops) or "-",
    } == row
    assert family(row["name"]) == row["family"]


@pytest.mark.parametrize("row", ROWS, ids=[row["name"][:60] or "empty" for row in ROWS])
def test_the_pieces_give_the_name_back_and_cite_their_sources(row):
    kernel = decode(row["name"])
    assert "".join(part.text for part in kernel.parts) == kernel.demangled
    for part in kernel.parts:
        assert part.source is None or part.source in sources()
        assert part.source or not part.field, f"{part} fills a field without a source"


def test_what_is_said_of_nvjet_is_marked_as_seen_not_documented():
    parts = {part.text: part for part in decode("nvjet_sm90_tst_256x128_64x4_1x2_h_badd_coopA_NNT").parts}
    assert sources()[parts["badd"].source].kind == "measured"
    assert sources()[parts["NNT"].source].kind == "measured"
    for piece in ("tst", "64x4", "1x2", "h", "coopA"):
        assert parts[piece].meaning == "not known"


@pytest.mark.parametrize(
    ("name", "piece", "must_say"),
    [
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", "LL", "not the protocol"),
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", "RING", "not the algorithm"),
        ("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(int)", "SendRecv", "other operations"),
        ("ncclDevKernel_Generic_4(int)", "Generic", "not known"),
        ("turing_fp16_s1688gemm_fp16_128x128_ldg8_relu_f2f_tn", "relu", "does not prove"),
        (
            "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_kernel0_0",
            "f16",
            "not the type of the data",
        ),
    ],
)
def test_names_that_mislead_are_not_over_read(name, piece, must_say):
    kernel = decode(name)
    assert must_say in next(part.meaning for part in kernel.parts if part.text == piece)
    assert kernel.notes


def test_operations_of_generic_collectives_are_not_told():
    assert decode("ncclDevKernel_Generic_4(int)").operation is None
    assert decode("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(int)").operation is None
    assert decode("ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)").operation == "all-reduce"


def test_the_kind_and_number_of_inductor_kernels():
    kernel = decode("triton_per_fused__softmax_exp_masked_fill_mul_sub_12")
    assert (kernel.kind, kernel.number) == ("persistent reduction", 12)
    assert kernel.fused_ops == ("_softmax", "exp", "masked_fill", "mul", "sub")


def test_in_place_operators_keep_their_underscore():
    assert decode("triton_poi_fused_add_copy__3").fused_ops == ("add", "copy_")


def test_a_copy_tells_its_memory():
    assert decode("Memcpy HtoD (Pageable -> Device)").memory == ("Pageable", "Device")


def test_unknown_names_say_so():
    for name in ("my_kernel", "void mine::kernel<float>(float*)", "12 monkeys", "", "unknown", "Ünïcode"):
        assert not decode(name).known, name
    assert decode("triton_poi_fused_add_0").known


def test_the_summary_is_one_line_of_what_is_told():
    kernel = decode("ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn")
    assert kernel.summary == (
        "cuBLAS GEMM: matrix multiply (GEMM), made for Ampere, bf16/fp32, tile 128x256, 3 stages, layout nn, "
        "Tensor or Matrix Cores"
    )


def check_total(name: str) -> None:
    start = time.perf_counter()
    kernel = decode(name)
    assert kernel.family == family(name)
    assert "".join(part.text for part in kernel.parts) == kernel.demangled
    assert time.perf_counter() - start < 2.0


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_any_text_is_decoded(name):
    check_total(name)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(FRAGMENTS + [row["name"][:40] for row in ROWS]),
    st.lists(
        st.sampled_from([*FRAGMENTS, "_", "<", ">", "(", "::", "1", "x", "a", ",", " ", "\n", "é"]),
        max_size=8,
    ),
    st.sampled_from([1, 3, 2000]),
)
def test_names_made_of_what_the_rules_look_for_are_decoded_fast(start, pieces, times):
    check_total(start + "".join(pieces) * times)


@pytest.mark.parametrize(
    "start", ["", "nvjet_", "void at::native::", "_ZN", "Cijk_", "triton_poi_fused_", "sm80_xmma_gemm_"]
)
@pytest.mark.parametrize("filler", ["a", "1", "_", "<", "(", "a_", "1x", "a::", "\x1b[0m"])
def test_a_name_of_a_megabyte_is_decoded_fast(start, filler):
    check_total(start + filler * (1_000_000 // len(filler)))


def test_lone_surrogates_do_no_harm():
    check_total("\ud800nvjet\udfff")


def test_every_source_that_is_not_measured_has_an_address():
    for source in sources().values():
        assert (source.url is None) == (source.kind == "measured"), source
        assert source.kind in ("documentation", "source code", "measured")
