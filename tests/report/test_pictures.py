from __future__ import annotations

from profiling_series.report.pictures import BLACK, page_svg, standalone


def test_a_figure_takes_the_pages_ink_and_brings_nothing_else():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    axes.plot([1, 2], color="#0072b2")
    axes.set_title("a title")
    text = page_svg(figure, "a label", 0, ink=BLACK)
    plt.close(figure)
    assert text.startswith("<svg ")
    assert "#000000" not in text
    assert "currentColor" in text
    assert "#0072b2" in text
    assert ">a title</text>" in text
    assert "<style" not in text, "a style inside the page would style the whole page"
    assert "<metadata" not in text
    alone = standalone(text)
    assert alone.count("<style>") == 1
    assert alone.index("<style>") < alone.index("<g>")
