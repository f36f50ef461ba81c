"""Days of signals drawn from a seed, for gates whose decisions are made twice."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent, Standing

NOW = 1_704_137_400.0
FOLDERS = ("/srv/bills", "/srv/photos", "/srv/mail", "/srv/bills/old", "/home/none")
NAMES = ("bill.pdf", "menu.pdf", "notes.txt", "cat.jpg", "letter.eml", "part.tmp")
ACTORS = ("ann", "ben", "cleo", "")
POLICY = PolicySettings(
    cooldown_s=20.0,
    module_wakes_per_hour=20.0,
    wakes_per_hour=36.0,
    burst=8,
    quiet_hours=(2, 3),
    key_ttl_s=60.0,
)


def module(module_id: str, folder: str, *extensions: str, least: float = 0.6) -> ModuleFingerprint:
    return parse_fingerprint(
        {
            "module_id": module_id,
            "cluster": "days",
            "version": "1",
            "question_template": "{location} by {actor}: of use?",
            "default_threshold": least,
            "signal_priors": {
                "filesystem": {
                    "watch_directories": [folder],
                    "relevant_extensions": list(extensions),
                }
            },
        }
    )


MODULES = (
    module("bills", "/srv/bills", ".pdf"),
    module("photos", "/srv/photos", ".jpg", least=0.7),
    module("mail", "/srv/mail", ".eml", ".pdf", least=0.3),
)


class Trust:
    """The role Standings: ann is trusted, ben is not and may wake twice an hour."""

    def standing(self, event: SignalEvent) -> Standing | None:
        return {
            "ann": Standing("ann", 4, 0.7),
            "ben": Standing("ben", -6, -1.1, 2.0),
        }.get(str(event.features.get("actor")))


def signals(random: Random, count: int) -> Iterator[tuple[float, SignalEvent]]:
    """(seconds since the one before, signal); a few come twice."""
    at = NOW
    event = SignalEvent("filesystem", "/srv/bills/first.pdf", "created", 1.0, at)
    for _ in range(count):
        pause = random.expovariate(1 / 30)
        at += pause
        if random.random() > 0.02:
            folder, name = random.choice(FOLDERS), random.choice(NAMES)
            kind = random.choice(("created", "modified"))
            features: dict[str, Any] = {"size_bytes": random.randrange(1 << 20)}
            if actor := random.choice(ACTORS):
                features["actor"] = actor
            event = SignalEvent("filesystem", f"{folder}/{name}", kind, 1.0, at, features)
        yield pause, event


def gate(log: DecisionLog, clock: ManualClock, **told: Any) -> Stepper:
    """A gate that keeps what it refuses, with budgets, audits and a recall to keep."""
    options: dict[str, Any] = {"standings": Trust(), "clock": clock}
    options |= {name: told.pop(name) for name in ("standings",) if name in told}
    modules = told.pop("modules", MODULES)
    usual = {"recall": 0.8, "policy": POLICY, "audit_share": 0.05, "log_refusals": True}
    return Stepper(log, modules, GateSettings(**usual | told), **options)


def live(
    log: DecisionLog, count: int, *, seed: int = 1, starts: int = 1, **told: Any
) -> list[Decision]:
    """Let `count` signals come; some wakes are labelled. The wakes.

    Every second start is one after a crash: what was learned since the last save was not saved.
    """
    random, clock = Random(seed), ManualClock(NOW)
    stream = signals(random, count)
    wakes = []
    for start in range(starts):
        one = gate(log, clock, **told)
        for _ in range(count // starts):
            pause, event = next(stream)
            clock.advance(pause)
            for wake in one.tick() + one.wake(event):
                wakes.append(wake)
                if random.random() < 0.4:
                    log.add_label(wake.id, _worth(wake, random), clock.now())
        if start % 2 == 0:
            one.close()
    return wakes


def _worth(wake: Decision, random: Random) -> float:
    useful = "bill" in wake.window[-1].location or wake.subject == "photos"
    return random.choice((0.0, 0.7)) if random.random() < 0.2 else float(useful)
