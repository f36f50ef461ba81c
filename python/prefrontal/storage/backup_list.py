"""The folders to which an agent's stores were copied, so that forgetting can look there."""

from __future__ import annotations

import json
from pathlib import Path

from .files import write_atomic

FILE_NAME = "backups.json"


def note_backup(workspace: Path, folder: Path) -> None:
    """Note that copies of what lies in the workspace went there. Raises SourceError."""
    known = backups(workspace)
    place = folder.absolute()
    if place not in known and workspace.is_dir():
        places = [str(each) for each in (*known, place)]
        write_atomic(workspace / FILE_NAME, json.dumps(places, indent=1))


def backups(workspace: Path) -> list[Path]:
    """The folders that were noted, there or not, the oldest first; none where it is damaged."""
    try:
        places = json.loads((workspace / FILE_NAME).read_bytes())
    except (OSError, ValueError):
        return []
    is_list = isinstance(places, list)
    return [Path(each) for each in places if isinstance(each, str)] if is_list else []
