"""A receiver that answers as it is told, and wakes that are owed to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog, new_id
from prefrontal.decisions.payloads import WakePayload
from prefrontal.pulse.sinks import DeliveryOutcome
from prefrontal.pulse.sinks.outbox_lane import GIVE_UP_S, OutboxLane
from prefrontal.testing import ManualClock
from prefrontal.types import Reason, SignalEvent

HAS_IT = DeliveryOutcome(True, "HTTP 204")
NOBODY = DeliveryOutcome(False, "no answer: refused", down_for_s=0.0)
NO = DeliveryOutcome(False, "HTTP 400")


class ScriptedSink:
    """Answers with `answers` in turn, the last one for ever; keeps what it was given."""

    def __init__(self, *answers: DeliveryOutcome | Exception) -> None:
        self.answers = list(answers or (HAS_IT,))
        self.got: list[Decision] = []

    def deliver(self, decision: Decision) -> DeliveryOutcome:
        self.got.append(decision)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        """Nothing is open."""

    @property
    def questions(self) -> list[str | None]:
        """What was asked, try by try."""
        return [decision.question for decision in self.got]


class Owing:
    """A log that owes each of its wakes to the sink "agent", on a clock that is moved by hand."""

    def __init__(self, path: Path | str = ":memory:", clock: ManualClock | None = None) -> None:
        self.clock = ManualClock() if clock is None else clock
        self.log = DecisionLog(path, owed_to=["agent"])
        self.deliveries = self.log.deliveries()

    def ask(self, *questions: str, **changes: object) -> list[Decision]:
        """Store a wake for each question, all of this moment."""
        records = [self.record(question) for question in questions]
        records = [replace(each, **changes) for each in records]  # type: ignore[arg-type]
        self.log.append_many(records)
        return records

    def record(self, question: str) -> Decision:
        event = SignalEvent("filesystem", f"/in/{question}", "created", 1.0, self.clock.now())
        return Decision(
            id=new_id(),
            time=self.clock.now(),
            payload=WakePayload(),
            subject="invoices",
            acted=True,
            reason=str(Reason.WOKE),
            score=0.9,
            threshold=0.6,
            question=question,
            propensity=1.0,
            window=(event,),
        )

    def lane(self, sink: ScriptedSink, give_up_s: float = GIVE_UP_S) -> OutboxLane:
        return OutboxLane("agent", sink, self.deliveries, self.clock, give_up_s)

    def states(self, *records: Decision) -> list[tuple[str, int, str]]:
        """(state, tries, detail) of each."""
        found = [self.deliveries.of(record.id)[0] for record in records]
        return [(each.state, each.attempts, each.detail) for each in found]

    def close(self) -> None:
        self.deliveries.close()
        self.log.close()


def until_rest(lane: OutboxLane) -> float | None:
    """Step as long as there is something to do at once; the wait after it."""
    while (wait_s := lane.step()) == 0.0:
        pass
    return wait_s
