"""Decisions to keep, for the tests of the log."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from prefrontal.decisions.log import Decision, new_id
from prefrontal.decisions.payloads import WakePayload
from prefrontal.types import SignalEvent

_SLEPT = {"acted": False, "reason": "below_threshold", "question": None}


def event(location: str = "/home/me/a.pdf", **features: Any) -> SignalEvent:
    """A file was created."""
    return SignalEvent("filesystem", location, "created", 1.0, 1_700_000_000.25, features)


def woke(time: float = 1_700_000_000.5, **changes: Any) -> Decision:
    """The agent was woken at `time`."""
    record = Decision(
        id=new_id(),
        time=time,
        payload=WakePayload(),
        subject="papers",
        acted=True,
        reason="woke",
        score=0.75,
        threshold=0.65,
        question="Read /home/me/a.pdf?",
        propensity=1.0,
        window=(event(extension=".pdf"),),
        why=(("extension .pdf", 1.5), ("hour 22", -0.25)),
    )
    return replace(record, **changes)


def slept(time: float = 1_700_000_000.5, **changes: Any) -> Decision:
    """The agent was left alone at `time`."""
    return woke(time, **{**_SLEPT, "score": 0.25, **changes})
