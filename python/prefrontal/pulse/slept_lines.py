"""What slept, as lines of the ring on disk: the window once, and a row for each module."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from ..decisions.event_json import events_to_json
from ..decisions.payload_json import to_plain
from ..decisions.slept_ring import SleptRing

if TYPE_CHECKING:
    from ..clock import Clock
    from ..decisions.payloads import Moment
    from .wake_records import Refusal, WakeRecords

_COMPLAIN_EVERY_S = 600.0

log = logging.getLogger("prefrontal.pulse")


class SleptLines:
    """Puts what slept into the ring. A ring that cannot be written stops nothing, and is told of.

    records: of the start. clock: of the gate.
    """

    def __init__(self, ring: SleptRing, records: WakeRecords, clock: Clock) -> None:
        self._ring = ring
        self._records = records
        self._clock = clock
        self._complaint_due = -math.inf

    def keep(self, refusals: Sequence[Refusal]) -> None:
        """Append windows in the order they were decided."""
        try:
            now = self._clock.now()
            if refusals:
                self._ring.append("".join(self._lines(refusals)), now)
            else:
                self._ring.tidy(now)
        except OSError as error:
            now = self._clock.monotonic()
            if now >= self._complaint_due:
                self._complaint_due = now + _COMPLAIN_EVERY_S
                log.warning("what slept cannot be kept to be explained: %s", error)

    def close(self) -> None:
        """Give the file back."""
        self._ring.close()

    def _lines(self, refusals: Sequence[Refusal]) -> list[str]:
        by_window = groupby(refusals, key=lambda each: id(each.scored.moment))
        return [self._line(list(group)) for _, group in by_window]

    def _line(self, group: Sequence[Refusal]) -> str:
        first, moment = group[0], group[0].scored.moment
        events = events_to_json(first.scored.window)
        text = events if isinstance(events, str) else events.decode("utf-8", "surrogatepass")
        details = self._details(moment)
        rows = ",".join(map(self._row, group))
        return f"[{first.number},{moment.time!r},{text},{details},[{rows}]]\n"

    def _details(self, moment: Moment) -> str:
        """What the payloads of all modules share."""
        if moment.standing is not None or moment.alone or moment.burst is not None:
            return json.dumps(to_plain(self._records.payload(moment, None)))
        return (
            f'{{"run":"{self._records.run}","event":{moment.event},"labels":{moment.labels},'
            f'"monotonic":{moment.monotonic!r},"slept":{moment.slept}}}'
        )

    def _row(self, refusal: Refusal) -> str:
        scored = refusal.scored
        why = self._records.why(scored)
        reasons = ",".join([f"[{_quoted(name)},{amount!r}]" for name, amount in why])
        more = "{}" if refusal.more is None else json.dumps(to_plain(refusal.more))
        module = _quoted(scored.module_id)
        score, threshold = _number(scored.score), _number(refusal.threshold)
        numbers = f'{score},{threshold},"{refusal.reason}"'
        return f"[{refusal.number},{module},{numbers},[{reasons}],{more}]"


@lru_cache(maxsize=4096)
def _quoted(text: str) -> str:
    return json.dumps(text)


def _number(value: float) -> str:
    """As JSON; "null" where it cannot be."""
    return repr(float(value)) if math.isfinite(value) else json.dumps(value).replace("NaN", "null")
