"""What the operator wants of the cortex: written by the command line, read by a running agent."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any

from ...typed_fields import Must, damage, recover
from ..models import Belief

OPERATOR_KEY = "cortex-operator"
"""The key in the memory; only the command line writes it."""
OPERATOR_LOCK = "cortex-operator.lock"
"""The file in the workspace that who changes the wishes holds meanwhile."""
OPERATOR = "the operator"


Text = Annotated[str, Must("be a non-blank string", lambda text: bool(text.strip()))]


@dataclass(frozen=True, slots=True)
class Pin:
    """A belief that stays. value: None for the one that it has. at: Unix seconds of the wish."""

    value: Text | None
    at: float


@dataclass(slots=True)
class OperatorWishes:
    """All wishes; the latest about a key or an id counts. Times are Unix seconds.

    pinned: by belief key. forgotten: belief keys; a belief formed after the wish is a new one.
    approved, rejected: keys of quarantined beliefs and ids of directives. approvers: who approved
    each, the operator where it is not known. reflect_requested_at:
    when a reflection was asked for last. hints: patterns of other agents, as plain values.
    """

    pinned: dict[str, Pin] = field(default_factory=dict)
    forgotten: dict[str, float] = field(default_factory=dict)
    approved: dict[str, float] = field(default_factory=dict)
    rejected: dict[str, float] = field(default_factory=dict)
    approvers: dict[str, str] = field(default_factory=dict)
    reflect_requested_at: float | None = None
    hints: list[dict[str, Any]] = field(default_factory=list)

    def pin(self, key: str, value: str | None, now: float) -> None:
        self.forgotten.pop(key, None)
        self.pinned[key] = Pin(value, now)

    def forget(self, key: str, now: float) -> None:
        """Drop the belief and its pin, until it is formed anew."""
        self.pinned.pop(key, None)
        self.approved.pop(key, None)
        self.forgotten[key] = now

    def approve(self, name: str, now: float, by: str = OPERATOR) -> None:
        """Approve a belief or a directive. by: who did, for people."""
        self.rejected.pop(name, None)
        self.approved[name] = now
        self.approvers[name] = by

    def approver(self, name: str) -> str:
        """Who approved a belief or a directive."""
        return self.approvers.get(name) or OPERATOR

    def reject(self, name: str, now: float) -> None:
        self.approved.pop(name, None)
        self.rejected[name] = now

    def has_decided(self, name: str, created_at: float) -> bool:
        """Whether a directive that was made then was approved or rejected since.

        A wish about an older one with the same id, of before the cortex began anew, is none.
        """
        return self.has_approved(name, created_at) or self.has_rejected(name, created_at)

    def has_approved(self, name: str, created_at: float) -> bool:
        return created_at <= self.approved.get(name, -math.inf)

    def has_rejected(self, name: str, created_at: float) -> bool:
        return created_at <= self.rejected.get(name, -math.inf)

    def applied(
        self, beliefs: Iterable[Belief], always: Mapping[str, str] | None = None
    ) -> list[Belief]:
        """The beliefs as the operator wants them. always: pinned by the settings, value by key."""
        by_key = {each.key: each for each in beliefs if not self._is_forgotten(each)}
        for key, at in self.approved.items():
            if key in by_key and by_key[key].created_at <= at:
                by_key[key] = replace(
                    by_key[key], quarantined=False, approved_by=self.approver(key)
                )
        pins = {key: Pin(value, 0.0) for key, value in (always or {}).items()} | self.pinned
        for key, pin in pins.items():
            if key in by_key:
                value = by_key[key].value if pin.value is None else pin.value
                by_key[key] = replace(by_key[key], value=value, pinned=True, quarantined=False)
            elif pin.value is not None:
                by_key[key] = _operators_own(key, pin.value, pin.at)
        return list(by_key.values())

    def _is_forgotten(self, belief: Belief) -> bool:
        return belief.created_at <= self.forgotten.get(belief.key, -math.inf)

    def to_text(self) -> str:
        """JSON for the memory."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str | None) -> OperatorWishes:
        """Read `to_text`; ignores damaged wishes."""
        try:
            raw = json.loads(text or "{}")
        except (ValueError, RecursionError):
            return cls()
        return recover(cls, raw, cls())


def wishes_damage(text: str | None) -> str:
    """What `OperatorWishes.from_text` leaves out, in a sentence; "" for nothing."""
    try:
        return damage(OperatorWishes, json.loads(text or "{}"))
    except (ValueError, RecursionError) as error:
        return f"it must be JSON, {error}"


def _operators_own(key: str, value: str, at: float) -> Belief:
    rationale = "The operator said so."
    return Belief(key, value, rationale, 0, at, provenance="operator", pinned=True)
