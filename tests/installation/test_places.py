"""A file that an installation writes and takes away."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.errors import SourceError
from prefrontal.installation.places import FilePlace


def test_a_file_that_cannot_be_removed_is_one_sentence(tmp_path: Path) -> None:
    place = FilePlace(tmp_path / "settings.json")
    place.write(None)  # nothing is there: nothing to do
    (tmp_path / "settings.json").mkdir()
    with pytest.raises(SourceError, match=r"settings\.json cannot be removed: "):
        place.write(None)
