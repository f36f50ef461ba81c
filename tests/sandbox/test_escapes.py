"""Every attempt gets out without the sandbox, and none gets out of it.

Some are tried always, the others in the exhaustive run.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from .attempt_table import BEGIN, COLUMNS, END, HEAD, expected, got_out
from .attempts_around import AROUND_NETWORK
from .attempts_hosts import HOSTS
from .attempts_network import NETWORK
from .driver import ATTEMPTS
from .people import drive, oci_runtime, python_for, shared_folder, users, without_level

# "@1": as a kernel with the first version of Landlock would hold it.
LEVELS = ("namespace", "landlock", "landlock-fs@1")
BY_NAME = {attempt.name: attempt for attempt in ATTEMPTS}
SHOWN = {name for name, each in BY_NAME.items() if each.shown != "never"}
Outcomes = dict[tuple[str, str], dict[str, Any]]
SOME = list(BY_NAME)[::28]
OTHERS = [name for name in BY_NAME if name not in SOME]
BY_PROXY = [each.name for each in (*HOSTS, *NETWORK, *AROUND_NETWORK)]
PAGE = Path(__file__).parents[2] / "docs" / "sandbox.md"
# scripts/sandbox_table.py makes the others as each user at each level.
CHOSEN = [
    (user, level)
    for user, level in (
        ("root", "namespace"), ("root", "landlock"),
        ("nobody", "namespace"), ("nobody", "landlock-fs@1"),
    )
    if user in users()
]  # fmt: skip
each_level = pytest.mark.parametrize("level", LEVELS)


def outcomes_for(user: str, names: Sequence[str], *levels: str) -> tuple[str, Outcomes]:
    """The user, and the outcome of each attempt at each level, by default all but proxy, oci."""
    python = python_for(user)
    if python is None:
        without_level(f"{user} can run no Python 3.11 here; install Debian's python3")
    with shared_folder(user) as folder:
        outcomes = drive(user, python, folder, names, *(levels or ("bare", *LEVELS)))
    return user, {(each["level"], each["name"]): each for each in outcomes}


@pytest.fixture(scope="module", params=users())
def some_tried(request: pytest.FixtureRequest) -> tuple[str, Outcomes]:
    return outcomes_for(str(request.param), SOME)


@pytest.fixture(scope="module", params=CHOSEN, ids="-".join)
def others_tried(request: pytest.FixtureRequest) -> tuple[str, str, Outcomes]:
    user, level = request.param
    return user, level, outcomes_for(user, OTHERS, level)[1]


@pytest.fixture(scope="module")
def others_bare() -> tuple[str, Outcomes]:
    return outcomes_for(users()[0], OTHERS, "bare")


@pytest.fixture(scope="module")
def tried_by_proxy() -> tuple[str, Outcomes]:
    return outcomes_for(users()[-1], BY_PROXY, "proxy")


@pytest.fixture(scope="module")
def tried_by_gvisor() -> tuple[str, Outcomes]:
    if "root" not in users() or shutil.which(oci_runtime()[0]) is None:
        pytest.skip("needs root and gVisor's runsc")
    return outcomes_for("root", SOME, "oci")


def test_there_are_at_least_two_hundred_attempts_with_names_of_their_own() -> None:
    assert len(ATTEMPTS) >= 200
    assert len(BY_NAME) == len(ATTEMPTS)


def test_the_table_of_the_page_holds_every_attempt_as_it_is_expected() -> None:
    text = PAGE.read_text(encoding="utf-8")
    lines = text.partition(BEGIN)[2].partition(END)[0].strip().splitlines()
    assert tuple(lines[2:4]) == HEAD
    shown = 0
    for attempt, line in zip(ATTEMPTS, lines[4:], strict=True):
        name, outside, *cells = line.strip("| ").split(" | ")
        assert name == attempt.name.replace("_", " ")
        assert cells == [expected(attempt, level) for level in COLUMNS]
        shown += outside != "not shown"
    assert lines[0].startswith(f"{len(ATTEMPTS)} attempts, of which {shown} were shown")


def check_contained(tried: tuple[str, Outcomes], level: str, name: str) -> None:
    _, outcomes = tried
    outcome = outcomes[level, name]
    if outcome["stopped_by"] == "sandbox" and outcome["returncode"] is None:
        without_level(f"{level} does not work here: {outcome['notes']}")
    assert outcome["held_at"] == level.partition("@")[0]
    only = BY_NAME[name].only
    if only and level not in only:
        assert got_out(outcome), "this level holds it now: say so here and in docs/sandbox.md"
        return
    assert not got_out(outcome), outcome
    assert outcome["stopped_by"] in BY_NAME[name].stopped, outcome
    assert outcome["stopped_by"] or "HELD" in outcome["output"], outcome


def check_works_bare(tried: tuple[str, Outcomes], name: str) -> None:
    user, outcomes = tried
    outcome = outcomes["bare", name]
    shown = BY_NAME[name].shown
    if not got_out(outcome) and (shown == "perhaps" or (shown == "root" and user != "root")):
        pytest.skip(f"this machine itself holds {user} back")
    assert got_out(outcome), outcome


@pytest.mark.parametrize("name", SOME)
@each_level
def test_an_attempt_is_contained(some_tried: tuple[str, Outcomes], level: str, name: str) -> None:
    check_contained(some_tried, level, name)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", OTHERS)
def test_every_other_attempt_is_contained(
    others_tried: tuple[str, str, Outcomes], name: str
) -> None:
    user, level, outcomes = others_tried
    check_contained((user, outcomes), level, name)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", BY_PROXY)
def test_an_attempt_at_the_network_is_contained_by_the_proxy(
    tried_by_proxy: tuple[str, Outcomes], name: str
) -> None:
    check_contained(tried_by_proxy, "proxy", name)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SOME)
def test_an_attempt_in_gvisor_goes_as_the_table_says(
    tried_by_gvisor: tuple[str, Outcomes], name: str
) -> None:
    outcome = tried_by_gvisor[1]["oci", name]
    if outcome["stopped_by"] == "sandbox" and outcome["returncode"] is None:
        pytest.skip(f"gVisor does not work here: {outcome['notes']}")
    assert got_out(outcome) == (expected(BY_NAME[name], "oci") != "held"), outcome


@pytest.mark.parametrize("name", [name for name in SOME if name in SHOWN])
def test_the_attempt_works_without_a_sandbox(some_tried: tuple[str, Outcomes], name: str) -> None:
    check_works_bare(some_tried, name)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in OTHERS if name in SHOWN])
def test_every_other_attempt_works_without_a_sandbox(
    others_bare: tuple[str, Outcomes], name: str
) -> None:
    check_works_bare(others_bare, name)
