"""What came of acting, noted in the histories that `prefrontal route` ranks by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...plain_text import visible
from ...redaction import redact
from ...routing.catalog.history import Event, PastEvent, read_history, remember
from ...sandbox.ladder import ENFORCED
from ..nouns import ActOutcome, Choice, Option, Status
from ..results import judged
from .prompt import phrasing

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from ...routing.run.router import Router

MOST_NOTED = 50
"""Runs, and failures, of one tool that are noted within SPAN_S: more would say nothing new."""
SPAN_S = 30 * 86_400.0
MOST_PHRASINGS = 40
"""Different prompts that a tool is remembered by."""
_SIGNATURE_LIMIT = 200
_PASSED_OVER = 1_000

_JUDGMENTS = ("accepted", "rejected")

_Line = tuple[Event, str | None, str | None]
"""Event, intent, signature."""


class ToolMemory:
    """Notes what became of an act, once however often it is told.

    A trial before the first run: validation_ok or failed. A run to its end: executed; one that
    broke: failed. accepted, with the prompt as a phrasing: a run that found something, where the
    router's rule would have agreed (the search was not widened, the parser was sure, the sandbox
    confined), or a person who said so later; rejected: a person who said that the tool was wrong.
    A prompt is kept once for a tool and without places and names, so that a module's question is
    one phrasing whatever it is about. Compositions leave no line, as in `prefrontal route`.
    """

    def __init__(self, router: Router) -> None:
        self._bench = router.bench
        self._passed_over: dict[str, None] = {}

    def note(self, wake: Decision, choice: Choice, outcome: ActOutcome) -> None:
        """Append what is new. Raises SourceError when the history cannot be written."""
        option, layout = choice.option, self._bench.layout
        if option is None or option.plan is not None or outcome.status is Status.DEFERRED:
            return
        path = layout.root / option.tool
        ran = outcome.tool_run
        if ran is None or not layout.holds(path):  # nothing was run
            return
        past = read_history(path.parent).of(path.stem)
        for event, intent, signature in self._lines(option, choice, outcome, past, wake.id):
            remember(
                layout,
                self._bench.clock,
                path,
                event,
                ran.sha256,
                route_id=route_of(wake.id),
                intent=intent,
                signature=signature,
                tz=self._bench.tz,
            )

    def _lines(
        self,
        option: Option,
        choice: Choice,
        outcome: ActOutcome,
        past: Sequence[PastEvent],
        wake_id: str,
    ) -> list[_Line]:
        lines: list[_Line] = []
        events = {each.event for each in past if each.route_id == route_of(wake_id)}
        tried = None if outcome.tool_run is None else outcome.tool_run.validation
        if tried is not None and not events:
            lines.append(("validation_ok" if tried.ok else "failed", None, None))
        ended = outcome.status in (Status.DONE, Status.NOTHING)
        broke = outcome.status is Status.FAILED and outcome.accepted is False
        event: Event = "executed" if ended else "failed"
        known = event in events or wake_id in self._passed_over
        later = known or _is_said(outcome)  # now a person says how it was
        if (ended or broke) and not later:
            if self._enough(event, past):
                self._pass_over(wake_id)
            else:
                lines.append((event, None, _signature(option)))
        if ended and (later or self._by_rule(option, outcome)):
            lines += _judged(choice, outcome, past)
        return lines

    def _pass_over(self, wake_id: str) -> None:
        """Remember, for a while, an act of which no line is kept."""
        self._passed_over[wake_id] = None
        if len(self._passed_over) > _PASSED_OVER:
            del self._passed_over[next(iter(self._passed_over))]

    def _by_rule(self, option: Option, outcome: ActOutcome) -> bool:
        """Whether `prefrontal route --non-interactive` would have kept it."""
        sure = option.features.get("confidence", 0.0) >= self._bench.settings.parser.threshold
        exact = option.features.get("exact", 0.0) == 1.0
        level = None if outcome.tool_run is None else outcome.tool_run.level
        return sure and exact and level in ENFORCED

    def _enough(self, event: Event, past: Sequence[PastEvent]) -> bool:
        since = self._bench.clock.now() - SPAN_S
        return sum(each.event == event and each.at >= since for each in past) >= MOST_NOTED


def route_of(wake_id: str) -> str:
    """The name of a wake's route in histories and logs."""
    return f"wake-{wake_id}"


def _is_said(outcome: ActOutcome) -> bool:
    """Whether a person judged the choice, and otherwise than the outcome itself does."""
    return outcome.accepted not in (None, judged(outcome.status)[1])


def _judged(choice: Choice, outcome: ActOutcome, past: Sequence[PastEvent]) -> list[_Line]:
    """The prompt as one the tool is for, or is not for; nothing when that is known already."""
    if outcome.accepted is None:
        return []
    event: Event = "accepted" if outcome.accepted else "rejected"
    intent = phrasing(choice.prompt)
    last = {each.intent: each.event for each in past if each.intent and each.event in _JUDGMENTS}
    if last.get(intent) == event or (intent not in last and len(last) >= MOST_PHRASINGS):
        return []
    return [(event, intent, None)]


def _signature(option: Option) -> str:
    """What it was called with, as a line of source."""
    listed = ", ".join(f"{name}={value!r}" for name, value in option.arguments.items())
    return visible(redact(f"run({listed})"), _SIGNATURE_LIMIT)
