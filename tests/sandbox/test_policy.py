from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

import prefrontal
from prefrontal.errors import InputError
from prefrontal.sandbox import Limits, Policy
from prefrontal.sandbox.policy import readable_paths, scratch_of

PACKAGE = Path(prefrontal.__file__).resolve().parent


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), 1e10, True, "3", None])
def test_a_limit_is_a_number_above_zero(value: object) -> None:
    with pytest.raises(InputError, match="max_seconds must be"):
        Limits(max_seconds=value)  # type: ignore[arg-type]


def test_counts_are_whole_numbers() -> None:
    with pytest.raises(InputError, match=r"max_processes must be a whole number, got 2\.5"):
        Limits(max_processes=2.5)  # type: ignore[arg-type]


def test_an_unknown_level_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="level must be auto or one of .*, got 'strong'"):
        Policy(tmp_path, level="strong")


@pytest.mark.parametrize(
    ("name", "value"),
    [("LD_PRELOAD", "x"), ("A=B", "x"), ("", "x"), ("A", "\0"), ("A", "\ud800"), ("A", 1)],
)
def test_a_variable_that_steers_the_loader_or_is_malformed_is_refused(
    tmp_path: Path, name: str, value: Any
) -> None:
    with pytest.raises(InputError, match="environment must be a plain name"):
        Policy(tmp_path, environment={name: value})


def test_scratch_is_an_existing_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="scratch must be an existing folder"):
        scratch_of(Policy(tmp_path / "missing"))


@pytest.mark.parametrize("place", [PACKAGE, PACKAGE / "sandbox", PACKAGE.parent, Path("/")])
def test_scratch_lies_apart_from_the_package(place: Path) -> None:
    with pytest.raises(InputError, match="scratch must lie apart from"):
        scratch_of(Policy(place))


def test_scratch_lies_apart_from_the_interpreter() -> None:
    with pytest.raises(InputError, match="scratch must lie apart from"):
        scratch_of(Policy(Path(sys.prefix) / "lib"))


@pytest.mark.parametrize("readable", ["/etc", b"/etc", Path("/etc"), 3, [3], None])
def test_what_is_readable_is_a_sequence_of_paths(tmp_path: Path, readable: Any) -> None:
    rule = r"readable must be a sequence of paths, such as \[Path\('data'\)\], got "
    with pytest.raises(InputError, match=rule + re.escape(repr(readable))):
        Policy(tmp_path, readable)


def test_everything_may_not_be_readable(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="readable must be less than everything"):
        readable_paths(Policy(tmp_path, (Path("/"),)))
    with pytest.raises(InputError, match="readable must exist"):
        readable_paths(Policy(tmp_path, (tmp_path / "missing",)))


def test_what_lies_in_a_readable_folder_is_not_named_again(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    paths = readable_paths(Policy(tmp_path, (tmp_path / "a" / "b", tmp_path / "a")))
    assert str(tmp_path / "a") in paths
    assert str(tmp_path / "a" / "b") not in paths


def test_neither_home_nor_etc_nor_proc_is_readable(tmp_path: Path) -> None:
    paths = readable_paths(Policy(tmp_path))
    assert {"/", "/etc", "/home", "/root", "/proc", "/tmp", "/var"}.isdisjoint(paths)


def test_the_network_brings_the_files_it_needs(tmp_path: Path) -> None:
    closed = readable_paths(Policy(tmp_path))
    opened = readable_paths(Policy(tmp_path, network=True))
    assert set(opened) > set(closed) or not Path("/etc/resolv.conf").exists()
