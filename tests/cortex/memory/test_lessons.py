"""Lessons outlive the process, are few, and are revised rather than piled up."""

from __future__ import annotations

import json

import pytest

from prefrontal.cortex.memory.lessons import LessonBook
from prefrontal.settings.cortex_growth import Lessons


def book(*texts: str, cap: int = 12) -> LessonBook:
    made = LessonBook()
    for cycle, text in enumerate(texts, 1):
        made.update([text], settings=Lessons(cap=cap), cycle=cycle, now=100.0 * cycle)
    return made


def test_the_same_lesson_again_confirms_it_and_moves_it_to_the_front() -> None:
    made = book("ask before judging", "volume is no trust", "ask before judging")
    assert made.texts() == ["ask before judging", "volume is no trust"]
    first = made.lessons[0]
    assert (first.seen, first.first_cycle, first.last_cycle, first.last_at) == (2, 1, 3, 300.0)
    assert first.before == ""


def test_a_lesson_in_other_words_takes_the_place_of_the_old_one_and_keeps_it() -> None:
    made = book("ask late peers before judging them", "always ask late peers before judging them")
    [lesson] = made.lessons
    assert lesson.text == "always ask late peers before judging them"
    assert lesson.before == "ask late peers before judging them"
    assert lesson.seen == 2


def test_over_the_cap_the_one_not_drawn_for_longest_goes() -> None:
    made = book("one apple", "two pears", "one apple", "three plums", cap=2)
    assert made.texts() == ["three plums", "one apple"]


def test_a_lesson_is_one_short_line_without_secrets() -> None:
    [lesson] = book("never say\nsk-abcdefghijklmnop1234 " + "x" * 400).texts()
    assert "\n" not in lesson and "sk-abc" not in lesson and len(lesson) <= 200


def test_blank_ones_teach_nothing() -> None:
    assert book("", " \n").texts() == []


def test_lessons_survive_a_restart() -> None:
    made = book("ask before judging", "volume is no trust")
    restored = LessonBook()
    restored.load(json.loads(json.dumps(made.save())))
    assert restored.lessons == made.lessons


@pytest.mark.parametrize("raw", [None, 3, {}, [{"text": 5}], [[]], ["x"]])
def test_damaged_state_is_no_lesson(raw: object) -> None:
    made = LessonBook()
    made.load(raw)
    assert made.texts() == []


def test_a_lesson_carries_the_origins_of_all_that_it_was_drawn_from() -> None:
    made, again = LessonBook(), LessonBook()
    for cycle, sources in enumerate((("peer:bob",), ("tool:web",)), 1):
        made.update(
            ["ask late peers before judging them"],
            settings=Lessons(),
            cycle=cycle,
            now=1.0,
            sources=sources,
        )
    again.load(json.loads(json.dumps(made.save())))
    assert made.sources == again.sources == ("peer:bob", "tool:web")


def test_a_lesson_of_before_counts_as_anybodys() -> None:
    made, again = book("one apple"), LessonBook()
    saved = made.save()
    del saved[0]["sources"]
    again.load(saved)
    assert again.sources == ("more",)
