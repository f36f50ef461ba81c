"""What waits, and what one question tells of."""

from __future__ import annotations

from prefrontal.pulse.holds import MOST_FOLDED, HeldWindow, HeldWindows
from prefrontal.types import Reason, SignalEvent, Standing


def held(number: int, reason: Reason, standing: Standing | None = None) -> HeldWindow:
    event = SignalEvent("log", "/app.log", "line", 1.0, float(number), {"text": f"line {number}"})
    return HeldWindow(f"id{number}", float(number), reason, 0.9, 0.5, (event,), standing, None)


def test_the_one_that_is_asked_about_is_told_though_others_fill_the_question() -> None:
    waiting = HeldWindows()
    for number in range(MOST_FOLDED):
        waiting.add("bills", held(number, Reason.COOLDOWN), 10.0)
    ben = Standing("ben", -6, -1.1, 2.0)
    first = held(MOST_FOLDED, Reason.PEER_BUDGET, ben)
    waiting.add("bills", first, 10.0)
    told = waiting.take("bills", ben, first)
    assert first in told
    assert len(told) == MOST_FOLDED
    assert waiting.count == 1
