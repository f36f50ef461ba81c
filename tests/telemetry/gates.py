"""A gate that wakes for .pdf files, sleeps through .txt files, and tells of itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from prefrontal.compat.registry import PulseRegistry
from prefrontal.decisions.decision import Decision
from prefrontal.settings import PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

NOW = 1_704_137_400.0
PATIENCE_S = 60.0
MIXED = ("a.pdf", "b.txt", "c.pdf", "d.txt", "e.txt")


def gate(
    *, module: str = "homework", cooldown_s: float = 0.0, clock: ManualClock | None = None,
    **options: Any,
) -> PulseRegistry:  # fmt: skip
    """A registry of one module."""
    options.setdefault("audit_share", 0.0)
    registry = PulseRegistry(
        policy=PolicySettings(cooldown_s=cooldown_s),
        clock=ManualClock(NOW) if clock is None else clock,
        **options,
    )
    registry.register_module(
        module,
        {
            "module_id": module,
            "cluster": "study",
            "version": "1",
            "question_template": "Is {location} homework?",
            "default_threshold": 0.65,
            "signal_priors": {
                "filesystem": {
                    "watch_directories": ["/srv/homework"],
                    "relevant_extensions": [".pdf"],
                    "irrelevant_extensions": [".tmp"],
                }
            },
        },
    )
    return registry


def file(name: str) -> SignalEvent:
    return SignalEvent("filesystem", f"/srv/homework/{name}", "created", 1.0, NOW)


def run(registry: PulseRegistry, names: Sequence[str] = MIXED) -> None:
    """Let the registry decide about files of these names, to the end."""
    registry.start()
    for name in names:
        assert registry.push(file(name))
    assert registry.stop(PATIENCE_S)


class Mute:
    """A source that cannot tell how it is."""

    def start(self, push: Callable[[SignalEvent], object]) -> None:
        """Nothing comes from it."""

    def stop(self, timeout_s: float = 5.0) -> None:
        """Nothing to end."""

    def status(self) -> dict[str, object]:
        raise RuntimeError("no status")


class Inbox:
    """A handler that keeps what it was asked."""

    def __init__(self) -> None:
        self.decisions: list[Decision] = []

    def __call__(self, decision: Decision) -> None:
        self.decisions.append(decision)
