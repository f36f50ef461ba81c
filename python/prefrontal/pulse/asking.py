"""The question that a module asks about a window, and about what was held back before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ..errors import InputError
from ..plain_text import shorten, visible
from ..plural import many
from .modules.template import QUESTION_LIMIT, QuestionTemplate

if TYPE_CHECKING:
    from ..types import SignalEvent
    from .modules.fingerprint import ModuleFingerprint

MOST_NAMED = 6
"""Windows that a question names beside its own; `explain` names all."""
MOST_KINDS = 4
NAME_LIMIT = 72
"""Characters of each."""


def question(
    text: object, module_id: str, window: Sequence[SignalEvent], *, as_before: bool = False
) -> str | None:
    """The template `text` filled in from the window. as_before: as of `QuestionTemplate.render`.

    None, without an error, for a template that is missing, blank or broken, and for a question
    that comes out blank (an empty window has the location "").
    """
    template = _parsed(text) if isinstance(text, str) else None
    sentence = template.render(window, module_id, as_before=as_before) if template else ""
    return sentence if sentence.strip() else None


def question_about(
    fingerprint: ModuleFingerprint,
    window: Sequence[SignalEvent],
    others: Sequence[Sequence[SignalEvent]],
    crowd: int = 0,
    *,
    as_before: bool = False,
) -> str | None:
    """The module's question about a window that names what else it tells of; None for none.

    crowd: how many more were held back that it only counts.
    """
    template, module_id = fingerprint.question_template, fingerprint.module_id
    text = question(template, module_id, window, as_before=as_before)
    if text is None:
        return None
    text = with_others(text, [each for each in others if each[-1:] != window[-1:]])
    if not crowd:
        return text
    verb = "is" if crowd == 1 else "are"
    counted = f" Besides, {many(crowd, 'held back window')} {verb} in the log."
    return shorten(text, QUESTION_LIMIT - len(counted)) + counted


def with_others(text: str, others: Sequence[Sequence[SignalEvent]]) -> str:
    """The question, and what else it tells of: "... And 5 more: FIRST; SECOND; ..."."""
    if not others:
        return text
    counts = Counter(map(brief_name, others))
    names = [
        f"{name} ({count} times)" if count > 1 else name
        for name, count in list(counts.items())[:MOST_NAMED]
    ]
    rest = len(others) - sum(list(counts.values())[:MOST_NAMED])
    if rest:
        names.append(f"and {many(rest, 'other')}")
    more = f" And {len(others)} more{_kinds(others) if rest else ''}: {'; '.join(names)}."
    return shorten(text, QUESTION_LIMIT - len(more)) + more


def _kinds(windows: Sequence[Sequence[SignalEvent]]) -> str:
    """How many of each kind, where the names do not show it: " (30 created, 28 deleted)"."""
    kinds = Counter(visible(str(each[-1].delta_type), NAME_LIMIT) for each in windows if each)
    if len(kinds) > MOST_KINDS:
        return ""
    return f" ({', '.join(f'{count} {kind}' for kind, count in kinds.items())})"


def brief_name(window: Sequence[SignalEvent]) -> str:
    """A window in a few words: what its last event says, or the name of what changed, and how."""
    if not window:
        return "nothing"
    last = window[-1]
    text = last.features.get("text") if isinstance(last.features, dict) else None
    if isinstance(text, str) and text.strip():
        return visible(text, NAME_LIMIT)
    return _NAMED.render(window, "", as_before=True)


_NAMED = QuestionTemplate(("", " ", ""), ("basename", "delta_type"), NAME_LIMIT)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> QuestionTemplate | None:
    try:
        return QuestionTemplate.parse(text)
    except InputError:
        return None
