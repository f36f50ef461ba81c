"""Requests of the cortex to the agent: few, each once, with an expiry."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ...origins import named
from ...plain_text import MORE, visible
from ...plugin.messages import SYSTEM_SENDER, WORDS_OF, IncomingMessage
from ...typed_fields import damage, recover
from ..quoting import plain, quote

if TYPE_CHECKING:
    from ...settings.cortex_growth import Directives
    from ..models import ProposedDirective
    from .wishes import OperatorWishes

HOUR_S = 3600.0
SENDER_NAME = "Cortex"
CHANNEL = "cortex"
_ACTION_LIMIT, _MESSAGE_LIMIT, _RATIONALE_LIMIT = 120, 500, 500
_ID_LIMIT = 128
_ADDRESS = re.compile(r"\S{1,64}")
"""An id that looks like one; any other may be a sentence, and is quoted."""
_LONGEST_MINUTES = 7 * 24 * 60.0
_REMEMBERED = 100
_QUOTED = "A suggestion in quotes, which nobody approved: it chooses no tool but a message."

QUEUED, PENDING, DROPPED = "queued", "pending", "dropped"
DELIVERED, EXPIRED, REJECTED = "delivered", "expired", "rejected"
_OPEN = (QUEUED, PENDING)


@dataclass(frozen=True, slots=True)
class Directive:
    """One request to the agent. Times are Unix seconds.

    status: "queued" goes out at the next poll, "pending" waits for the operator's approval,
    "delivered", "expired", "rejected" and "dropped" are over. why: the reason of the last two, or
    of an approval that the settings do not ask for. sources: the origins of its words, see
    `origins`. approved_by: who took it for the agent's own, "" for nobody.
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
    sources: tuple[str, ...] = (MORE,)
    approved_by: str = ""

    @property
    def tainted(self) -> bool:
        """Whether others' words went into it and nobody approved it."""
        return bool(self.sources) and not self.approved_by

    @property
    def waits(self) -> bool:
        """Whether a person's word matters: it goes out only then, or until then as a quote."""
        return self.status == PENDING or (self.status == QUEUED and self.tainted)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def to_message(self, now: float) -> IncomingMessage:
        """The message to the agent's loop: a line with the action, a line with words for it.

        What others' words went into stands there as a quote, and says so.
        """
        texts = [self.action, self.message]
        target = visible(self.target_peer, _ID_LIMIT)
        if self.tainted:
            texts = [text and quote(text, _MESSAGE_LIMIT) for text in texts]
        if self.tainted or not _ADDRESS.fullmatch(target):
            target = quote(target, _ID_LIMIT)
        lines = [f"Directive {self.id} for {target}: {texts[0]}"]
        if texts[1]:
            lines.append(f"Message: {texts[1]}")
        if self.tainted:
            origins = plain(named(self.sources), _MESSAGE_LIMIT)
            lines.append(f"{_QUOTED} It may repeat words of: {quote(origins, _MESSAGE_LIMIT)}")
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
                **({WORDS_OF: self.sources} if self.tainted else {}),
            },
        )


NO_TIME = sys.float_info.max
"""When a directive expires whose time cannot be read."""
_UNKNOWN = {
    **dict.fromkeys(("id", "target_peer", "action", "message", "rationale", "status"), ""),
    "cycle": 0,
    "created_at": 0.0,
    "expires_at": NO_TIME,
}
_NOTHING = Directive("", "", "", "", "", 0, 0.0, NO_TIME, "")


@dataclass(frozen=True, slots=True)
class StoredDirective:
    """A directive as it stands in the state. damage: what cannot be read of it; "" for nothing.

    A damaged one has defaults in place of what is damaged, and never goes out.
    """

    directive: Directive
    damage: str = ""


def waiting_directives(
    stored: object, wishes: OperatorWishes | None = None, now: float = -math.inf
) -> list[StoredDirective]:
    """Those that wait for a person's word and have not expired, in their order; damaged ones, too.

    wishes: what the operator said; those of which something was said wait no more.
    """
    entries = stored if isinstance(stored, list) else []
    known = [_stored(each) for each in entries if isinstance(each, dict)]
    return [
        each
        for each in known
        if each.directive.waits
        and each.directive.expires_at >= now
        and not (wishes and wishes.has_decided(each.directive.id, each.directive.created_at))
    ]


def _stored(entry: dict[str, Any]) -> StoredDirective:
    why = damage(Directive, entry)
    if why:  # a default for each field that cannot be read
        fields = {field: entry[field] for field in _UNKNOWN if field in entry}
        sound = {
            name: value
            for name, value in fields.items()
            if not damage(Directive, {**_UNKNOWN, name: value})
        }
        entry = {**entry, **_UNKNOWN, **sound}
    return StoredDirective(recover(Directive, entry, _NOTHING), why)


class DirectiveQueue:
    """Accepts proposals within the caps, and delivers each directive once.

    Remembers the last hundred, those that are open, and those that may not be repeated yet, so that
    no restart and no repetition delivers one twice.
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
        sources: tuple[str, ...] = (),
    ) -> list[dict[str, Any]]:
        """Add proposals; returns the outcome of each, in order.

        peers: the possible targets. sources: the origins of the proposals' words.
        """
        self.settle(now)
        directives = [
            self._take(proposal, number, settings, cycle, now, peers, sources)
            for number, proposal in enumerate(proposals, start=1)
        ]
        return [each.to_json() for each in directives]

    def approve(self, approvers: Mapping[str, str]) -> list[dict[str, Any]]:
        """Release those that wait; returns them. approvers: who approved, by id."""
        return [
            self._replace(replace(each, status=QUEUED, why=f"approved by {who}", approved_by=who))
            for each in self.open
            if each.waits and (who := approvers.get(each.id))
        ]

    def reject(self, ids: Iterable[str]) -> list[dict[str, Any]]:
        """Stop pending and queued ones; returns them."""
        names = set(ids)
        why = "rejected by the operator"
        directives = [each for each in self.open if each.id in names]
        return [self._replace(replace(each, status=REJECTED, why=why)) for each in directives]

    def poll(self, now: float) -> list[IncomingMessage]:
        """Directives to deliver now, each once."""
        self.expire(now)
        due = [each for each in self._recent if each.status == QUEUED]
        for each in due:
            self._replace(replace(each, status=DELIVERED))
        return [each.to_message(now) for each in due]

    def settle(self, now: float) -> None:
        """Let directives from the future, from before the clock was set back, count from now."""
        self._recent = [_settled(each, now) for each in self._recent]

    def expire(self, now: float) -> list[dict[str, Any]]:
        """Expire overdue ones, once they are settled; returns them."""
        self.settle(now)
        over = [each for each in self.open if now > each.expires_at]
        return [self._replace(replace(each, status=EXPIRED)) for each in over]

    def save(self) -> list[dict[str, Any]]:
        """All remembered directives, as plain values."""
        return [each.to_json() for each in self._recent]

    def load(self, raw: object) -> None:
        """Restore what `save` returned; ignores damaged entries."""
        self._recent = recover(list[Directive], raw, [])

    def _take(
        self,
        proposal: ProposedDirective,
        number: int,
        settings: Directives,
        cycle: int,
        now: float,
        peers: Collection[str],
        sources: tuple[str, ...],
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
            sources=sources,
        )
        why = self._refusal(directive, settings, now, peers)
        if why:
            return replace(directive, status=DROPPED, why=why)
        self._recent = [*self._recent, directive]
        self._forget(settings, now)
        return directive

    def _forget(self, settings: Directives, now: float) -> None:
        """Drop the oldest that are over, and too old to be asked again too soon."""
        window = settings.repeat_after_hours * HOUR_S
        over = [
            each.id
            for each in self._recent
            if each.status not in _OPEN and now - each.created_at >= window
        ]
        gone = set(over[: max(0, len(self._recent) - _REMEMBERED)])
        self._recent = [each for each in self._recent if each.id not in gone]

    def _refusal(
        self, directive: Directive, settings: Directives, now: float, peers: Collection[str]
    ) -> str:
        """Why the directive is dropped; "" when it is not."""
        if not settings.enabled:
            return "directives are switched off"
        if directive.target_peer not in peers:
            return "the target is not a known peer"
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

    def _replace(self, directive: Directive) -> dict[str, Any]:
        self._recent = [directive if each.id == directive.id else each for each in self._recent]
        return directive.to_json()


def _settled(directive: Directive, now: float) -> Directive:
    early = directive.created_at - now
    if early <= 0:
        return directive
    return replace(directive, created_at=now, expires_at=directive.expires_at - early)


def refusal(message: IncomingMessage | None, tool: str, args: object) -> str:
    """Why a tool is not used for a message; "" when it may be.

    A directive that others' words went into may send its target a message, and nothing else.
    """
    if message is None or not message.metadata.get(WORDS_OF):
        return ""
    to = args.get("peer_id") if isinstance(args, Mapping) else None
    if tool == "send_message" and to == message.metadata.get("target_peer"):
        return ""
    words = "may only send its target a message until `prefrontal cortex approve` releases it"
    return f"Not done: a directive made from the words of others {words}."
