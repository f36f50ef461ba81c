"""Plan selectors that have learned a little, and what became of them."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any

import torch

from plan_stream import played, stream
from prefrontal.control.choice.salience_config import MODES
from prefrontal.executive.selector.selection import PlanSelectionConfig, PlanSelector

CONTEXT = {"freeze": 1.0, "trust": -4.0, "hour.sin": 0.3}
RISKY = {"score": 0.8, "side_effect": 0.5, "steps": 1.0}
CAREFUL = {"score": 0.7, "side_effect": 0.0, "steps": 3.0}
DELETING = {"score": 0.6, "side_effect": 1.0, "steps": 1.0}
PLANS = (RISKY, CAREFUL, DELETING)
ACTING, PLANNING, REPLAY, OFFLINE = MODES


@lru_cache
def lessons(length: int) -> dict[str, Any]:
    selector = PlanSelector(seed=3)
    played(stream("hidden", 3, length), selector)
    return selector.state_dict()


def taught(length: int = 60, **changes: Any) -> PlanSelector:
    """One that has learned from the stream by the default configuration; it is offline."""
    selector = PlanSelector(PlanSelectionConfig(**changes), seed=3)
    selector.load_state_dict(lessons(length) | {"config": dataclasses.asdict(selector.config)})
    selector.enter(OFFLINE)
    return selector


def expecting_harm(**changes: Any) -> PlanSelector:
    """One that may change the order, and expects harm of every plan."""
    selector = taught(**changes)
    selector.enter(PLANNING)
    selector.network.trusted.fill_(True)
    head: Any = selector.network.e3.harm_eval_head
    with torch.no_grad():
        head[-1].bias.fill_(9.0)
    return selector


def frozen(selector: PlanSelector) -> dict[str, Any]:
    """All that was learned, by dotted name, without the generator and what counts calls."""
    found = selector.state_dict()
    flat = {f"network.{name}": it for name, it in found["network"].items()}
    flat |= {f"experience.{name}": it for name, it in found["experience"].items()}
    return flat


def changed(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    return {name for name in before if not torch.equal(before[name], after[name])}


def under(names: set[str], *parts: str) -> set[str]:
    return {name for name in names if name.startswith(parts)}
