"""How strongly a prompt points to each action and each domain.

An action's evidence is the sum of: its name in the prompt 1, or a verb of equal meaning 0.85 (half
when another action's word stands before it); the best share of a tool's name or intent 0.6; words
of its tools' docstrings 0.1 each, at most 0.3; the similarity of an embedding 0.5. A domain's
evidence is the sum of its name 1, its tools 0.6, their words 0.3, and 0.8 times the action's share
when it has a folder for the action or is the only domain.

A verb that no action has ("delete the plot") in front of them halves an action's evidence. The
share of one is evidence^2 / (0.25^2 + foreign^2 + sum of all evidence^2). foreign: 1 when the
clause has such a verb, 0.5 when another clause has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..._core import routing
from . import verbs
from .vectors import cosine

if TYPE_CHECKING:
    from .taxonomy import Place, Taxonomy

NAME, EQUAL_VERB, LATER = 1.0, 0.85, 0.5
PHRASE, TOPIC, TOPIC_MOST = 0.6, 0.1, 0.3
IMPLIED = 0.8
NAMED_DOMAIN = 0.3
FOREIGN, FOREIGN_ELSEWHERE = 1.0, 0.5
DOUBT = 0.25

Evidence = dict[str, float]


def words(text: str) -> list[str]:
    """The content tokens of a text, in order, with repeats."""
    return verbs.content(routing.tokens(text))


def action_evidence(tokens: Sequence[str], taxonomy: Taxonomy) -> Evidence:
    """The evidence for each action that has any, sorted by name."""
    named = _verb_evidence(tokens, taxonomy)
    tools = _tool_evidence(tokens, taxonomy)
    part = LATER if foreign_verb(tokens, taxonomy) else 1.0
    by_action: Evidence = {}
    for action in taxonomy.actions:
        best = max((tools.get(place, 0.0) for place in _with_action(taxonomy, action)), default=0.0)
        if total := named.get(action, 0.0) + best:
            by_action[action] = part * total
    return by_action


def domain_evidence(
    tokens: Sequence[str], taxonomy: Taxonomy, action: str | None, action_share: float
) -> Evidence:
    """The evidence for each domain that has any, given an action and its share."""
    telling = [token for token in tokens if action not in taxonomy.claims(token)]
    by_place = _tool_evidence(telling, taxonomy)  # the action's own words say nothing of a domain
    present, by_domain = set(tokens), Evidence()
    for domain in taxonomy.domains:
        total = NAME * _covered(taxonomy.domain_names(domain), present)
        places = [place for place in by_place if place[0] == domain and action in (None, place[1])]
        total += max((by_place[place] for place in places), default=0.0)
        if action is not None and _implied(taxonomy, domain, action):
            total += IMPLIED * action_share
        if total:
            by_domain[domain] = total
    return by_domain


def shares(evidence: Mapping[str, float], foreign: float = 0.0) -> list[tuple[str, float]]:
    """(name, share 0..1), the largest first, equal ones in order of name."""
    whole = DOUBT**2 + foreign**2 + sum(evidence[name] ** 2 for name in sorted(evidence))
    pairs = [(name, round(evidence[name] ** 2 / whole, 6)) for name in sorted(evidence)]
    return sorted(pairs, key=lambda each: -each[1])


def foreign_verb(tokens: Sequence[str], taxonomy: Taxonomy) -> bool:
    """Whether a verb that no action has comes before every word of an action."""
    for token in tokens:
        if taxonomy.claims(token):
            return False
        if token in verbs.groups() and token not in verbs.light_tokens():
            return True
    return False


def similarity(one: Sequence[float], other: Sequence[float]) -> float:
    """Cosine of two vectors, 0 when it is negative or a vector is empty."""
    return max(0.0, cosine(one, other))


def _verb_evidence(tokens: Sequence[str], taxonomy: Taxonomy) -> Evidence:
    """Evidence of the words that name an action; the first of them counts most."""
    present = set(tokens)
    by_action: Evidence = {}
    first: Mapping[str, bool] = {}
    for token in dict.fromkeys(tokens):
        claimed = taxonomy.claims(token)
        first = first or claimed
        for action, in_name in claimed.items():
            names = taxonomy.action_names(action)
            weight = NAME * _covered(names, present) if in_name else EQUAL_VERB
            weight *= 1.0 if action in first else LATER
            by_action[action] = max(by_action.get(action, 0.0), weight)
    return by_action


def _tool_evidence(tokens: Iterable[str], taxonomy: Taxonomy) -> dict[Place, float]:
    topics = taxonomy.topic_weights(tokens)
    by_place = {place: min(TOPIC_MOST, TOPIC * weight) for place, weight in topics.items()}
    for place, share in taxonomy.phrase_shares(tokens).items():
        by_place[place] = by_place.get(place, 0.0) + PHRASE * share
    return by_place


def _with_action(taxonomy: Taxonomy, action: str) -> list[Place]:
    return [place for place in taxonomy.places if place[1] == action]


def _covered(names: Iterable[Sequence[str]], present: set[str]) -> float:
    """The best share of a name's tokens that are present."""
    return max(
        (sum(token in present for token in name) / len(name) for name in names if name),
        default=0.0,
    )


def _implied(taxonomy: Taxonomy, domain: str, action: str) -> bool:
    return len(taxonomy.domains) == 1 or (domain, action) in taxonomy.places
