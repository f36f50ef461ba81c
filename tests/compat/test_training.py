"""Activations in memory: each label trains once, silence trains nothing."""

from __future__ import annotations

import threading

import pytest

from prefrontal.compat.training import FORGET_AFTER_S, MOST_WAITING, TrainingBuffer
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

WINDOW = [SignalEvent("filesystem", "/a/b.pdf", "created", 1.0, 1.0)]


def layer() -> LimbicLayer:
    limbic = LimbicLayer(utc=True)
    limbic.register(
        "m",
        parse_fingerprint(
            {
                "module_id": "m",
                "cluster": "c",
                "version": "1",
                "question_template": "{location}?",
                "default_threshold": 0.5,
            }
        ),
    )
    return limbic


def test_a_label_trains_once() -> None:
    limbic, buffer = layer(), TrainingBuffer(ManualClock())
    before = limbic.score("m", WINDOW)
    activation = buffer.record_activation("m", WINDOW)
    assert len(activation) == 32
    buffer.record_feedback(activation, 1.0)
    assert buffer.drain(limbic) == 1
    after = limbic.score("m", WINDOW)
    assert after > before
    assert buffer.drain(limbic) == 0
    assert limbic.score("m", WINDOW) == after


def test_the_last_label_before_the_drain_counts() -> None:
    limbic, buffer = layer(), TrainingBuffer(ManualClock())
    before = limbic.score("m", WINDOW)
    activation = buffer.record_activation("m", WINDOW)
    buffer.record_feedback(activation, 1.0)
    buffer.record_feedback(activation, 0.0)
    buffer.drain(limbic)
    assert limbic.score("m", WINDOW) < before


def test_silence_is_forgotten_after_five_minutes_and_teaches_nothing() -> None:
    clock = ManualClock()
    limbic, buffer = layer(), TrainingBuffer(clock)
    before = limbic.score("m", WINDOW)
    activation = buffer.record_activation("m", WINDOW)
    clock.advance(FORGET_AFTER_S - 1)
    buffer.drain(limbic)
    assert activation in buffer
    clock.advance(1)
    assert buffer.drain(limbic) == 0
    assert activation not in buffer
    assert limbic.score("m", WINDOW) == before


def test_an_unknown_id_is_ignored_but_a_bad_label_is_not() -> None:
    buffer = TrainingBuffer(ManualClock())
    buffer.record_feedback("nobody", 1.0)
    for label in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="^label must be"):
            buffer.record_feedback("nobody", label)
    with pytest.raises(TypeError, match="^label must be"):
        buffer.record_feedback("nobody", "yes")  # type: ignore[arg-type]


def test_no_more_than_the_limit_is_kept() -> None:
    buffer = TrainingBuffer(ManualClock())
    first = buffer.record_activation("m", WINDOW)
    for _ in range(MOST_WAITING):
        last = buffer.record_activation("m", WINDOW)
    assert len(buffer) == MOST_WAITING
    assert first not in buffer
    assert last in buffer


def test_drains_at_once_train_each_label_once() -> None:
    limbic, buffer = layer(), TrainingBuffer(ManualClock())
    for _ in range(200):
        buffer.record_feedback(buffer.record_activation("m", WINDOW), 1.0)
    trained: list[int] = []
    threads = [
        threading.Thread(target=lambda: trained.append(buffer.drain(limbic))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(trained) == 200
