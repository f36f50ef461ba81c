"""What other cortices say has a source, a bound and no vote of its own."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.cortex.sharing import insights
from prefrontal.cortex.sharing.insights import Insight, nudge
from prefrontal.cortex.sharing.signing import sign
from prefrontal.errors import InputError

KEY = "a-secret-of-both-sides"


def said(source: str, stance: float, at: float = 1.0, peer: str = "p") -> Insight:
    return Insight(f"insight:{source}", peer, stance, "late twice", at)


def test_the_mean_of_the_sources_counts_with_the_weight() -> None:
    assert nudge([said("a", 1.0), said("b", -0.5)], "p", 0.5) == (0.125, ["insight:a", "insight:b"])
    assert nudge([said("a", 1.0)], "other", 0.5) == (0.0, [])


def test_a_source_counts_once_by_what_it_said_last() -> None:
    told = [said("a", -1.0, at=9.0), *[said("a", 1.0, at=float(i)) for i in range(8)]]
    assert nudge(told, "p", 1.0)[0] == -1.0


@settings(deadline=None)
@given(
    st.lists(st.builds(said, st.text(max_size=3), st.floats(-1, 1)), max_size=9),
    st.floats(-5, 5),
)
def test_all_together_move_by_no_more_than_a_point(told: list[Insight], weight: float) -> None:
    assert -1.0 <= nudge(told, "p", weight)[0] <= 1.0


def test_insights_go_from_one_cortex_to_another_under_the_signers_name() -> None:
    text = insights.export([said("somebody-else", -1.0)], key=KEY, source="alpha")
    assert insights.read(text, KEY) == [said("alpha", -1.0)]
    with pytest.raises(InputError, match="signature"):
        insights.read(text.replace("-1.0", "1.0"), KEY)


def test_a_signer_cannot_speak_as_somebody_else() -> None:
    forged = said("beta", 1.0).to_json()
    document = {"format": "prefrontal-insights/1", "source": "alpha", "insights": [forged]}
    assert [each.source for each in insights.read(sign(document, KEY), KEY)] == ["insight:alpha"]


def test_stances_beyond_the_bounds_are_cut_and_damaged_ones_left_out() -> None:
    good = said("a", 1.0).to_json()
    raw = [
        {**good, "stance": 99},
        {**good, "stance": "high"},
        {**good, "stance": float("nan")},
        {**good, "source": "operator"},
        {**good, "peer_id": ""},
        "x",
    ]
    assert [each.stance for each in insights.insights(raw)] == [1.0]
    assert insights.insights(None) == []
