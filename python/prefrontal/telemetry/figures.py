"""The figures of a running gate, as one list that the Prometheus page and OpenTelemetry share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ..errors import InputError
from ..types import Reason

if TYPE_CHECKING:
    from ..pulse.recall.audit import RecallEstimate
    from ..pulse.shells.watch import Watch

TOKENS_PER_WAKE = 100_675
"""What a wake costs unless told otherwise, as in a replay."""

_TOLD_APART = (Reason.WOKE, Reason.AUDIT, Reason.BELOW_THRESHOLD, Reason.REPLAYED)
SUPPRESSING = tuple(each for each in Reason if each not in _TOLD_APART)

Sample = tuple[Mapping[str, str], float]
"""Labels and value."""


class Snapshot:
    """What a registry says of itself at one moment. tokens_per_wake: 0 or more."""

    def __init__(self, registry: Watch, tokens_per_wake: int = TOKENS_PER_WAKE) -> None:
        self.status: dict[str, Any] = registry.status()
        self._registry = registry
        self._tokens_per_wake = tokens_per_wake

    def decided(self, reason: str) -> int:
        """Windows decided for that reason since the registry was made."""
        return int(self.status["decisions"].get(str(reason), 0))

    @property
    def tokens_saved(self) -> int:
        """Tokens less than waking once on each signal; negative when more was asked than came.

        What was told twice or was broken is no signal.
        """
        signals = int(self.status["events"]) - int(self.status["broken_events"])
        questions = map(self.decided, (Reason.DUPLICATE, Reason.WOKE, Reason.AUDIT))
        return self._tokens_per_wake * (signals - sum(questions))

    @cached_property
    def estimates(self) -> dict[str, RecallEstimate]:
        """The recall of each module for which one can be told."""
        pairs = ((each, self._registry.recall_estimate(each)) for each in self.status["thresholds"])
        return {module: estimate for module, estimate in pairs if estimate is not None}

    @property
    def alarms(self) -> dict[str, str | None]:
        """By module: why less may be caught than was asked; None while all is well."""
        return {module: facts["warning"] for module, facts in self.status["gate"].items()}


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: `name` with dots, `unit` as OpenTelemetry writes it, and how it is read."""

    name: str
    kind: Literal["counter", "gauge"]
    unit: str
    meaning: str
    read: Callable[[Snapshot], Iterator[Sample]]


def check_tokens_per_wake(value: object) -> None:
    """InputError for anything but a whole number of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f"tokens_per_wake must be a whole number, 0 or more, got {value!r:.80}")


def _status(key: str) -> Callable[[Snapshot], Iterator[Sample]]:
    return lambda snapshot: iter([({}, float(snapshot.status[key]))])


def _decided(reason: Reason) -> Callable[[Snapshot], Iterator[Sample]]:
    return lambda snapshot: iter([({}, float(snapshot.decided(reason)))])


def _suppressed(snapshot: Snapshot) -> Iterator[Sample]:
    for reason in SUPPRESSING:
        yield {"reason": str(reason)}, float(snapshot.decided(reason))


def _tokens_saved(snapshot: Snapshot) -> Iterator[Sample]:
    yield {}, float(snapshot.tokens_saved)


def _thresholds(snapshot: Snapshot) -> Iterator[Sample]:
    for module, threshold in snapshot.status["thresholds"].items():
        yield {"module": module}, float(threshold)


def _alarmed(snapshot: Snapshot) -> Iterator[Sample]:
    for module, alarm in snapshot.alarms.items():
        yield {"module": module}, float(alarm is not None)


def _estimated(field: str) -> Callable[[Snapshot], Iterator[Sample]]:
    return lambda snapshot: (
        ({"module": module}, float(getattr(estimate, field)))
        for module, estimate in snapshot.estimates.items()
    )


FIGURES = (
    Figure("prefrontal.events", "counter", "{event}", "Events taken in.", _status("events")),
    Figure("prefrontal.wakes", "counter", "{wake}", "Times the agent was woken because a score "
           "reached its threshold.", _decided(Reason.WOKE)),
    Figure("prefrontal.audits", "counter", "{wake}", "Windows that slept and were asked about all "
           "the same, to learn what is missed.", _decided(Reason.AUDIT)),
    Figure("prefrontal.slept", "counter", "{window}", "Windows whose score stayed below the "
           "threshold.", _decided(Reason.BELOW_THRESHOLD)),
    Figure("prefrontal.suppressed", "counter", "{window}", "Windows that woke nobody for another "
           "reason.", _suppressed),
    Figure("prefrontal.tokens_saved", "gauge", "{token}", "Tokens less than waking once on each "
           "signal would have cost.", _tokens_saved),
    Figure("prefrontal.events_refused", "counter", "{event}", "Events refused because the queue "
           "was full or nothing ran.", _status("refused_by_queue")),
    Figure("prefrontal.events_broken", "counter", "{event}", "Events left out because a field was "
           "wrong.", _status("broken_events")),
    Figure("prefrontal.log_gaps", "counter", "{gap}", "Times that lines of a followed log may have "
           "been lost before they were read.", _status("gaps")),
    Figure("prefrontal.windows_waiting", "gauge", "{window}", "Windows held back until a question "
           "tells of them.", _status("held_back")),
    Figure("prefrontal.windows_crowded", "counter", "{window}", "Windows held back while so many "
           "waited that a question counts them without their names.", _status("crowded")),
    Figure("prefrontal.labels_learned", "counter", "{label}", "Labels learned from.",
           _status("labels_learned")),
    Figure("prefrontal.delivered", "counter", "{wake}", "Wakes and audits handed to every handler.",
           _status("delivered")),
    Figure("prefrontal.handler_errors", "counter", "{error}", "Times a handler raised.",
           _status("handler_errors")),
    Figure("prefrontal.events_waiting", "gauge", "{event}", "Events not yet taken in.",
           _status("waiting")),
    Figure("prefrontal.modules", "gauge", "{module}", "Registered modules.", _status("modules")),
    Figure("prefrontal.running", "gauge", "1", "1 while the gate runs, else 0.",
           _status("running")),
    Figure("prefrontal.threshold", "gauge", "1", "Score from which the module wakes the agent.",
           _thresholds),
    Figure("prefrontal.recall_estimate", "gauge", "1", "Estimated share of what matters that wakes "
           "the module.", _estimated("recall")),
    Figure("prefrontal.recall_estimate_low", "gauge", "1", "Lower end of its 90 % interval.",
           _estimated("low")),
    Figure("prefrontal.recall_estimate_high", "gauge", "1", "Upper end of its 90 % interval.",
           _estimated("high")),
    Figure("prefrontal.recall_alarm", "gauge", "1", "1 while less is caught than was asked, or "
           "what comes is not what was, else 0.", _alarmed),
)  # fmt: skip
