"""Kernels by role: in one product, in an MLP of three, and in attention of two products or of one kernel."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from profiling_series.errors import UsageError
from profiling_series.measures import UNTOLD, answer
from profiling_series.workloads import MatmulAdd

from ..trace.build import call, kernel, memcpy, op, read_events, step

GEMM = "nvjet_sm90_tst_64x8_64x16_1x4_h_bz_NNT"
SPLIT = "void cublasLt::splitKreduce_kernel<32, 16>(float)"
FLASH = "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>>(Flash_fwd_params)"
SOFTMAX = "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false, false>(float*)"
POINTWISE = "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>(int)"


@pytest.fixture
def program(tmp_path):
    """Write steps in which ops launch work: (op, (kind, name, duration, args) …) …, and read them back."""

    def make(*ops, steps=2):
        events, correlation = [], 0
        for number in range(1, steps + 1):
            start = 1000 * number
            events.append(step(number, start, 900))
            for at, (name, *work) in enumerate(ops):
                begin = start + 10 + 100 * at
                events.append(op(name, begin, 90))
                for place, (make_event, event_name, time, *args) in enumerate(work):
                    correlation += 1
                    events.append(call(begin + 5 + 10 * place, 4, correlation))
                    more = args[0] if args else {}
                    gpu = make_event(begin + 50 + 10 * place, time, correlation, event_name)
                    events.append(gpu | {"args": gpu["args"] | more})
        return read_events(tmp_path, *events)

    return make


@pytest.fixture
def mlp(program):
    """Up, gate and down, with an activation between; the middle one's name is known to nobody."""
    return program(
        ("aten::mm", (kernel, GEMM, 4, {"registers per thread": 168})),
        ("aten::mm", (kernel, "a_new_one", 5, {"registers per thread": 90})),
        ("aten::gelu", (kernel, POINTWISE, 9)),
        ("aten::addmm", (memcpy, "Memcpy DtoD (Device -> Device)", 2), (kernel, GEMM, 3), (kernel, SPLIT, 8)),
    )


def test_the_products_of_an_mlp_by_their_turn(mlp):
    assert answer(mlp, 'kernel("product").count').value == 6
    assert answer(mlp, 'kernel("product", nth=1).dur').each == (4.0, 4.0)
    assert answer(mlp, 'kernel("product", nth=2).name').value == "a_new_one", "the op says it"
    assert answer(mlp, 'kernel("product", nth=-1).op').value == "aten::addmm"
    assert answer(mlp, 'kernel("product", nth=3).dur').value == 3, "the sum of a split product only helps"
    assert answer(mlp, 'kernel("product", nth=4).count').value == 0
    assert answer(mlp, 'kernel("product", op="aten::addmm").before').value == "Memcpy DtoD (Device -> Device)"
    assert answer(mlp, 'kernel("product", nth=1).before') == UNTOLD


def test_what_differs_between_the_products_of_a_step_is_untold_without_their_turn(mlp):
    assert answer(mlp, 'kernel("product").registers') == UNTOLD
    assert answer(mlp, 'kernel("product", nth=1).registers').value == 168


def test_kernels_by_family_and_by_name(mlp):
    assert answer(mlp, 'kernel(family="elementwise").dur').value == 9
    assert answer(mlp, 'kernel(name="a_new").count').value == 2
    assert answer(mlp, 'copy("DtoD").dur').value == 2


def test_attention_in_pieces(program):
    trace = program(
        ("aten::bmm", (kernel, GEMM, 4)),
        ("aten::_softmax", (kernel, SOFTMAX, 7)),
        ("aten::bmm", (kernel, GEMM, 6)),
        ("aten::add", (kernel, POINTWISE, 1)),
    )
    assert answer(trace, 'kernel("product", nth=1).dur').value == 4
    assert answer(trace, 'kernel("product", nth=2).dur').value == 6
    assert answer(trace, 'kernel("softmax").dur').value == 7
    assert answer(trace, 'kernel("addition").dur').value == 1
    assert answer(trace, 'kernel("attention").count').value == 0


def test_attention_as_one_kernel(program):
    trace = program(
        ("aten::_flash_attention_forward", (kernel, "void at::native::fill(int)", 1), (kernel, FLASH, 7))
    )
    assert answer(trace, 'kernel("attention").name').value == FLASH
    assert answer(trace, 'kernel("product").count').value == 0


def test_a_product_that_a_compiler_wrote_has_no_op_and_a_name(program):
    trace = program(("## Call CompiledFxGraph abc ##", (kernel, "triton_tem_fused_addmm_0", 7)))
    assert answer(trace, 'kernel("product").dur').value == 7
    assert answer(trace, 'kernel("attention").count').value == 0


def test_the_rate_is_the_workloads_over_all_products_of_a_step(program):
    trace = program(("aten::mm", (kernel, GEMM, 4)), ("aten::mm", (kernel, GEMM, 6)))
    capture = SimpleNamespace(trace=trace, workload=MatmulAdd(size=64))
    assert answer(capture, 'kernel("product").tflops').value == pytest.approx(
        (2 * 64**3 + 64**2) / 10e-6 / 1e12
    )
    assert answer(capture, 'kernel("product", nth=1).tflops') == UNTOLD


def test_an_unknown_role_is_refused(mlp):
    with pytest.raises(UsageError, match="no role 'prodct'; there are product"):
        answer(mlp, 'kernel("prodct").dur')
