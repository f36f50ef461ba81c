"""What the engine refuses: each error names the argument, and nothing has changed after it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from prefrontal._core.cortex import TriggerEngine

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"period_s": -1.0}, "period_s must be positive, got -1.0"),
        ({"period_s": NAN}, "period_s must be positive, got nan"),
        ({"period_s": INF}, "period_s must be positive, got inf"),
        ({"period_s": 10**400}, "period_s must be positive, got inf"),
        ({"count": 0}, "count must be between 1 and 1000000000, got 0"),
        ({"count": -3}, "count must be a count, got -3"),
        ({"count": 2**70}, f"count must be a count, got {2**70}"),
        ({"retry_s": -0.5}, "retry_s must be at least 0.0, got -0.5"),
        ({"retry_s": 90.0, "retry_limit_s": 5}, "retry_limit_s must be at least 90.0, got 5.0"),
        ({"farming_jump_factor": 0.5}, "farming_jump_factor must be at least 1.0, got 0.5"),
        ({"farming_jump_from": "x"}, 'farming_jump_from must be "largest" or "usual", got \'x\''),
        ({"farming_tempo_count": 33}, "farming_tempo_count must be between 2 and 32, got 33"),
        ({"farming_tempo_per_day": 0}, "farming_tempo_per_day must be positive, got 0.0"),
        ({"max_peers": 0}, "max_peers must be between 1 and 10000000, got 0"),
    ],
)
def test_a_threshold_out_of_its_range_is_named_and_nothing_changes(
    options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        TriggerEngine(**options)
    engine = TriggerEngine()
    engine.set_thresholds(4, count=7)
    before = engine.thresholds(), engine.thresholds(4), engine.agents()
    for agent in (None, 4, 5):
        with pytest.raises(ValueError, match=sentence.split(maxsplit=1)[0]):
            engine.set_thresholds(agent, new_peer=True, **options)
    assert (engine.thresholds(), engine.thresholds(4), engine.agents()) == before


def test_a_value_that_fits_all_but_one_agent_changes_none() -> None:
    engine = TriggerEngine()
    engine.set_thresholds(4, retry_s=500.0)
    with pytest.raises(ValueError, match="retry_limit_s must be at least 500.0, got 400.0"):
        engine.set_thresholds(retry_limit_s=400.0)
    assert engine.thresholds()["retry_limit_s"] == 1800.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"count": "5"}, "count must be a whole number, got '5'"),
        ({"count": 5.0}, "count must be a whole number, got 5.0"),
        ({"count": True}, "count must be a whole number, got True"),
        ({"period_s": "x"}, "period_s must be a number, got 'x'"),
        ({"new_peer": 1}, "new_peer must be True or False, got 1"),
        ({"retry_s": None}, "retry_s must be a number, got None"),
        ({"perid_s": 3}, "option must be a threshold of TriggerEngine, got 'perid_s'"),
    ],
)
def test_a_threshold_of_the_wrong_type_or_name_is_named(
    options: dict[str, Any], sentence: str
) -> None:
    for call in (TriggerEngine, TriggerEngine().set_thresholds):
        with pytest.raises(TypeError) as made:
            call(**options)
        assert str(made.value) == sentence


CALLS: list[tuple[Callable[[TriggerEngine], object], str]] = [
    (lambda e: e.push(1, "in", "bo", NAN), "time must lie within 1e15 seconds of 0, got nan"),
    (lambda e: e.push(1, "in", "bo", -INF), "time must lie within 1e15 seconds of 0, got -inf"),
    (lambda e: e.push(1, "in", "bo", 2e15), "time must lie within"),
    (lambda e: e.push(1, "in", "bo", 9.0, -1.0), "size must be between 0 and 1e15, got -1.0"),
    (lambda e: e.push(1, "effort", "bo", 9.0, NAN), "size must be between 0 and 1e15, got nan"),
    (lambda e: e.push(1, "in", "", 9.0), "peer must be 1 to 1024 bytes long, got 0"),
    (lambda e: e.push(1, "in", "ë" * 513, 9.0), "peer must be 1 to 1024 bytes long, got 1026"),
    (lambda e: e.push(1, "im", "bo", 9.0), "kind must be one of .*, got 'im'"),
    (lambda e: e.commit(1, "bo", INF, "k"), "due must lie within 1e15 seconds of 0, got inf"),
    (lambda e: e.commit(1, "", 1.0, "k"), "peer must be 1 to 1024 bytes long, got 0"),
    (lambda e: e.commit(1, "bo", 1.0, ""), "key must be 1 to 1024 bytes long, got 0"),
    (lambda e: e.due(NAN), "now must lie within 1e15 seconds of 0, got nan"),
    (lambda e: e.begin(1, NAN), "now must lie within"),
    (lambda e: e.begin(2, 9.0), "agent must not be in a cycle when one begins, got 2"),
    (lambda e: e.finish(1, 9.0), "agent must be in a cycle to finish it, got 1"),
    (lambda e: e.finish(3, 9.0), "agent must be in a cycle to finish it, got 3"),
    (lambda e: e.finish(2, NAN), "now must lie within"),
    (lambda e: e.finish(2, 9.0, -1), "interactions must not be negative, got -1"),
    (lambda e: e.fail(1, 9.0), "agent must be in a cycle to fail it, got 1"),
    (lambda e: e.fail(2, INF), "now must lie within"),
    (lambda e: TriggerEngine.load(e.save(), NAN), "now must lie within"),
]


@pytest.mark.parametrize(("call", "sentence"), CALLS)
def test_a_refused_call_says_why_and_changes_nothing(
    call: Callable[[TriggerEngine], object], sentence: str
) -> None:
    engine = TriggerEngine()
    for agent in (1, 2):
        engine.push(agent, "in", "bo", 5.0, 7.0)
    engine.begin(2, 6.0)
    before = engine.save()
    with pytest.raises(ValueError, match=f"^{sentence}"):
        call(engine)
    assert engine.save() == before and engine.due(6.0) == []


@pytest.mark.parametrize("peer", [None, 5, b"bo"])
def test_a_peer_that_is_no_text_is_a_type_error(peer: Any) -> None:
    with pytest.raises(TypeError):
        TriggerEngine().push(1, "in", peer, 0.0)
