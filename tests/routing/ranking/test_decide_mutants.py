"""A test of a border is worth something when it fails once the border is moved."""

from __future__ import annotations

import pytest

from prefrontal.routing.ranking.decide import decide

from ...exhaustive import first
from ..decide_borders import BORDERS
from ..decide_cases import mutated
from ..decide_ties import TIES

ALL = [*BORDERS, *TIES]

MUTANTS = [
    ("decide", "micro(candidate.score) >= bar.tau", "micro(candidate.score) > bar.tau"),
    ("decide", "micro(candidate.score) >= bar.tau", "micro(candidate.score) >= bar.floor"),
    ("decide", "micro(candidate.score) >= bar.tau", "candidate.score >= settings.threshold"),
    ("decide", "micro(candidate.score) >= bar.tau", "True"),
    ("decide", "micro(settings.threshold)", "600_000"),
    ("decide", "micro(settings.compose_margin)", "50_000"),
    ("decide", "max(0, tau - margin)", "max(0, tau + margin)"),
    ("decide", "max(0, tau - margin)", "tau"),
    ("decide", "max(0, tau - margin)", "tau - margin"),
    ("decide", "count, bar.floor, bar.margin", "count, bar.tau, bar.margin"),
    ("decide", "count, bar.floor, bar.margin", "count, 0, bar.margin"),
    ("decide", "count, bar.floor, bar.margin", "count, bar.floor, 0"),
    ("decide", "count, bar.floor, bar.margin", "count, bar.floor, bar.floor"),
    ("decide", "needed_for_all(eligible", "needed_for_all(ordered"),
    ("decide", "if covers_all(one, needed)", "if True"),
    ("decide", "if covers_all(one, needed)", "if False"),
    ("decide", "for candidate in eligible if micro", "for candidate in ordered if micro"),
    ("decide", "one in reaching if covers_all", "one in reaching[:1] if covers_all"),
    ("decide", "one in reaching if covers_all", "one in eligible if covers_all"),
    ("decide", "shares(ordered, count", "shares(eligible, count"),
    ("decide", "shares(ordered, count, bar.floor)", "shares(ordered, count, bar.tau)"),
    ("decide", "several = tools_of(steps) > 1", "several = tools_of(steps) > 0"),
    ("decide", "several = tools_of(steps) > 1", "several = tools_of(steps) > 2"),
    ("decide", "if plan is not None:", "if several:"),
    ("decide", "if reaching:", "if eligible:"),
    ("decide", "if reaching:", "if False:"),
    ("decide", "_select(route_id, reaching[0], _best", "_select(route_id, reaching[-1], _best"),
    ("decide", "key=lambda one: tie_key(one, settings.harmless_first)", "key=tie_key"),
    ("decide", "sorted(ranked, key", "sorted(ranked[::-1], key=lambda one: 0) or sorted([], key"),
    ("decide", "score=share.score / 1e6", "score=share.candidate.score"),
    ("decide", "score=micro(choice.score) / 1e6", "score=0.0"),
    ("decide", "if i not in covered", "if i in covered"),
    ("decide", "    if not choice.tool.runnable:", "    if False:"),
    ("decide", 'unwired = ("the', 'unwired = () if True else ("the'),
    ("decide", "    if not eligible:", "    if eligible:"),
    ("coverage", "score >= least", "score > least"),
    ("coverage", "return all(score", "return any(score"),
    ("coverage", "for one in candidates if one.tool.runnable]", "for one in candidates]"),
    ("coverage", "[max(scores) for", "[min(scores) for"),
    ("coverage", "score - margin) for", "score) for"),
    ("coverage", "max(floor, score - margin)", "score - margin"),
    ("coverage", "if option[0] >= floor", "if option[0] > floor"),
    ("coverage", "if option[0] >= floor", "if option[0] >= floor - 1000"),
    ("coverage", "        if candidate.tool.runnable\n", ""),
    ("coverage", "return -score, tie_key(candidate)[1:]", "return score, tie_key(candidate)[1:]"),
    ("coverage", "return -score, tie_key(candidate)[1:]", "return -score, tie_key(candidate)"),
    ("coverage", "min(last.score, score)", "max(last.score, score)"),
    ("coverage", "and last.clauses[-1] == clause - 1:", ":"),
    ("coverage", "if last and _same(last.candidate, candidate)", "if False"),
    ("coverage", "    if swaps:", "    if False:"),
    ("coverage", "= min(swaps)", "= max(swaps)"),
    ("coverage", "(best[0] - score, clause, position)", "(clause, clause, position)"),
    ("precedence", "value * _MILLION + 0.5", "value * _MILLION"),
    ("precedence", "_MILLION = 1_000_000", "_MILLION = 10_000_000"),
    ("precedence", "-micro(candidate.score)", "micro(candidate.score)"),
    ("precedence", "int(candidate.tool.shared)", "0"),
    ("precedence", '-micro(candidate.features.get("history_success", 0.0))', "0"),
    ("precedence", 'candidate.tool.relative.count("/")', "0"),
    ("precedence", 'candidate.tool.relative.rpartition("/")[2]', '""'),
    (
        "precedence",
        '("path", lambda candidate: candidate.tool.relative)',
        '("path", lambda one: "")',
    ),
    ("precedence", "rules.insert(4", "rules.insert(5"),
    ("precedence", "if harmless_first:", "if True:"),
    ("precedence", "if harmless_first:", "if False:"),
    ("precedence", "_UNSAID_HARM = 1", "_UNSAID_HARM = 0"),
    ("precedence", "_UNSAID_HARM = 1", "_UNSAID_HARM = 2"),
    ("precedence", "if candidate.tool.runnable and not candidate", "if not candidate"),
    ("precedence", "if candidate.tool.shared else None", "if False else None"),
    ("precedence", "owners.get(candidate.tool.name)", "next(iter(owners.values()), None)"),
]


def test_the_decision_is_right_at_every_border() -> None:
    assert [border.failure(decide) for border in ALL if border.failure(decide)] == []


@pytest.mark.parametrize(("module", "old", "new"), first(10, MUTANTS))
def test_a_changed_decision_fails_at_a_border(module: str, old: str, new: str) -> None:
    changed = mutated(module, old, new)
    assert any(border.failure(changed) for border in ALL)


def test_every_border_can_fail() -> None:
    changed = [mutated(*mutant) for mutant in MUTANTS]
    never = [one.name for one in ALL if not any(one.failure(decide) for decide in changed)]
    assert never == []
