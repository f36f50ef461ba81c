"""A replay in a notebook: the headline over the policies, and its parts as data frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from ...errors import InputError
from ...notebook import NotebookView, frame, table
from ..result import Outcome, PolicyResult, ReplayResult
from .plain_figures import how_often
from .verdict import verdict
from .wording import (
    percent,
    policy_words,
    shown_policies,
    tokens,
)

PARTS = ("policies", "misses", "wasted", "strip", "curve")

_HEADS = ("policy", "caught", "wake-ups", "share woken", "useful", "tokens per useful wake")
_NESTED = ("paths", "why")


def result_html(result: ReplayResult) -> str:
    """One table: a row for each policy that was tried."""
    caption = f"{result.source}: {verdict(result).sentence}"
    rows = [*map(_cells, shown_policies(result)), *_other(result)]
    return table(caption, _HEADS, rows)


def result_frame(result: ReplayResult, part: str) -> Any:
    """The part named, one of PARTS. Raises InputError for another, SourceError without pandas."""
    if part not in PARTS:
        raise InputError(f"part must be one of {', '.join(PARTS)}, got {part!r:.80}")
    if part == "curve":
        return frame(result.curve, ("share_woken", "recall"))
    if part == "policies":
        names = [each.name for each in fields(PolicyResult)]
        return frame([[getattr(each, name) for name in names] for each in result.policies], names)
    outcomes: Iterable[Outcome] = getattr(result, part)
    return _outcomes(outcomes)


def _outcomes(outcomes: Iterable[Outcome]) -> Any:
    """Times in UTC, the paths as one text, without the reasons."""
    names = [each.name for each in fields(Outcome) if each.name not in _NESTED]
    rows = [
        [*(getattr(each, name) for name in names), each.kind, " ".join(each.paths)]
        for each in outcomes
    ]
    return frame(rows, [*names, "kind", "paths"], times=("time",))


def _other(result: ReplayResult) -> list[tuple[str, ...]]:
    """The gate with the other labels, where that was tried, or which labels it had."""
    if (other := result.compared) is None:
        return [(f"Labels: {result.labels}", "", "", "", "", "")]
    rest = (percent(other.recall), how_often(other.wakes_per_day), "", "", "")
    return [(f"Learned gate, labels {other.labels} (above: {result.labels})", *rest)]


def _cells(policy: PolicyResult) -> tuple[str, ...]:
    return (
        policy_words(policy),
        percent(policy.recall),
        how_often(policy.wakes_per_day),
        percent(policy.share_woken),
        percent(policy.precision),
        tokens(policy.tokens_per_useful_wake),
    )


VIEW = NotebookView(result_html, result_frame)
"""Of a `ReplayResult`."""
