"""Following the operator: wishes from the command line, and a changed configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...settings.cortex import parse_cortex
from ..clamp import TrustLimiter
from ..memory.wishes import OPERATOR_KEY, OperatorWishes

if TYPE_CHECKING:
    from .life import CortexLife


async def obey(cortex: CortexLife) -> None:
    """Follow what the operator wishes now."""
    cortex.wishes = OperatorWishes.from_text(await cortex.keeper.retrieve(OPERATOR_KEY))
    wishes = cortex.wishes
    changed = cortex.beliefs.obey(wishes, cortex.settings.pinned_beliefs)
    if changed:
        cortex.log_info(f"Beliefs changed by the operator: {', '.join(changed)}")
    for each in cortex.directives.approve(wishes.approved):
        await cortex.announce("cortex.after_directive", each)
    cortex.directives.reject(wishes.rejected)
    asked_at = wishes.reflect_requested_at
    if asked_at is not None and asked_at != cortex.state.wishes_at:  # the clock may be set back
        cortex.state.wishes_at = asked_at
        cortex.triggers.ask()


def reload(cortex: CortexLife) -> None:
    """Take over a changed configuration; an invalid one leaves the old one, with a warning."""
    config: Any = cortex.registry.get("config")
    if not hasattr(config, "refresh"):
        return
    try:
        raw = config.refresh().get("cortex")
        if raw == cortex.raw_settings:
            return
        cortex.raw_settings = raw
        settings, warnings = parse_cortex(raw)
    except (InputError, RecursionError) as error:  # in YAML a mapping may hold itself
        cortex.log_warn(f"The old cortex configuration stays: {error}")
        return
    for sentence in warnings:
        cortex.log_warn(sentence)
    cortex.settings = settings
    follow_settings(cortex)
    cortex.log_info("The cortex configuration was read anew")


def follow_settings(cortex: CortexLife) -> None:
    """Let everything that is held work by the settings of now."""
    settings = cortex.settings
    cortex.beliefs.rules = settings
    cortex.beliefs.version += 1
    cortex.buffer.resize(settings.event_buffer_size)
    saved = cortex.limiter.save()
    cortex.limiter = TrustLimiter(
        settings.max_trust_delta, settings.max_trust_delta_per_hour, settings.trust_policy
    )
    cortex.limiter.load(saved)
    cortex.resize_history(settings.history_size)
    cortex.triggers.configure(settings, cortex.adaptive.thresholds(settings))
