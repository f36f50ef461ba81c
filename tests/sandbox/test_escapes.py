"""Every attempt gets out without the sandbox, and none gets out of it.

Every ninth attempt is tried always, the others in the exhaustive run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from .driver import ATTEMPTS
from .people import drive, python_for, shared_folder, users, without_level

# "@1": as a kernel with the first version of Landlock would hold it.
LEVELS = ("namespace", "landlock", "landlock-fs@1")
BY_NAME = {attempt.name: attempt for attempt in ATTEMPTS}
SHOWN = {name for name, each in BY_NAME.items() if each.shown != "never"}
Outcomes = dict[tuple[str, str], dict[str, Any]]
SOME = list(BY_NAME)[::9]
OTHERS = [name for name in BY_NAME if name not in SOME]
each_level = pytest.mark.parametrize("level", LEVELS)


def outcomes_for(user: str, names: Sequence[str]) -> tuple[str, Outcomes]:
    """The user, and the outcome of each attempt at each level."""
    python = python_for(user)
    if python is None:
        without_level(f"{user} can run no Python 3.11 here; install Debian's python3")
    with shared_folder(user) as folder:
        outcomes = drive(user, python, folder, names, "bare", *LEVELS)
    return user, {(each["level"], each["name"]): each for each in outcomes}


@pytest.fixture(scope="module", params=users())
def some_tried(request: pytest.FixtureRequest) -> tuple[str, Outcomes]:
    return outcomes_for(str(request.param), SOME)


@pytest.fixture(scope="module", params=users())
def others_tried(request: pytest.FixtureRequest) -> tuple[str, Outcomes]:
    return outcomes_for(str(request.param), OTHERS)


def got_out(outcome: dict[str, Any]) -> bool:
    return "ESCAPED" in outcome["output"] or bool(outcome["harm"])


def test_there_are_at_least_sixty_attempts_with_names_of_their_own() -> None:
    assert len(ATTEMPTS) >= 60
    assert len(BY_NAME) == len(ATTEMPTS)


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
    assert outcome["seconds"] < 7, outcome


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
@each_level
def test_every_other_attempt_is_contained(
    others_tried: tuple[str, Outcomes], level: str, name: str
) -> None:
    check_contained(others_tried, level, name)


@pytest.mark.parametrize("name", [name for name in SOME if name in SHOWN])
def test_the_attempt_works_without_a_sandbox(some_tried: tuple[str, Outcomes], name: str) -> None:
    check_works_bare(some_tried, name)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in OTHERS if name in SHOWN])
def test_every_other_attempt_works_without_a_sandbox(
    others_tried: tuple[str, Outcomes], name: str
) -> None:
    check_works_bare(others_tried, name)
