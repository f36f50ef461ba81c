"""Incidents within a budget, in the role that a replay needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..pulse.incidents.bursts import Bursts
from ..pulse.incidents.watch import ANY, IncidentWatch
from ..pulse.learning.limbic import LimbicLayer
from ..types import Judgement, Reason

if TYPE_CHECKING:
    from ..pulse.incidents.bursts import Look
    from ..pulse.modules.fingerprint import ModuleFingerprint
    from ..settings.budget import Budget
    from ..types import Window


class IncidentJudge:
    """Asks about bursts and not about windows; learns the kinds of incidents of other histories."""

    def __init__(
        self,
        budget: Budget,
        module: Callable[[str], ModuleFingerprint],
        scorer: str = "linear",
        seed: int = 0,
    ) -> None:
        self.limbic = LimbicLayer(scorer, seed)
        self._module = module
        self._budget = budget
        self._warm: list[tuple[Look, str, bool]] = []
        self._warm_file = ""
        self._warm_bursts = Bursts()
        self._warm_s = self._warm_began = 0.0
        self._watch: IncidentWatch | None = None
        self._bursts = Bursts()
        self._look: Look | None = None
        self._standing: dict[tuple[str, str], tuple[float, float]] = {}

    def learn(self, window: Window) -> None:
        """Files are told apart by the part of a window's key before its last colon."""
        name = window.key.rpartition(":")[0]
        if name != self._warm_file:
            self._warm_file, self._warm_bursts = name, Bursts()
            self._warm_began = window.time
        look = self._warm_bursts.look(window.time, window.text, window.events)
        if look is not None:
            self._warm.append((look, window.incident, bool(window.relevant)))
            self._warm_s += window.time - self._warm_began
            self._warm_began = window.time

    def judge(self, window: Window) -> Judgement:
        watch = self._watch or self._begin()
        look = self._bursts.look(window.time, window.text, window.events)
        first = window.events[0]
        kind = (window.text or first.delta_type, first.location)
        if look is None:  # its burst was decided about
            score, threshold = self._standing[kind]
            return Judgement(score, max(threshold, math.nextafter(score, 2.0)), _SLEPT)
        self._look = look
        asked, odds, least = watch.look(look)
        score, threshold = _share(odds), _share(least)
        self._standing[kind] = (score, threshold)
        return Judgement(score, threshold, Reason.WOKE if asked else _SLEPT)

    def label(self, window: Window, judgement: Judgement, relevant: bool) -> None:
        if judgement.woke and self._watch is not None and self._look is not None:
            self._watch.answer(self._look, relevant)

    def wake_on_everything(self, on: bool) -> None:
        """The budget holds from the first window on."""

    def contributions(self, window: Window) -> list[tuple[str, float]]:
        return []

    def sentence(self) -> str:
        most = f"No {self._budget.span} has more than {self._budget.wakes:,} wake-ups"
        return f"{most}; bursts of alike windows are one question."

    def _begin(self) -> IncidentWatch:
        kinds = sorted({incident for _, incident, _ in self._warm if incident})
        for kind in (ANY, *kinds):
            self.limbic.register(kind, self._module(kind))
        for look, incident, relevant in self._warm:
            events = (look.event,)
            for kind in kinds:
                self.limbic.update_weights(kind, events, float(incident == kind))
            self.limbic.update_weights(ANY, events, float(relevant))
        watch = self._watch = IncidentWatch(self.limbic, kinds, self._budget)
        nothing = [watch.score(look) for look, _, relevant in self._warm if not relevant]
        watch.begin_at(nothing, self._warm_s / self._budget.span_s)
        self._warm.clear()
        return watch


_SLEPT = Reason.BELOW_THRESHOLD


def _share(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))
