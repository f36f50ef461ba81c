"""Many LSTMs, their files, their weights given by hand, and many threads."""

from __future__ import annotations

import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import numpy as np
import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.learning.rules import find_rule

from .plain_lstm import sample_weights, sample_window
from .sample_modules import EVENINGS, FILES, file, fingerprint, tick

NAMES = ["a", "b", "été"]
WINDOWS = [sample_window(length, length) for length in (1, 2, 9)]


def layer(*, labels: int = 0, seed: int = 1) -> LimbicLayer:
    limbic = LimbicLayer("lstm", seed)
    for name in NAMES:
        limbic.register(name, fingerprint(filesystem=FILES, time=EVENINGS))
    teach(limbic, labels)
    return limbic


def teach(limbic: LimbicLayer, labels: int) -> None:
    for number in range(labels):
        limbic.update_weights(NAMES[number % 2], WINDOWS[number % 3], float(number % 5 < 2))


def scores(limbic: LimbicLayer) -> list[dict[str, float]]:
    return [limbic.score_all(window) for window in WINDOWS]


def test_one_score_all_scores_and_routed_scores_have_the_same_bits() -> None:
    limbic = layer(labels=6)
    limbic.register("elsewhere", fingerprint(filesystem={"watch_directories": ["/elsewhere"]}))
    for window in [*WINDOWS, [file()], [tick(), tick()], []]:
        together = limbic.score_all(window)
        assert list(together) == sorted([*NAMES, "elsewhere"])
        assert together == {name: limbic.score(name, window) for name in together}
        routed = limbic.score_routed(window)
        assert routed == {name: together[name] for name in routed}
    assert list(limbic.score_routed([file()])) == NAMES
    assert limbic.score_routed([]) == {}
    assert limbic.score("nobody", WINDOWS[0]) == limbic.score("a", []) == 0.0
    limbic.unregister("a")
    limbic.unregister("nobody")
    assert limbic.modules() == ["b", "elsewhere", "été"]
    assert "a" not in limbic.score_routed([file()])


@pytest.mark.parametrize("labels", [0, 30])
def test_a_fresh_process_scores_learns_and_saves_the_same_bits_after_loading(
    tmp_path: Path, labels: int
) -> None:
    limbic, loaded = layer(labels=labels), LimbicLayer("lstm")
    limbic.save(tmp_path / "model")
    assert loaded.load(tmp_path / "model") == dict.fromkeys(NAMES, "created")
    assert scores(loaded) == scores(limbic)
    assert loaded.to_bytes() == limbic.to_bytes()
    for each in (limbic, loaded):
        teach(each, 7)
    assert scores(loaded) == scores(limbic)


def test_loading_says_what_became_of_each_module(tmp_path: Path) -> None:
    layer(labels=9).save(tmp_path / "model")
    limbic = LimbicLayer("lstm", 1)
    limbic.register("a", fingerprint(0.9, filesystem=FILES, time=EVENINGS))
    limbic.register("b", fingerprint(filesystem=FILES))
    fresh = limbic.score_all(WINDOWS[0])
    assert limbic.restore("b", (tmp_path / "model").read_bytes()) == "changed"
    assert limbic.restore("nobody", (tmp_path / "model").read_bytes()) is None
    assert limbic.modules() == ["a", "b"]
    outcome = {"a": "restored", "b": "changed", "été": "created"}
    assert limbic.load(tmp_path / "model") == outcome
    after, trained = limbic.score_all(WINDOWS[0]), layer(labels=9).score_all(WINDOWS[0])
    assert after == trained | {"b": fresh["b"]}


def test_a_file_of_the_other_scorer_is_refused_by_its_name(tmp_path: Path) -> None:
    linear = LimbicLayer()
    linear.register("a", fingerprint())
    linear.save(tmp_path / "linear")
    layer().save(tmp_path / "lstm")
    with pytest.raises(InputError, match=r"model file must hold LSTMs, got linear modules$"):
        layer().load(tmp_path / "linear")
    with pytest.raises(InputError, match=r"model file must hold linear modules, got LSTMs$"):
        linear.load(tmp_path / "lstm")


def test_a_damaged_file_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    limbic = LimbicLayer("lstm")
    limbic.register("a", fingerprint())
    limbic.update_weights("a", WINDOWS[0], 1.0)
    whole, kept = limbic.to_bytes(), layer(labels=4)
    before = scores(kept)
    places = [*range(40), *range(40, len(whole), 9_973)]
    damaged = [whole[:at] for at in places] + [whole + b"\0", b"PFLS", b""]
    for at in places:
        damaged.append(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
    for value, at in ((np.nan, 37), (-1.0, len(whole) - 8)):  # no weight, no energy
        body = bytearray(whole[:-4])
        body[at : at + 4] = struct.pack("<f", value)
        damaged.append(bytes(body) + struct.pack("<I", zlib.crc32(body)))
    for content in damaged:
        (tmp_path / "model").write_bytes(content)
        with pytest.raises(InputError, match=r"model file .*must .*, got "):
            kept.load(tmp_path / "model")
    assert scores(kept) == before


def test_weights_given_are_the_weights_held_and_learning_starts_afresh() -> None:
    limbic, fresh = layer(labels=9), layer()
    for each in (limbic, fresh):
        each.set_weights("a", sample_weights(3))
        each.update_weights("a", WINDOWS[1], 1.0)
    for name, array in limbic.get_weights("a").items():
        assert array.dtype == np.float32
        assert np.array_equal(array, fresh.get_weights("a")[name])
    held = limbic.get_weights("a")
    held["head.bias"][0] = 9
    assert limbic.get_weights("a")["head.bias"][0] != 9


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("head.bias", None, "weights must hold head.bias, got "),
        ("extra", np.zeros(1, np.float32), "weights must hold those six alone, got "),
        ("head.bias", 5, r"weights\['head.bias'\] must be a numpy array of float32, got int"),
        ("head.bias", np.zeros(1), r"weights\['head.bias'\] must be an array of float32, got "),
        ("head.bias", np.zeros(2, np.float32), r"\['head.bias'\] must be of shape \(1,\), got "),
        ("head.weight", np.zeros((64, 1), np.float32), r"must be of shape \(1, 64\), got \(64, 1"),
        ("weight_ih_l0", np.zeros((16, 256), np.float32).T, "must be contiguous in C order"),
        ("bias_ih_l0", np.full(256, np.nan, np.float32), r"\['bias_ih_l0'\] must be finite, got "),
    ],
)
def test_weights_that_cannot_be_are_refused_by_name_and_change_nothing(
    name: str, value: Any, complaint: str
) -> None:
    limbic, weights = layer(), dict(sample_weights(0))
    before = limbic.to_bytes()
    weights[name] = value
    if value is None:
        del weights[name]
    with pytest.raises((TypeError, ValueError), match=complaint):
        limbic.set_weights("a", weights)
    assert limbic.to_bytes() == before


def test_what_one_scorer_alone_can_do_is_refused_by_the_other() -> None:
    linear, lstm = LimbicLayer(), layer()
    for call in (
        lambda: linear.score_stream("a", file()),
        lambda: linear.forget_stream("a"),
        lambda: linear.get_weights("a"),
        lambda: linear.set_weights("a", sample_weights(0)),
    ):
        with pytest.raises(ValueError, match=r"^scorer must be 'lstm' for \w+, got 'linear'$"):
            call()
    rule = find_rule(([file(f"/{at}/{n}.py")], at == "a") for n in range(9) for at in "ab").rule
    with pytest.raises(ValueError, match=r"^scorer must be linear to start from a rule, got 'lst"):
        lstm.start_from("a", rule)
    for missing in (lstm.get_weights, lambda name: lstm.set_weights(name, sample_weights(0))):
        with pytest.raises(KeyError, match="nobody"):
            missing("nobody")


def test_threads_score_while_one_trains_and_others_come_go_and_stream() -> None:
    limbic, done, ready = layer(), Event(), Barrier(5)

    def train() -> int:
        ready.wait()
        try:
            teach(limbic, 400)
        finally:
            done.set()
        return 400

    def score() -> int:
        ready.wait()
        count = 0
        while not done.is_set() or count < 100:
            window = WINDOWS[count % 3]
            found = limbic.score_all(window) | {"one": limbic.score("a", window)}
            assert all(0 < each < 1 for each in found.values())
            count += 1
        return count

    def visit() -> int:
        ready.wait()
        for number in range(100):
            limbic.register("visitor", fingerprint())
            limbic.score_stream("été", WINDOWS[2][number % 9])
            limbic.score_stream("visitor", WINDOWS[2][number % 9])
            limbic.to_bytes()
            limbic.unregister("visitor")
        return 100

    work = [train, score, score, visit, score]
    with ThreadPoolExecutor(len(work)) as pool:
        assert min(each.result() for each in [pool.submit(each) for each in work]) >= 100
    assert scores(limbic) == scores(layer(labels=400))
