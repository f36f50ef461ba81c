"""Arguments come from the wake: by name, checked by type, and what is missing is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prefrontal.executive.arguments import EventArguments
from prefrontal.types import SignalEvent

from ..routing.sample_tools import arg
from .desk_tools import wake_of

ROOT = Path("/watched")
FEATURES = {"actor": "ann", "text": "fix it", "diff": "+one", "commit": "abc", "files": ["a.py"]}


def filled(*args: str, root: Path | None = ROOT, **features: Any) -> tuple[dict[str, Any], Any]:
    wake = wake_of("Check it.", **{**FEATURES, **features})
    found = EventArguments(wake, [root] if root else []).fill([arg(one) for one in args])
    return dict(found.arguments), found.missing


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("path: str", "/watched/src/x.py"),
        ("path: Path", "/watched/src/x.py"),
        ("file", "/watched/src/x.py"),
        ("paths: list[str]", ["/watched/src/x.py"]),
        ("folder: str | Path", "/watched"),
        ("repository: str", "/watched"),
        ("text: str", "fix it"),
        ("author: str", "ann"),
        ("diff: str", "+one"),
        ("commit: str", "abc"),
        ("files: list[str]", ["a.py"]),
        ("count: int", 1),
        ("question: str", "Check it."),
        ("timestamp: float", 1e9),
        ("delta_type: str", "modified"),
        ("source: str", "filesystem"),
        ("module_id: str", "code"),
    ],
)
def test_an_argument_gets_what_its_name_says(argument: str, value: object) -> None:
    found, missing = filled(argument)
    assert list(found.values()) == [value] and not missing


@pytest.mark.parametrize(
    "argument", ["before: str", "matrix", "path: int", "count: str", "diff: bytes", "paths: int"]
)
def test_what_the_wake_does_not_have_or_has_in_another_type_is_missing(argument: str) -> None:
    found, missing = filled(argument)
    assert not found and missing == (argument.partition(":")[0],)


def test_an_argument_with_a_default_takes_only_a_feature_of_its_own_name() -> None:
    assert filled("count: int = 10", "text: str = ''", "path: str = '.'") == (
        {"text": "fix it"},
        (),
    )


def test_a_feature_of_the_very_name_comes_before_what_the_name_says() -> None:
    assert filled("path: str", path="/handed/in.diff")[0] == {"path": "/handed/in.diff"}
    assert filled("folder: str", repository="/a/repo")[0] == {"folder": "/a/repo"}


def test_the_folder_is_the_innermost_watched_one_that_holds_the_place() -> None:
    wake = wake_of("?", "/a/b/c/x.py")
    roots = [Path("/a"), Path("/a/b"), Path("/z")]
    assert EventArguments(wake, roots).fill([arg("folder")]).arguments == {"folder": "/a/b"}


def test_without_a_watched_folder_a_place_stays_as_it_is_and_there_is_no_folder() -> None:
    assert filled("path", "folder", root=None) == ({"path": "src/x.py"}, ("folder",))


def test_all_places_of_a_window_are_told_once_and_the_last_event_speaks() -> None:
    wake = wake_of("?")
    first = SignalEvent("filesystem", "/b.py", "created", 1.0, 1e9)
    wake = replace(wake, window=(first, first, *wake.window))
    found = EventArguments(wake, [ROOT]).fill([arg("paths"), arg("path"), arg("count")])
    paths = ["/b.py", "/watched/src/x.py"]
    assert found.arguments == {"paths": paths, "path": paths[1], "count": 3}


def test_a_wake_without_events_fills_nothing() -> None:
    found = EventArguments(replace(wake_of("?"), window=()), [ROOT]).fill([arg("path")])
    assert found.missing == ("path",)


def test_a_url_is_no_path_below_the_watched_folder() -> None:
    event = SignalEvent("network", "https://example.org/x", "modified", 1.0, 1e9)
    wake = replace(wake_of("?"), window=(event,))
    assert EventArguments(wake, [ROOT]).fill([arg("path")]).arguments["path"] == event.location
