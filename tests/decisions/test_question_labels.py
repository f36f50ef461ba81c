"""A question that tells of several windows is labelled by what their labels say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.labels import PRESET, TOLD, NewLabel
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.pages import DecisionPages
from prefrontal.decisions.payloads import FoldedWindow, WakePayload

from .decision_samples import slept, woke

NOW = 1_700_000_000.0
WAITS = WakePayload(waits=True)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[DecisionLog]:
    with DecisionLog(tmp_path / "log.sqlite") as made:
        yield made


def held(log: DecisionLog, count: int) -> list[Decision]:
    records = [slept(NOW + at, reason="cooldown", payload=WAITS) for at in range(count)]
    log.append_many(records)
    return records


def asked(windows: list[Decision], *, late: bool = True) -> Decision:
    folded = tuple(FoldedWindow(each.id, each.time, "cooldown", "x") for each in windows)
    return woke(NOW + 60.0, payload=WakePayload(late=late, folded=folded))


def preset(decision: Decision, label: float) -> NewLabel:
    return NewLabel(decision.id, label, NOW + 100.0, PRESET)


def label(log: DecisionLog, decision: Decision) -> float | None:
    found = log.get(decision.id)
    assert found is not None
    return found.label


def sources(log: DecisionLog, decision: Decision) -> list[tuple[float, str]]:
    return [(a.label, a.source) for a in log.labels_after(0) if a.decision.id == decision.id]


@pytest.mark.parametrize(("labels", "expected"), [((0.0, 1.0), 1.0), ((0.0, 0.0), 0.0)])
def test_what_is_known_when_it_is_asked_labels_it_at_once(
    log: DecisionLog, labels: tuple[float, ...], expected: float
) -> None:
    windows = held(log, 2)
    log.keep((), [preset(each, known) for each, known in zip(windows, labels, strict=True)])
    question = asked(windows)
    log.append(question)
    assert sources(log, question) == [(expected, TOLD)]


def test_labels_that_come_later_label_it_once_it_is_known(log: DecisionLog) -> None:
    windows, others = held(log, 2), held(log, 2)
    question, other = asked(windows), asked(others)
    log.append_many([question, other])
    log.keep((), [preset(windows[0], 0.0)])
    assert label(log, question) is None  # the other one may still matter
    log.keep((), [preset(windows[1], 0.0)])
    assert label(log, question) == 0.0
    log.keep((), [preset(others[1], 1.0)])
    assert label(log, other) == 1.0
    log.keep((), [preset(others[0], 0.0)])
    assert sources(log, other) == [(1.0, TOLD)]


def test_a_person_who_corrects_a_window_corrects_the_question(log: DecisionLog) -> None:
    windows = held(log, 1)
    log.keep([asked_about := asked(windows)], [preset(windows[0], 0.0)])
    assert label(log, asked_about) == 0.0
    windows += held(log, 1)
    log.keep([question := asked(windows)], [preset(windows[1], 0.0)])
    assert log.add_label(windows[0].id, 1.0, NOW)
    assert sources(log, question) == [(0.0, TOLD), (1.0, TOLD)]


def test_what_a_person_said_of_the_question_stays(log: DecisionLog) -> None:
    windows = held(log, 1)
    log.append(question := asked(windows))
    log.add_label(question.id, 1.0, NOW)
    log.keep((), [preset(windows[0], 0.0)])
    assert sources(log, question) == [(1.0, "user")]


def test_where_no_history_labels_windows_the_question_is_for_a_person(log: DecisionLog) -> None:
    windows = held(log, 1)
    log.append(question := asked(windows))
    log.add_label(windows[0].id, 1.0, NOW)
    assert label(log, question) is None


def test_a_question_about_a_window_of_its_own_tells_of_others_too(log: DecisionLog) -> None:
    windows = held(log, 1)
    log.keep((), [preset(windows[0], 1.0)])
    question = asked(windows, late=False)
    log.keep([question], [preset(question, 0.0)])
    assert sources(log, question) == [(0.0, PRESET), (1.0, TOLD)]
    own = [each.label for each in log.records(own_labels=True) if each.id == question.id]
    assert own == [0.0]
    with closing(DecisionPages(log.path)) as pages:
        mattered = [each.mattered for each in pages.gate.asked_times(NOW)]
    assert mattered == [True, False]


def test_its_own_window_may_be_labelled_last(log: DecisionLog) -> None:
    windows = held(log, 1)
    log.keep([question := asked(windows, late=False)], [preset(windows[0], 1.0)])
    assert sources(log, question) == [(1.0, TOLD)]
    log.keep((), [preset(question, 0.0)])
    assert label(log, question) == 1.0
    log.keep([other := asked(held(log, 1), late=False)], [preset(other, 1.0)])
    assert sources(log, other) == [(1.0, PRESET)]


def test_questions_of_releases_before_are_labelled_when_asked_to(log: DecisionLog) -> None:
    windows = held(log, 2)
    log.append_many([question := asked(windows), other := woke()])
    log._database.execute_many(
        "INSERT INTO labels (decision, label, at, source)"
        " SELECT seq, ?2, 1.0, 'preset' FROM decisions WHERE id = ?1",
        [(windows[0].id, 1.0), (windows[1].id, 0.0)],
    )
    log.label_unanswered("another")
    assert label(log, question) is None
    log.label_unanswered(question.subject)
    assert (label(log, question), label(log, other)) == (1.0, None)
    log.label_unanswered(question.subject)
    assert sources(log, question) == [(1.0, TOLD)]


def test_a_wake_alone_is_labelled_by_its_own_label(log: DecisionLog) -> None:
    alone = replace(woke(), payload=WakePayload())
    log.keep([alone], [preset(alone, 1.0)])
    assert sources(log, alone) == [(1.0, PRESET)]
