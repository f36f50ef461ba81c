"""The page's state follows the log that others write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from queue import SimpleQueue
from threading import enumerate as threads

import pytest

from prefrontal.cortex.models import Belief, ReflectionRecord
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.pages import DecisionPages
from prefrontal.decisions.threshold_wishes import wish_threshold
from prefrontal.errors import SourceError
from prefrontal.testing import ManualClock
from prefrontal.web.dash_context import DashContext
from prefrontal.web.following import Follower
from prefrontal.web.regions import PageChange
from prefrontal.web.tallies import day_of

from .dash_samples import INVOICES, NOON, decision, reflect, remember, shown_in, wake

PATIENCE_S = 60.0


@contextmanager
def following(context: DashContext) -> Iterator[tuple[Follower, SimpleQueue[PageChange]]]:
    changes: SimpleQueue[PageChange] = SimpleQueue()
    follower = Follower(context)
    follower.tell = changes.put
    follower.start()
    try:
        yield follower, changes
    finally:
        follower.stop()


def until(
    changes: SimpleQueue[PageChange], holds: Callable[[PageChange], bool]
) -> list[PageChange]:
    """The changes up to the one that holds; each begins where the one before ends."""
    found = [changes.get(timeout=PATIENCE_S)]
    while not holds(found[-1]):
        found.append(changes.get(timeout=PATIENCE_S))
        assert found[-1].start == found[-2].end
    return found


def test_what_another_process_writes_arrives_in_small_pieces(tmp_path: Path) -> None:
    with shown_in(tmp_path, INVOICES) as context:
        context.log.append_many(wake(NOON + n) for n in range(30))
        with following(context) as (follower, changes), DecisionLog(context.log.path) as other:
            number = follower.state[0]
            other.append(wake(NOON + 31, score=0.95))
            [change] = until(changes, lambda each: "strip" in each.regions)
            assert (change.start, change.end) == (number, number + 1)
            assert list(change.regions["strip"]["pieces"]) == ["e-31"]
            assert change.regions["strip"]["order"][-1] == "e-31"
            assert list(change.regions["questions"]["pieces"]) == ["q-31", "q-more"]
            until(changes, lambda each: "modules" in each.regions)


def test_a_label_moves_the_event_and_takes_the_question_away(tmp_path: Path) -> None:
    with shown_in(tmp_path, INVOICES) as context:
        context.log.append(wake(id="wake1"))
        with following(context) as (_, changes):
            context.log.add_label("wake1", 0.0, NOON)
            change = until(changes, lambda each: "questions" in each.regions)[-1]
            assert change.regions["questions"] == {"order": [], "pieces": {}}
            assert 'class="bar wasted"' in change.regions["strip"]["pieces"]["e-1"]
            assert "figure-questions" in change.regions["figures"]["pieces"]


def test_routes_and_reflections_follow_too(tmp_path: Path) -> None:
    with shown_in(tmp_path) as context, following(context) as (_, changes):
        context.log.append(decision("route", "tool", id="route1"))
        until(changes, lambda each: "routes" in each.regions)
        context.log.append(decision("act", "tool", cause="route1", question="done so"))
        change = until(changes, lambda each: "routes" in each.regions)[-1]
        [piece] = change.regions["routes"]["pieces"].values()
        assert "done so" in piece
        context.log.append(decision("belief", "house-rule"))
        until(changes, lambda each: "reflections" in each.regions)


def test_what_a_clock_that_was_ahead_dated_is_listed_last(tmp_path: Path) -> None:
    with shown_in(tmp_path) as context:
        for time, subject in ((NOON + 9e9, "ahead"), (NOON, "now"), (NOON - 9e5, "before")):
            context.log.append(decision("route", subject, time))
            context.log.append(decision("belief", subject, time))
        reflect(
            tmp_path,
            ReflectionRecord(1, NOON + 1, "hourly"),
            ReflectionRecord(2, NOON + 9e9, "idle"),
        )
        with following(context) as (follower, _):
            regions = follower.state[1]
    for name, order in (
        ("routes", ["now", "before", "ahead"]),
        ("reflections", ["hourly, ok", "now", "before", "ahead", "idle, ok"]),
    ):
        pieces = [str(piece) for piece in regions[name].values()]
        listed = [next(word for word in order if f">{word}<" in each) for each in pieces]
        assert listed == order


def test_a_threshold_and_a_belief_that_somebody_else_changed_arrive(tmp_path: Path) -> None:
    with shown_in(tmp_path, INVOICES) as context, following(context) as (follower, changes):
        wish_threshold(context.log, "invoices", 0.25)
        change = until(changes, lambda each: "modules" in each.regions)[-1]
        [piece] = change.regions["modules"]["pieces"].values()
        assert 'data-saved="0.25"' in piece
        remember(tmp_path, Belief("house-rule", "Ask first.", "", 3, created_at=NOON))
        follower.look()
        until(changes, lambda each: "beliefs" in each.regions)


def test_another_day_empties_the_strip(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with shown_in(tmp_path, INVOICES, clock=clock) as context:
        context.log.append(wake())
        with following(context) as (_, changes):
            clock.jump(day_of(NOON)[1] - NOON)
            change = until(changes, lambda each: "strip" in each.regions)[-1]
            assert change.regions["strip"]["order"] == []


def order_of_health(change: PageChange, *unchanged: str) -> list[str]:
    order: list[str] = change.regions.get("health", {}).get("order", [*unchanged])
    return order


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (SourceError("the log is locked"), "the log is locked"),
        (KeyError("x"), "this is a defect of prefrontal: KeyError('x')"),
    ],
)
def test_trouble_is_told_once_and_passes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, error: Exception, words: str
) -> None:
    with shown_in(tmp_path, INVOICES) as context, following(context) as (follower, changes):
        take, calls = follower._tallies.take, SimpleQueue[int]()

        def failing(pages: DecisionPages, now: float) -> set[str]:
            calls.put(1)
            if calls.qsize() < 4:
                raise error
            return take(pages, now)

        follower._tallies.take = failing  # type: ignore[method-assign]
        context.log.append(wake())
        told = until(changes, lambda each: "health" in each.regions)[-1]
        assert escape(words) in told.regions["health"]["pieces"]["health-page"]
        until(changes, lambda each: "strip" in each.regions)
        until(changes, lambda each: "health-page" not in order_of_health(each, "health-page"))
    messages = [each.getMessage() for each in caplog.records]
    assert messages.count(f"the page stands still: {words}") == 1


def test_nothing_is_read_while_nobody_writes(tmp_path: Path) -> None:
    with shown_in(tmp_path) as context:
        follower = Follower(context)
        looks: list[int] = []
        take = follower._tallies.take
        follower._tallies.take = lambda pages, now: looks.append(1) or take(pages, now)  # type: ignore[method-assign,func-returns-value]
        for expected in (0, 1):
            for _ in range(3):
                follower._follow()
            assert len(looks) == expected
            context.log.append(wake())
        follower.stop()


def test_the_end_leaves_no_thread(tmp_path: Path) -> None:
    with shown_in(tmp_path) as context, following(context) as (follower, _):
        follower.stop()
        assert not [each for each in threads() if "follower" in each.name]


def test_a_log_that_was_replaced_is_told(tmp_path: Path) -> None:
    with shown_in(tmp_path) as context, following(context) as (follower, changes):
        context.state.decisions.rename(tmp_path / "elsewhere")
        follower.look()
        change = until(changes, lambda each: "health" in each.regions)[-1]
        assert "removed or replaced" in change.regions["health"]["pieces"]["health-replaced"]
