"""The decision at every border and every tie."""

from __future__ import annotations

from prefrontal.routing.ranking.decide import decide

from ..decide_borders import BORDERS
from ..decide_ties import TIES


def test_the_decision_is_right_at_every_border() -> None:
    assert [each.failure(decide) for each in (*BORDERS, *TIES) if each.failure(decide)] == []
