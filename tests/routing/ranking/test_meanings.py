"""How near a prompt is to tools by vectors of an embedding model."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from prefrontal.errors import InputError
from prefrontal.routing.ranking.meanings import EVERYDAY, Meanings

TEXTS = {"near": "near", "far": "far", "half": "half"}


class Angles:
    """Vectors in a plane, by the angle of each text; everyday ones lie `apart` from one another."""

    def __init__(self, angles: dict[str, float], everyday: Sequence[float] | None = None) -> None:
        self.angles = angles
        self.everyday = everyday or [0.0] * len(EVERYDAY)
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.texts += texts
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> list[float]:
        angle = self.angles.get(text)
        if angle is None:
            angle = self.everyday[EVERYDAY.index(text)]
        return [3.0 * math.cos(angle), 3.0 * math.sin(angle)]


SPREAD = [place * math.tau / len(EVERYDAY) for place in range(len(EVERYDAY))]
"""Everyday requests whose mean cosine is below 0."""


def test_likeness_is_twice_the_cosine_where_unrelated_texts_have_none() -> None:
    model = Angles({"near": 0.1, "far": 2.0, "half": math.acos(0.3), "ask": 0.0}, SPREAD)
    likeness = Meanings(model, TEXTS).likeness("ask")
    assert likeness == {"near": 1.0, "far": 0.0, "half": pytest.approx(0.6)}


def test_it_counts_from_the_cosine_of_everyday_requests() -> None:
    """Of which one half lies at 0 and the other at a right angle."""
    everyday = [0.0, math.pi / 2] * 6
    mean = (6 * 5 * 2) / (12 * 11)
    angles = {
        "near": 0.0,
        "far": math.acos(mean),
        "half": math.acos((1 + 3 * mean) / 4),
        "ask": 0.0,
    }
    likeness = Meanings(Angles(angles, everyday), TEXTS).likeness("ask")
    assert likeness == {"near": 1.0, "far": pytest.approx(0.0), "half": pytest.approx(0.5)}


def test_a_model_that_finds_all_everyday_requests_alike_still_tells_tools_apart() -> None:
    model = Angles({"near": 0.0, "far": 1.0, "half": math.acos(0.925), "ask": 0.0})
    likeness = Meanings(model, TEXTS).likeness("ask")
    assert likeness == {"near": 1.0, "far": 0.0, "half": pytest.approx(0.5)}


def test_each_text_is_embedded_once() -> None:
    model = Angles({"near": 0.0, "far": 1.0, "half": 0.5, "ask": 0.0, "other": 0.0})
    meanings = Meanings(model, TEXTS)
    for prompt in ("ask", "other", "ask"):
        meanings.likeness(prompt)
    assert sorted(model.texts) == sorted([*EVERYDAY, *TEXTS.values(), "ask", "other"])


def test_a_vector_of_zeros_is_like_nothing() -> None:
    class Silent(Angles):
        def vector(self, text: str) -> list[float]:
            return [0.0, 0.0] if text == "near" else super().vector(text)

    likeness = Meanings(Silent({"far": 0.0, "half": 1.5, "ask": 0.0}), TEXTS).likeness("ask")
    assert likeness["near"] == 0.0 and likeness["far"] == 1.0


@pytest.mark.parametrize(
    ("vectors", "sentence"),
    [
        (lambda n: [], r"must give 15 vectors of one length \(0\), got 0 vectors"),
        (lambda n: [[1.0]] * (n - 1), r"must give 15 vectors of one length \(1\), got 14 vectors"),
        (lambda n: [[1.0, 0.0]] * (n - 1) + [[1.0]], "got one of length 1"),
        (lambda n: [["one", "two"]] * n, "embedder must give vectors of numbers"),
    ],
)
def test_vectors_that_fit_nothing_are_refused(vectors: object, sentence: str) -> None:
    class Broken(Angles):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return vectors(len(texts))  # type: ignore[operator,no-any-return]

    with pytest.raises(InputError, match=sentence):
        Meanings(Broken({}), TEXTS).likeness("ask")


def test_a_prompt_whose_vector_has_another_length_is_refused() -> None:
    class Growing(Angles):
        def vector(self, text: str) -> list[float]:
            return [1.0, 2.0, 3.0] if text == "ask" else [1.0, 2.0]

    with pytest.raises(InputError, match=r"of one length \(2\), got one of length 3"):
        Meanings(Growing({}), TEXTS).likeness("ask")
