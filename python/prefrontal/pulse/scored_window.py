"""A window, the module that it concerns, and the score that it got there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..decisions.payloads import Moment
    from ..types import SignalEvent
    from .gate_module import GateModule


class ScoredWindow(NamedTuple):
    """What a gate decides about. score: of the window's `module`, at `moment`."""

    module: GateModule
    score: float
    window: tuple[SignalEvent, ...]
    moment: Moment

    @property
    def module_id(self) -> str:
        return self.module.fingerprint.module_id
