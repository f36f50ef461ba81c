"""The operator's control: wishes from the command line, and a changed configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...plugin import hookspecs
from ...settings.cortex import parse_cortex
from ..memory.wishes import OPERATOR_KEY, OperatorWishes, wishes_damage

if TYPE_CHECKING:
    from ..host import Host
    from ..memory.memory import CortexMemory


class Oversight:
    """Applies the operator's wishes to the memory. raw: the settings as read last."""

    def __init__(self, memory: CortexMemory, host: Host, raw: object) -> None:
        self._memory = memory
        self._host = host
        self._raw = raw
        self._damaged: str | None = None

    async def obey(self) -> None:
        """Apply the current wishes."""
        memory, host = self._memory, self._host
        text = await host.keeper.retrieve(OPERATOR_KEY)
        wishes = memory.wishes = OperatorWishes.from_text(text)
        why = wishes_damage(text)
        if why and text != self._damaged:
            self._damaged = text
            host.log_warn(f"{OPERATOR_KEY} is read without what is damaged: {why}")
        changed = memory.beliefs.obey(wishes, memory.settings.pinned_beliefs)
        if changed:
            host.log_info(f"Beliefs changed by the operator: {', '.join(changed)}")
        waiting = memory.directives.open
        approvers = {
            each.id: wishes.approver(each.id)
            for each in waiting
            if wishes.has_approved(each.id, each.created_at)
        }
        for directive in memory.directives.approve(approvers):
            await host.announce(hookspecs.cortex_after_directive, directive)
        memory.directives.reject(
            each.id for each in waiting if wishes.has_rejected(each.id, each.created_at)
        )
        requested_at = wishes.reflect_requested_at
        # Unequal rather than later: the clock may be set back.
        if requested_at is not None and requested_at != memory.state.wishes_at:
            memory.state.wishes_at = requested_at
            memory.triggers.ask()

    def reload(self) -> None:
        """Apply a changed configuration; warns of an invalid one and keeps the old."""
        config: Any = self._host.registry.get("config")
        if not hasattr(config, "refresh"):
            return
        try:
            raw = config.refresh().get("cortex")
            if raw == self._raw:
                return
            self._raw = raw
            settings, warnings = parse_cortex(raw)
        except (InputError, RecursionError) as error:  # in YAML a mapping may hold itself
            self._host.log_warn(f"The old cortex configuration stays: {error}")
            return
        for sentence in warnings:
            self._host.log_warn(sentence)
        self._memory.follow(settings)
        self._host.log_info("The cortex configuration was read anew")
