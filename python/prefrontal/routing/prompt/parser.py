"""Parses a prompt into a domain and an action, by its words, deterministically.

The confidence is the share of evidence for the domain times that for the action (`evidence`), so
more words for the choice raise it, words for a rival or for something else lower it, and two
equally likely domains stay below 0.5. Where only one of both is found, half of its share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ..._core import routing
from ...errors import InputError
from ..plain_values import well_formed
from ..types import ParsedIntent, SubIntent
from . import evidence
from .sub_intents import sub_intents

if TYPE_CHECKING:
    from ...protocols import Embedder
    from .taxonomy import Taxonomy

HINT_MOST = 0.05
THRESHOLD = 0.55
"""The usual confidence above which nothing is asked."""
EMBEDDING = 0.5
LEAST_SHARE = 0.1
"""The least share of a guess."""


class Pointer(Protocol):
    """A passage or a tool that matches the prompt, and its folder."""

    @property
    def domain(self) -> str | None: ...
    @property
    def action(self) -> str | None: ...
    @property
    def score(self) -> float:
        """0..1."""
        ...


@dataclass(frozen=True, slots=True)
class Reading:
    """The possible readings of a prompt: (name, share 0..1), the likeliest first."""

    actions: tuple[tuple[str, float], ...]
    domains: tuple[tuple[str, float], ...]

    @property
    def action(self) -> str | None:
        """The likeliest one, None when nothing much points to it."""
        return _likeliest(self.actions)

    @property
    def domain(self) -> str | None:
        """The likeliest one, None when nothing much points to it."""
        return _likeliest(self.domains)

    @property
    def confidence(self) -> float:
        """Of domain and action together, 0..1."""
        action = self.actions[0][1] if self.action else 0.0
        domain = self.domains[0][1] if self.domain else 0.0
        if self.action and self.domain:
            return round(action * domain, 6)
        return round(0.5 * max(action, domain), 6)


def parse(
    prompt: str,
    taxonomy: Taxonomy,
    *,
    clauses: Sequence[SubIntent] | None = None,
    hints: Sequence[Pointer] = (),
    embedder: Embedder | None = None,
    threshold: float = THRESHOLD,
) -> ParsedIntent:
    """What the prompt asks for. Raises InputError when it holds no word.

    clauses: of the prompt in the order they are to be done, found here when not given; the last
    one names the action. hints break ties and add at most 0.05 to the confidence, never across
    the threshold.
    """
    reading = read_prompt(prompt, taxonomy, clauses=clauses, hints=hints, embedder=embedder)
    domain, action = reading.domain, reading.action
    support = max((hint.score for hint in hints if _agrees(hint, domain, action)), default=0.0)
    bonus = HINT_MOST * min(1.0, max(0.0, support))
    ceiling = 1.0 if reading.confidence >= threshold else below(threshold)
    confidence = max(reading.confidence, min(ceiling, reading.confidence + bonus))
    return ParsedIntent(domain, action, prompt, round(confidence, 6))


def below(threshold: float) -> float:
    """The highest confidence below the threshold: 0.54 for the usual one."""
    return round(max(0.0, threshold - 0.01), 6)


def by_ranking(parsed: ParsedIntent, ranked: Sequence[Pointer]) -> ParsedIntent:
    """The folder of the best ranked tool, where its score exceeds the confidence by words.

    ranked: tools that have a domain and an action, their scores calibrated so that one says how
    often such a tool is right; of equal ones the first counts.
    """
    placed = [each for each in ranked if each.domain is not None and each.action is not None]
    best = max(placed, key=lambda each: each.score, default=None)
    if best is None or best.score <= parsed.confidence:
        return parsed
    confidence = round(min(1.0, best.score), 6)
    return replace(parsed, domain=best.domain, action=best.action, confidence=confidence)


def clause_actions(
    prompt: str, taxonomy: Taxonomy, clauses: Sequence[SubIntent] | None = None
) -> tuple[str, ...]:
    """The actions that the prompt's clauses name, each once, in their order."""
    parts = sub_intents(prompt, taxonomy.action_words()) if clauses is None else clauses
    names = []
    for clause in parts:
        ordered = evidence.shares(evidence.action_evidence(evidence.words(clause.text), taxonomy))
        names += [name for name, share in ordered[:1] if share >= LEAST_SHARE]
    return tuple(dict.fromkeys(names))


def read_prompt(
    prompt: str,
    taxonomy: Taxonomy,
    *,
    clauses: Sequence[SubIntent] | None = None,
    hints: Sequence[Pointer] = (),
    embedder: Embedder | None = None,
    action: str | None = None,
) -> Reading:
    """What the prompt may mean, with the shares of each action and domain.

    action: what a person said it is, so that only the domain is open. Raises InputError when the
    prompt holds no word.
    """
    whole = _checked(prompt)
    parts = sub_intents(prompt, taxonomy.action_words()) if clauses is None else clauses
    near = _near(prompt, taxonomy, embedder)
    if action is None:
        actions = _actions([evidence.words(each.text) for each in parts], whole, taxonomy, near)
        actions = _by_votes(actions, {name: _votes(hints, None, name) for name in taxonomy.actions})
    else:
        actions = [(action, 1.0)]
    chosen, share = actions[0] if actions else (None, 0.0)
    of_words = evidence.domain_evidence(whole, taxonomy, chosen, share)
    of_embedding = {name: near.get(name, 0.0) for name in taxonomy.domains}
    domains = evidence.shares(_sum(of_words, of_embedding))
    votes = {name: _votes(hints, name, chosen) for name in taxonomy.domains}
    return Reading(tuple(actions), tuple(_by_votes(domains, votes)))


def _likeliest(ranked: Sequence[tuple[str, float]]) -> str | None:
    """The first one with LEAST_SHARE, or with share 0: then it has the votes of hints alone."""
    name, share = ranked[0] if ranked else (None, 0.0)
    return name if share >= LEAST_SHARE or not share else None


def _checked(prompt: str) -> list[str]:
    """The prompt's words. Raises InputError."""
    if not well_formed(prompt):
        raise InputError(f"prompt must be text that UTF-8 can hold, got {prompt[:80]!a}")
    if not routing.tokens(prompt):
        raise InputError(f"prompt must say what to do, got {prompt[:80]!r}")
    return evidence.words(prompt)


def _actions(
    clauses: list[list[str]], whole: list[str], taxonomy: Taxonomy, near: evidence.Evidence
) -> list[tuple[str, float]]:
    """Shares by the last clause that points to an action, else by the whole prompt."""
    last = whole
    for clause in clauses:
        if any(taxonomy.claims(token) for token in clause):
            last = clause
    of_actions = evidence.action_evidence(last, taxonomy)
    domains = evidence.domain_evidence(whole, taxonomy, None, 0.0)
    for action in of_actions:
        named = max((domains.get(name, 0.0) for name in taxonomy.domains_of(action)), default=0.0)
        of_actions[action] += evidence.NAMED_DOMAIN * min(1.0, named)
    of_actions = _sum(of_actions, {name: near.get(name, 0.0) for name in taxonomy.actions})
    foreign = evidence.FOREIGN if evidence.foreign_verb(last, taxonomy) else 0.0
    if not foreign and any(evidence.foreign_verb(clause, taxonomy) for clause in clauses):
        foreign = evidence.FOREIGN_ELSEWHERE
    return evidence.shares(of_actions, foreign)


def _near(prompt: str, taxonomy: Taxonomy, embedder: Embedder | None) -> evidence.Evidence:
    """What an embedding adds for each domain and each action."""
    names = [*taxonomy.domains, *taxonomy.actions]
    if embedder is None or not names:
        return {}
    first, *rest = embedder.embed([prompt, *(name.replace("_", " ") for name in names)])
    by_name: evidence.Evidence = {}
    for name, vector in zip(names, rest, strict=True):
        by_name[name] = max(by_name.get(name, 0.0), EMBEDDING * evidence.similarity(first, vector))
    return by_name


def _sum(one: evidence.Evidence, other: evidence.Evidence) -> evidence.Evidence:
    total = {name: one.get(name, 0.0) + other.get(name, 0.0) for name in sorted({*one, *other})}
    return {name: value for name, value in total.items() if value}


def _votes(hints: Sequence[Pointer], domain: str | None, action: str | None) -> float:
    """The best score of a hint at them; None stands for any."""
    return max((hint.score for hint in hints if _agrees(hint, domain, action)), default=0.0)


def _agrees(hint: Pointer, domain: str | None, action: str | None) -> bool:
    if domain is None and action is None:
        return False
    return domain in (None, hint.domain) and action in (None, hint.action)


def _by_votes(ordered: list[tuple[str, float]], votes: dict[str, float]) -> list[tuple[str, float]]:
    """Equal shares in the order of their votes; what only has votes comes last, with share 0."""
    names = {name for name, _ in ordered}
    more = [(name, 0.0) for name in sorted(votes) if votes[name] > 0.0 and name not in names]
    return sorted([*ordered, *more], key=lambda each: (-each[1], -votes.get(each[0], 0.0), each[0]))
