"""What other histories teach a module that decides about bursts, before its own begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pulse.incidents.bursts import Bursts, burst_events

if TYPE_CHECKING:
    from ..decisions.payloads import Burst
    from ..pulse.incidents.control import IncidentControl
    from ..pulse.learning.limbic import LimbicLayer
    from ..settings.budget import Budget
    from ..types import SignalEvent, Window


class IncidentWarming:
    """Gathers the bursts of other histories, and teaches them once all are known.

    Histories are told apart by the part of a window's key before its last colon.
    """

    def __init__(
        self, control: IncidentControl, limbic: LimbicLayer, module_id: str, budget: Budget
    ) -> None:
        self._control = control
        self._limbic = limbic
        self._module_id = module_id
        self._budget = budget
        self._bursts = Bursts()
        self._looks: list[tuple[Burst, tuple[SignalEvent, ...], str, bool]] = []
        self._file = ""
        self._span_s = self._last = 0.0

    def add(self, window: Window) -> None:
        """Take in a labelled window."""
        name = window.key.rpartition(":")[0]
        if name != self._file:
            self._file, self._bursts, self._last = name, Bursts(), window.time
        self._span_s += window.time - self._last
        self._last = window.time
        burst = self._bursts.take(window.time, window.events)
        if burst.look:
            self._looks.append((burst, window.events, window.incident, bool(window.relevant)))

    def finish(self) -> None:
        """Teach what was taken in."""
        if not self._looks:
            return
        control = self._control
        control.forget_seeds()
        control.learn_kinds(sorted({incident for _, _, incident, _ in self._looks if incident}))
        for burst, window, incident, relevant in self._looks:
            control.learn_kind(burst, window, incident)
            events = burst_events(burst, window)
            self._limbic.update_weights(self._module_id, events, float(relevant))
        nothing = [control.odds(burst, window) for burst, window, _, yes in self._looks if not yes]
        control.begin_at(nothing, self._span_s / self._budget.span_s)
        self._looks.clear()
