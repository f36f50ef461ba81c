"""What was written where, and how it was found: kept until it is taken out again."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import SourceError
from ..storage.files import write_atomic

FORMAT = 1


@dataclass(frozen=True, slots=True)
class ReceiptEntry:
    """One place. before: as it was found, None for nothing; after: as it was written."""

    place: str
    before: str | None
    after: str
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InstallReceipt:
    """entries: one for each place. jobs: what each was added with."""

    entries: tuple[ReceiptEntry, ...] = ()
    jobs: tuple[tuple[str, ...], ...] = ()

    def entry(self, place: str) -> ReceiptEntry | None:
        return next((each for each in self.entries if each.place == place), None)


class ReceiptFolder:
    """The receipt of one installation; its copies are files that a person can open."""

    def __init__(self, state: Path, key: str) -> None:
        self.path = state / "installed" / key

    def read(self) -> InstallReceipt | None:
        """None when there is none. Raises SourceError for one that is broken."""
        try:
            document = json.loads((self.path / "receipt.json").read_text(encoding="utf-8"))
            if document["format"] != FORMAT:
                raise ValueError(f"format {document['format']!r}")
            entries = tuple(self._entry(n, each) for n, each in enumerate(document["entries"]))
            return InstallReceipt(entries, tuple(tuple(each) for each in document["jobs"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise SourceError(f"{self.path / 'receipt.json'} cannot be used: {reason}") from None

    def write(self, receipt: InstallReceipt) -> None:
        """Copies first, the receipt that names them last."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SourceError(f"{self.path} cannot be made: {error.strerror}") from None
        for number, each in enumerate(receipt.entries):
            for kind, text in (("before", each.before), ("after", each.after)):
                if text is not None:
                    self._write(f"{number}.{kind}", text)
        document = {
            "format": FORMAT,
            "entries": [
                {"place": each.place, "there": each.before is not None, "folders": each.folders}
                for each in receipt.entries
            ],
            "jobs": receipt.jobs,
        }
        self._write("receipt.json", json.dumps(document, indent=2) + "\n")

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def keep(self, name: str, text: str) -> Path:
        """Keep a text that goes, though there is no receipt any more; where it lies."""
        folder = self.path.parent.parent / "taken-out"
        path = folder / f"{self.path.name}-{Path(name).name}"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SourceError(f"{folder} cannot be made: {error.strerror}") from None
        write_atomic(path, text.encode("utf-8", "surrogateescape"))
        return path

    def _entry(self, number: int, document: dict[str, Any]) -> ReceiptEntry:
        before = self._text(number, "before") if document["there"] else None
        return ReceiptEntry(
            document["place"], before, self._text(number, "after"), tuple(document["folders"])
        )

    def _text(self, number: int, kind: str) -> str:
        data = (self.path / f"{number}.{kind}").read_bytes()
        return data.decode("utf-8", "surrogateescape")

    def _write(self, name: str, text: str) -> None:
        path = self.path / name
        write_atomic(path, text.encode("utf-8", "surrogateescape"))
        path.chmod(0o600)  # a copy may hold a token
