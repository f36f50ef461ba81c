"""Learning from labels: towards them, never past them, and quickly."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.pulse.learning.limbic import LimbicLayer

from .sample_modules import DOWNLOADS, EVENINGS, FILES, file, fingerprint, tick

PDF, TMP = [file()], [file(f"{DOWNLOADS}/hw3.tmp")]
GATE = 0.65


def module(**priors: Any) -> LimbicLayer:
    limbic = LimbicLayer(utc=True)
    limbic.register("m", fingerprint(**priors))
    return limbic


@pytest.mark.parametrize("label", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_the_score_settles_at_the_label(label: float) -> None:
    limbic = module(filesystem=FILES)
    scores = [limbic.score("m", PDF)]
    for _ in range(300):
        limbic.update_weights("m", PDF, label)
        scores.append(limbic.score("m", PDF))
    assert scores[-1] == pytest.approx(label, abs=0.03)
    assert all(min(scores[0], label) <= each <= max(scores[0], label) for each in scores)
    assert abs(label - scores[1]) < abs(label - scores[0])


def test_one_negative_after_five_positives_lowers_the_score() -> None:
    for priors in ({}, {"filesystem": FILES}, {"filesystem": FILES, "time": EVENINGS}):
        for window in (PDF, TMP, [tick()], [file(f"{DOWNLOADS}/{n}.pdf") for n in range(9)]):
            limbic = module(**priors)
            for _ in range(5):
                limbic.update_weights("m", window, 1.0)
            high = limbic.score("m", window)
            limbic.update_weights("m", window, 0.0)
            assert limbic.score("m", window) < high - 0.01


def labels_until(limbic: LimbicLayer, low: float, high: float) -> int:
    """Labels of two files in turn, until one scores below `low` and the other above `high`."""
    for number in range(1_000):
        if limbic.score("m", TMP) < low and limbic.score("m", PDF) > high:
            return number
        limbic.update_weights("m", TMP if number % 2 else PDF, float(number % 2 == 0))
    return 1_000


def test_two_kinds_of_files_are_told_apart_in_tens_of_labels_without_any_prior() -> None:
    assert labels_until(module(), GATE, GATE) <= 20
    assert labels_until(module(), 0.1, 0.9) <= 80


def test_a_fingerprint_that_is_wrong_gives_way_to_tens_of_labels_and_not_to_one_or_two() -> None:
    limbic = module(
        filesystem=FILES | {"relevant_extensions": [".tmp"], "irrelevant_extensions": [".pdf"]}
    )
    fresh_pdf, fresh_tmp = ([file(f"{DOWNLOADS}/unseen.{kind}")] for kind in ("pdf", "tmp"))
    for number in range(80):
        if limbic.score("m", fresh_pdf) > GATE > limbic.score("m", fresh_tmp):
            break
        kind = "tmp" if number % 2 else "pdf"
        limbic.update_weights("m", [file(f"{DOWNLOADS}/{number}.{kind}")], float(kind == "pdf"))
    assert 3 < number <= 60


@pytest.mark.parametrize("seed", range(5))
def test_tens_of_labels_teach_a_habit_that_no_fingerprint_told(seed: int) -> None:
    rng = random.Random(seed)

    def window() -> tuple[list[Any], bool]:
        topic = rng.choice(["exam", "invoice", "holiday", "scan"])
        actor, number = rng.choice("abc"), rng.randrange(1_000)
        place = f"/srv/{rng.choice('xyz')}/{topic}_{number}.{rng.choice(['pdf', 'txt'])}"
        return [file(place, actor=actor)], topic == "exam" and actor != "c"

    limbic = module()
    for _ in range(50):
        limbic.update_weights("m", *window())
    held_out = [window() for _ in range(400)]
    scores = [(limbic.score("m", each), matters) for each, matters in held_out]
    good = [score for score, matters in scores if matters]
    rest = [score for score, matters in scores if not matters]
    ranked = sum(a > b for a in good for b in rest) / (len(good) * len(rest))
    assert ranked > 0.85


def test_what_one_module_learns_no_other_sees() -> None:
    limbic = module(filesystem=FILES)
    limbic.register("other", fingerprint(filesystem=FILES))
    before = limbic.score("other", PDF)
    for _ in range(20):
        limbic.update_weights("m", PDF, 0.0)
    assert limbic.score("other", PDF) == before > limbic.score("m", PDF)


def test_an_actor_and_words_are_learned_from_the_features() -> None:
    limbic = module()
    good = [file("/a/x.py", actor="jane", text="Fix the crash")]
    bad = [file("/a/x.py", actor="bot", text="Bump deps from 1 to 2")]
    for _ in range(10):
        limbic.update_weights("m", good, 1.0)
        limbic.update_weights("m", bad, 0.0)
    plain = limbic.score("m", [file("/b/y.c")])
    assert limbic.score("m", [file("/b/y.c", text="fix another CRASH")]) > plain + 0.05
    assert limbic.score("m", [file("/b/y.c", actor="bot")]) < plain - 0.01
    names = dict(limbic.contributions("m", bad))
    assert {"actor=bot", "word=bump", "word=#", "words=bump deps"} <= set(names)
    assert names["actor=bot"] < 0


@pytest.mark.parametrize("label", [math.nan, math.inf, -0.001, 1.001, 2, -1, 10**400])
def test_a_label_outside_0_to_1_is_refused_and_teaches_nothing(label: float) -> None:
    limbic = module(filesystem=FILES)
    before = limbic.score("m", PDF)
    with pytest.raises(ValueError, match=r"^label must be a number from 0 to 1, got "):
        limbic.update_weights("m", PDF, label)
    assert limbic.score("m", PDF) == before


@pytest.mark.parametrize("label", ["1", None, [1.0], b"1"])
def test_a_label_that_is_no_number_is_refused(label: Any) -> None:
    with pytest.raises(TypeError, match=r"^label must be a number from 0 to 1, got "):
        module().update_weights("m", PDF, label)


@pytest.mark.parametrize("label", [True, False, 0, 1, np.float64(0.25), np.float32(1)])
def test_whatever_counts_as_a_number_is_a_label(label: float) -> None:
    limbic, plain = module(), module()
    limbic.update_weights("m", PDF, label)
    plain.update_weights("m", PDF, float(label))
    assert limbic.score("m", PDF) == plain.score("m", PDF)


def test_a_word_too_long_for_its_name_is_cut_where_a_reader_can_follow() -> None:
    limbic = module()
    window = [file(f"/data/\udcff/{'文' * 70}.pdf", text="é" + "文" * 70)]
    limbic.update_weights("m", window, 1.0)
    names = [name for name, _ in limbic.contributions("m", window)]
    assert f"name={'文' * 70}.pdf" in names
    assert any(name.startswith("word=é文文") and len(name) < 40 for name in names)


lesson = st.tuples(st.sampled_from([PDF, TMP, [tick()], [*PDF, *TMP]]), st.floats(0, 1))


@given(st.lists(lesson, max_size=60), st.booleans())
@settings(deadline=None, max_examples=100)
def test_after_any_lessons_a_yes_raises_the_score_and_a_no_lowers_it(
    lessons: list[tuple[list[Any], float]], matters: bool
) -> None:
    limbic = module(filesystem=FILES)
    for window, label in lessons:
        limbic.update_weights("m", window, label)
        assert 0 < limbic.score("m", window) < 1
    before = limbic.score("m", PDF)
    limbic.update_weights("m", PDF, float(matters))
    after = limbic.score("m", PDF)
    assert after > before if matters else after < before
