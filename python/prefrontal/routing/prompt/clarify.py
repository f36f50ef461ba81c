"""The one question that is asked when a prompt leaves the domain or the action open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from . import evidence
from .parser import THRESHOLD, Reading, below, read_prompt

if TYPE_CHECKING:
    from ..types import Discovery, ParsedIntent, SubIntent
    from .taxonomy import Taxonomy

MOST_CHOICES = 5


@dataclass(frozen=True, slots=True)
class ClarifyingQuestion:
    """Which domain, or which action. choices: names of folders, the likeliest first."""

    field: Literal["domain", "action"]
    choices: tuple[str, ...]

    @property
    def text(self) -> str:
        """One line: "domain=analysis or ingest?"."""
        *front, last = self.choices
        return f"{self.field}={', '.join(front)} or {last}?" if front else f"{self.field}={last}?"


def question_for(
    parsed: ParsedIntent,
    taxonomy: Taxonomy,
    *,
    threshold: float = THRESHOLD,
    clauses: Sequence[SubIntent] | None = None,
) -> ClarifyingQuestion | None:
    """What to ask, or None when the intent is clear or there is nothing to choose from.

    Asked is for what is missing, else for the less certain of both; an action first, since it
    often settles the domain.
    """
    if parsed.domain and parsed.action and parsed.confidence >= threshold:
        return None
    reading = read_prompt(parsed.intent, taxonomy, clauses=clauses)
    fields: list[Literal["domain", "action"]] = ["action", "domain"]
    if parsed.action and (not parsed.domain or _first(reading.domains) < _first(reading.actions)):
        fields.reverse()
    for field in fields:
        choices = _choices(field, parsed, reading, taxonomy)
        if len(choices) > 1 or (choices and getattr(parsed, field) is None):
            return ClarifyingQuestion(field, choices)
    return None


def resolve(
    parsed: ParsedIntent,
    question: ClarifyingQuestion,
    reply: str,
    taxonomy: Taxonomy,
    *,
    clauses: Sequence[SubIntent] | None = None,
) -> ParsedIntent:
    """The intent after the reply: a number, a name, "domain=analysis" or words that fit one choice.

    A reply that fits none, or several, changes nothing: the best guess stays, as sure as it was.
    """
    chosen = _understood(question, reply, taxonomy)
    if chosen is None:
        return parsed
    if question.field == "domain":
        reading = read_prompt(parsed.intent, taxonomy, clauses=clauses)
        action_share = _first(reading.actions)
        confidence = action_share if parsed.action else 0.5
        return replace(parsed, domain=chosen, confidence=confidence)
    reading = read_prompt(parsed.intent, taxonomy, clauses=clauses, action=chosen)
    domain = reading.domain or parsed.domain
    return replace(parsed, domain=domain, action=chosen, confidence=reading.confidence)


def names_choice(question: ClarifyingQuestion, reply: str, taxonomy: Taxonomy) -> bool:
    """Whether the reply is one that changes what is meant."""
    return _understood(question, reply, taxonomy) is not None


def capped(
    parsed: ParsedIntent, discovery: Discovery, threshold: float = THRESHOLD
) -> ParsedIntent:
    """The intent, less sure than the threshold when the search for its tools was widened.

    At most 0.54 with the usual threshold.
    """
    if discovery.search != "widened" or parsed.confidence <= below(threshold):
        return parsed
    return replace(parsed, confidence=below(threshold))


def _first(names: Sequence[tuple[str, float]]) -> float:
    return names[0][1] if names else 0.0


def _choices(
    field: str, parsed: ParsedIntent, reading: Reading, taxonomy: Taxonomy
) -> tuple[str, ...]:
    """The likely names, then those that fit the other field, then all, at most MOST_CHOICES."""
    if field == "domain":
        likely = [name for name, _ in reading.domains]
        fitting = taxonomy.domains_of(parsed.action) if parsed.action else ()
        names = [*likely, *fitting] or taxonomy.domains
    else:
        likely = [name for name, _ in reading.actions]
        fitting = taxonomy.actions_of(parsed.domain) if parsed.domain else ()
        names = [*likely, *fitting] or taxonomy.actions
    return tuple(dict.fromkeys(names))[:MOST_CHOICES]


def _understood(question: ClarifyingQuestion, reply: str, taxonomy: Taxonomy) -> str | None:
    text = reply.strip().casefold()
    text = re.sub(rf"\A{question.field}\s*[=:]\s*", "", text)
    if text.isascii() and text.isdigit():
        number = int(text[:9])
        return question.choices[number - 1] if 1 <= number <= len(question.choices) else None
    every = taxonomy.domains if question.field == "domain" else taxonomy.actions
    if text.replace(" ", "_") in every:
        return text.replace(" ", "_")
    return _only_fit(question, text, taxonomy)


def _only_fit(question: ClarifyingQuestion, text: str, taxonomy: Taxonomy) -> str | None:
    """The one choice that the reply's words point to."""
    tokens = evidence.words(text)
    if question.field == "action":
        fits = {name for token in tokens for name in taxonomy.claims(token)}
    else:
        names = {name: taxonomy.domain_names(name) for name in taxonomy.domains}
        fits = {name for name in names if any({*each} <= {*tokens} for each in names[name])}
    fitting = [name for name in question.choices if name in fits]
    return fitting[0] if len(fitting) == 1 else None
