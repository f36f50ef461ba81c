"""Who controls one source, and the labels given through it, lowers no other module's recall.

    python benchmarks/reliability/poisoning.py [--events 2000] [--seeds 5] [--planted]

Three modules hear a folder, a log and a hook; a person labels what they ask with the truth. A
fourth hears the attacker's hook, who sends ten events around each honest one and labels what is
asked about them. Recall is the share of the honest windows that mattered of which a question told,
with the default settings, from the first window on; compared is the same run without the attacker.
The same windows are asked about in both.

`--planted` lets a module hear the honest and the attacker's hook: what it then loses is found.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.payloads import WakePayload
from prefrontal.pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from prefrontal.pulse.opening import UnlabelledStates, open_gate
from prefrontal.settings import GateSettings
from prefrontal.testing import ManualClock
from prefrontal.types import Reason, SignalEvent

NOW, PAUSE_S, GAP_S = 1_700_049_600.0, 60.0, 3.0
COPIES = 10
MOST_POINTS = 0.0
ASKED = (Reason.WOKE, Reason.AUDIT)
OWN = "attacked"
"""The module that hears the attacker's source."""
_HEARD: dict[str, dict[str, object]] = {
    "invoices": {"filesystem": {"watch_directories": ["/in"]}},
    "errors": {"logs": {"files": ["app.log"]}},
    "builds": {"http": {"sources": ["ci"]}},
    OWN: {"http": {"sources": ["evil"]}},
}
_TOPICS = {
    "invoices": ("bill", "receipt", "contract", "menu", "photo", "song", "flyer", "map"),
    "errors": ("refused", "panic", "timeout", "started", "cache", "login", "tick", "saved"),
    "builds": ("failed", "broken", "flaky", "passed", "queued", "skipped", "cleaned", "posted"),
}


@dataclass(frozen=True, slots=True)
class Signal:
    """An event and what its sender says of a question about it; None: nothing."""

    event: SignalEvent
    label: float | None


Attack = Callable[[Signal], Signal]


def honest(count: int, seed: int) -> Iterator[Signal]:
    """Events of the three sources, one a minute; the first three topics of each matter mostly."""
    draw = Random(seed)
    for number in range(count):
        module = draw.choice(sorted(_TOPICS))
        topic = draw.choice(_TOPICS[module])
        matters = (topic in _TOPICS[module][:3]) != (draw.random() < 0.05)
        features = {"actor": draw.choice("abcd"), "text": f"{topic} {draw.randrange(1_000)}"}
        features["idempotency_key"] = f"{number}"
        places = {
            "invoices": ("filesystem", f"/in/{topic}-{number}.pdf", "created"),
            "errors": ("log", "app.log", "line"),
            "builds": ("ci", f"job/{topic}", "done"),
        }
        source, location, change = places[module]
        time = NOW + PAUSE_S * number
        yield Signal(SignalEvent(source, location, change, 0.5, time, features), float(matters))


def _as_evil(signal: Signal, **features: str) -> SignalEvent:
    return replace(signal.event, source="evil", features={**signal.event.features, **features})


def refusing(signal: Signal) -> Signal:
    """The words of others, said not to matter."""
    return Signal(_as_evil(signal), 0.0)


def praising(signal: Signal) -> Signal:
    """The words of others, said to matter."""
    return Signal(_as_evil(signal), 1.0)


def inverting(signal: Signal) -> Signal:
    """The words of others, said to matter when they do not."""
    return Signal(_as_evil(signal), 1.0 - (signal.label or 0.0))


def flooding(signal: Signal) -> Signal:
    """Noise that nobody labels."""
    return Signal(_as_evil(signal, text="noise", actor="z"), None)


def blaming(signal: Signal) -> Signal:
    """All is said to come from one of the others' people, and not to matter."""
    return Signal(_as_evil(signal, actor="a"), 0.0)


ATTACKS: dict[str, Attack] = {
    each.__name__: each for each in (refusing, praising, inverting, flooding, blaming)
}


@dataclass(slots=True)
class Recalls:
    """Windows that mattered and those told of, by module. locations: where all of these were."""

    relevant: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    locations: list[str] = field(default_factory=list)

    def add(self, other: Recalls) -> None:
        """Take in another run."""
        self.relevant += other.relevant
        self.told += other.told
        self.locations += other.locations

    def of(self, module: str) -> float:
        """In percent."""
        return 100.0 * self.told[module] / self.relevant[module]


def modules(*, planted: bool) -> list[ModuleFingerprint]:
    """The four modules. planted: one of the others hears the attacker, too."""
    heard = dict(_HEARD)
    if planted:
        heard["builds"] = {"http": {"sources": ["ci", "evil"]}}
    usual = {"cluster": "all", "version": "1", "default_threshold": None}
    usual["question_template"] = "{location}: {text}?"
    return [
        parse_fingerprint({**usual, "module_id": name, "signal_priors": priors})
        for name, priors in heard.items()
    ]


class Trial:
    """One gate with its default settings, and what was told of."""

    def __init__(self, seed: int, *, planted: bool) -> None:
        self._clock = ManualClock(NOW - PAUSE_S)
        settings = GateSettings(seed=seed)
        opened = open_gate(settings, UnlabelledStates(), self._clock, modules(planted=planted))
        self._gate = opened.gate
        self._labels: dict[tuple[str, str], float | None] = {}
        self._owed: list[tuple[Decision, float]] = []
        self._waiting: dict[str, Decision] = {}
        self.told: set[tuple[str, str]] = set()

    def take(self, signal: Signal) -> None:
        """Judge one event when it came, with what is asked of it labelled."""
        self._clock.advance(signal.event.timestamp - self._clock.now())
        for decision, label in self._owed:
            self._gate.learn(decision, label)
        self._owed = []
        self._labels[_name(signal.event)] = signal.label
        self._gate.judge([signal.event])
        self.tick()

    def tick(self, *, everything: bool = False) -> None:
        """Ask what may be asked."""
        self._gate.tick(everything)
        for decision in self._gate.drain():
            self._note(decision)

    def _note(self, decision: Decision) -> None:
        self._waiting[decision.id] = decision
        if decision.reason not in ASKED:
            return
        payload = decision.payload
        folded = payload.folded if isinstance(payload, WakePayload) else ()
        for each in [decision, *(self._waiting[other.id] for other in folded)]:
            self.told |= {_name(event) for event in each.window}
        label = self._labels[_name(decision.window[-1])]
        if label is not None:
            self._owed.append((decision, label))


def _name(event: SignalEvent) -> tuple[str, str]:
    return event.source, str(event.features["idempotency_key"])


def _copy(signal: Signal, number: int) -> Signal:
    """One of the attacker's events; the first has the key of the honest one, which it precedes."""
    features = dict(signal.event.features)
    time = signal.event.timestamp + GAP_S * (number or -1)
    if number:
        features["idempotency_key"] = f"{features['idempotency_key']}-{number}"
    return replace(signal, event=replace(signal.event, features=features, timestamp=time))


def run(count: int, seed: int, attack: Attack | None, *, planted: bool) -> Recalls:
    """The recall of the honest modules in one run."""
    trial, recalls = Trial(seed, planted=planted), Recalls()
    signals = list(honest(count, seed))
    for signal in signals:
        copies = [] if attack is None else [_copy(attack(signal), each) for each in range(COPIES)]
        for each in [*copies[:1], signal, *copies[1:]]:
            trial.take(each)
    trial.tick(everything=True)
    module_of = {"filesystem": "invoices", "log": "errors", "ci": "builds"}
    for signal in signals:
        told, module = _name(signal.event) in trial.told, module_of[signal.event.source]
        recalls.locations += [signal.event.location] if told else []
        if signal.label:
            recalls.relevant[module] += 1
            recalls.told[module] += told
    return recalls


def losses(
    count: int,
    seeds: Sequence[int],
    attacks: Mapping[str, Attack] = ATTACKS,
    *,
    planted: bool = False,
) -> Mapping[str, Mapping[str, float]]:
    """Attack -> module -> points of recall that it loses, all seeds together."""
    runs: dict[str, Recalls] = defaultdict(Recalls)
    for seed in seeds:
        runs[""].add(run(count, seed, None, planted=planted))
        for name, attack in attacks.items():
            runs[name].add(run(count, seed, attack, planted=planted))
    usual = runs.pop("")
    print("without: " + ", ".join(f"{each} {usual.of(each):.1f} %" for each in _TOPICS), flush=True)
    return {
        name: {module: usual.of(module) - each.of(module) for module in _TOPICS}
        for name, each in runs.items()
    }


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Does an attacker's source cost others recall?")
    parser.add_argument("--events", type=int, default=2_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--planted", action="store_true", help="a module hears the attacker, too")
    options = parser.parse_args(arguments)
    found = losses(options.events, range(options.seeds), planted=options.planted)
    for name, lost in found.items():
        print(
            f"{name:<10} " + ", ".join(f"{module} {-by or 0.0:+.1f}" for module, by in lost.items())
        )
    most = max(by for lost in found.values() for by in lost.values())
    print(f"at most {max(0.0, most):.1f} points of recall lost; {MOST_POINTS:g} may be")
    return 0 if most <= MOST_POINTS else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
