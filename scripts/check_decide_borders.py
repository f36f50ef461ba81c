"""Check that the cases of a routing decision are worth something: break it, and one must fail.

    python scripts/check_decide_borders.py

Each change replaces a piece of the source of `prefrontal.routing.ranking`; then a case of
tests/routing/decide_borders.py or decide_ties.py has to fail. A case that no change makes fail is
named, too.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.routing.decide_borders import BORDERS  # noqa: E402
from tests.routing.decide_ties import TIES  # noqa: E402

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
    ("decide", "shadowed(ordered, bar.floor)", "shadowed(ordered)"),
    ("precedence", "max(_top(candidate), _top(owner)) >= least", "_top(candidate) >= least"),
    ("decide", "if FOLLOWS not in candidate.flags", "if True"),
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
    ("coverage", "if one.tool.runnable or handicap is not None]", "if True]"),
    ("coverage", "- score, tie_key(candidate)[2:]", "+ score, tie_key(candidate)[2:]"),
    ("coverage", "- score, tie_key(candidate)[2:]", "- score, tie_key(candidate)"),
    ("coverage", "min(last.score, score)", "max(last.score, score)"),
    ("coverage", "and last.clauses[-1] == clause - 1:", ":"),
    ("coverage", "if last and _same(last.candidate, candidate)", "if False"),
    ("coverage", "    if swaps:", "    if False:"),
    ("coverage", "= min(swaps)", "= max(swaps)"),
    ("coverage", "(best[0] - score, clause, position)", "(clause, clause, position)"),
    ("precedence", "value * _MILLION + 0.5", "value * _MILLION"),
    ("precedence", "_MILLION = 1_000_000", "_MILLION = 10_000_000"),
    ("precedence", "int(not candidate.by_name)", "0"),
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
    ("precedence", "rules.insert(5", "rules.insert(6"),
    ("precedence", "if harmless_first:", "if True:"),
    ("precedence", "if harmless_first:", "if False:"),
    ("precedence", "_UNSAID_HARM = 1", "_UNSAID_HARM = 0"),
    ("precedence", "_UNSAID_HARM = 1", "_UNSAID_HARM = 2"),
    ("precedence", "if candidate.tool.runnable and not candidate", "if not candidate"),
    ("precedence", "if candidate.tool.shared else None", "if False else None"),
    ("precedence", "owners.get(candidate.tool.name)", "next(iter(owners.values()), None)"),
]


def mutated(module: str, old: str, new: str) -> Callable[..., Any]:
    """`decide` from fresh copies of its modules, one of them with `old` replaced by `new`."""
    copies: dict[str, ModuleType] = {}
    for name in ("precedence", "coverage", "decide"):
        spec = importlib.util.find_spec(f"prefrontal.routing.ranking.{name}")
        assert spec is not None and spec.origin is not None
        source = Path(spec.origin).read_text(encoding="utf-8")
        if name == module:
            if old not in source:
                sys.exit(f"{name} no longer holds {old!r}: change it here, too")
            source = source.replace(old, new)
        copy = ModuleType(f"prefrontal.routing.ranking.mutated_{name}")
        copy.__package__ = "prefrontal.routing.ranking"
        sys.modules[copy.__name__] = copy  # dataclasses look there
        exec(compile(source, spec.origin, "exec"), copy.__dict__)
        for other in copies.values():
            known = {key for key in vars(other) if key in vars(copy) and not key.startswith("__")}
            vars(copy).update({key: vars(other)[key] for key in known})
        copies[name] = copy
    for copy in copies.values():
        del sys.modules[copy.__name__]
    decide: Callable[..., Any] = copies["decide"].decide
    return decide


def main() -> int:
    changed = [(mutant, mutated(*mutant)) for mutant in MUTANTS]
    unseen = [m for m, decide in changed if not any(each.failure(decide) for each in ALL)]
    idle = [e.name for e in ALL if not any(e.failure(decide) for _, decide in changed)]
    for module, old, new in unseen:
        print(f"{module}: no case fails when {old!r} is {new!r}")
    for name in idle:
        print(f"{name}: no change makes this case fail")
    print(f"{len(MUTANTS)} changes to a decision, {len(ALL)} cases: ", end="")
    print("each is seen" if not unseen and not idle else f"{len(unseen)} unseen, {len(idle)} idle")
    return 1 if unseen or idle else 0


if __name__ == "__main__":
    sys.exit(main())
