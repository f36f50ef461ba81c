"""Questions about the same thing are one card, and can be ignored together, or not after all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.types import SignalEvent
from prefrontal.web.changes import ignore_alike, keep_later, undo
from prefrontal.web.dash_context import DashContext
from prefrontal.web.following import Follower
from prefrontal.web.later_answers import LaterAnswers
from prefrontal.web.part_decisions import ROUTES
from prefrontal.web.part_questions import MOST_EARLIER
from prefrontal.web.question_groups import Subject, grouped, subject_of
from prefrontal.web.regions import Pieces

from .dash_samples import INVOICES, NOON, decision, shown_in, wake


def about(location: str, source: str = "filesystem", **features: Any) -> tuple[SignalEvent, ...]:
    return (SignalEvent(source, location, "modified", 1.0, NOON, features),)


@pytest.fixture
def context(tmp_path: Path) -> Iterator[DashContext]:
    with shown_in(tmp_path, INVOICES) as found:
        for number in range(8):
            name = "bill.pdf" if number % 2 else "menu.pdf"
            found.log.append(wake(NOON + number, id=f"wake{number}", window=about(f"/in/{name}")))
        yield found


def region(context: DashContext, name: str) -> Pieces:
    follower = Follower(context)
    follower.stop()
    return follower.state[1][name]


def labels(context: DashContext) -> dict[str, float]:
    return {each.decision.id: each.label for each in context.log.labels_after(0)}


@pytest.mark.parametrize(
    ("window", "subject"),
    [
        (about("/home/me/in/bill.pdf"), Subject("bill.pdf", "in", "/home/me/in/bill.pdf")),
        (
            about("/src/app/lib/x.py", "git", path="lib/x.py"),
            Subject("x.py", "app", "/src/app/lib/x.py"),
        ),
        (
            about("https://host/issues/7", "github", repository="me/app"),
            Subject("7", "me/app", "https://host/issues/7"),
        ),
        (about("/"), Subject("/", "", "/")),
        ((), Subject("invoices", "", "")),
    ],
)
def test_a_question_names_its_file_and_where_it_belongs(
    window: tuple[SignalEvent, ...], subject: Subject
) -> None:
    assert subject_of(wake(window=window)) == subject


def test_questions_are_gathered_by_module_and_file(context: DashContext) -> None:
    questions = list(enumerate([wake(window=about("/a"), subject=name) for name in "xyx"], 1))
    assert [each.numbers for each in grouped(questions)] == [(1, 3), (2,)]
    assert grouped([]) == []


def test_a_card_says_how_often_and_folds_what_was_asked_before(context: DashContext) -> None:
    for number in range(MOST_EARLIER):
        context.log.append(wake(NOON + 20 + number, window=about("/in/bill.pdf")))
    pieces = region(context, "questions")
    assert list(pieces) == ["q-2", "q-1"]
    assert f"asked {4 + MOST_EARLIER} times" in pieces["q-2"]
    assert f"{3 + MOST_EARLIER} earlier" in pieces["q-2"]
    assert pieces["q-2"].count('<li class="about"') == MOST_EARLIER + 1
    assert "Ignore all 9<" in pieces["q-2"]


def test_a_card_keeps_its_place_in_the_page_while_more_is_asked(context: DashContext) -> None:
    before = list(region(context, "questions"))
    context.log.append(wake(NOON + 30, window=about("/in/menu.pdf")))
    assert sorted(region(context, "questions")) == sorted(before)


def test_all_alike_are_ignored_when_nobody_takes_it_back(context: DashContext) -> None:
    assert ignore_alike(context, {"numbers": "2,4,6,8"}).startswith(
        "Ignoring 4 questions about bill"
    )
    assert labels(context) == {}
    follower = Follower(context)
    follower.start()
    follower.stop()  # what waits is kept when the page ends
    assert labels(context) == dict.fromkeys(("wake1", "wake3", "wake5", "wake7"), 0.0)
    assert context.later.waiting() == []


def test_what_is_taken_back_stays_open(context: DashContext) -> None:
    ignore_alike(context, {"numbers": "2,4"})
    follower = Follower(context)
    follower._follow()
    pieces = follower.state[1]["questions"]
    assert list(pieces) == ["later-1", "q-6", "q-1"]
    assert "2 questions" in pieces["later-1"]
    assert undo(context, {"key": "later-1"}).startswith("Not ignored: 2 questions")
    follower._follow()
    assert list(follower.state[1]["questions"]) == ["q-2", "q-1"]
    follower.stop()
    assert labels(context) == {}
    with pytest.raises(InputError, match="key must be of an answer that can still be taken back"):
        undo(context, {"key": "later-1"})


def test_what_was_answered_meanwhile_is_left_as_it_is(context: DashContext) -> None:
    context.log.add_label("wake1", 1.0, NOON)
    ignore_alike(context, {"numbers": "2,4"})
    assert [each.ids for each in context.later.waiting()] == [("wake3",)]
    assert ignore_alike(context, {"numbers": "2,4"}) == "They were answered already."


@pytest.mark.parametrize(
    "numbers", ["", "x", "1,", "1,,2", "-1", "9" * 18, "99", ",".join("1" * 501)]
)
def test_numbers_that_are_none_are_told(context: DashContext, numbers: str) -> None:
    with pytest.raises(InputError, match="numbers must be"):
        ignore_alike(context, {"numbers": numbers})
    assert context.later.waiting() == []


def test_only_questions_can_be_ignored(context: DashContext) -> None:
    context.log.append(decision("route", "tool"))
    number = context.log.ends()[0]
    with pytest.raises(InputError, match="numbers must be those of questions"):
        ignore_alike(context, {"numbers": str(number)})


def test_an_answer_that_could_not_be_kept_is_tried_again(context: DashContext) -> None:
    later = LaterAnswers()
    later.add([(2, "wake1")], "bill.pdf", 0.0)

    def fail(_: object) -> None:
        raise InputError("the disk is full")

    with pytest.raises(InputError, match="full"):
        later.keep_due(10.0, fail)
    assert not later.keep_due(9.9, fail)
    assert later.keep_due(10.0, lambda each: keep_later(context, each))
    assert labels(context) == {"wake1": 0.0}


def test_routes_that_went_alike_are_one_and_others_are_folded(context: DashContext) -> None:
    for number in range(40):
        context.log.append(decision("route", "agent", NOON + number, reason="no_tool"))
    for number in range(5):
        context.log.append(decision("route", f"tool{number}", NOON + 50 + number))
    pieces = list(region(context, "routes").values())
    assert len(pieces) == ROUTES + 1
    assert "<summary>1 more" in pieces[-1]
    assert "40 times" in pieces[-1]
    assert "39 earlier:" in pieces[-1]


def test_reflection_that_says_the_same_is_one(context: DashContext) -> None:
    for number in range(7):
        context.log.append(
            decision("belief", "house-rule", NOON + number, question=f"rule {number}")
        )
    [piece] = region(context, "reflections").values()
    assert "7 times" in piece
    assert "rule 6" in piece
    assert "6 earlier" in piece
