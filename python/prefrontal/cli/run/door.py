"""The door to the agent: a question goes to every sink that the settings name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from ...errors import PrefrontalError, SourceError
from ..watch.hand_over import give_once

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from ...pulse.sinks import Sink
    from ...pulse.sinks.outbox import Outbox
    from ..watch.telemetry import Say

MOST_WORDS = 1000


class AgentDoor:
    """Hands a question to the sinks; the durable ones are owed it until they have it.

    The question is told as the executive words it, with the beliefs that were heard. A durable
    sink that gets it only after a restart gets it as the log holds it.
    """

    def __init__(self, outbox: Outbox, sinks: Sequence[tuple[str, Sink]], say: Say) -> None:
        self._outbox = outbox
        self._sinks = sinks
        self._say = say
        self._words: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()
        outbox.word(self._worded)

    def __call__(self, about: Decision, question: str) -> None:
        """Raises SourceError when there are sinks and none of them could be told."""
        with self._lock:
            self._words[about.id] = question
            while len(self._words) > MOST_WORDS:
                self._words.popitem(last=False)
        decision = replace(about, question=question)
        failed = give_once(decision, self._sinks, self._say)
        try:
            self._outbox.owe(about.id)
        except PrefrontalError:  # the log cannot be written: told from memory, then
            self._outbox.take(decision)
        if failed and len(failed) == len(self._sinks) and not self._outbox.sinks:
            raise SourceError("; ".join(failed))

    def _worded(self, record: Decision) -> Decision:
        with self._lock:
            words = self._words.get(record.id)
        return record if words is None else replace(record, question=words)
