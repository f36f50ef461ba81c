"""Registries that decide in the test's own time, and what they are asked about."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from prefrontal.compat.prefrontal import EscalationDecision
from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.log import DecisionLog
from prefrontal.types import SignalEvent

PATIENCE_S = 60.0
FOLDER = "/srv/homework"


def raw(module_id: str = "homework", threshold: float = 0.65, **priors: Any) -> dict[str, Any]:
    """A fingerprint that waits for .pdf files below /srv/homework unless told otherwise."""
    if not priors:
        priors = {
            "filesystem": {
                "watch_directories": [FOLDER],
                "relevant_extensions": [".pdf"],
                "irrelevant_extensions": [".tmp"],
            }
        }
    return {
        "module_id": module_id,
        "cluster": "study",
        "version": "1",
        "question_template": "Is {location} homework?",
        "default_threshold": threshold,
        "signal_priors": priors,
    }


def file(name: str = "a.pdf", time: float = 1_704_137_400.0, **features: Any) -> SignalEvent:
    return SignalEvent("filesystem", f"{FOLDER}/{name}", "created", 1.0, time, features)


class Inbox:
    """A handler that keeps what it got and can be waited for."""

    def __init__(self) -> None:
        self.decisions: list[EscalationDecision] = []
        self._came = threading.Condition()

    def __call__(self, decision: EscalationDecision) -> None:
        with self._came:
            self.decisions.append(decision)
            self._came.notify_all()

    def wait_for(self, count: int) -> list[EscalationDecision]:
        with self._came:
            assert self._came.wait_for(lambda: len(self.decisions) >= count, PATIENCE_S)
            return list(self.decisions)


def decided(
    events: list[SignalEvent],
    *,
    modules: list[dict[str, Any]] | None = None,
    prepare: Callable[[PulseRegistry], None] = lambda registry: None,
    **options: Any,
) -> tuple[list[EscalationDecision], PulseRegistry]:
    """Push the events through a registry, stop it, and return what was delivered."""
    options.setdefault("audit_share", 0.0)
    registry = PulseRegistry(**options)
    for module in modules if modules is not None else [raw()]:
        registry.register_module(module["module_id"], module)
    prepare(registry)
    inbox = Inbox()
    registry.on_escalation(inbox)
    registry.start()
    for event in events:
        assert registry.push(event)
    assert registry.stop(PATIENCE_S)
    return inbox.decisions, registry


def log_at(path: Path) -> DecisionLog:
    return DecisionLog(path / "decisions.db")
