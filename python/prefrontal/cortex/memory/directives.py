"""Requests of the cortex to the agent: few, each once, with an expiry."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ...plain_text import visible
from ...plugin.messages import SYSTEM_SENDER, IncomingMessage
from ...typed_fields import recover

if TYPE_CHECKING:
    from ...settings.cortex_growth import Directives
    from ..models import ProposedDirective

HOUR_S = 3600.0
SENDER_NAME = "Cortex"
CHANNEL = "cortex"
_ACTION_LIMIT, _MESSAGE_LIMIT, _RATIONALE_LIMIT = 120, 500, 500
_LONGEST_MINUTES = 7 * 24 * 60.0
_REMEMBERED = 100

QUEUED, PENDING, DROPPED = "queued", "pending", "dropped"
DELIVERED, EXPIRED, REJECTED = "delivered", "expired", "rejected"
_OPEN = (QUEUED, PENDING)


@dataclass(frozen=True, slots=True)
class Directive:
    """One request to the agent. Times are Unix seconds.

    status: "queued" goes out at the next poll, "pending" waits for the operator's approval,
    "delivered", "expired", "rejected" and "dropped" are over. why: the reason of the last two, or
    of an approval that the settings do not ask for.
    """

    id: str
    target_peer: str
    action: str
    message: str
    rationale: str
    cycle: int
    created_at: float
    expires_at: float
    status: str
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def to_message(self, now: float) -> IncomingMessage:
        """The message to the agent's loop: a line with the action, a line with words for it."""
        lines = [f"Directive {self.id} for {visible(self.target_peer, 128)}: {self.action}"]
        if self.message:
            lines.append(f"Message: {self.message}")
        return IncomingMessage(
            id=self.id,
            channel_type=CHANNEL,
            channel_id=self.target_peer,
            sender_id=SYSTEM_SENDER,
            sender_name=SENDER_NAME,
            content="\n".join(lines),
            timestamp=datetime.fromtimestamp(now, UTC),
            metadata={
                "is_cortex": True,
                "skip_persistence": True,
                "target_peer": self.target_peer,
                "directive_id": self.id,
            },
        )


class DirectiveQueue:
    """Accepts proposals within the caps, and delivers each directive once.

    Remembers the last hundred, so that no restart and no repetition delivers one twice.
    """

    def __init__(self) -> None:
        self._recent: list[Directive] = []

    @property
    def open(self) -> tuple[Directive, ...]:
        """Those that are queued or pending, the oldest first."""
        return tuple(each for each in self._recent if each.status in _OPEN)

    def add(
        self,
        proposals: Sequence[ProposedDirective],
        *,
        settings: Directives,
        cycle: int,
        now: float,
        peers: Collection[str],
    ) -> list[dict[str, Any]]:
        """Add proposals; returns the outcome of each, in order. peers: the possible targets."""
        directives = [
            self._take(proposal, number, settings, cycle, now, peers)
            for number, proposal in enumerate(proposals, start=1)
        ]
        return [each.to_json() for each in directives]

    def approve(self, ids: Iterable[str]) -> list[dict[str, Any]]:
        """Release pending ones; returns them."""
        return self._settle(ids, QUEUED, "approved by the operator")

    def reject(self, ids: Iterable[str]) -> list[dict[str, Any]]:
        """Stop pending and queued ones; returns them."""
        return self._settle(ids, REJECTED, "rejected by the operator")

    def poll(self, now: float) -> list[IncomingMessage]:
        """Directives to deliver now, each once."""
        self.expire(now)
        due = [each for each in self._recent if each.status == QUEUED]
        for each in due:
            self._replace(replace(each, status=DELIVERED))
        return [each.to_message(now) for each in due]

    def expire(self, now: float) -> list[dict[str, Any]]:
        """Expire overdue ones; returns them."""
        over = [each for each in self.open if now > each.expires_at]
        return [self._replace(replace(each, status=EXPIRED)) for each in over]

    def save(self) -> list[dict[str, Any]]:
        """All remembered directives, as plain values."""
        return [each.to_json() for each in self._recent]

    def load(self, raw: object) -> None:
        """Restore what `save` returned; ignores damaged entries."""
        self._recent = recover(list[Directive], raw, [])[-_REMEMBERED:]

    def _take(
        self,
        proposal: ProposedDirective,
        number: int,
        settings: Directives,
        cycle: int,
        now: float,
        peers: Collection[str],
    ) -> Directive:
        minutes = proposal.expires_minutes or settings.expires_minutes
        directive = Directive(
            id=f"directive-{cycle}-{number}",
            target_peer=proposal.target_peer,
            action=visible(proposal.action, _ACTION_LIMIT),
            message=visible(proposal.message, _MESSAGE_LIMIT),
            rationale=visible(proposal.rationale, _RATIONALE_LIMIT),
            cycle=cycle,
            created_at=now,
            expires_at=now + max(0.0, min(minutes, _LONGEST_MINUTES)) * 60,
            status=PENDING if settings.require_approval or proposal.own_words else QUEUED,
            why=proposal.own_words,
        )
        why = self._refusal(directive, settings, now, peers)
        if why:
            return replace(directive, status=DROPPED, why=why)
        self._recent = [*self._recent, directive][-_REMEMBERED:]
        return directive

    def _refusal(
        self, directive: Directive, settings: Directives, now: float, peers: Collection[str]
    ) -> str:
        """Why the directive is dropped; "" when it is not."""
        if not settings.enabled:
            return "directives are switched off"
        if directive.target_peer not in peers:
            return "the target is no known peer"
        if not directive.action.strip():
            return "the action is blank"
        if self._repeats(directive, settings, now):
            return "the same was asked for this peer before"
        if sum(each.cycle == directive.cycle for each in self._recent) >= settings.per_cycle:
            return f"more than {settings.per_cycle} in one cycle"
        if sum(0 <= now - each.created_at < HOUR_S for each in self._recent) >= settings.per_hour:
            return f"more than {settings.per_hour} in one hour"
        return ""

    def _repeats(self, directive: Directive, settings: Directives, now: float) -> bool:
        window = settings.repeat_after_hours * HOUR_S
        return any(
            each.id == directive.id
            or (
                (each.target_peer, each.action.casefold())
                == (directive.target_peer, directive.action.casefold())
                and now - each.created_at < window
            )
            for each in self._recent
        )

    def _settle(self, ids: Iterable[str], status: str, why: str) -> list[dict[str, Any]]:
        names = set(ids)
        statuses = (PENDING,) if status == QUEUED else _OPEN
        directives = [each for each in self._recent if each.id in names and each.status in statuses]
        return [self._replace(replace(each, status=status, why=why)) for each in directives]

    def _replace(self, directive: Directive) -> dict[str, Any]:
        self._recent = [directive if each.id == directive.id else each for each in self._recent]
        return directive.to_json()
