"""Writes a log of decisions as this release writes it, for releases to come to decide again.

    python -m tests.assembly.golden.make_golden_log FILE.sqlite.gz [PART]

PART is one of the functions below, such as "routed"; without it all of them are called.
`log-1.sqlite.gz` was written at 52f8fca, by the last release whose starts carry no version. It
holds a gate stepped by hand with trust, audits and a recall that moves thresholds, before and after
a crash; one with budgets; one with groups; one whose threshold a person set; one with threads; and
one that was asked over MCP. `log-2.sqlite.gz` was written at e2236ef, which forgot what it had held
back (version 2), with the compiled recall control of the release after; neither of the two was
released without the other. `log-3.sqlite.gz` is "routed" alone, written at 08ef7ad, where every
module was asked about sources without folders and an empty field kept its words (version 3).
`log-4.sqlite.gz` is "held" alone, written at 7ed2d4d, where a hold began with a question and
groups were gathered in memory (version 4). `log-5.sqlite.gz` is "spent" alone, written at 1b8167b,
where all modules spent the wakes of one budget, whoever came first (version 5). `log-6.sqlite.gz`
is "following" alone, written at 1c3041c, where audits were drawn by the number of the event and
scorers had two learners (version 8). `log-7.sqlite.gz` is "commits" alone, written at 78324e1d,
where a commit was read as news of some source, not as its files (version 9). `log-8.sqlite.gz` is
"answered_late" alone, written there, too, where an answer counted at the score of then, however
late it came. A file that is there already is never written again.
"""

from __future__ import annotations

import gzip
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from prefrontal.compat.prefrontal import EscalationDecision
from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.threshold_wishes import wish_threshold
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.asker import Asker
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

from ..wake_days import MODULES, NOW, POLICY, Trust, gate, live, signals

PATIENCE_S = 30.0


def main() -> None:
    target = Path(sys.argv[1])
    if target.exists():
        sys.exit(f"{target} is there already and is not written again")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.sqlite"
        write_log(path, sys.argv[2] if len(sys.argv) > 2 else "")
        target.write_bytes(gzip.compress(path.read_bytes(), mtime=0))


def write_log(path: Path, part: str = "") -> None:
    """One start after the other, on one log."""
    with DecisionLog(path, clock=ManualClock(NOW)) as log:
        if part:
            globals()[part](log)
            log.flush()
            return
        following(log)
        live(log, 100, seed=2)
        live(log, 100, seed=3, starts=2, policy=POLICY.model_copy(update={"group_s": 90.0}))
        wished(log)
        threaded(log)
        asked(log)
        routed(log)
        log.flush()


def following(log: DecisionLog) -> None:
    """Every wake is labelled, so thresholds follow the recall; then two starts after it."""
    random, clock = Random(1), ManualClock(NOW)
    stream = signals(random, 340)
    told: dict[str, Any] = {"recall": 0.6, "audit_share": 0.7, "policy": PolicySettings()}
    for count in (280, 30, 30):
        one = gate(log, clock, **told)
        for pause, event in islice(stream, count):
            clock.advance(pause)
            for wake in one.wake(event):
                log.add_label(wake.id, float(random.random() < wake.score), clock.now())
        if count > 30:  # the second start ends in a crash
            one.close()


def answered_late(log: DecisionLog) -> None:
    """A person answers once a day, all of it together."""
    random, clock = Random(1), ManualClock(NOW)
    one = gate(log, clock, recall=0.6, audit_share=0.7, policy=PolicySettings())
    waiting: list[Decision] = []
    for number, (pause, event) in enumerate(signals(random, 340)):
        clock.advance(pause)
        waiting += one.wake(event)
        if number % 60 == 59:
            for wake in waiting:
                log.add_label(wake.id, float("bill" in wake.window[0].location), clock.now())
            waiting = []
    one.close()


def wished(log: DecisionLog) -> None:
    """A person sets a threshold, moves it and takes it back."""
    clock = ManualClock(NOW)
    with gate(log, clock) as one:
        for number, (pause, event) in enumerate(signals(Random(4), 60)):
            if number % 15 == 0:
                wish_threshold(log, "bills", (0.1, 0.95, 0.4, None)[number // 15])
            clock.advance(pause)
            one.wake(event)


def threaded(log: DecisionLog) -> None:
    """A gate on a thread of its own; each useful wake is labelled by a handler."""
    registry = PulseRegistry(
        log=log, threshold=0.0, recall=0.8, audit_share=0.2, standings=Trust(),
        policy=POLICY.model_copy(update={"quiet_hours": None}), log_refusals=True,
        clock=ManualClock(NOW),
    )  # fmt: skip
    for each in MODULES:
        registry.register_module(each.module_id, each)

    def label(decision: EscalationDecision) -> None:
        assert decision.activation_id is not None
        registry.record_feedback(decision.activation_id, float("bill" in str(decision.question)))

    registry.on_escalation(label)
    registry.start()
    for _, event in signals(Random(5), 80):
        assert registry.push(event)
    assert registry.stop(PATIENCE_S)


def asked(log: DecisionLog) -> None:
    """Decisions of a gate that is asked; releases before did not keep what it began with."""
    one = Asker(log, MODULES, GateSettings(recall=0.8), clock=ManualClock(NOW))
    for _, event in signals(Random(6), 10):
        one.judge([event])


def routed(log: DecisionLog) -> None:
    """Files, commits of several files, lines of a log and news of other programs."""
    random, clock = Random(8), ManualClock(NOW)
    with gate(log, clock, policy=PolicySettings(cooldown_s=120.0)) as one:
        for pause, event in signals(random, 150):
            clock.advance(pause)
            source = random.choice(("filesystem", "git", "log", "network", "ci"))
            named = replace(event, source=source)
            more = [replace(named, location=f"{named.location}.{n}") for n in range(2)]
            for wake in one.judge((*more, named) if source == "git" else (named,)):
                log.add_label(wake.id, float(random.random() < wake.score), clock.now())


def held(log: DecisionLog) -> None:
    """Bursts of modules that hold, with audits and labels, and then the same with groups."""
    modules = [parse_fingerprint(each.to_dict() | {"hold_s": 20.0}) for each in MODULES]
    modules.append(parse_fingerprint(MODULES[0].to_dict() | {"module_id": "all", "hold_s": 5.0}))
    slow = PolicySettings(cooldown_s=40.0, quiet_hours=(20, 20), key_ttl_s=0.0)
    live(log, 160, seed=9, starts=2, modules=modules, policy=slow)
    grouped = PolicySettings(group_s=70.0, wakes_per_hour=20.0)
    live(log, 80, seed=10, starts=2, modules=modules, policy=grouped)
    live(log, 80, seed=11, modules=modules, policy=PolicySettings(), recall=None, threshold=0.3)


def spent(log: DecisionLog) -> None:
    """Budgets that all modules share, sliding and hourly with a burst, and what they hold back."""
    modules = [*MODULES[:2], parse_fingerprint(MODULES[2].to_dict() | {"hold_s": 30.0})]
    policy = PolicySettings(budget="12/hour", wakes_per_hour=9.0, burst=3, key_ttl_s=0.0)
    live(log, 400, seed=12, starts=4, modules=modules, policy=policy)


def commits(log: DecisionLog) -> None:
    """Commits as `GitSource` tells them, to a module of commits alone and to one of more."""
    random, clock = Random(13), ManualClock(NOW)
    usual: dict[str, Any] = {"cluster": "days", "version": "1", "default_threshold": None}
    usual |= {"question_template": "{what} ({location})"}
    modules = [
        parse_fingerprint(usual | {"module_id": name, "signal_priors": {"git": {}} | more})
        for name, more in (("commits", {}), ("both", {"logs": {"files": ["/var/log/a.log"]}}))
    ]
    told: dict[str, Any] = {"modules": modules, "recall": 0.6, "policy": PolicySettings()}
    for count in (150, 30):
        one = gate(log, clock, **told)
        for _ in range(count):
            clock.advance(random.expovariate(1 / 300))
            for wake in one.judge(_commit(random, clock.now())):
                log.add_label(wake.id, float("Add" in str(wake.question)), clock.now())
        one.close()


def _commit(random: Random, at: float) -> tuple[SignalEvent, ...]:
    sha, verb = f"{random.getrandbits(160):040x}", random.choice(("Add", "Fix", "Bump", "Move"))
    paths = random.sample(("src/parser.py", "tests/test_parser.py", "docs/index.md", "a.toml"), 2)
    told = {"repository": "/srv/project", "branch": "main", "commit": sha, "actor": "Ada"}
    told |= {"text": f"{verb} the parser (#{random.randrange(999)})"}
    events = []
    for path in paths:
        more = {"path": path, "extension": path[path.rindex(".") :]}
        if verb == "Move":
            more |= {"old_path": f"old/{path}", "old_location": f"/srv/project/old/{path}"}
        kind = "renamed" if verb == "Move" else random.choice(("created", "modified"))
        at += 2e-5
        location = f"/srv/project/{path}"
        events.append(SignalEvent("git", location, kind, 1.0, at, told | more))
    return tuple(events)


if __name__ == "__main__":
    main()
