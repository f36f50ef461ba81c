"""The adapters of examples/adapters, loaded as modules, and what is seen of a gate in front."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from prefrontal.compat.prefrontal import EscalationDecision
from prefrontal.compat.registry import PulseRegistry
from prefrontal.types import SignalEvent

FOLDER = Path(__file__).parents[2] / "examples" / "adapters"
LONGEST = 100


def load(name: str) -> Any:
    """The module of that file; it must be in sys.modules for its annotations to be found."""
    path = FOLDER / f"{name}.py"
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def lines(name: str) -> int:
    return len((FOLDER / f"{name}.py").read_text().splitlines())


def file(name: str) -> SignalEvent:
    return SignalEvent("filesystem", f"/srv/inbox/{name}", "created", 1.0, 1_704_137_400.0)


class Watched:
    """A registry for the example's module, and what it asked."""

    def __init__(self, example: Any) -> None:
        self.asked: list[EscalationDecision] = []
        self.registry = PulseRegistry(audit_share=0.0)
        self.registry.register_module("invoices", example.INVOICES)
        self.registry.on_escalation(self.asked.append)

    def push(self, *names: str) -> None:
        for name in names:
            assert self.registry.push(file(name))

    def labels(self) -> dict[str, float | None]:
        """What was learned, by file."""
        told = {}
        for decision in self.asked:
            record = self.registry.explain(decision.activation_id or "")
            assert record is not None
            told[Path(decision.window[0].location).name] = record.label
        return told
