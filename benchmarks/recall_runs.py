"""A live gate's recall on recorded histories: who labels what, and what came of it."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from prefrontal.pulse import LimbicLayer, ModuleFingerprint
from prefrontal.pulse.learning.limbic import LEARNING_VERSION
from prefrontal.pulse.learning.seed import Seed
from prefrontal.pulse.modules.priors import HistoryPrior
from prefrontal.types import SignalEvent

NAMES = ("pytest", "pip", "aiohttp", "astropy")
MODULE = ModuleFingerprint(
    module_id="history",
    cluster="history",
    version="1",
    question_template="Something changed at {location}. Does it matter?",
    default_threshold=0.5,
    history=HistoryPrior(commits=True),
)
"""As `prefrontal adopt` makes it for a repository."""
History = Sequence[tuple[tuple[SignalEvent, ...], bool]]
Estimate = tuple[float, float]
"""Low and high end of the interval of a recall."""


class Control(Protocol):
    """What decides the threshold and the audits."""

    @property
    def threshold(self) -> float: ...
    def audit_chance(self, score: float) -> float: ...
    def decided(self, score: float, propensity: float, unseen: float) -> None: ...
    def labelled(
        self, score: float, relevant: bool, threshold: float, propensity: float | None, now: float
    ) -> None: ...
    def interval(self) -> Estimate | None: ...
    def alarmed(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Answers:
    """Who labels: complete says all of it, else only what was asked about has a label.

    share: of the questions that are answered. delay: windows until the answer. together: all that
    is not answered yet is answered after every so many windows. most: answers, then nobody answers
    any more.
    """

    complete: bool = False
    share: float = 1.0
    delay: int = 0
    together: int = 0
    most: int | None = None


@dataclass(slots=True)
class Run:
    """By window: did it matter, was it asked about (audits too), as an audit, was an alarm on.

    answered: windows before each answer. intervals: (windows so far, low, high).
    """

    relevant: list[bool] = field(default_factory=list)
    asked: list[bool] = field(default_factory=list)
    audit: list[bool] = field(default_factory=list)
    alarm: list[bool] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)
    intervals: list[tuple[int, float, float]] = field(default_factory=list)

    def recall(self, begin: int = 0, end: int | None = None) -> float:
        """Share of what mattered that was asked about; 1 where nothing did."""
        told = list(zip(self.relevant[begin:end], self.asked[begin:end], strict=True))
        relevant = sum(r for r, _ in told)
        return sum(r and a for r, a in told) / relevant if relevant else 1.0

    def wakes(self, begin: int = 0) -> float:
        """Share of the windows that was asked about."""
        return sum(self.asked[begin:]) / max(1, len(self.asked) - begin)

    def audits(self) -> float:
        """Share of the windows that was asked about though it slept."""
        return sum(self.audit) / max(1, len(self.audit))

    def alarms(self) -> int:
        """How often an alarm was raised."""
        return sum(now and not before for before, now in pairwise([False, *self.alarm]))

    def held(self) -> list[tuple[bool, float]]:
        """Of each interval: whether it holds the recall so far, and its width."""
        return [
            (low - 1e-9 <= self.recall(0, windows) <= high + 1e-9, high - low)
            for windows, low, high in self.intervals
        ]


def read(folder: Path, name: str) -> History:
    """The windows of one history, oldest first."""
    history = []
    with gzip.open(folder / "wake" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            raw = json.loads(line)
            told = {"actor": raw["actor"], "text": raw["text"]}
            window = tuple(
                SignalEvent(
                    *(each["source"], each["location"], each["delta_type"], 1.0),
                    *(float(raw["time"]), told),
                )
                for each in raw["events"]
            )
            history.append((window, bool(raw["relevant"])))
    return history


def run(
    history: History,
    control: Control,
    answers: Answers,
    seed: int = 0,
    looks: int = 0,
    module: ModuleFingerprint = MODULE,
    seeds: Sequence[Seed] = (),
    learning: int = LEARNING_VERSION,
    commit_files: bool = True,
) -> Run:
    """Live from the first window, with no label before. looks: at the interval on the way.

    seeds: that the scorer starts from, besides those of the module. learning: version of how the
    scorer learns. commit_files: as of `LimbicLayer`.
    """
    limbic = LimbicLayer(utc=True, version=learning, commit_files=commit_files)
    limbic.register(module.module_id, module, seeds, steady=not answers.complete)
    name = module.module_id
    draw, out = random.Random(seed), Run()
    waiting: list[tuple[int, int, float, float, float]] = []
    every = len(history) // looks if looks else 0

    def learn(place: int, score: float, threshold: float, propensity: float) -> None:
        window, relevant = history[place]
        told = None if answers.complete else propensity
        control.labelled(score, relevant, threshold, told, limbic.score(name, window))
        limbic.update_weights(name, window, float(relevant))
        out.answered.append(len(out.asked))

    for place, (window, relevant) in enumerate(history):
        while waiting and waiting[0][0] <= place:
            learn(*waiting.pop(0)[1:])
        score, threshold = limbic.score(name, window), control.threshold
        woke = score >= threshold
        propensity = 1.0 if woke else control.audit_chance(score)
        audit = not woke and draw.random() < propensity
        asked = woke or audit
        unseen = limbic.unseen(name, window) if asked else 0.0
        control.decided(score, propensity if asked else 0.0, unseen)
        out.relevant.append(relevant)
        out.asked.append(asked)
        out.audit.append(audit)
        out.alarm.append(control.alarmed())
        spent = answers.most is not None and len(out.answered) + len(waiting) >= answers.most
        if (asked or answers.complete) and not spent and draw.random() < answers.share:
            if answers.delay or answers.together:
                due = place + answers.delay
                if answers.together:
                    due = (place // answers.together + 1) * answers.together
                waiting.append((due, place, score, threshold, propensity))
            else:
                learn(place, score, threshold, propensity)
        if every and place % every == every - 1 and (found := control.interval()):
            out.intervals.append((place + 1, *found))
    return out
