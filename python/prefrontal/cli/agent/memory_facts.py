"""`prefrontal memory facts` and `fact`: what peers stated of themselves and their projects."""

from __future__ import annotations

import json
from dataclasses import asdict
from getpass import getuser
from typing import TYPE_CHECKING

import click

from ...errors import InputError
from ...origins import named
from ...plain_text import one_line
from ..answers import answer, json_option
from ..watch.modules import plain
from ..workspace import home_options
from .memory_messages import conversations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...runtime.conversation.facts import PeerFact
    from ...settings.home import Home

_WIDEST = 60


@click.command(short_help="What peers stated, and what still holds.")
@click.option("--peer", metavar="PEER", help="Only what this peer stated.")
@click.option("--all", "ended", is_flag=True, help="Also what a newer statement ended.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@home_options()
def facts(peer: str | None, ended: bool, as_json: bool, home: Home) -> None:
    """What peers stated of themselves and their projects, the newest first.

    \b
      prefrontal memory facts --peer ann --all
      prefrontal memory fact 12 --value Lisbon
    """
    with conversations(home) as store:
        known = store.facts(peer_id=peer, ended=ended)
    if as_json:
        for each in known:
            click.echo(json.dumps(asdict(each)))
    elif known:
        _print_facts(known)
    elif peer is None:
        click.echo("Nobody stated anything that is known yet.")
    else:
        click.echo(f"{plain(peer)} stated nothing that {'is known' if ended else 'holds'}.")


@click.command(short_help="Approve, correct or delete a fact.")
@click.argument("number", metavar="ID", type=int)
@click.option("--approve", is_flag=True, help="It is right: told however old it is.")
@click.option("--value", metavar="TEXT", help="Correct it to TEXT, and approve that.")
@click.option("--delete", "gone", is_flag=True, help="Delete it; the fact it ended holds again.")
@click.option("--by", default="", metavar="NAME", help="Who approves.  [default: the user]")
@json_option
@home_options()
def fact(
    number: int, approve: bool, value: str | None, gone: bool, by: str, as_json: bool, home: Home
) -> None:
    """Approve, correct or delete the fact with the ID that `prefrontal memory facts` shows.

    Who approved it is kept (--by).
    """
    if (approve or value is not None) == gone:
        raise InputError("fact must be told --approve, --value TEXT or --delete")
    if value is not None and not value.strip():
        raise InputError(f"--value must be a text that is not blank, got {value!r}")
    if not 0 < number < 2**63 or not _changed(home, number, value, gone, by):
        rule = "be one that `prefrontal memory facts` shows"
        raise InputError(f"ID must {rule}, got {number!r}")
    verb = "Deleted" if gone else "Approved"
    done = {"fact": number, "deleted": gone, "value": value}
    answer(as_json, done, f"{verb} fact {number}{f': {plain(value)}' if value else ''}.")


def _changed(home: Home, number: int, value: str | None, gone: bool, by: str) -> bool:
    from ...runtime.conversation.store import ConversationStore, conversations_path

    path = conversations_path(home.folder)
    if not path.exists():
        return False
    with ConversationStore(path) as store:
        if gone:
            return store.delete_fact(number)
        return store.correct_fact(number, value, one_line(by).strip() or getuser())


def _standing(fact: PeerFact) -> str:
    """Who approved it, or whose words may be in it."""
    if fact.approved:
        return f" (approved by {fact.approved_by})" if fact.approved_by else " (approved)"
    return f" (may repeat {named(fact.foreign)})" if fact.foreign else ""


def _print_facts(known: Sequence[PeerFact]) -> None:
    from ..page import cut, page, plain_table, when

    with page() as console:
        table = plain_table(
            "id", "by", "of", "what", "value", "holds from", "until", "message", "shown in"
        )
        for column in (0, 7):
            table.columns[column].justify = "right"
        for each in known:
            until = "" if each.valid_until is None else when(each.valid_until)
            table.add_row(
                str(each.id),
                cut(each.peer_id, 32),
                cut(each.subject or "itself", 32),
                cut(each.attribute, 32),
                cut(f"{each.value}{_standing(each)}", _WIDEST),
                when(each.valid_from),
                until,
                str(each.source),
                cut(each.wall.chats, _WIDEST),
            )
        console.print(table, soft_wrap=True)
