"""Before a route: interrupted promotions are finished, old files swept, what waits is said."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from prefrontal.routing.layout import Layout
from prefrontal.routing.promotion.journal import journal_file, write_change
from prefrontal.routing.promotion.pending import pending_file
from prefrontal.routing.run.housekeeping import tidy, waiting

from ..project import NOON, noon, write
from ..routes import COMPOSE, Script, example_project, files, routed, router_of

DAY = 86_400.0


@pytest.fixture
def project(tmp_path: Path) -> Layout:
    return example_project(tmp_path)


def aged(path: Path, days: float) -> Path:
    os.utime(path, (NOON - days * DAY,) * 2)
    return path


def test_a_tidy_project_has_nothing_to_say(project: Layout) -> None:
    before = files(project.root)
    assert tidy(router_of(project).bench) == []
    assert files(project.root) == before


def test_a_promotion_that_was_killed_is_finished_and_told(project: Layout) -> None:
    change = write_change("domains/analysis/visualise/made.py", b'"""Made."""\n', None)
    write(journal_file(project), json.dumps({"changes": [change]}))
    [line] = tidy(router_of(project).bench)
    assert line.endswith(
        "an interrupted promotion of domains/analysis/visualise/made.py was finished"
    )
    assert (project.action("analysis", "visualise") / "made.py").read_text() == '"""Made."""\n'
    assert tidy(router_of(project).bench) == []


def test_what_is_older_than_the_settings_say_is_swept_once_a_day_and_logged(
    project: Layout,
) -> None:
    old = write(project.route_tmp("route-001") / "made.py", "x = 1\n")
    aged(old, 3)
    aged(old.parent, 3)
    log = write(project.validation_logs("2025-10-28") / "route-001-1-ruff.log", "x\n")
    settings = {"retention_days": 2, "log": {"retention_days": 30}}
    [line] = tidy(router_of(project, settings=settings).bench)
    assert line == "1 old logs and temporary modules were deleted"
    assert (old.exists(), log.exists()) == (False, True)
    [event] = map(json.loads, project.app_log("2025-10-31").read_text().splitlines())
    assert event["event"] == "sweep"
    assert event["detail"]["removed"] == [str(old.parent)]
    clock = noon()
    clock.advance(DAY)
    assert tidy(router_of(project, settings={"retention_days": 1}, clock=clock).bench) != []
    assert not log.exists()


@pytest.mark.exhaustive
def test_the_last_three_that_wait_are_named_with_how_to_go_on(project: Layout) -> None:
    for _ in range(4):
        routed(project, COMPOSE, operator=Script(yes=False))
    lines = waiting(router_of(project).bench)
    assert lines == [
        *(
            f"waiting: route-00{number} (rejected): {COMPOSE};"
            f" prefrontal route resume route-00{number}"
            for number in (2, 3, 4)
        ),
        "1 more route waits; prefrontal route resume lists them",
    ]


def test_a_route_that_waits_is_named_once_and_counted_once_a_day(project: Layout) -> None:
    clock = noon()
    bench = router_of(project, clock=clock).bench
    assert waiting(bench) == []
    routed(project, COMPOSE, operator=Script(yes=False))
    [first] = waiting(bench)
    assert first.startswith("waiting: route-001 (rejected)")
    assert waiting(bench) == []
    clock.advance(DAY)
    counted = "1 route waits; prefrontal route resume lists them"
    assert waiting(bench) == [counted]
    assert waiting(bench) == []
    routed(project, COMPOSE, operator=Script(yes=False))
    [second] = waiting(bench)
    assert second.startswith("waiting: route-002 (rejected)")
    clock.advance(DAY)
    assert waiting(bench) == ["2 routes wait; prefrontal route resume lists them"]


def test_a_torn_line_of_the_list_is_told(project: Layout) -> None:
    routed(project, COMPOSE, operator=Script(yes=False))
    with pending_file(project).open("a") as file:
        file.write('{"ts": "2025')
    [torn] = tidy(router_of(project).bench)
    assert "torn" in torn
    [line] = waiting(router_of(project).bench)
    assert line.startswith("waiting: route-001")


def test_an_open_network_is_warned_of(project: Layout) -> None:
    [line] = tidy(router_of(project, settings={"sandbox": {"network": "on"}}).bench)
    assert line.startswith("warning: routing.sandbox.network is on")


def test_a_prompt_with_control_characters_waits_without_them(project: Layout) -> None:
    routed(project, f"{COMPOSE}\x1b\u202e", operator=Script(yes=False))
    [line] = waiting(router_of(project).bench)
    assert line.isprintable()
