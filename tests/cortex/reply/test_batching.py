"""Batches cover every peer once, in as many calls as can be worked out beforehand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.cortex.models import (
    ProposedAssessment,
    ProposedBelief,
    ProposedCommitment,
    ProposedDirective,
    Reflection,
    SoulAlignment,
)
from prefrontal.cortex.reply.batching import calls, merge, split


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(1, 20))
def test_every_peer_is_in_one_part_and_the_calls_are_known(count: int, size: int) -> None:
    peers: list[dict[str, Any]] = [{"peer_id": str(i)} for i in range(count)]
    parts = split(peers, size)
    assert [peer for part in parts for peer in part] == peers
    assert len(parts) == calls(count, size) == math.ceil(count / size)
    assert all(0 < len(part) <= size for part in parts)


@pytest.mark.parametrize("size", [0, -1])
def test_a_size_below_one_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="batch size must be at least 1, got"):
        split([{}], size)


def test_the_last_word_on_a_peer_counts_and_everything_else_is_kept() -> None:
    one = Reflection(
        assessments=(ProposedAssessment("a", 1, "x"), ProposedAssessment("b", 2, "x")),
        beliefs=(ProposedBelief("k", "old", "x"),),
        directives=(ProposedDirective("a", "ask", "1"),),
        commitments=(ProposedCommitment("a", "t", 5.0),),
        soul_alignment=SoulAlignment("good", 0.9, "fine"),
        lessons=("l1",),
        summary="First.",
        dropped=("d1",),
    )
    two = Reflection(
        assessments=(ProposedAssessment("a", 3, "y"),),
        beliefs=(ProposedBelief("k", "new", "y"), ProposedBelief("m", "v", "y")),
        directives=(ProposedDirective("a", "ask", "2"),),
        commitments=(ProposedCommitment("a", "t", 5.0),),
        soul_alignment=SoulAlignment("poor", 0.3, "late"),
        lessons=("l1", "l2"),
        summary="Second.",
        dropped=("d2",),
    )
    merged = merge([one, two])
    assert [(each.peer_id, each.trust) for each in merged.assessments] == [("a", 3), ("b", 2)]
    assert [(each.key, each.value) for each in merged.beliefs] == [("k", "new"), ("m", "v")]
    assert [each.message for each in merged.directives] == ["2"]
    assert len(merged.commitments) == 1
    assert merged.soul_alignment is not None
    assert merged.soul_alignment.score == pytest.approx(0.6)
    assert merged.soul_alignment.verdict == "poor"
    assert merged.soul_alignment.evidence == "fine; late"
    assert merged.lessons == ("l1", "l2")
    assert merged.summary == "First. Second."
    assert merged.dropped == ("d1", "d2")


def test_nothing_merged_is_nothing() -> None:
    assert merge([]) == Reflection()
