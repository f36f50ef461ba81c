"""A replay shown in a notebook."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prefrontal.errors import InputError
from prefrontal.replay.report.notebook import PARTS
from prefrontal.replay.report.verdict import verdict
from prefrontal.replay.result import OtherLabels, ReplayResult

from ..sample_results import (
    HOSTILE,
    empty_result,
    hostile_result,
    nothing_relevant,
    sample_result,
    tiny_result,
)


def test_a_result_shows_its_headline_over_a_row_for_each_policy() -> None:
    result = sample_result()
    html = result._repr_html_()
    assert html.startswith("<table><caption>")
    assert verdict(result).sentence in html
    assert html.count("<tr>") == 1 + len(result.policies) + 1
    assert "Learned gate" in html
    assert "Labels: all" in html


def test_it_shows_what_other_labels_gave() -> None:
    other = OtherLabels("all", 0.93, 2.0, 0)
    html = replace(sample_result(), labels="asked", compared=other)._repr_html_()
    assert "<td>Learned gate, labels all (above: asked)</td><td>93 %</td><td>2 a day</td>" in html


def test_what_a_history_says_is_escaped_and_there_is_no_script() -> None:
    hostile = replace(hostile_result(), source=HOSTILE)
    rules = [replace(each, detail=HOSTILE) for each in hostile.policies]
    html = replace(hostile, policies=tuple(rules))._repr_html_()
    assert "&lt;/script&gt;&lt;img src=x" in html
    for forbidden in ("<script", "</script", "<img", "\u202e", "\x1b"):
        assert forbidden not in html


@pytest.mark.parametrize("result", [nothing_relevant(), tiny_result(), empty_result()])
def test_a_result_with_little_in_it_is_shown(result: ReplayResult) -> None:
    assert result._repr_html_().count("<tr>") == 2 + len(result.policies)
    for part in PARTS:
        assert len(result.to_pandas(part)) == len(getattr(result, part))


def test_each_part_becomes_a_frame() -> None:
    result = sample_result()
    policies = result.to_pandas()
    assert policies["name"].tolist() == [each.name for each in result.policies]
    assert policies["wakes_per_day"].tolist() == [each.wakes_per_day for each in result.policies]
    curve = result.to_pandas("curve")
    assert [tuple(each) for each in curve.to_numpy()] == list(result.curve)
    for part in ("misses", "wasted", "strip"):
        told = result.to_pandas(part)
        outcomes = getattr(result, part)
        assert told["kind"].tolist() == [each.kind for each in outcomes]
        assert [each.timestamp() for each in told["time"]] == pytest.approx(
            [each.time for each in outcomes]
        )
        assert "why" not in told


def test_another_part_is_refused() -> None:
    with pytest.raises(InputError, match=r"part must be one of policies, .*, got 'rows'"):
        sample_result().to_pandas("rows")
