from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.modules.priors import (
    FilesystemPrior,
    MemoryPrior,
    TimePrior,
    extension_hash,
    read_prior,
)

PRIORS: dict[str, tuple[Any, dict[str, Any]]] = {
    "files": (FilesystemPrior, {"watch_directories": ["/data"], "relevant_extensions": [".pdf"]}),
    "memory": (MemoryPrior, {"watch_namespaces": ["tasks"], "high_relevance_keys": ["due"]}),
    "time": (TimePrior, {"active_hours": [9, 17], "active_days": [0, 1]}),
}


def parsed(path: str, value: object) -> Any:
    """A valid prior's document with the key at `<prior>.<key>` set, parsed."""
    name, key = path.split(".")
    prior, raw = PRIORS[name]
    return read_prior(prior, raw | {key: value}, name)


def refusal(path: str, value: object) -> str:
    with pytest.raises(InputError) as caught:
        parsed(path, value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("files.watch_directories", []),
        ("files.watch_directories", None),
        ("files.watch_directories", "/data"),
        ("files.watch_directories", ("/data",)),
        ("files.relevant_extensions", ".pdf"),
        ("files.relevant_extensions", None),
        ("files.irrelevant_extensions", {}),
        ("memory.watch_namespaces", []),
        ("memory.watch_namespaces", "tasks"),
        ("memory.high_relevance_keys", "due"),
        ("time.active_hours", (9, 17)),
        ("time.active_hours", None),
        ("time.active_hours", [9]),
        ("time.active_hours", [9, 12, 17]),
        ("time.active_hours", [0, 24]),
        ("time.active_hours", [-1, 5]),
        ("time.active_hours", [9.0, 17.0]),
        ("time.active_hours", [False, True]),
        ("time.active_days", []),
        ("time.active_days", None),
        ("time.typical_interval_hours", 0),
        ("time.typical_interval_hours", -1),
        ("time.typical_interval_hours", True),
        ("time.typical_interval_hours", math.nan),
        ("time.typical_interval_hours", math.inf),
        ("time.typical_interval_hours", 10**400),
        ("time.typical_interval_hours", "12"),
    ],
)
def test_a_broken_value_is_refused_by_its_dotted_path(path: str, value: object) -> None:
    text = refusal(path, value)
    assert text.startswith(f"{path} must ")
    assert ", got " in text


@pytest.mark.parametrize(
    ("path", "items"),
    [
        ("files.watch_directories", ["/data", ""]),
        ("files.watch_directories", ["/data", "  "]),
        ("files.watch_directories", ["/data", 7]),
        ("files.watch_directories", ["/data", Path("/other")]),
        ("files.watch_directories", ["/data", "a\0b"]),
        ("files.watch_directories", ["/data", "~nobody-by-this-name/x"]),
        ("files.watch_directories", ["/data", "\ud800"]),
        ("files.relevant_extensions", [".a", "."]),
        ("files.relevant_extensions", [".a", ". "]),
        ("files.relevant_extensions", [".a", "pdf"]),
        ("files.relevant_extensions", [".a", ""]),
        ("files.relevant_extensions", [".a", 7]),
        ("files.relevant_extensions", [".a", "./pdf"]),
        ("files.relevant_extensions", [".a", ".\\pdf"]),
        ("files.irrelevant_extensions", [".a", ".\ud800"]),
        ("memory.watch_namespaces", ["tasks", 7]),
        ("memory.high_relevance_keys", ["due", None]),
        ("time.active_days", [0, 7]),
        ("time.active_days", [0, -1]),
        ("time.active_days", [0, True]),
        ("time.active_days", [0, 1.0]),
    ],
)
def test_a_broken_item_is_refused_by_its_place_in_the_list(path: str, items: list[object]) -> None:
    assert refusal(path, items).startswith(f"{path}[1] must ")


@pytest.mark.parametrize("name", PRIORS)
@pytest.mark.parametrize("value", [None, [], "text", 7])
def test_a_prior_that_is_no_dict_is_refused(name: str, value: object) -> None:
    with pytest.raises(InputError, match=rf"^{name} must be a dict, got "):
        read_prior(PRIORS[name][0], value, name)


@pytest.mark.parametrize(
    ("name", "missing"),
    [("files", "watch_directories"), ("memory", "watch_namespaces"), ("time", "active_hours")],
)
def test_each_prior_has_one_key_it_cannot_do_without(name: str, missing: str) -> None:
    with pytest.raises(InputError, match=rf"^{name} must have the keys {missing}, got \[\]$"):
        read_prior(PRIORS[name][0], {}, name)


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("files.relevant_extension", "relevant_extensions"),
        ("files.Watch_Directories", "watch_directories"),
        ("memory.high_relevence_keys", "high_relevance_keys"),
        ("time.active_hour", "active_hours"),
    ],
)
def test_a_misspelt_key_is_refused_with_the_key_that_was_meant(path: str, meant: str) -> None:
    name, key = path.split(".")
    text = refusal(path, [])
    assert text.startswith(f"{name} must have only known keys, got {key!r} (did you mean {meant!r}")
    assert meant in text.partition("known are")[2]


def test_an_extension_cannot_be_relevant_and_irrelevant_whatever_its_case() -> None:
    assert refusal("files.irrelevant_extensions", [".tmp", ".PDF"]) == (
        "files.irrelevant_extensions must share no extension, whatever its case, "
        "with relevant_extensions, got ['.PDF']"
    )


def test_directories_are_stored_absolute_with_the_home_folder_and_links_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    home = tmp_path.resolve() / "home"
    directories = parsed("files.watch_directories", ["~/a", "link/b", str(tmp_path / "c/../d")])
    assert directories.watch_directories == [
        str(home / "a"),
        str(tmp_path.resolve() / "real" / "b"),
        str(tmp_path.resolve() / "d"),
    ]


def test_active_hours_may_pass_midnight() -> None:
    prior = parsed("time.active_hours", [22, 6])
    assert [hour for hour in range(24) if prior.covers(hour)] == [0, 1, 2, 3, 4, 5, 6, 22, 23]


def test_active_hours_include_both_ends() -> None:
    assert [hour for hour in range(24) if TimePrior((9, 11)).covers(hour)] == [9, 10, 11]
    assert [hour for hour in range(24) if TimePrior((9, 9)).covers(hour)] == [9]


@pytest.mark.parametrize(
    ("hours", "whole"), [((0, 23), True), ((5, 4), True), ((0, 22), False), ((9, 9), False)]
)
def test_a_whole_day_is_one_however_it_is_written(hours: tuple[int, int], whole: bool) -> None:
    assert TimePrior(hours).is_whole_day() is whole


def test_a_day_named_twice_counts_once() -> None:
    assert parsed("time.active_days", [4, 0, 4, 0]).active_days == [4, 0]


def test_hours_are_encoded_on_a_circle_of_24() -> None:
    assert TimePrior((6, 18)).encoded() == pytest.approx((1.0, 0.0, -1.0, 0.0), abs=1e-12)


def test_an_extensions_hash_keeps_its_case_and_may_collide() -> None:
    assert [extension_hash(e) for e in (".txt", ".log", ".PDF", ".pdf", "")] == [
        0.702,
        0.702,
        0.853,
        0.391,
        0.0,
    ]
