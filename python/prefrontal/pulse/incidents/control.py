"""Which bursts are asked about: at once when their score is among the best, then now and then."""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...decisions.payloads import WakePayload
from ...settings.budget import Budget, parse_budget
from ..learning.limbic import LimbicLayer, learning_version
from .bursts import MOST_KINDS, Kind, burst_events

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from ...decisions.payloads import Burst, Moment
    from ...settings.gate import GateSettings
    from ...types import SignalEvent
    from ..modules.fingerprint import ModuleFingerprint
    from ..recall.audit import RecallEstimate
    from ..recall.control import Mass

HOLD_S = 15.0
"""What comes so shortly after a question is asked as one, unless the settings say otherwise."""
OPEN_S = 3600.0
"""An incident is open so long after a question that was answered with yes."""
FOLD_S = 7200.0
"""What says the same is told by one question for so long, OPEN_S while an incident is open."""
UPDATE_S, UPDATE_GROWTH, UPDATE_MOST_S = 240.0, 3.0, 7200.0
"""An open incident is asked about again after UPDATE_S, then ever more rarely."""
WARM_SHARE = 0.6
"""Of the budget: how often bursts of other histories that were nothing score above the start."""
PAST_SHARE = 1.25
"""Of the budget: how often bursts of this history score above the threshold."""
SPENT_COST = 2.0
"""Log-odds that a score must have more when the budget is spent; less in proportion."""
OPEN_BONUS = 1.5
"""Log-odds that a score may have less while an incident is open."""
SAME_COST = 8.0
"""Log-odds more for the kind that was just told; fades over OPEN_S."""
SURE = 0.0
"""Log-odds from which the likeliest kind counts as told, once the answer is yes."""
PLACES = 32
"""Of the scale of log-odds, in each of them: scores are counted by these."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The decision that a burst of this name was opened with: when, and its id."""

    time: float
    id: str


@dataclass(frozen=True, slots=True)
class BurstVerdict:
    """What was decided about a burst at its last look.

    score, threshold: 0..1. opening: the id of the decision that told of it before. update: asked
    again about an incident that goes on.
    """

    score: float
    threshold: float
    opening: str = ""
    update: bool = False


NOTHING = BurstVerdict(0.0, 1.0)


class IncidentControl:
    """Decides burst by burst; learns the kinds of incidents from other histories.

    The module's own scorer tells whether a burst belongs to an incident at all, and one scorer for
    each kind of incident, which only other histories name, to which. There are no audits: the
    budget is for what is likeliest. The state follows from the calls alone. The constants were
    chosen on the four sites of benchmarks/bench_incidents.py.
    """

    def __init__(
        self,
        budget: Budget,
        fingerprint: ModuleFingerprint,
        limbic: LimbicLayer,
        layer: Callable[[], LimbicLayer],
    ) -> None:
        self.threshold = 1.0
        self.verdict = NOTHING
        self._budget = budget
        self._fingerprint = fingerprint
        self._limbic = limbic
        self._layer = layer
        self._kinds = layer()
        self._verdicts: dict[Kind, BurstVerdict] = {}
        self._openings: dict[str, Opening] = {}
        self._start = 0.0
        self._past: Counter[int] = Counter()
        self._fresh: Counter[int] = Counter()
        self._before: Mass = ()
        self._last_yes: dict[str, float] = {}
        self._yes = self._last = -math.inf
        self._interval = UPDATE_S

    def look(
        self, window: tuple[SignalEvent, ...], moment: Moment, spent: float, shift: float
    ) -> BurstVerdict:
        """Decide about the burst of the window, or repeat what was decided.

        spent: share of the budget. shift: log-odds for who is behind the window.
        """
        burst = moment.burst
        assert burst is not None
        kind = burst.name, burst.place
        if burst.look:
            if len(self._verdicts) >= MOST_KINDS:
                self._verdicts.clear()
            self._verdicts[kind] = self._decide(burst, window, moment.time, spent, shift)
        self.verdict = self._verdicts.get(kind, NOTHING)
        self.threshold = self.verdict.threshold
        return self.verdict

    def _decide(
        self,
        burst: Burst,
        window: tuple[SignalEvent, ...],
        time: float,
        spent: float,
        shift: float,
    ) -> BurstVerdict:
        events = burst_events(burst, window)
        odds, name = self._odds(events)
        odds += shift
        self._before = self._mass()
        open_now = time - self._yes < OPEN_S
        least = self._least(time - burst.since) + SPENT_COST * spent
        if open_now:
            least -= OPEN_BONUS
        else:
            self._fresh[math.floor(odds * PLACES)] += 1
        since_yes = time - self._last_yes.get(name, -math.inf)
        least += SAME_COST * max(0.0, 1.0 - since_yes / OPEN_S)
        score, threshold = _share(odds), _share(least)
        opening = self._openings.get(burst.name)
        is_told = opening is not None and time - opening.time < (OPEN_S if open_now else FOLD_S)
        if score >= threshold and not is_told:
            return BurstVerdict(score, threshold)
        if open_now and time - self._last >= self._interval:
            return BurstVerdict(score, 0.0, update=True)
        if score >= threshold and opening is not None:
            return BurstVerdict(score, threshold, opening.id)
        return BurstVerdict(score, threshold)

    def open_burst(self, moment: Moment, decision_id: str) -> None:
        """The burst just looked at is told by this decision, or by the one that tells of it."""
        burst = moment.burst
        assert burst is not None
        if len(self._openings) >= MOST_KINDS:
            self._openings.clear()
        self._openings[burst.name] = Opening(moment.time, decision_id)
        opened = replace(self.verdict, opening=decision_id, update=False)
        self._verdicts[burst.name, burst.place] = opened

    def asked(self, time: float) -> None:
        """A question was asked at Unix second `time`."""
        self._last = time

    def take_meanwhile(self) -> Mass:
        """The scores before this look that no stored decision told of yet; this one does."""
        before, self._before = self._before, ()
        if before:
            counts = Counter(dict(before))
            self._past.update({place: int(count) for place, count in counts.items()})
            self._fresh.subtract({place: int(count) for place, count in counts.items()})
            self._fresh = +self._fresh
        return before

    def set_meanwhile(self, mass: Mass) -> None:
        """Take over from a log which scores came since the last stored decision."""
        self._fresh = Counter({place: int(count) for place, count in mass})

    def answer(self, decision: Decision, *, yes: bool) -> bool:
        """Take in the answer to a question; whether the module's own scorer learns it, too."""
        wake = decision.payload
        if not isinstance(wake, WakePayload) or wake.burst is None:
            return True
        events, time = burst_events(wake.burst, decision.window), decision.time
        learns = not (yes and time - self._yes < OPEN_S)
        if not yes:
            for name in self._kinds.modules():
                self._kinds.update_weights(name, events, 0.0)
            if wake.update:
                self._yes = -math.inf
            return learns
        self._yes = max(self._yes, time)
        odds, kind = self._odds(events)
        if kind and odds >= SURE:
            self._last_yes[kind] = time
        grown = min(UPDATE_MOST_S, self._interval * UPDATE_GROWTH)
        self._interval = grown if wake.update else UPDATE_S
        return learns

    def forget_seeds(self) -> None:
        """Start from nothing, where other histories say more than novelty does."""
        self._limbic.register(self._fingerprint.module_id, self._fingerprint, steady=False)

    def learn_kinds(self, names: Iterable[str]) -> None:
        """Have a scorer for each kind of incident."""
        for name in names:
            self._kinds.register(name, self._fingerprint, steady=False)

    def learn_kind(self, burst: Burst, window: tuple[SignalEvent, ...], incident: str) -> None:
        """Learn from another history what its burst belonged to; "" for nothing."""
        events = burst_events(burst, window)
        for name in self._kinds.modules():
            self._kinds.update_weights(name, events, float(incident == name))

    def begin_at(self, odds: list[float], spans: float) -> None:
        """Start from the scores of what was nothing in other histories that spanned so much."""
        best = sorted(odds, reverse=True)
        place = int(WARM_SHARE * self._budget.wakes * spans)
        self._start = best[min(place, len(best) - 1)] if best else 0.0

    def odds(self, burst: Burst, window: tuple[SignalEvent, ...]) -> float:
        """Log-odds that the burst belongs to an incident."""
        return self._odds(burst_events(burst, window))[0]

    def audit_chance(self, score: float) -> float:
        return 0.0

    def decided(self, score: float, propensity: float, unseen: float = 0.0) -> None:
        """Nothing is counted here; `look` did."""

    def labelled(
        self, score: float, relevant: bool, threshold: float, propensity: float | None
    ) -> None:
        """Nothing is counted here; `answer` does."""

    def estimate(self) -> RecallEstimate | None:
        return None

    def to_dict(self) -> dict[str, Any]:
        past = self._past + self._fresh
        return {
            "kinds": b64encode(self._kinds.to_bytes()).decode(),
            "start": self._start,
            "past": sorted(past.items()),
            "openings": {name: [each.time, each.id] for name, each in self._openings.items()},
            "verdicts": [
                [*kind, each.score, each.threshold, each.opening]
                for kind, each in self._verdicts.items()
            ],
            "last_yes": self._last_yes,
            "yes": _finite(self._yes),
            "last": _finite(self._last),
            "interval": self._interval,
        }

    def restore(self, raw: Mapping[str, Any]) -> None:
        """What `to_dict` gave; what another control knew is passed over."""
        if "openings" not in raw:
            return
        saved = b64decode(raw["kinds"])
        names, self._kinds = self._layer(), self._layer()
        names.restore_all(saved)
        self.learn_kinds(names.modules())
        self._kinds.restore_all(saved)
        self._start = raw["start"]
        self._past, self._fresh = Counter(dict(raw["past"])), Counter()
        self._openings = {name: Opening(*each) for name, each in raw["openings"].items()}
        self._verdicts = {(n, p): BurstVerdict(*each) for n, p, *each in raw["verdicts"]}
        self._last_yes = dict(raw["last_yes"])
        self._yes = -math.inf if raw["yes"] is None else raw["yes"]
        self._last = -math.inf if raw["last"] is None else raw["last"]
        self._interval = raw["interval"]

    def _odds(self, events: tuple[SignalEvent, ...]) -> tuple[float, str]:
        """Log-odds that it belongs to an incident, and the likeliest kind."""
        scores = [(self._kinds.score(name, events), name) for name in self._kinds.modules()]
        best, name = max(scores, default=(0.0, ""))
        own = self._limbic.score(self._fingerprint.module_id, events)
        return _log_odds(max(best, own)), name

    def _mass(self) -> Mass:
        return tuple(sorted((place, float(count)) for place, count in self._fresh.items()))

    def _least(self, seconds: float) -> float:
        """Log-odds above which bursts came as often as the budget allows, a little oftener.

        seconds: since the first window.
        """
        spans = seconds / self._budget.span_s
        wanted = int(PAST_SHARE * self._budget.wakes * (spans + 1))
        own = self._start
        if self._past.total() + self._fresh.total() > wanted:
            above = 0
            for place, count in sorted((self._past + self._fresh).items(), reverse=True):
                above += count
                if above >= wanted:
                    own = place / PLACES
                    break
        share = min(1.0, spans)
        return share * own + (1 - share) * self._start


def incident_control(
    settings: GateSettings, fingerprint: ModuleFingerprint, limbic: LimbicLayer, version: int
) -> IncidentControl | None:
    """The control of a module of a gate; None where windows are decided about, not bursts."""
    policy = settings.policy
    if not policy.incidents or policy.budget is None:
        return None

    def layer() -> LimbicLayer:
        learning, seed = learning_version(version), settings.seed
        return LimbicLayer(
            *(settings.scorer, seed),
            version=learning,
            commits=limbic.commits,
            commit_files=False,
        )

    return IncidentControl(parse_budget(policy.budget), fingerprint, limbic, layer)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _share(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def _log_odds(score: float) -> float:
    score = min(max(score, 1e-9), 1 - 1e-9)
    return math.log(score / (1 - score))
