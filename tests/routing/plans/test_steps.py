from __future__ import annotations

from typing import Any

import pytest

from prefrontal.routing.plans.plan import MOST_LETTERS
from prefrontal.routing.plans.steps import input_notes


def document(prompt: str, *inputs: dict[str, str]) -> dict[str, Any]:
    steps = [
        {"id": f"s{number}", "inputs": {key: f"{{{{input.{each[key]}}}}}" for key in each}}
        for number, each in enumerate(inputs, 1)
    ]
    return {"plan": {"description": prompt, "steps": steps}}


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("unzip a.zip and read the exif of the photo", "; the prompt names 1 of 2"),
        ("unzip it and read the exif", "; the prompt names 0 of 2"),
        ("unzip a.zip and read the exif of b.jpg", ""),
        ("unzip a.zip and read the exif of the photo" + " please" * MOST_LETTERS, ""),
    ],
)
def test_it_is_said_how_many_places_the_prompt_names(prompt: str, names: str) -> None:
    made = document(prompt[:MOST_LETTERS], {"path": "path"}, {"path": "path_2"})
    assert input_notes(made) == [f"path: path for s1, path_2 for s2{names}"]


def test_of_folders_and_values_it_is_not_said() -> None:
    made = document("zip src, list docs", {"folder": "folder"}, {"folder": "folder_2"})
    assert input_notes(made) == ["folder: folder for s1, folder_2 for s2"]
    made = document("sum price, sort by name", {"column": "column"}, {"column": "column_2"})
    assert input_notes(made) == ["column: column for s1, column_2 for s2"]
    for name in ("file_count", "file_type", "target_language", "url_params"):
        made = document("sum it, sort it", {name: name}, {name: f"{name}_2"})
        assert input_notes(made) == [f"{name}: {name} for s1, {name}_2 for s2"]
    assert input_notes(document("read it, list it", {"path": "path"}, {"path": "path"})) == []
