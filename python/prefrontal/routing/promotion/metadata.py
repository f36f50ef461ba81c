"""The records of promotions: one JSON line a revision, in the folder of an action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...errors import InputError
from ..records import read_records
from ..types import Finding
from .versioning import version_parts

Status = Literal["experimental", "stable", "deprecated", "moved"]

FIELDS = (
    "id",
    "run_id",
    "route_id",
    "name",
    "domain",
    "action",
    "description",
    "status",
    "created_by",
    "created_at",
    "version",
    "tool_hash",
    "tokens_estimate",
    "model",
    "rag",
)
"""The keys of a record, in their order."""


@dataclass(frozen=True, slots=True)
class Revision:
    """One record. name: of the file, with ".py". sha256: of the promoted content, hexadecimal."""

    id: str
    name: str
    version: str
    status: Status
    sha256: str
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Revisions:
    """All records of an action's folder, oldest first."""

    all: tuple[Revision, ...]
    findings: tuple[Finding, ...] = ()

    def of(self, name: str) -> tuple[Revision, ...]:
        """The records of the file with that name since it was last moved away."""
        mine = [one for one in self.all if one.name == name]
        moves = [place for place, one in enumerate(mine, start=1) if one.status == "moved"]
        return tuple(mine[max(moves, default=0) :])

    def version(self, name: str) -> str | None:
        """The highest version the file ever had, also before a move; None without records."""
        versions = [one.version for one in self.all if one.name == name]
        return max(versions, key=version_parts, default=None)


def metadata_file(folder: Path) -> Path:
    """The file with the records of an action's folder."""
    return folder / "metadata.jsonl"


def tokens_estimate(content: bytes) -> int:
    """An estimate of the content's tokens: a quarter of its bytes, rounded up."""
    return -(-len(content) // 4)


def read_revisions(folder: Path) -> Revisions:
    """The records of a folder; malformed lines become findings. Raises SourceError."""
    path = metadata_file(folder)
    records = read_records(path)
    findings = list(records.findings)
    revisions = []
    for place, row in enumerate(records.rows, start=1):
        revision = _revision(row)
        if isinstance(revision, str):
            findings.append(Finding(path, 0, f"record {place} {revision}"))
        else:
            revisions.append(revision)
    return Revisions(tuple(revisions), tuple(findings))


def _revision(row: Mapping[str, Any]) -> Revision | str:
    """The revision, or what is wrong with the record."""
    missing = [field for field in FIELDS if field not in row]
    if missing:
        return f"must have the keys {', '.join(missing)}"
    texts = [row[key] for key in ("id", "name", "version", "tool_hash")]
    if not all(isinstance(text, str) for text in texts):
        return "must hold text in id, name, version and tool_hash"
    status = next((s for s in _STATUSES if s == row["status"]), None)
    if status is None:
        return f"must have one of the states {', '.join(_STATUSES)}, got {row['status']!r}"
    try:
        version_parts(row["version"])
    except InputError as error:
        return f"is refused: {error}"
    digest = row["tool_hash"].removeprefix("sha256:")
    return Revision(row["id"], row["name"], row["version"], status, digest, row)


_STATUSES: tuple[Status, ...] = ("experimental", "stable", "deprecated", "moved")
