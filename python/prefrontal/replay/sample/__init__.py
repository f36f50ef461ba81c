"""A recorded public history that ships with the package; NOTICE.md says whose and how it was made.

`scripts/make_sample.py` writes the two files that are read here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from ...errors import SourceError
from ...typed_fields import read
from ..record import RECORD, Count

FOLDER = Path(__file__).parent
WINDOWS, FACTS = "history.jsonl.gz", "history.json"


@dataclass(frozen=True, slots=True)
class Sample:
    """What is known about a recorded history, beside its windows.

    file: its labelled windows, as `read_windows` takes them. preset: what relevant meant when they
    were labelled, and notes: why. total: changes that git counted, with those that show nothing.
    first, last: the commits at its ends. until: the day after which nothing was recorded.
    """

    file: Path
    name: str
    repository: str
    licence: str
    preset: str
    notes: tuple[str, ...]
    total: Count
    first: str
    last: str
    until: str

    @property
    def origin(self) -> str:
        """Whose history it is, for those who see its figures."""
        return (
            f"This is the recorded history of {self.repository} ({self.licence}) up to"
            f" {self.until}, which ships with prefrontal; its authors' names are hashed."
        )


def read_sample(folder: Path = FOLDER) -> Sample:
    """The history recorded in a folder. Raises SourceError when it is missing or damaged."""
    try:
        facts = json.loads((folder / FACTS).read_bytes())
        sample: Sample = read(Sample, {**facts, "file": folder / WINDOWS}, RECORD)
    except (OSError, ValueError, TypeError) as error:
        rule = "hold a recorded history, as the package ships it"
        raise SourceError(f"{folder} must {rule}, got none ({error})") from None
    return sample
