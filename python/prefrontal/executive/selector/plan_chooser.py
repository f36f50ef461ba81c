"""The role Selector: the control agent picks among the tools that the router ranked.

Only imported where `executive.links.control` is on: it needs torch.
"""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...decisions.payloads import ControlPick, WakePayload
from ...errors import SourceError
from ..nouns import ActOutcome, Choice, Option, Status
from .selection import PlanSelector, load, save

if TYPE_CHECKING:
    from ...decisions.decision import Decision

SAVED_EVERY = 25
_DAY_S = 86_400.0
_WRONG = (Status.INVALID, Status.FAILED)
_UNSAID = (Status.ASKED, Status.DEFERRED)

log = logging.getLogger("prefrontal.executive")


class PlanChooser:
    """Hands situation and options to a `PlanSelector`, and says in words what it preferred.

    seed: of its parameters. path: the file that keeps what was learned, written by `save` and every
    SAVED_EVERY outcomes; None keeps nothing. The same choices and outcomes in the same order pick
    the same.
    """

    def __init__(
        self, selector: PlanSelector | None = None, seed: int = 0, path: Path | None = None
    ) -> None:
        self._selector = PlanSelector(seed=seed) if selector is None else selector
        self._path = path
        self._unsaved = 0

    @classmethod
    def kept(cls, path: Path, seed: int = 0) -> PlanChooser:
        """With what the file keeps; fresh where there is none, or one that nobody can read."""
        try:
            return cls(load(path), path=path)
        except FileNotFoundError:
            pass
        except ValueError as error:
            log.warning("what the control agent learned is lost: %s", error)
        return cls(seed=seed, path=path)

    def enter(self, mode: str) -> None:
        """What the agent is about; what may be written to memory follows from it."""
        self._selector.enter(mode)

    def select(self, wake: Decision, choice: Choice) -> Choice:
        """The choice with the option that the situation speaks for."""
        plans = [plan_features(each) for each in choice.options]
        pick = self._selector.select(situation(wake), plans)
        control = ControlPick(
            pick.committed, pick.probing, pick.harm_precision, pick.goal_precision, tuple(pick.why)
        )
        if pick.index == 0:
            return replace(choice, control=control)
        first, best = choice.options[0], choice.options[pick.index]
        why = "to try it out" if pick.probing else "by what came of such steps before"
        sentence = f"{choice.sentence} {best.name} was preferred to {first.name}, {why}."
        return replace(choice, picked=pick.index, sentence=sentence.lstrip(), control=control)

    def learn(self, wake: Decision, choice: Choice, outcome: ActOutcome) -> None:
        """Take in what came of the option; nothing where that says nothing of it."""
        option, reward = choice.option, result(outcome)
        if option is not None and reward is not None:
            self._selector.learn(situation(wake), plan_features(option), *reward)
            self._unsaved += 1
        if self._unsaved >= SAVED_EVERY:
            self.save()

    def save(self) -> None:
        """Keep what was learned; a file that cannot be written is told of."""
        if self._path is None or not self._unsaved:
            return
        try:
            save(self._selector, self._path)
        except SourceError as error:
            log.warning("what the control agent learned could not be kept: %s", error)
        self._unsaved = 0


def situation(wake: Decision) -> dict[str, float]:
    """What is known before a tool is chosen, as numbers by name."""
    hour = math.tau * (wake.time % _DAY_S) / _DAY_S
    features = {
        "score": _finite(wake.score),
        "threshold": _finite(wake.threshold),
        "trust": _trust(wake) / 10,
        "hour sin": math.sin(hour),
        "hour cos": math.cos(hour),
        f"module {wake.subject}": 1.0,
    }
    if wake.window:
        last = wake.window[-1]
        features["magnitude"] = _finite(last.magnitude)
        features[f"source {last.source}"] = 1.0
        features[f"change {last.delta_type}"] = 1.0
        for name, value in last.features.items():
            if isinstance(value, int | float) and (number := _finite(value)):
                features[f"feature {name}"] = number / (1.0 + abs(number))
    return features


def _trust(wake: Decision) -> float:
    standing = wake.payload.standing if isinstance(wake.payload, WakePayload) else None
    return 0.0 if standing is None else float(standing.trust)


def plan_features(option: Option) -> dict[str, float]:
    """What is known of an option, as numbers by name."""
    features = {name: _finite(value) for name, value in option.features.items()}
    return {**features, "score": option.score, f"tool {option.tool}": 1.0}


def result(outcome: ActOutcome) -> tuple[float, float] | None:
    """(harm, use), each 0 or 1, of what came of a step; None where nobody can say.

    A machine that could not run the tool says nothing of it.
    """
    if outcome.accepted is not None:
        right = float(outcome.accepted)
        return 1.0 - right, right if outcome.useful is not False else 0.0
    if outcome.status in _WRONG or outcome.status in _UNSAID or outcome.useful is None:
        return None
    return 0.0, float(outcome.useful)


def _finite(value: Any) -> float:
    """The number; 0 for anything else, 1 for a yes."""
    plain = isinstance(value, int | float) and math.isfinite(value)
    return float(value) if plain else 0.0
