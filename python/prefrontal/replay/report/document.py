"""A result as the JSON that people and programs read: what is kept, the verdict, and words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...feature_words import feature_words
from .gains import month_of
from .next_steps import next_steps
from .verdict import verdict
from .wording import counted_thing

if TYPE_CHECKING:
    from ..result import Outcome, ReplayResult

_LISTS = ("misses", "wasted", "strip")


def document(
    result: ReplayResult, place: str = "", relevant: str | None = None, has_report: bool = False
) -> dict[str, Any]:
    """`ReplayResult.to_dict` with `verdict`, `next` and, beside each `why`, its `why_words`.

    place, relevant, has_report: what was replayed and asked for, as `next_steps` takes them.
    Each policy gets `usd_a_month`. `ReplayResult.from_dict` reads it back. Raises InputError as
    `to_dict` does.
    """
    plain = result.to_dict()
    decided = verdict(result)
    for name in _LISTS:
        outcomes: tuple[Outcome, ...] = getattr(result, name)
        for raw, outcome in zip(plain[name], outcomes, strict=True):
            thing = counted_thing(result)
            raw["why_words"] = [feature_words(each, thing) for each, _ in outcome.why]
    for raw, policy in zip(plain["policies"], result.policies, strict=True):
        raw["usd_a_month"] = month_of(result, policy)
    return {
        "format": plain.pop("format"),
        "verdict": {
            "kind": decided.kind,
            "title": decided.title,
            "sentence": decided.sentence,
        },
        "next": [each.command for each in next_steps(result, place, relevant, has_report)],
        **plain,
    }
