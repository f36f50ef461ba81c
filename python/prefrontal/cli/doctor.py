"""`prefrontal doctor`: what this machine offers."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..decisions.schema import STEPS as DECISION_STEPS
from ..errors import InputError, PrefrontalError, SourceError
from ..ledger.location import file_name, ledger_path
from ..ledger.schema import APPLICATION_ID as LEDGER_ID
from ..ledger.schema import STEPS as LEDGER_STEPS
from ..settings.agent_file import read_agent_config, settings_file
from ..settings.home import Home
from ..storage.database import APPLICATION_ID
from ..storage.files import check_writable
from ..storage.memory_table import APPLICATION_ID as MEMORY_ID
from ..storage.memory_table import STEPS as MEMORY_STEPS
from ..storage.text_memory import table_path

if TYPE_CHECKING:
    from ..storage.migrations import Step

NO_FILE = "an SQLite file, not there yet"
INOTIFY = Path("/proc/sys/fs/inotify")
FEW_FOLDERS = 8192
"""Watched folders below which a home folder may not fit; it was the limit of older systems."""
WAL_DEFECT = ((3, 7, 0), (3, 51, 2))
"""First and last SQLite with the WAL-reset defect (sqlite.org/wal.html#walresetbug)."""
WAL_DEFECT_MENDED = {(3, 44): 6, (3, 50): 7}
"""Older series that got the fix too -> the patch release that brought it."""
PURPOSES = {
    "calendar": "calendars as a source",
    "control": "`prefrontal control`",
    "embeddings": "a small model that knows words of one meaning",
    "llm": "a language model for the agent",
    "mcp": "`prefrontal mcp`",
    "nats": "streams of NATS JetStream as a source",
    "otel": "traces for OpenTelemetry",
    "plot": "pictures of replays",
    "postgres": "decisions on a server, `prefrontal storage`",
    "ray": "partitions and sweeps on a Ray cluster",
    "redis": "streams of Redis as a source",
    "validate": "checks of tools before they run",
    "web": "`prefrontal dash`",
}
"""Extra -> what it is for; the others are for who works on prefrontal itself."""


@click.command()
@click.option("--all", "everything", is_flag=True, help="The extras for developers, too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def doctor(everything: bool, as_json: bool) -> None:
    """What this machine offers, and where prefrontal keeps what is yours.

    Instruction set, SQLite, git, file watching, sandbox; settings and folders; extras.
    """
    facts = examine()
    if as_json:
        click.echo(json.dumps(facts, indent=2))
    else:
        print_table(_rows(facts, everything))


def examine() -> dict[str, Any]:
    """Everything `doctor` shows, ready for JSON.

    Raises InputError when PREFRONTAL_ISA names no instruction set of this processor.
    """
    from .. import _core

    try:
        in_use = _core.instruction_set()
    except ValueError as error:
        raise InputError(str(error)) from None
    return {
        "prefrontal": _core.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "instruction_set": in_use,
        "instruction_sets": _core.instruction_sets(),
        "numpy": _installed("numpy"),
        "git": _git_version(),
        "sqlite": _sqlite(),
        "watchfiles": _installed("watchfiles"),
        "inotify": inotify_limits(),
        "sandbox": _sandbox(),
        **_home(),
        "extras": _extras(),
    }


def sqlite_note(version: tuple[int, ...]) -> str | None:
    """What a person should know about this version of SQLite; None when there is nothing."""
    first, last = WAL_DEFECT
    mended = WAL_DEFECT_MENDED.get((version[0], version[1]))
    if first <= version <= last and (mended is None or version[2] < mended):
        return (
            "has the WAL-reset defect of 3.7.0 to 3.51.2: two connections that write and "
            "checkpoint at the same moment can damage a database in WAL mode"
        )
    return None


def inotify_limits(folder: Path = INOTIFY) -> dict[str, int] | None:
    """Most folders watched, watchers, and queued changes of one user; None where there is none."""
    try:
        return {path.name: int(path.read_text()) for path in sorted(folder.glob("max_*"))} or None
    except (OSError, ValueError):
        return None


def _sqlite() -> dict[str, Any]:
    """The SQLite that comes with apsw, which keeps the decisions."""
    try:
        import apsw
    except ImportError:
        return {"version": None, "apsw": None, "note": None}
    version = apsw.sqlite_lib_version()
    numbers = tuple(int(part) for part in version.split(".")[:3])
    return {"version": version, "apsw": apsw.apsw_version(), "note": sqlite_note(numbers)}


def _sandbox() -> dict[str, str | None]:
    """Level -> None when it works here, else why it does not; the strongest first."""
    from ..sandbox import probe

    return {rung.level: None if rung.works else rung.why for rung in probe().rungs}


def _home() -> dict[str, dict[str, Any]]:
    """The settings that commands read here (None: no file), why they cannot be used, and the
    folders of decisions and of the agent's memory (None where the settings cannot be used)."""
    from ..settings.loading import load_settings

    file, fault, state, agent, url = settings_file(), None, None, None, None
    decisions, book, texts = None, None, None
    try:
        settings = load_settings(file)
        url = settings.storage.url
        state = str(os.environ.get("PREFRONTAL_STATE") or settings.state_folder())
        decisions = Path(state) / "decisions.sqlite"
        home = Home.open(None, None)
        agent, texts = str(home.folder), table_path(home.folder)
        place = ledger_path(file_name(read_agent_config(None, keys={"ledger"})), home.folder)
        book = place if isinstance(place, Path) else None
    except PrefrontalError as error:
        fault = str(error)
    name = None if file is None else str(file)
    return {
        "settings": {"file": name, "fault": fault},
        "folders": {"state": state, "agent": agent},
        "storage": storage_of(decisions),
        "ledger": storage_of(book, LEDGER_ID, LEDGER_STEPS),
        "memory": storage_of(texts, MEMORY_ID, MEMORY_STEPS),
        "conversations": conversations_of(None if agent is None else Path(agent)),
        "partitions": partitions_of(url),
    }


def storage_of(
    path: Path | None, mark: int = APPLICATION_ID, steps: Sequence[Step] = DECISION_STEPS
) -> dict[str, str | None]:
    """Where the store at that path lies, and why it cannot be used there; None where there is
    none, and where nothing is wrong. mark, steps: of its kind."""
    from ..storage.migrations import check_version
    from ..storage.opening import open_database
    from ..storage.postgres_url import read_link

    try:
        if path is None or not path.exists():
            return {"place": None, "fault": None}
    except OSError as error:
        return {"place": str(path), "fault": f"it cannot be looked at: {error.strerror}"}
    place = str(path)
    try:
        url = read_link(path)
        place = str(url or path)
        with closing(open_database(path, read_only=True, application_id=mark)) as database:
            check_version(database, steps)
        if url is not None:
            from ..storage.postgres_database import PostgresDatabase

            with closing(
                PostgresDatabase(url, str(path), read_only=True, application_id=mark)
            ) as at:
                at.check_rights()
    except PrefrontalError as error:
        return {"place": place, "fault": str(error)}
    return {"place": place, "fault": None}


def conversations_of(folder: Path | None) -> dict[str, str | None]:
    """Where the agent's conversations lie, and why they cannot be read; None as in `storage_of`."""
    from ..runtime.conversation.store import ConversationStore, conversations_path

    if folder is None or not (path := conversations_path(folder)).exists():
        return {"place": None, "fault": None}
    try:
        with ConversationStore(path, read_only=True) as store:
            store.newest_message()
    except PrefrontalError as error:
        return {"place": str(path), "fault": str(error)}
    return {"place": str(path), "fault": None}


def partitions_of(url: str | None) -> dict[str, str | int | None]:
    """Where partitions lie, how many are held of how many, and why they cannot be used; None where
    the settings name no server, and where nothing is wrong."""
    from ..storage.partitions.standing import standing
    from ..storage.postgres_url import PostgresUrl

    if url is None:
        return {"place": None, "held": 0, "all": 0, "fault": None}
    place = "storage.url"  # as it is it may hold a password
    try:
        place = str(PostgresUrl.parse(url))
        rows = standing(PostgresUrl.parse(url))
    except PrefrontalError as error:
        return {"place": place, "held": 0, "all": 0, "fault": str(error)}
    held = sum(bool(each.holder) for each in rows)
    return {"place": place, "held": held, "all": len(rows), "fault": None}


def _git_version() -> str | None:
    try:
        answer = subprocess.run(
            ["git", "--version"], capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.removeprefix("git version ").strip()


def _installed(distribution: str) -> str | None:
    """Its version, without importing it; None when it is not there."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _extras() -> dict[str, dict[str, str | None]]:
    """Extra -> distribution -> its version, None when it is missing."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        about = metadata("prefrontal")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return {}
    extras: dict[str, dict[str, str | None]] = {
        name: {} for name in sorted(about.get_all("Provides-Extra") or [])
    }
    for requirement in about.get_all("Requires-Dist") or []:
        name = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"""extra\s*==\s*["']([^"']+)["']""", requirement)
        if name and extra and extra[1] in extras:
            extras[extra[1]][name[0]] = _installed(name[0])
    return extras


def print_table(rows: list[tuple[str, str]]) -> None:
    """On standard output, each row whole."""
    from .page import facts_table, page, shown

    table = facts_table()
    for name, text in rows:
        table.add_row(name, shown(text))
    with page() as console:
        console.print(table)


def _limits(limits: dict[str, int] | None) -> str:
    if limits is None:
        return "not on this system: folders are looked at now and then"
    folders = limits.get("max_user_watches", 0)
    few = ", few: `watch` polls what goes beyond" if folders < FEW_FOLDERS else ""
    named = (f"{name.removeprefix('max_').replace('_', ' ')} {n}" for name, n in limits.items())
    return f"{', '.join(named)}{few}"


def levels(sandbox: dict[str, str | None]) -> str:
    """The level in use, and why a stronger one is not."""
    missing: list[str] = []
    for level, why in sandbox.items():
        if why is None:
            return "; ".join([f"level {level}", *missing])
        missing.append(f"not {level}: {why}")
    return "; ".join(missing)


def _settings_words(settings: dict[str, str | None]) -> str:
    if settings["fault"]:
        return f"not usable: {settings['fault']}"
    return settings["file"] or "none here: `prefrontal init` writes a file"


def _folder_words(folder: str | None, maker: str) -> str:
    if folder is None:
        return "unknown until the settings can be used"
    try:
        check_writable(Path(folder))
    except SourceError as error:
        return f"{folder}, not usable: {error}"
    return folder if Path(folder).exists() else f"{folder}, not there yet: {maker} makes it"


def _storage_words(storage: dict[str, str | None], default: str) -> str:
    place = storage["place"] or default
    return f"{place}, not usable: {storage['fault']}" if storage["fault"] else place


def _partition_words(partitions: dict[str, Any]) -> str:
    if partitions["place"] is None:
        return "none: storage.url names no server"
    if partitions["fault"]:
        return f"not usable: {partitions['fault']}"
    return f"{partitions['held']} of {partitions['all']} held, {partitions['place']}"


def _extra_words(extra: str, distributions: dict[str, str | None]) -> str:
    purpose = f"{PURPOSES[extra]}: " if extra in PURPOSES else ""
    return purpose + ", ".join(f"{name} {v or 'missing'}" for name, v in distributions.items())


def _rows(facts: dict[str, Any], everything: bool) -> list[tuple[str, str]]:
    sqlite = facts["sqlite"]
    note = f", {sqlite['note']}" if sqlite["note"] else ""
    rows = [
        ("prefrontal", facts["prefrontal"]),
        ("Python", f"{facts['python']} on {facts['platform']}"),
        ("processors", str(facts["cpus"] or "unknown")),
        (
            "instruction set",
            f"{facts['instruction_set']} (supported: {', '.join(facts['instruction_sets'])})",
        ),
        ("numpy", facts["numpy"] or "not installed"),
        ("git", facts["git"] or "not found: `replay --git` needs it"),
        ("SQLite", f"{sqlite['version']} (apsw {sqlite['apsw']}){note}"),
        ("watchfiles", facts["watchfiles"] or "not installed: `watch` needs it"),
        ("inotify", _limits(facts["inotify"])),
        ("sandbox", levels(facts["sandbox"])),
    ]
    folders = facts["folders"]
    rows += [
        ("settings", _settings_words(facts["settings"])),
        ("decisions", _folder_words(folders["state"], "`prefrontal watch`")),
        ("storage", _storage_words(facts["storage"], NO_FILE)),
        ("ledger", _storage_words(facts["ledger"], NO_FILE)),
        ("memory", _storage_words(facts["memory"], "a file for each text, in the agent's folder")),
        ("conversations", _storage_words(facts["conversations"], NO_FILE)),
        ("partitions", _partition_words(facts["partitions"])),
        ("agent", _folder_words(folders["agent"], "`prefrontal agent chat`")),
    ]
    extras = {k: v for k, v in facts["extras"].items() if everything or k in PURPOSES}
    rows += [(f"extra [{extra}]", _extra_words(extra, extras[extra])) for extra in extras]
    if any(version is None for extra in extras.values() for version in extra.values()):
        rows.append(("", "pip install 'prefrontal[EXTRA]' brings what is missing"))
    return rows
