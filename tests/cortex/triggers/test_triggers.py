"""The engine as the cortex drives it: options of the settings, texts of promises, safe times."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.cortex.models import TRIGGERS, ProposedCommitment
from prefrontal.cortex.state import CortexState
from prefrontal.cortex.triggers.triggers import TriggerEngine, Triggers, engine_options
from prefrontal.errors import InputError
from prefrontal.settings.cortex import CortexSettings, parse_cortex
from prefrontal.testing import ManualClock


def triggers(clock: ManualClock | None = None, **told: Any) -> tuple[Triggers, ManualClock]:
    clock = clock or ManualClock()
    made = Triggers(clock)
    made.configure(CortexSettings(**told), {})
    return made, clock


def test_no_model_and_no_ledger_are_needed() -> None:
    made, _ = triggers(interaction_threshold=2)
    made.push("in", "a")
    assert made.due() == ()
    made.push("in", "a")
    assert made.due() == ("interaction_count",)


@pytest.mark.parametrize("name", ["timer", "interaction_count", "new_peer"])
def test_each_trigger_can_be_on_alone(name: str) -> None:
    made, clock = triggers(triggers=(name,), interaction_threshold=1, schedule_minutes=1)
    made.push("in", "a")
    clock.advance(60)
    assert made.due() == (name,)
    none, _ = triggers(triggers=())
    none.push("in", "a")
    assert none.due() == ()


def test_the_defaults_are_the_agreed_ones() -> None:
    options = engine_options(CortexSettings(), {})
    assert (options["period_s"], options["count"]) == (1800.0, 5)
    assert [options[name] for name in ("new_peer", "promise_timeout", "farming")] == [False] * 3
    TriggerEngine(**options)
    assert engine_options(CortexSettings(), {"count": 9})["count"] == 9
    assert engine_options(CortexSettings(triggers=()), {"count": 9})["count"] is None


def test_a_long_pause_after_failures_is_possible() -> None:
    triggers(retry_backoff_seconds=7200)


def test_what_was_asked_for_by_hand_comes_first() -> None:
    made, _ = triggers(interaction_threshold=1)
    made.push("in", "a")
    made.ask()
    made.ask()
    assert made.due() == ("manual", "interaction_count")
    assert made.next_due() == 0.0
    assert made.begin() == ("manual", "interaction_count")
    made.finish(1)
    assert (made.due(), made.requests) == ((), ())
    assert TRIGGERS[0] == "manual"


def test_those_who_are_known_are_no_new_peers() -> None:
    made, _ = triggers(triggers=("new_peer",))
    made.know(["a"])
    made.push("in", "a")
    assert made.due() == ()
    made.push("in", "b")
    assert made.due() == ("new_peer",)


def test_setting_the_wall_clock_neither_fires_nor_starves_the_timer() -> None:
    made, clock = triggers(triggers=("timer",), schedule_minutes=1)
    made.push("in", "a")
    clock.jump(1e6)
    assert made.due() == ()
    clock.jump(-1e7)
    clock.advance(60)
    assert made.due() == ("timer",)


def test_a_promise_is_overdue_once_its_time_has_passed_without_a_word() -> None:
    made, clock = triggers(triggers=("promise_timeout",))
    due = clock.now() + 3600
    promise = ProposedCommitment("alice", "The report", due)
    past = ProposedCommitment("alice", "Yesterday's", clock.now() - 1)
    assert made.commit([promise, past, promise], clock.now()) == ["The report"]
    assert made.overdue() == {}
    clock.advance(3601)
    assert made.due() == ("promise_timeout",)
    for _ in range(2):
        assert made.overdue() == {"alice": [{"text": "The report", "due": due}]}
    assert made.broken == {"alice": 1}
    made.begin()
    made.finish(0)
    assert (made.overdue(), made.promises) == ({}, {})


def test_a_word_of_the_peer_ends_the_waiting() -> None:
    made, clock = triggers(triggers=("promise_timeout",))
    made.commit([ProposedCommitment("alice", "The report", clock.now() + 10)], clock.now())
    made.push("in", "alice")
    clock.advance(20)
    assert made.due() == ()
    assert made.broken == {}


def test_all_of_it_can_be_saved_and_restored() -> None:
    made, clock = triggers(interaction_threshold=3)
    made.push("in", "a")
    made.commit([ProposedCommitment("a", "text", clock.now() + 100)], clock.now())
    made.broken = {"b": 2}
    state = CortexState()
    made.save(state)
    again, _ = triggers(ManualClock(clock.now() + 50))
    again.load(state)
    again.configure(CortexSettings(interaction_threshold=3), {})
    assert again.interactions == 1
    assert (again.promises, again.broken) == (made.promises, {"b": 2})
    again.push("in", "b")
    again.push("in", "b")
    assert again.due() == ("interaction_count",)


def test_bad_thresholds_change_nothing() -> None:
    made, _ = triggers()
    before = dict(made.options)
    with pytest.raises(ValueError, match="count"):
        made.configure(CortexSettings(), {"count": -1})
    assert dict(made.options) == before


@pytest.mark.parametrize(
    "told",
    [
        {"interaction_threshold": 10**12},
        {"retry_backoff_seconds": 1e300},
        {"farming": {"easy_count": 10**12}},
        {"farming": {"jump_factor": 0.5}},
        {"farming": {"min_size": 1e300}},
        {"farming": {"tempo_count": 33}},
        {"farming": {"tempo_count": 1}},
        {"farming": {"tempo_per_day": 0}},
        {"adaptive": {"interaction_threshold": [3, 10**12]}},
        {"history_size": 10**20},
        {"event_buffer_size": 10**20},
    ],
)
def test_what_the_engine_would_refuse_is_refused_with_its_key(told: Any) -> None:
    [key] = told
    with pytest.raises(InputError, match=rf"^cortex\.{key}[^ ]* must "):
        parse_cortex(told)


@pytest.mark.parametrize(
    "farming",
    [
        {"easy_count": 10**9, "jump_factor": 1e9, "min_size": 1e9, "tempo_count": 32},
        {"easy_count": 1, "jump_factor": 1, "min_size": 0, "tempo_count": 2},
    ],
)
def test_what_the_settings_take_the_engine_takes(farming: Any) -> None:
    made, _ = triggers(
        interaction_threshold=10**9, schedule_minutes=525_600, retry_backoff_seconds=86_400
    )
    made.configure(parse_cortex({"farming": {**farming, "tempo_per_day": 1e9}})[0], {})


@pytest.mark.parametrize(
    ("told", "on"),
    [
        ({"farming": False, "timer": 20}, ("timer",)),
        ({"timer": False, "interaction_count": True}, ("interaction_count",)),
        ([{"new_peer": True}, {"timer": False}], ("new_peer",)),
    ],
)
def test_true_and_false_beside_a_trigger_switch_it(told: Any, on: tuple[str, ...]) -> None:
    assert parse_cortex({"triggers": told})[0].triggers == on


def test_a_damaged_promise_is_left_out() -> None:
    made, clock = triggers(triggers=("promise_timeout",))
    made.commit([ProposedCommitment("a", "the report", clock.now() + 60)], clock.now())
    state = CortexState()
    made.save(state)
    [key] = state.promises
    hurts: list[dict[str, Any]] = [{"due": "soon"}, {"peer_id": []}, {"text": 3}]
    for broken in hurts:
        again = Triggers(clock)
        hurt = {key: {**state.promises[key], **broken}}
        again.load(CortexState(engine=state.engine, engine_at=state.engine_at, promises=hurt))
        assert again.promises == {}
        clock.advance(61)
        assert again.overdue() == {}
