"""Messages of conversations, and who may see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ...plain_text import MORE

if TYPE_CHECKING:
    from ...plugin import IncomingMessage

Direction = Literal["in", "out"]
Scope = Literal["peer", "group", "agent"]


@dataclass(frozen=True, slots=True)
class Wall:
    """Who may see a message.

    scope "peer": chats with that peer alone, through channels of that type. "group": the one
    conversation. "agent": every chat. name: of the peer or of the channel, "" for all.
    """

    scope: Scope
    channel_type: str = ""
    name: str = ""

    @property
    def chats(self) -> str:
        """The chats in which it is shown, for people."""
        names = {"peer": f"chats with {self.name}", "group": f"the group {self.name}"}
        return f"{names.get(self.scope, 'every chat')} ({self.channel_type or 'any channel'})"


EVERYBODY = Wall("agent")


@dataclass(frozen=True, slots=True)
class Viewer:
    """Whose chat it is. peer_id: "" for the runtime itself. group: the message says so."""

    peer_id: str
    channel_type: str
    channel_id: str
    group: bool = False

    @property
    def wall(self) -> Wall:
        """Who may see what is said here: a group where one is named, else the peer alone.

        That others write in a channel makes no group of it: who does would see its later messages.
        """
        if self.group or not self.peer_id:
            return Wall("group", self.channel_type, self.channel_id)
        return Wall("peer", self.channel_type, self.peer_id)


def viewer_of(message: IncomingMessage) -> Viewer:
    """Whose chat a message belongs to."""
    peer_id = "" if message.is_internal else message.sender_id
    return Viewer(peer_id, message.channel_type, message.channel_id, message.is_group)


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to record. turn: id of the question it answers; None begins a turn.

    origins: of the words in a message of the agent; what a peer writes is its own.
    """

    viewer: Viewer
    direction: Direction
    content: str
    created_at: float
    turn: int | None = None
    origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """A message on record. peer_id: who wrote it, or for whom it was written.

    turn: id of the message that began the exchange, its own where it did. origins: whose words may
    be in it.
    """

    id: int
    scope: Scope
    channel_type: str
    channel_id: str
    peer_id: str
    direction: Direction
    content: str
    created_at: float
    turn: int
    origins: tuple[str, ...] = (MORE,)


@dataclass(frozen=True, slots=True)
class MessageQuery:
    """What to look for.

    words: each a word, `begin*` or "a phrase"; none for the newest messages. peer_id, channel_type,
    since, until (Unix seconds, the end not included): only such messages; None for any.
    """

    words: str = ""
    peer_id: str | None = None
    channel_type: str | None = None
    since: float | None = None
    until: float | None = None
    limit: int = 10


@dataclass(frozen=True, slots=True)
class Hit:
    """A message and how well it fits: the weights of the query's words in it, added up."""

    message: Message
    score: float
