"""`prefrontal ledger`: the peers of the agent, what was said, and what was made of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError, shown
from ...plural import many
from ...standard_input import is_terminal
from ..answers import answer, json_option
from ..watch.modules import plain
from ..workspace import home_options

if TYPE_CHECKING:
    from ...ledger.ledger import Ledger
    from ...ledger.models import Peer, ScoredPeer
    from ...settings.home import Home

_JSON_LINES = "One JSON object a line."
_JSON = "One JSON object instead of a page."
_LEAST_PREFIX = 4
_SHOWN = 20
_MOST = 1_000_000_000


@click.group()
def ledger() -> None:
    """Whom the agent dealt with, what was said, and how far each is trusted.

    Works while the agent runs, and when it does not.

    \b
      prefrontal ledger list
      prefrontal ledger show alice
      prefrontal ledger export --output ledger.jsonl
    """


@ledger.command("list")
@click.option("--limit", default=50, show_default=True, metavar="N", help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help=_JSON_LINES)
@home_options("ledger")
def list_peers(limit: int, as_json: bool, home: Home) -> None:
    """The peers, the one seen last first, with their scores."""
    if not 1 <= limit <= _MOST:
        raise InputError(f"--limit must be a whole number in 1..{_MOST}, got {limit!r}")
    with _ledger(home) as book:
        standings = book.standings(limit)
        total = book.totals()["peers"] if standings else 0
    if as_json:
        for each in standings:
            click.echo(json.dumps(_standing(each)))
    elif standings:
        from .ledger_pages import print_list

        print_list(standings)
        if total > len(standings):
            click.echo(f"{total - len(standings):,} more; --limit {total} shows all.")
    else:
        click.echo(_EMPTY)


@ledger.command(short_help="Everything about one peer.")
@click.argument("peer", metavar="PEER")
@click.option("--last", default=10, show_default=True, metavar="N", help="How many messages.")
@click.option("--json", "as_json", is_flag=True, help=_JSON)
@home_options("ledger")
def show(peer: str, last: int, as_json: bool, home: Home) -> None:
    """Everything about one peer: facts, judgments with their reasons, the last messages.

    PEER is an id that `prefrontal ledger list` shows, or any beginning of it of four characters
    or more.
    """
    if not 0 <= last <= _MOST:
        raise InputError(f"--last must be a whole number in 0..{_MOST}, got {last!r}")
    with _ledger(home) as book:
        peer_id = _found(book, peer)
        summary = book.get_peer_assessment_summary(peer_id, last)
        latest = list(book.assessments(peer_id))
    if as_json:
        assessments = [asdict(each) for each in latest]
        recent = summary.get("recent", [])
        click.echo(json.dumps({**summary, "recent": recent, "assessments": assessments}))
    else:
        from .ledger_peer_page import print_peer

        print_peer(summary, latest)


@ledger.command(short_help="How many peers and messages, and how trust is spread.")
@click.option("--json", "as_json", is_flag=True, help=_JSON)
@home_options("ledger")
def summary(as_json: bool, home: Home) -> None:
    """How many peers, messages and judgments there are, and how trust is spread."""
    with _ledger(home) as book:
        totals = book.totals()
    if as_json:
        click.echo(json.dumps(totals))
    elif totals["peers"]:
        from .ledger_pages import print_totals

        print_totals(totals)
    else:
        click.echo(_EMPTY)


@ledger.command(short_help="The whole ledger as JSON lines.")
@click.option(
    "--output", default="-", metavar="FILE", help="Where to; the default is standard output."
)
@json_option
@home_options("ledger")
def export(output: str, as_json: bool, home: Home) -> None:
    """The whole ledger as JSON lines: peers, then interactions, then assessments.

    Previews hold no secrets: they were taken out when the message was recorded.
    """
    from ...ledger.export import export_lines

    with _ledger(home) as book:
        if output == "-":
            for line in export_lines(book):
                click.echo(line)
            return
        from ...storage.files import write_atomic

        lines = list(export_lines(book))
    write_atomic(output, "".join(f"{line}\n" for line in lines))
    done = {"file": output, "lines": len(lines)}
    answer(as_json, done, f"Wrote {many(len(lines), 'line')} to {plain(output)}.")


@ledger.command(short_help="Erase a peer everywhere.")
@click.argument("peer", metavar="PEER")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@home_options("ledger", "observability")
def forget(peer: str, yes: bool, as_json: bool, home: Home) -> None:
    """Erase PEER, an id in full, from the ledger, the conversations and the cortex's memory.

    Judgments of other peers keep their trust; a reason that PEER's words may have gone into becomes
    "[forgotten]". No byte of PEER stays in these files. Notes that you stored, logs, copies and
    backups are not changed: those that still hold the id are named, and so are messages to others
    that may repeat PEER's words. The agent must not run meanwhile.
    """
    from ...assembly.forgetting import forget as erase
    from ...storage.backup_list import backups

    if not yes and not _consent(peer):
        raise InputError("forget must be confirmed: type y, or say --yes")
    copies = backups(home.folder)
    erasure = erase(peer, home.folder, home.config, [*_logs(home), *copies])
    left = [str(each) for each in erasure.left]
    unseen = [str(each) for each in copies if not each.exists()]
    done = {**asdict(erasure), "left": left, "unseen": unseen}
    counts = f"messages: {erasure.messages:,}, rows of the ledger: {erasure.rows:,}"
    counts += f", reasons of other judgments: {erasure.reasons:,}" if erasure.reasons else ""
    documents = f", its part of {', '.join(erasure.documents)}" if erasure.documents else ""
    still = "".join(f"\nIts id still stands in {plain(each)}." for each in left)
    still += "".join(f"\nA backup went to {plain(each)}, which is not there." for each in unseen)
    still += _messages("Its words may stand in messages to others", erasure.repeating)
    still += _messages("Its id stands in messages of others", erasure.naming)
    answer(as_json, done, f"Forgot {plain(peer)}: {counts}{documents}.{still}")


def _messages(words: str, numbers: tuple[int, ...]) -> str:
    if not numbers:
        return ""
    some = ", ".join(map(str, numbers[:_SHOWN]))
    rest = f" and {len(numbers) - _SHOWN:,} more" if len(numbers) > _SHOWN else ""
    command = "`prefrontal memory delete --message ID` deletes one"
    return f"\n{words}: {some}{rest}; {command}."


def _consent(peer: str) -> bool:
    if not is_terminal():
        return False
    return click.confirm(f"Erase {plain(peer)} everywhere? It cannot be undone", err=True)


def _logs(home: Home) -> list[Path]:
    """Files and folders outside of the workspace that may hold a peer's id."""
    from ...settings.state_place import state_path

    events = (home.config.get("observability") or {}).get("file")
    named = [home.folder / events] if isinstance(events, str) else []
    return [*named, state_path(os.environ.get("PREFRONTAL_STATE"), home.file)]


_EMPTY = "The ledger holds no peers yet; `prefrontal agent` fills it with every message."


@contextmanager
def _ledger(home: Home) -> Iterator[Ledger]:
    """The ledger to read; an empty one where none is kept yet. Raises SourceError."""
    from ...ledger.ledger import Ledger
    from ...ledger.location import file_name, ledger_path

    path = ledger_path(file_name(home.config), home.folder)
    exists = isinstance(path, Path) and path.exists()
    with Ledger(path, read_only=True) if exists else Ledger() as book:
        yield book


def _found(book: Ledger, name: str) -> str:
    """The id that was meant. Raises InputError with the nearest that is known."""
    if book.peer(name) is not None:
        return name
    peers = book.list_peers()
    if len(name) >= _LEAST_PREFIX:
        begin = [each.peer_id for each in peers if each.peer_id.startswith(name)]
        if len(begin) == 1:
            return begin[0]
    rule = "be one that `prefrontal ledger list` shows"
    raise InputError(f"peer must {rule}, got {shown(name)}{_nearest(name, peers)}")


def _nearest(text: str, peers: list[Peer]) -> str:
    if not peers:
        return "; the ledger holds no peers yet"
    known = {each.peer_id.casefold(): each for each in peers}
    known |= {each.display_name.casefold(): each for each in peers if each.display_name}
    close = get_close_matches(text.casefold(), known, n=1)
    if not close:
        return ""
    peer = known[close[0]]
    name = f", called {plain(peer.display_name)!r}" if peer.display_name else ""
    return f" (did you mean {plain(peer.peer_id)!r}{name}?)"


def _standing(each: ScoredPeer) -> dict[str, Any]:
    return {**asdict(each.peer), "info_score": each.info_score, "trust": each.trust}
