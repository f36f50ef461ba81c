"""Which of two candidates comes first: a total order, and domain tools before shared ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from ...errors import InputError

if TYPE_CHECKING:
    from ..types import Candidate, Tool

Key = tuple[int | str, ...]

_MILLION = 1_000_000
_HARM = {"none": 0, "write": 1, "delete": 2}
_UNSAID_HARM = 1  # a tool that says nothing counts as one that writes
MOST_HARM = 2
REJECTED = "rejected for a prompt like this"
"""The flag of a candidate that a person's no puts behind."""
FOLLOWS = "it only follows one that was rejected"
"""The flag of a candidate that nobody would have thought of, had the best one not been rejected."""


def micro(value: float) -> int:
    """The value in whole millionths, halves up: what scores are compared by.

    Raises InputError for what is outside 0..1 or no number.
    """
    if not 0.0 <= value <= 1.0:
        raise InputError(f"score must be from 0 to 1, got {value!r}")
    return math.floor(value * _MILLION + 0.5)


def tie_key(candidate: Candidate, harmless_first: bool = True) -> Key:
    """Orders candidates, best first: no two tools of a project have equal keys.

    Called by its whole name, score, domain before shared, history, depth of the path, harm (with
    harmless_first), file name, path.
    """
    return tuple(rule(candidate) for _, rule in _rules(harmless_first))


def tie_rule(first: Candidate, second: Candidate, harmless_first: bool = True) -> str:
    """The rule that puts one of the two before the other: "score" when there is no tie."""
    for name, rule in _rules(harmless_first):
        if rule(first) != rule(second):
            return name
    return "none"


def rejected_before(candidates: Iterable[Candidate]) -> str:
    """For sentences: which tools are behind because of a person's no; empty for none."""
    names = [one.tool.name for one in candidates if REJECTED in one.flags]
    verb = "was" if len(names) == 1 else "were"
    return f"{' and '.join(names)} {verb} {REJECTED} (history.jsonl)" if names else ""


def shadowed(
    ranked: Sequence[Candidate], least: int = 0
) -> tuple[tuple[Candidate, ...], tuple[str, ...]]:
    """(candidates one of which may be selected, a warning for each shared tool left out).

    A shared tool is left out when a domain tool that runs here has its name, whatever the scores.
    least: millionths of which one of the two must have as many to be worth a warning.
    """
    owners: dict[str, Candidate] = {}
    for candidate in ranked:
        if candidate.tool.runnable and not candidate.tool.shared:
            owners.setdefault(candidate.tool.name, candidate)
    rest, warnings = [], []
    for candidate in ranked:
        owner = owners.get(candidate.tool.name) if candidate.tool.shared else None
        if owner is None:
            rest.append(candidate)
        elif max(_top(candidate), _top(owner)) >= least:
            chosen, other = owner.tool.relative, candidate.tool.relative
            warnings.append(f"{other} is shadowed by {chosen}; chosen: {chosen}")
    return tuple(rest), tuple(warnings)


def _top(candidate: Candidate) -> int:
    """What it is worth, for the prompt or for a clause."""
    return micro(max([candidate.score, *candidate.clauses]))


def harm(tool: Tool) -> int:
    """Its possible side effects: 0 none, 1 write, MOST_HARM delete."""
    manifest = tool.manifest
    effects = manifest.side_effects if manifest else None
    return _UNSAID_HARM if effects is None else _HARM[effects]


def _rules(harmless_first: bool) -> list[tuple[str, Callable[[Candidate], int | str]]]:
    rules: list[tuple[str, Callable[[Candidate], int | str]]] = [
        ("called by name", lambda candidate: int(not candidate.by_name)),
        ("score", lambda candidate: -micro(candidate.score)),
        ("domain over shared", lambda candidate: int(candidate.tool.shared)),
        ("history", lambda candidate: -micro(candidate.features.get("history_success", 0.0))),
        ("depth", lambda candidate: candidate.tool.relative.count("/")),
        ("file name", lambda candidate: candidate.tool.relative.rpartition("/")[2]),
        ("path", lambda candidate: candidate.tool.relative),
        ("tool name", lambda candidate: candidate.tool.name),
    ]
    if harmless_first:
        rules.insert(5, ("harm", lambda candidate: harm(candidate.tool)))
    return rules
