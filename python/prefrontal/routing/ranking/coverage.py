"""Which candidate covers which clause of a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import InputError
from ..types import Candidate, SubIntent, ToolSpec
from .precedence import Key, micro, tie_key

CLAUSE_PART = 0.75
"""What the best clause of a tool adds to its score for the whole prompt, in `in_turns`."""
COVERED = 0.5
"""Factor of a clause for each tool that was taken for it."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one step of a composition does.

    clauses: positions of neighbouring clauses. score: for the weakest of them, in millionths.
    """

    candidate: Candidate
    clauses: tuple[int, ...]
    score: int


def clause_scores(candidate: Candidate, count: int) -> tuple[int, ...]:
    """The candidate's score for each of `count` clauses, in millionths.

    With one clause, or none, that is the score for the whole prompt. Raises InputError when there
    is no score for each of several.
    """
    if count < 2:
        return (micro(candidate.score),)
    if len(candidate.clauses) != count:
        rule = f"have {count} clauses, one for each clause of the prompt"
        raise InputError(f"{candidate.tool.relative} must {rule}, got {candidate.clauses!r}")
    return tuple(micro(score) for score in candidate.clauses)


def needed_for_all(
    candidates: Sequence[Candidate], count: int, floor: int, margin: int
) -> tuple[int, ...]:
    """What one candidate must have for each clause to be called the tool for all of them.

    At least `floor`, and at most `margin` less than the best that runs here: a tool that only
    touches a clause for which there is a better one does not cover it. Nothing with one clause.
    """
    if count < 2:
        return ()
    runnable = [clause_scores(one, count) for one in candidates if one.tool.runnable]
    best = [max(scores) for scores in zip(*runnable, strict=True)] or [0] * count
    return tuple(max(floor, score - margin) for score in best)


def covers_all(candidate: Candidate, needed: Sequence[int]) -> bool:
    """Whether the candidate has what is needed for each clause."""
    scores = clause_scores(candidate, len(needed))
    return all(score >= least for score, least in zip(scores, needed, strict=False))


def shares(
    candidates: Sequence[Candidate], count: int, floor: int, handicap: int | None = None
) -> tuple[Share, ...]:
    """The best candidate for each clause, in their order, neighbours with one tool as one.

    Only candidates that run here and have at least `floor` for the clause; with a handicap those of
    servers, too, where they are better by more than that or called by name. Where one tool would
    be the best everywhere, another one takes the clause where that costs least. Clauses that
    nobody covers are in no share.
    """
    if count < 2:
        return ()
    able = [one for one in candidates if one.tool.runnable or handicap is not None]
    options = [_options(able, clause, count, floor, handicap or 0) for clause in range(count)]
    chosen = _spread([ranked[0] if ranked else None for ranked in options], options)
    result: list[Share] = []
    for clause, option in enumerate(chosen):
        if option is None:
            continue
        score, candidate = option
        last = result[-1] if result else None
        if last and _same(last.candidate, candidate) and last.clauses[-1] == clause - 1:
            result[-1] = Share(candidate, (*last.clauses, clause), min(last.score, score))
        else:
            result.append(Share(candidate, (clause,), score))
    return tuple(result)


def in_turns(whole: Sequence[float], clauses: Sequence[Sequence[float]]) -> list[int]:
    """The positions of tools in an order whose first few cover every clause.

    whole: each tool's score for the prompt. clauses: beside it, its scores for each clause. The
    next tool is the one with the highest sum of its score and a part of its best clause, which
    counts less for each tool that was taken for it. Equal ones, and all with fewer than two
    clauses, stay as they stand.
    """
    left = list(range(len(whole)))
    if not left or len(clauses[0]) < 2:
        return left
    weights = [CLAUSE_PART] * len(clauses[0])
    order: list[int] = []
    while left:
        parts = {
            one: [weight * score for weight, score in zip(weights, clauses[one], strict=True)]
            for one in left
        }
        best = max(left, key=lambda one: whole[one] + max(parts[one]))
        weights[parts[best].index(max(parts[best]))] *= COVERED
        left.remove(best)
        order.append(best)
    return order


def uncovered(
    selected: Sequence[ToolSpec], candidates: Sequence[Candidate], count: int, floor: int
) -> tuple[int, ...]:
    """Positions of the clauses for which no selected tool has at least `floor`."""
    if count < 2:
        return ()
    places = {spec.place for spec in selected}
    scores = [clause_scores(one, count) for one in candidates if one.tool.spec.place in places]
    return tuple(i for i in range(count) if all(each[i] < floor for each in scores))


def texts_of(steps: Sequence[Share], clauses: Sequence[SubIntent]) -> list[str]:
    """What the prompt asks of each step."""
    return [" ".join(clauses[place].text for place in share.clauses) for share in steps]


def tools_of(steps: Sequence[Share]) -> int:
    """How many different tools the steps use."""
    return len({_identity(share.candidate) for share in steps})


Option = tuple[int, Candidate]


def _options(
    candidates: Sequence[Candidate], clause: int, count: int, floor: int, handicap: int
) -> list[Option]:
    """(score, candidate) of all that cover the clause, best first; servers' with a handicap, but
    for those that the prompt calls by name.
    """

    def order(option: Option) -> tuple[int, Key]:
        score, candidate = option
        free = candidate.tool.runnable or candidate.by_name
        return (0 if free else handicap) - score, tie_key(candidate)[2:]

    scored = [(clause_scores(candidate, count)[clause], candidate) for candidate in candidates]
    return sorted((option for option in scored if option[0] >= floor), key=order)


def _spread(chosen: list[Option | None], options: list[list[Option]]) -> list[Option | None]:
    """The choice, with one clause given to another tool where all have the same one."""
    choices = [option for option in chosen if option is not None]
    if len(choices) < 2 or len({_identity(candidate) for _, candidate in choices}) > 1:
        return chosen
    only = choices[0][1]
    swaps = [
        (best[0] - score, clause, position)
        for clause, best in enumerate(chosen)
        if best is not None
        for position, (score, candidate) in enumerate(options[clause])
        if not _same(candidate, only)
    ]
    if swaps:
        _, clause, position = min(swaps)
        chosen[clause] = options[clause][position]
    return chosen


def _same(one: Candidate, other: Candidate) -> bool:
    return _identity(one) == _identity(other)


def _identity(candidate: Candidate) -> tuple[str, str, str]:
    tool = candidate.tool
    return tool.relative, tool.name, tool.spec.entry
