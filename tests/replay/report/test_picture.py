"""The PNG is drawn for every kind of result, without warnings and without shared state."""

from __future__ import annotations

import struct
import sys
from dataclasses import replace

import numpy as np
import pytest

from prefrontal.errors import SourceError
from prefrontal.replay.report.picture import draw, render_png
from prefrontal.replay.result import ReplayResult

from ...exhaustive import first
from .. import made_histories
from ..sample_results import (
    empty_result,
    hostile_result,
    nothing_relevant,
    sample_result,
    tiny_result,
)


def busy_result() -> ReplayResult:
    """An agent's log: windows come faster than any heartbeat, so the curve lies far right."""
    base = sample_result(windows=400)
    policies = tuple(
        replace(each, wakes_per_day=each.wakes_per_day * (1 if each.name == "heartbeat" else 200))
        for each in base.policies
    )
    wakes = base.wakes_per_day * 200
    return replace(base, days=base.days / 200, wakes_per_day=wakes, policies=policies)


def foreign_result() -> ReplayResult:
    """Signs that the font cannot draw, and dollars that must not start a formula."""
    base = sample_result(windows=300, source=r"/x/漢字 $a^$")
    policies = tuple(replace(each, detail=r"text 修正 $\frac$") for each in base.policies)
    return replace(base, policies=policies)


@pytest.mark.parametrize(
    "result",
    first(1, [
        sample_result(), hostile_result(), nothing_relevant(), tiny_result(), empty_result(),
        busy_result(), foreign_result(), replace(tiny_result(), days=0.0),
        replace(sample_result(windows=90), policies=())
    ]),
    ids=["full", "hostile", "none", "tiny", "empty", "busy", "foreign", "no time", "no policies"],
)  # fmt: skip
def test_every_result_becomes_a_picture_of_one_size(result: ReplayResult) -> None:
    pytest.importorskip("matplotlib")
    png = render_png(result)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", png[16:24]) == (1200, 1000)


@pytest.mark.parametrize(
    ("result", "title", "red"),
    first(
        1,
        [
            (made_histories.kept(), "\u2714 Worth it", False),
            (made_histories.missed(), "\u2718 Promise not kept", True),
            (nothing_relevant(), "? Nothing to measure", False),
        ],
    ),
)
def test_the_picture_has_the_verdict_as_its_title(
    result: ReplayResult, title: str, red: bool
) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.colors import to_rgb

    figure = draw(result)
    first = figure.texts[0]
    assert first.get_text() == title
    shades = to_rgb(first.get_color())
    assert (shades[0] == max(shades)) == red
    dots = [each for each in figure.axes[0].lines if each.get_label() == "learned gate, as it ran"]
    colours = [to_rgb(each.get_color()) for each in dots]
    assert [shade[0] == max(shade) for shade in colours] == [red] * len(dots)
    assert bool(dots) == (result.got_recall is not None)


@pytest.mark.parametrize(
    ("labels", "words"),
    [("all", "every window labelled"), ("asked", "labels only as asked")],
)
def test_the_picture_says_which_labels_there_were(labels: str, words: str) -> None:
    pytest.importorskip("matplotlib")
    figure = draw(replace(made_histories.kept(), labels=labels))
    assert any(each.get_text().endswith(f" days, {words}") for each in figure.texts)


@pytest.mark.exhaustive
def test_the_asked_recall_is_a_line() -> None:
    pytest.importorskip("matplotlib")
    above = draw(made_histories.kept()).axes[0]
    assert any(np.array_equal(each.get_ydata(), [90.0, 90.0]) for each in above.lines)
    assert "asked: 90 %" in [each.get_text() for each in above.texts]


@pytest.mark.exhaustive
def test_the_same_result_gives_the_same_bytes_and_no_place_of_making() -> None:
    pytest.importorskip("matplotlib")
    png = render_png(sample_result(windows=300))
    assert png == render_png(sample_result(windows=300, source="/somewhere/else/pytest"))
    assert b"someone" not in png


def test_drawing_leaves_no_window_manager_behind() -> None:
    pytest.importorskip("matplotlib")
    before = "matplotlib.pyplot" in sys.modules
    render_png(tiny_result())
    assert ("matplotlib.pyplot" in sys.modules) == before


def test_without_matplotlib_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [each for each in sys.modules if each.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SourceError, match=r"needs matplotlib: pip install 'prefrontal\[plot\]'$"):
        render_png(tiny_result())
