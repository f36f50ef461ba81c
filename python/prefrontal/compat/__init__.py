"""The names, the spellings and the defaults that the gate had first.

`PulseRegistry` is a `prefrontal.pulse.shells.watch.Watch` whose handlers get an
`EscalationDecision`: it says `activation_id`, `module_id`, `confidence`, `should_escalate` of what
a `Decision` calls `id`, `subject`, `score` and `acted`. Nothing else uses `PrefrontalLayer`,
`SignalBus`, `Retina` and `TrainingBuffer`. New code takes `Watch` and `Decision`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bus import SignalBus
    from .prefrontal import EscalationDecision, PrefrontalLayer, escalation
    from .registry import PulseRegistry
    from .retina import Retina
    from .training import ActivationRecord, TrainingBuffer
else:
    from ..lazy_names import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        dict.fromkeys(("EscalationDecision", "PrefrontalLayer", "escalation"), ".prefrontal")
        | dict.fromkeys(("ActivationRecord", "TrainingBuffer"), ".training")
        | {"PulseRegistry": ".registry", "Retina": ".retina", "SignalBus": ".bus"},
    )

__all__ = [
    "ActivationRecord",
    "EscalationDecision",
    "PrefrontalLayer",
    "PulseRegistry",
    "Retina",
    "SignalBus",
    "TrainingBuffer",
    "escalation",
]
