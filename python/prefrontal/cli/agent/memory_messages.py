"""`prefrontal memory search` and `show`: notes, and what was said in every conversation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from ...errors import InputError, SourceError
from ..paths import is_utf8
from ..watch.modules import plain
from ..workspace import home_options
from .memory_owners import owner_of

if TYPE_CHECKING:
    from ...runtime.conversation.models import Message
    from ...runtime.conversation.store import ConversationStore
    from ...runtime.conversation.vectors import Meaning
    from ...settings.home import Home

_DATE = "DATE"
_MOST_AROUND = 1000
_MOST_OWN = 20
"""Texts of the agent's own that may fit, too."""


@click.command(short_help="Notes and messages that fit, the best first.")
@click.argument("query", metavar="QUERY")
@click.option("--peer", metavar="PEER", help="Only messages of and to this peer.")
@click.option("--channel", metavar="TYPE", help="Only messages of channels of this type.")
@click.option("--since", metavar=_DATE, help="Only messages from then on, in UTC.")
@click.option("--until", metavar=_DATE, help="Only messages up to then; a day is whole.")
@click.option("--limit", default=20, show_default=True, metavar="N", help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, the best first.")
@home_options("memory")
def search(
    query: str,
    peer: str | None,
    channel: str | None,
    since: str | None,
    until: str | None,
    limit: int,
    as_json: bool,
    home: Home,
) -> None:
    """What fits QUERY, the best first: texts under their keys, then messages of conversations.

    QUERY is words, "a phrase" or begin*; a message with more and rarer words comes first. "" is
    the newest messages. Where memory.embeddings names a model, plain words also find messages that
    mean about the same. Options that narrow the messages leave the texts out.

    \b
      prefrontal memory search eggs
      prefrontal memory search '"opens at nine" caf*' --peer ann --since 2026-03-01
    """
    from ...runtime.conversation.dates import moment_of
    from ...runtime.conversation.models import MessageQuery

    for option, value in (("--peer", peer), ("--channel", channel)):
        if value is not None and not is_utf8(value):
            raise InputError(f"{option} must be text in UTF-8, got {value!r}")
    since_s, until_s = moment_of("--since", since), moment_of("--until", until)
    wanted = MessageQuery(query, peer, channel, since_s, until_s, limit)
    narrow = any(each is not None for each in (peer, channel, since, until))
    if since_s is not None and until_s is not None and until_s <= since_s:
        raise InputError(f"--until must not be before --since ({since}), got {until!r}")
    notes = [] if narrow else _notes(home, query, limit)
    meaning = _meaning(home, query)
    with conversations(home) as store:
        messages = [hit.message for hit in store.search(wanted, meaning=meaning)]
    if as_json:
        for key, score in notes:
            click.echo(json.dumps({"key": key, "score": score}))
        for message in messages:
            click.echo(json.dumps(asdict(message)))
        return
    from .memory_pages import print_found, print_messages

    if notes:
        print_found(home.memory(), notes)
    if messages:
        print_messages(messages)
    if not notes and not messages:
        click.echo(f"Nothing that is remembered fits {plain(query)!r}.")


@click.command(short_help="One message whole, with what was said around it.")
@click.argument("number", metavar="ID", type=int)
@click.option("--around", default=5, show_default=True, metavar="N", help="Messages either side.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@home_options()
def show(number: int, around: int, as_json: bool, home: Home) -> None:
    """The message with the ID that a search shows, whole, between its neighbours."""
    if not 0 <= around <= _MOST_AROUND:
        raise InputError(f"--around must be a whole number in 0..{_MOST_AROUND}, got {around!r}")
    with conversations(home) as store:
        messages = store.around(number, around, around) if 0 < number < 2**63 else []
    if not messages:
        rule = "be one that `prefrontal memory search` shows"
        raise InputError(f"ID must {rule}, got {number!r}")
    if as_json:
        for message in messages:
            click.echo(json.dumps(asdict(message)))
        return
    _print_whole(messages, number)


@dataclass(frozen=True, slots=True)
class Deletion:
    """A message that was deleted. answers: ids of what the agent said to it, which may repeat it.

    left: copies in backups that still hold it. unseen: folders to which backups went and that are
    not there.
    """

    message: int
    answers: tuple[int, ...]
    left: tuple[str, ...]
    unseen: tuple[str, ...]

    def sentences(self) -> str:
        words = f"Deleted message {self.message}, and what was made of it."
        words += " The ledger keeps its beginning."
        if self.answers:
            numbers = ", ".join(map(str, self.answers))
            words += f" The answer may repeat it: message {numbers}."
        words += "".join(f"\nIt still stands in {plain(each)}." for each in self.left)
        gone = "which is not there"
        return words + "".join(f"\nA backup went to {plain(each)}, {gone}." for each in self.unseen)


def delete_message(home: Home, number: int) -> Deletion:
    """Delete a message, also while an agent runs. Raises InputError where there is none."""
    from ...runtime.conversation.store import ConversationStore, conversations_path
    from ...storage.backup_list import backups

    path = conversations_path(home.folder)
    if path.exists() and 0 < number < 2**63:
        with ConversationStore(path) as store:
            messages, answers = store.around(number, 0, 0), store.answers(number)
            if messages and store.delete(number):
                copies = backups(home.folder)
                left = [str(each) for each in map(conversations_path, copies) if each.exists()]
                return Deletion(
                    number,
                    tuple(answers),
                    tuple(each for each in left if _holds(each, messages[0])),
                    tuple(str(each) for each in copies if not each.exists()),
                )
    rule = "be the ID of one that `prefrontal memory search` shows"
    raise InputError(f"--message must {rule}, got {number!r}")


def _holds(copy: str, message: Message) -> bool:
    """Whether a copy of the conversations holds the message, or cannot be read."""
    from ...runtime.conversation.store import ConversationStore

    try:
        with ConversationStore(copy, read_only=True) as store:
            return store.around(message.id, 0, 0) == [message]
    except SourceError:
        return True


def _print_whole(messages: Sequence[Message], number: int) -> None:
    from ..page import when
    from .memory_pages import writer

    for each in messages:
        mark = ">" if each.id == number else " "
        click.echo(f"{mark} {each.id}  {when(each.created_at)}  {plain(writer(each))}")
        lines = each.content.splitlines() or [""]
        for line in lines if each.id == number else lines[:2]:
            click.echo(f"    {plain(line)}")


def _notes(home: Home, query: str, limit: int) -> list[tuple[str, float]]:
    """The notes that fit, the best first; what the agent keeps of its own is none."""
    if not query.strip():
        return []
    hits = home.memory().search(query, limit=limit + _MOST_OWN)
    return [each for each in hits if owner_of(each[0]) == "you"][:limit]


def _meaning(home: Home, query: str) -> Meaning | None:
    """What the query means; None, and a sentence on standard error, when the model fails."""
    if not home.config.get("memory"):
        return None
    from ...runtime.conversation.semantics import close_to, configured

    meaning, fault = close_to(configured(home.config), query)
    if fault:
        click.echo(f"Searched by words alone: {plain(fault)}", err=True)
    return meaning


@contextmanager
def conversations(home: Home) -> Iterator[ConversationStore]:
    """The conversations to read; empty ones where none are kept yet. Raises SourceError."""
    from ...runtime.conversation.store import ConversationStore, conversations_path

    path = conversations_path(home.folder)
    exists = path.exists()
    with ConversationStore(path, read_only=True) if exists else ConversationStore() as store:
        yield store
