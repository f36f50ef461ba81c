"""A module for each source that nobody asks about: everything it tells is worth a question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from .hearing import (
    declares,
    hears_calendar,
    hears_commits,
    hears_files,
    hears_folder,
    hears_line,
    hears_page,
    hears_program,
    hears_server,
)
from .sources import mcp_address, unadopted

if TYPE_CHECKING:
    from ...settings import Settings

PROGRAMS = "programs"
"""The module for what other programs send."""
HOLD_S = 2.0
"""Of the modules here: what comes close together is asked as one."""
KEYS = frozenset({
    "directories", "git", "network", "github", "mail", "calendar", "http", "logs", "mcp", "redis",
    "nats", "socket", "stdin", "polling",
})  # fmt: skip
"""Of `sources`, each looked at by itself."""
QUESTIONS = {
    "filesystem": "{what}. Does it matter? ({location})",
    "git": "{what}. Does it matter? ({location})",
    "logs": "{basename} says: {text}. Does it matter? ({location})",
    "network": "{location} was {delta_type}. Does it matter?",
    "http": "{source}: {delta_type} at {location} by {actor}: {text}. Does it matter?",
    "github": "{delta_type} by {actor}: {text}. Does it matter? ({location})",
    "calendar": "{text}: {delta_type}. Does it matter? ({location})",
    "mail": "{actor} wrote: {text}. Does it matter? ({location})",
    "mcp": "{location} ({delta_type}): {text}. Does it matter?",
}
"""By the key of `signal_priors`."""


class _Place(NamedTuple):
    """Something that is watched. kind: a key of `signal_priors`. names: for its module, the
    shortest first."""

    kind: str
    prior: dict[str, Any]
    names: tuple[str, ...]


def built_in_modules(
    settings: Settings, folders: Iterable[Path], present: Sequence[ModuleFingerprint]
) -> list[ModuleFingerprint]:
    """One for each folder and each source that no other module hears."""
    modules: list[ModuleFingerprint] = []
    ids = {module.module_id for module in present}
    places = [
        *(
            _folder(each)
            for each in dict.fromkeys(folders)
            if not any(hears_files(m, each) for m in present)
        ),
        *_unheard(settings, present),
    ]
    for kind, prior, names in places:
        name = next((each for each in names if each not in ids), f"{kind} {names[-1]}")
        ids.add(name)
        modules.append(built_in_module(kind, prior, name))
    return modules


def built_in_module(kind: str, prior: dict[str, Any], name: str) -> ModuleFingerprint:
    """The module for one source."""
    return parse_fingerprint(described(name, QUESTIONS[kind], {kind: prior}))


def everything() -> ModuleFingerprint:
    """The module for whatever comes."""
    return parse_fingerprint(described("everything", QUESTIONS["filesystem"], {}))


def described(module_id: str, question: str, priors: dict[str, Any]) -> dict[str, Any]:
    """The raw fingerprint of a module that follows the recall of the settings."""
    return {
        "module_id": module_id,
        "cluster": "built-in",
        "version": "1",
        "question_template": question,
        "default_threshold": None,
        "hold_s": HOLD_S,
        "signal_priors": priors,
    }


def _folder(folder: Path) -> _Place:
    name = folder.name or str(folder)
    return _Place("filesystem", {"watch_directories": [str(folder)]}, (name, str(folder)))


def _unheard(settings: Settings, present: Sequence[ModuleFingerprint]) -> Iterator[_Place]:
    yield from _on_this_machine(settings, present)
    yield from _from_elsewhere(settings, present)
    yield from _others(settings, present)


def _on_this_machine(settings: Settings, present: Sequence[ModuleFingerprint]) -> Iterator[_Place]:
    for repository in (each.resolve() for each in unadopted(settings)):
        if not any(hears_commits(module, repository) for module in present):
            names = (repository.name, str(repository))
            yield _Place("git", {"repositories": [str(repository)]}, names)
    for path in (settings.path(each).absolute() for each in settings.sources.logs):
        if not any(hears_line(module, path) for module in present):
            yield _Place("logs", {"files": [str(path)]}, (path.name, str(path)))


def _from_elsewhere(settings: Settings, present: Sequence[ModuleFingerprint]) -> Iterator[_Place]:
    sources = settings.sources
    pages = [
        each.url for each in sources.network if not any(hears_page(m, each.url) for m in present)
    ]
    if pages:
        yield _Place("network", {"endpoints": pages}, ("network",))
    yield from _programs(settings, present)
    delivered = sources.http is not None and sources.http.github_secret_env
    if (delivered or sources.github) and not any(declares(module, "github") for module in present):
        yield _Place("github", {}, ("github",))
    folders = [f"{each.user}/{each.folder}" for each in sources.mail]
    if folders := [each for each in folders if not any(hears_folder(m, each) for m in present)]:
        yield _Place("mail", {"folders": folders}, ("mail",))
    names = [each.name for each in sources.calendar]
    if names := [each for each in names if not any(hears_calendar(m, each) for m in present)]:
        yield _Place("calendar", {"calendars": names}, ("calendar",))
    for server in (mcp_address(each).shown for each in sources.mcp):
        if not any(hears_server(module, server) for module in present):
            yield _Place("mcp", {"servers": [server]}, (server, f"mcp {server}"))


def _programs(settings: Settings, present: Sequence[ModuleFingerprint]) -> Iterator[_Place]:
    sources = settings.sources
    streams = sources.redis or sources.nats
    named = sources.http or streams or sources.socket or sources.stdin
    if named and not any(declares(module, "http") for module in present):
        yield _Place("http", {}, (PROGRAMS,))
    elif sources.http is not None:
        hooks = [
            each for each in sources.http.hooks if not any(hears_program(m, each) for m in present)
        ]
        if hooks:
            yield _Place("http", {"sources": hooks}, ("hooks",))


def _others(settings: Settings, present: Sequence[ModuleFingerprint]) -> Iterator[_Place]:
    """Sources with nothing to tell apart: their events are called as their keys."""
    sources = settings.sources
    for name in type(sources).model_fields:
        if name in KEYS or not getattr(sources, name):
            continue
        if not any(hears_program(module, name) for module in present):
            yield _Place("http", {"sources": [name]}, (name,))
