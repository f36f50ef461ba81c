"""`prefrontal storage`: where decisions, ledger and memory lie, and moving them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError, PrefrontalError, SourceError
from ...plural import many
from ...settings.home import Home
from ..answers import answer, json_option
from ..option_group import option_group, settings_option
from ..state import settings_state_option, state_folder

if TYPE_CHECKING:
    from ...assembly.local_files import LocalFile
    from ...assembly.storage_moves import LocalStore, StoreCopy
    from ...storage.state_folder import StateFolder
    from ...storage.transfer import Progress


ONE = {
    "assessments": "assessment",
    "decisions": "decision",
    "deliveries": "delivery",
    "folds": "fold",
    "interactions": "interaction",
    "labels": "label",
    "peers": "peer",
    "states": "state",
    "texts": "text",
}
"""By table what a row of it is."""


@dataclass(frozen=True, slots=True)
class Places:
    """The state folder, and the agent's home, which holds its ledger and memory."""

    state: StateFolder
    home: Home

    def stores(self) -> list[LocalStore]:
        """Those that are there. Raises InputError where none is, and for settings of the ledger
        that cannot be used.
        """
        from ...assembly.storage_moves import stores
        from ...ledger.location import file_name, ledger_path

        folder = self.home.folder
        book = ledger_path(file_name(self.home.config), folder)
        present = stores(self.state, folder, book if isinstance(book, Path) else None)
        if not present:
            raise InputError(
                f"storage must be there, and {self.state.path} holds none yet: `prefrontal watch`"
                " makes it"
            )
        return present


def place_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --workspace, --config and --state to a command, which takes what they name as
    `places`.
    """

    @wraps(command)
    def with_places(
        workspace: str | None, config: str | None, state: str | None, **options: Any
    ) -> Any:
        places = Places(state_folder(state, config), Home.open(workspace, config, ("ledger",)))
        return command(places=places, **options)

    return option_group(WORKSPACE, CONFIG, settings_state_option)(with_places)


WORKSPACE = click.option(
    "--workspace",
    metavar="DIR",
    type=click.Path(),
    help="The agent's folder, for its ledger and memory; also PREFRONTAL_HOME."
    " [default: `workspace` of the settings, else ~/.prefrontal/workspace]",
)
CONFIG = settings_option("Settings whose `state`, `workspace` and `ledger` are meant")


@click.group()
def storage() -> None:
    """Where decisions, ledger and memory lie: in files, or on a PostgreSQL server."""


@storage.command()
@place_options
@json_option
def status(places: Places, as_json: bool) -> None:
    """Where each store lies, and what stays on this machine.

    With the rows of each store, and the files and bytes of what lies in none.
    """
    from ...assembly.local_files import local_files

    present = places.stores()
    rows = [_status(each) for each in present]
    local = local_files(places.state, places.home.folder, present)
    lines = [*map(_line, rows), "stays on this machine:"] if local else [*map(_line, rows)]
    lines += [f"  {each.path}: {_amount(each)}" for each in local]
    on_disk = [{"path": str(e.path), "files": e.files, "bytes": e.size} for e in local]
    answer(as_json, {"stores": rows, "local": on_disk}, "\n".join(lines))


@storage.command(name="migrate")
@click.option(
    "--to",
    "target",
    required=True,
    metavar="URL",
    help="postgresql://[USER@]HOST[:PORT]/DATABASE[?schema=NAME], or sqlite for files again.",
)
@place_options
@json_option
def migrate_command(target: str, places: Places, as_json: bool) -> None:
    """Move the stores to a PostgreSQL server, or back to files.

    Each is copied, both copies are read whole and compared by hash, and only then the new one is
    used. Cut off, the old one is still in use, and the same command goes on. Passwords belong into
    ~/.pgpass or PGPASSWORD.

    \b
      prefrontal storage migrate --to postgresql://localhost/prefrontal
      prefrontal storage migrate --to sqlite
    """
    from ...assembly.storage_moves import SQLITE, move_to_file, move_to_server
    from ...storage.postgres_url import PostgresUrl

    if target == SQLITE:
        _each(places.stores(), move_to_file, as_json)
        return
    url = PostgresUrl.parse(target)
    _each(places.stores(), lambda store, progress: move_to_server(store, url, progress), as_json)


@storage.command()
@settings_option()
@json_option
def partitions(config: str | None, as_json: bool) -> None:
    """Who holds each partition, and how much waits there."""
    from ...settings import load_settings
    from ...settings.agent_file import settings_file
    from ...storage.partitions.standing import standing
    from ...storage.postgres_url import PostgresUrl

    url = load_settings(config or settings_file()).storage.url
    if url is None:
        raise InputError("storage.url must be in the settings: partitions lie on a server")
    rows = standing(PostgresUrl.parse(url))
    lines = [
        f"{each.number:>4}  {each.holder or 'nobody'}"
        + (f"; {many(each.rows, 'row waits', 'rows wait')}" if each.rows else "")
        for each in rows
    ]
    answer(as_json, {"partitions": [asdict(each) for each in rows]}, "\n".join(lines))


@storage.command(short_help="Copy what is kept to SQLite files in DIR, while it is in use.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@place_options
@json_option
def backup(folder: Path, places: Places, as_json: bool) -> None:
    """Copy the stores and the conversations to SQLite files in DIR, while they are in use.

    Copy the files back to restore them, wherever the stores lay: decisions.sqlite into the state
    folder, ledger.sqlite and conversations.sqlite into the workspace, and texts.sqlite into its
    folder memory. The folder is noted, so that `prefrontal ledger forget` looks there, too.
    """
    from ...assembly.storage_moves import back_up, back_up_conversations
    from ...storage.backup_list import note_backup

    present, workspace = places.stores(), places.home.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SourceError(f"{folder} cannot be made: {error.strerror}") from None
    note_backup(workspace, folder)
    talk = back_up_conversations(workspace, folder)
    _each(present, lambda store, progress: back_up(store, folder, progress), as_json, talk)


def _each(
    stores: list[LocalStore],
    move: Callable[[LocalStore, Progress], StoreCopy],
    as_json: bool,
    talk: tuple[Path, int] | None = None,
) -> None:
    """talk: the copy of the conversations, and how many messages are in it."""
    with _bar(as_json) as progress:
        moves = [move(each, progress) for each in stores]
    lines = [
        f"{each.store.part}: {many(each.rows, 'row')}, copied to {each.place}" for each in moves
    ]
    copies = [_moved(each) for each in moves]
    if talk is not None:
        place, messages = talk
        lines.append(f"conversations: {many(messages, 'message')}, copied to {place}")
        copies.append({"store": "conversations", "place": str(place), "rows": messages})
    answer(as_json, {"stores": copies}, "\n".join(lines))


def _moved(moved: StoreCopy) -> dict[str, Any]:
    return {
        "store": moved.store.part,
        "place": moved.place,
        "rows": moved.rows,
        "sha256": moved.digests,
    }


def _line(row: dict[str, Any]) -> str:
    what = row["error"] or ", ".join(many(n, ONE[name], name) for name, n in row["rows"].items())
    return f"{row['store']}: {row['place']}\n  {what}"


def _amount(local: LocalFile) -> str:
    return f"{many(local.files, 'file')}, {local.size:,} bytes"


def _status(store: LocalStore) -> dict[str, Any]:
    from ...storage.postgres_url import read_link

    place = str(store.in_files or store.path)
    row: dict[str, Any] = {"store": store.part, "place": place, "rows": {}, "error": None}
    try:
        if (url := read_link(store.path)) is not None:
            row["place"] = str(url)
        database = store.open_to_read()
        try:
            row["rows"] = {each.name: each.count(database) for each in store.tables}
        finally:
            database.close()
    except PrefrontalError as error:
        row["error"] = str(error)
    return row


@contextmanager
def _bar(as_json: bool) -> Iterator[Progress]:
    """Rows that were copied and compared, on standard error of a terminal."""
    if as_json:
        yield lambda table, rows: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("")
        total = 0

        def step(table: str, rows: int) -> None:
            nonlocal total
            total += rows
            bar.update(task, description=f"{table}: {many(total, 'row')} copied and compared")

        yield step
