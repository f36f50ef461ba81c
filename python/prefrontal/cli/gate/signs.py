"""Which files and folders tell, by their signs alone, that something may be new."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...git_access import small_text
from ...settings.agent_file import agent_files, whole_path
from ..watch.module_files import kept_modules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...settings import Settings
    from ...storage.state_folder import StateFolder


def files_of(settings: Settings, state: StateFolder) -> Iterator[Path]:
    """Files whose change means that settings, modules, logs or repositories have changed."""
    yield from agent_files()
    if settings.file is not None:
        yield whole_path(settings.file)
    yield state.modules
    yield from (each.path for each in kept_modules(state))
    yield from (settings.path(each) for each in settings.modules if isinstance(each, str))
    yield from map(settings.path, settings.sources.logs)
    yield from (settings.path(each.file) for each in settings.sources.calendar if each.file)
    for repository in settings.sources.git:
        yield from repository_files(settings.path(repository))
    for entry in settings.adopted:
        if entry.git is not None:
            branch = f"refs/heads/{entry.branch}" if entry.branch else ""
            yield from repository_files(settings.path(entry.git), branch)


def repository_files(folder: Path, branch: str = "") -> Iterator[Path]:
    """Small files of which one changes when HEAD or the branch moves, as `git_signs` reads them."""
    git_dir = _git_dir(folder)
    common = git_dir / (_line(git_dir / "commondir") or ".")
    branch = branch or _line(git_dir / "HEAD").removeprefix("ref: ")
    yield git_dir / "HEAD"
    yield git_dir / "logs" / "HEAD"
    yield common / "packed-refs"
    yield common / "reftable" / "tables.list"
    yield common / branch


def _git_dir(folder: Path) -> Path:
    """Where git keeps what it knows of the work tree that holds the folder."""
    for each in (folder, *folder.parents):
        place = each / ".git"
        if place.is_dir():
            return place
        if place.is_file():
            return each / _line(place).removeprefix("gitdir: ")
    return folder


def _line(path: Path) -> str:
    return small_text(path).strip()
