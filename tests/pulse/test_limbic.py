"""Registering modules, scoring windows, and what pushed a score."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.learning.rules import find_rule
from prefrontal.types import SignalEvent

from .sample_modules import DOWNLOADS, EVENINGS, FILES, file, fingerprint, tick

PDF, TMP = [file()], [file(f"{DOWNLOADS}/hw3.tmp")]


def trained(labels: int = 30) -> LimbicLayer:
    """Three modules, of which "homework" has learned and "rest" has declared nothing."""
    limbic = LimbicLayer(utc=True)
    limbic.register("homework", fingerprint(filesystem=FILES, time=EVENINGS))
    limbic.register("files", fingerprint(filesystem=FILES))
    limbic.register("rest", fingerprint())
    for number in range(labels):
        window = [file(f"{DOWNLOADS}/week{number}.{'pdf' if number % 3 else 'txt'}")]
        limbic.update_weights("homework", window, float(number % 3 != 0))
    return limbic


WINDOWS: list[list[SignalEvent]] = [
    PDF,
    TMP,
    [tick()],
    [file(), tick()],
    [file(f"/elsewhere/{number}.py", actor="jane", text="fix the build") for number in range(20)],
    [SignalEvent("memory", "notes/exam", "modified", 0.4, 0.0, {"key": "date", "value_length": 9})],
]


def test_modules_are_listed_in_order_until_they_are_unregistered() -> None:
    limbic = LimbicLayer()
    assert limbic.modules() == []
    for module in ("b", "a", "ä"):
        limbic.register(module, fingerprint())
    assert limbic.modules() == ["a", "b", "ä"]
    limbic.unregister("b")
    limbic.unregister("never there")
    assert limbic.modules() == ["a", "ä"]
    assert list(limbic.score_all(PDF)) == ["a", "ä"]


def test_an_unknown_module_and_an_empty_window_score_zero() -> None:
    limbic = trained()
    assert limbic.score("unknown", PDF) == 0.0
    assert limbic.score("homework", []) == 0.0
    assert limbic.score_all([]) == {"files": 0.0, "homework": 0.0, "rest": 0.0}
    assert LimbicLayer().score_all(PDF) == {}
    assert limbic.contributions("unknown", PDF) == []
    assert limbic.contributions("homework", []) == []


def test_the_share_of_the_unseen_falls_when_a_window_was_learned() -> None:
    limbic = trained()
    assert limbic.unseen("rest", [SignalEvent("shop", "order/7", "created", 1.0, 0.0)]) == 1.0
    assert 0.0 < limbic.unseen("homework", [file(f"{DOWNLOADS}/new.py")]) < 1.0
    limbic.update_weights("homework", TMP, 0.0)
    assert limbic.unseen("homework", TMP) == 0.0
    assert limbic.unseen("unknown", PDF) == limbic.unseen("homework", []) == 0.0
    network = LimbicLayer("lstm")
    network.register("homework", fingerprint())
    assert network.unseen("homework", PDF) == 0.0


def test_learning_with_an_unknown_module_or_an_empty_window_does_nothing() -> None:
    limbic = trained()
    before = limbic.score_all(PDF)
    limbic.update_weights("unknown", PDF, 1.0)
    limbic.update_weights("homework", [], 1.0)
    assert limbic.score_all(PDF) == before


@pytest.mark.parametrize("window", WINDOWS)
def test_one_score_and_all_scores_have_the_same_bits(window: list[SignalEvent]) -> None:
    limbic = trained()
    assert limbic.score_all(window) == {
        module: limbic.score(module, window) for module in limbic.modules()
    }


def test_a_window_may_be_a_tuple() -> None:
    limbic = trained()
    assert limbic.score("homework", (*PDF, tick())) == limbic.score("homework", [*PDF, tick()])


@pytest.mark.parametrize("window", WINDOWS)
def test_the_contributions_add_up_to_the_score_and_the_largest_come_first(
    window: list[SignalEvent],
) -> None:
    limbic = trained()
    for module in limbic.modules():
        parts = limbic.contributions(module, window)
        score = limbic.score(module, window)
        total = math.fsum(weight for _, weight in parts)
        assert 1 / (1 + math.exp(-total)) == pytest.approx(score, rel=1e-5)
        sizes = [abs(weight) for _, weight in parts]
        assert sizes == sorted(sizes, reverse=True)
        assert len({name for name, _ in parts}) == len(parts)


def test_the_contributions_say_what_a_person_would_look_at() -> None:
    names = dict(trained().contributions("homework", PDF))
    assert {"bias", "extension=.pdf", "source=filesystem", f"directory={DOWNLOADS}"} <= set(names)
    assert names["extension=.pdf"] > 3
    assert {"token=hw3", "weekday=Mon", "hour=19", "count=1"} & set(names)


def test_the_features_of_the_whole_window_have_room_beside_thousands_of_words() -> None:
    limbic = LimbicLayer(utc=True)
    limbic.register("m", fingerprint())
    crowd = [file(f"/a{n}/b{n}/c{n} d{n} e{n}.py") for n in range(300)]
    limbic.update_weights("m", crowd, 1.0)
    names = {name for name, _ in limbic.contributions("m", crowd)}
    assert {"count=16+", "hour=19", "weekday=Mon", "only extension=.py"} <= names
    assert 1000 < len(names) <= 1024 + 1  # and the bias


def test_a_module_that_is_registered_again_starts_again() -> None:
    limbic = LimbicLayer(utc=True)
    limbic.register("m", fingerprint(filesystem=FILES))
    fresh = limbic.score("m", PDF)
    for _ in range(10):
        limbic.update_weights("m", PDF, 0.0)
    assert limbic.score("m", PDF) < fresh
    limbic.register("m", fingerprint(filesystem=FILES))
    assert limbic.score("m", PDF) == fresh
    limbic.unregister("m")
    assert limbic.score("m", PDF) == 0.0
    limbic.register("m", fingerprint())
    assert limbic.score("m", PDF) == 0.5


def test_two_modules_that_start_from_rules_answer_each_their_own() -> None:
    limbic = LimbicLayer(utc=True)
    rules = [
        find_rule(([file(f"/{place}/{n}.py")], place == folder) for n in range(9) for place in "ab")
        for folder in "ab"
    ]
    for module, found in (("x", rules[0]), ("x", rules[1]), ("y", rules[0]), ("z", rules[1])):
        if module not in limbic.modules():
            limbic.register(module, fingerprint())
        limbic.start_from(module, found.rule)
    for window in ([file("/a/new.py")], [file("/b/new.py")]):
        scores = limbic.score_all(window)
        assert scores == {module: limbic.score(module, window) for module in "xyz"}
        inside_a = rules[0].rule.matches(window)
        assert (scores["y"] > 0.8, scores["z"] > 0.8) == (inside_a, not inside_a)
        assert scores["x"] == scores["z"]
    with pytest.raises(KeyError, match="unknown"):
        limbic.start_from("unknown", rules[0].rule)


@pytest.mark.parametrize(
    ("module", "error", "complaint"),
    [
        (5, TypeError, "module_id must be a str, got 5"),
        ("  ", ValueError, "module_id must hold more than blanks, got '  '"),
        ("\udcff", ValueError, r"module_id must be text that UTF-8 can hold, got '\\udcff'"),
    ],
)
def test_a_bad_module_id_is_refused(module: Any, error: type[Exception], complaint: str) -> None:
    limbic = LimbicLayer()
    with pytest.raises(error, match=f"^{complaint}$"):
        limbic.register(module, fingerprint())
    assert limbic.modules() == []


def test_a_scorer_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(ValueError, match=r"^scorer must be one of linear, lstm, got 'tcn'$"):
        LimbicLayer(scorer="tcn")


@pytest.mark.parametrize("seed", [1.0, "1", None, True])
def test_a_seed_must_be_a_whole_number(seed: Any) -> None:
    with pytest.raises(TypeError, match=r"^seed must be a whole number, got "):
        LimbicLayer(seed=seed)


@pytest.mark.parametrize("window", [None, "abc", PDF[0], [None], [PDF]])
def test_what_is_no_window_is_refused(window: Any) -> None:
    limbic = trained()
    for call in (
        lambda: limbic.score("homework", window),
        lambda: limbic.score_all(window),
        lambda: limbic.update_weights("homework", window, 1.0),
        lambda: limbic.contributions("homework", window),
    ):
        with pytest.raises(TypeError, match=r"^(window must be a list of |event must be a )Signal"):
            call()


odd_numbers = st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -1e300, 1e300, np.float32(3)])
odd_words = st.text(st.characters(exclude_categories=()), max_size=12)
odd_events = st.builds(
    SignalEvent,
    source=st.sampled_from(["filesystem", "time", "memory"]) | odd_words,
    location=st.text("/.aA_-7é\n", max_size=40) | odd_words,
    delta_type=odd_words,
    magnitude=odd_numbers,
    timestamp=odd_numbers | st.floats(-1e12, 1e12),
    features=st.dictionaries(
        st.sampled_from(["size_bytes", "hour_sin", "hour_cos", "dow_sin", "dow_cos", "n"]),
        odd_numbers,
    ),
)


@given(st.lists(odd_events, min_size=1, max_size=4), st.floats(0, 1))
@settings(deadline=None, max_examples=200)
def test_any_window_scores_between_0_and_1_and_can_be_learned(
    window: list[SignalEvent], label: float
) -> None:
    limbic = trained(labels=3)
    for _ in range(2):
        for module, score in limbic.score_all(window).items():
            assert 0.0 <= score <= 1.0
            assert limbic.score(module, window) == score
            assert all(math.isfinite(w) for _, w in limbic.contributions(module, window))
            limbic.update_weights(module, window, label)
