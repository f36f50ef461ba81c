"""What came into the log since the last look."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.decisions import news as news_module
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError

from .decision_samples import slept, woke


def test_what_another_connection_keeps_is_told_once_in_its_order(tmp_path: Path) -> None:
    with DecisionLog(tmp_path / "log.db") as log, DecisionLog(tmp_path / "log.db") as other:
        other.append(woke(id="old!"))
        news = log.news()
        assert not news.look()
        other.append_many([woke(id="late", time=2.0), slept(), woke(id="early", time=1.0)])
        assert [each.id for each in news.look().wakes] == ["late", "early"]
        assert not news.look()


def test_a_label_is_told_by_the_decision_it_belongs_to() -> None:
    with DecisionLog() as log:
        log.append_many([woke(id="first"), woke(id="second")])
        news = log.news()
        for label in (0.0, 1.0):
            log.add_label("second", label, 5.0)
        found = news.look()
        assert (found.wakes, found.labelled) == ((), ("second",))
        assert not news.look()


def test_a_wake_without_a_question_is_no_news() -> None:
    with DecisionLog() as log:
        news = log.news()
        log.append_many([woke(question=None), slept(question="Asked?")])
        assert not news.look()


def test_many_wakes_at_once_are_told_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news_module, "MOST_AT_ONCE", 2)
    with DecisionLog() as log:
        news = log.news()
        log.append_many([woke(id=f"wake{number}") for number in range(5)])
        parts = [[each.id for each in news.look().wakes] for _ in range(4)]
    assert parts == [["wake0", "wake1"], ["wake2", "wake3"], ["wake4"], []]


def test_wakes_are_read_on_from_one_that_is_known() -> None:
    with DecisionLog() as log:
        log.append_many([woke(id=f"wake{number}") for number in range(4)])
        log.append(slept(id="slept"))
        log.append(woke(id="last"))
        assert [each.id for each in log.wakes_after("wake1", 2)] == ["wake2", "wake3"]
        assert [each.id for each in log.wakes_after("slept")] == ["last"]
        assert [each.id for each in log.wakes_after(None, 3)] == ["wake2", "wake3", "last"]
        assert list(log.wakes_after("last")) == []


@pytest.mark.parametrize("unknown", ["wake", "none", "wake00"])
def test_one_cannot_read_on_from_a_decision_that_was_not_kept(unknown: str) -> None:
    with DecisionLog() as log:
        log.append(woke(id="wake0"))
        with pytest.raises(InputError, match="^decision id must be one of a decision"):
            log.wakes_after(unknown)
