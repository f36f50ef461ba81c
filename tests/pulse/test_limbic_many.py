"""Many modules, many features and many threads."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from prefrontal.pulse.limbic import LimbicLayer
from prefrontal.types import SignalEvent

from .sample_modules import DOWNLOADS, FILES, file, fingerprint

MOST_FEATURES = 2**17


def stream(seed: int, windows: int) -> list[tuple[list[SignalEvent], float]]:
    rng = random.Random(seed)
    found = []
    for _ in range(windows):
        events = [
            file(
                f"{rng.choice([DOWNLOADS, '/srv/a', '/srv/b'])}/{rng.choice('xyz')}{rng.randrange(9)}"
                f"{rng.choice(['.pdf', '.tmp', '.py'])}",
                actor=rng.choice(["jane", "bot"]),
            )
            for _ in range(rng.randint(1, 4))
        ]
        found.append((events, float(rng.random() < 0.4)))
    return found


def names(count: int) -> list[str]:
    return [f"module {number:04}" for number in range(count)]


def test_a_thousand_modules_score_together_as_they_score_one_by_one() -> None:
    limbic = LimbicLayer(utc=True)
    kinds = [".pdf", ".tmp", ".py", ".md"]
    for number, name in enumerate(names(1_000)):
        files = {"watch_directories": [f"/srv/{number % 7}"], "relevant_extensions": kinds[:1]}
        limbic.register(name, fingerprint(filesystem=files) if number % 5 else fingerprint())
    for number, (window, label) in enumerate(stream(1, 400)):
        limbic.update_weights(f"module {number * 37 % 1_000:04}", window, label)
    for window, _ in stream(2, 20):
        together = limbic.score_all(window)
        assert list(together) == names(1_000)
        assert together == {name: limbic.score(name, window) for name in names(1_000)}
    assert len(set(together.values())) > 100


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 64])
def test_modules_that_share_features_learn_as_if_each_were_alone(count: int) -> None:
    lessons, later, seen = stream(3, 25), stream(4, 10), stream(5, 8)

    def taught(limbic: LimbicLayer, name: str, number: int) -> None:
        for window, label in lessons[number % 5 :]:
            limbic.update_weights(name, window, label if number % 2 else 1 - label)

    crowd = LimbicLayer(utc=True)
    for number, name in enumerate(names(count)):
        crowd.register(name, fingerprint(filesystem=FILES))
        taught(crowd, name, number)
    for name in names(count)[::3]:  # leaves holes that latecomers fill
        crowd.unregister(name)
    for name in (*names(count)[::3], "latecomer"):
        crowd.register(name, fingerprint())
    for window, label in later:
        crowd.update_weights("latecomer", window, label)

    for number, name in enumerate((*names(count), "latecomer")):
        alone = LimbicLayer(utc=True)
        alone.register(name, fingerprint(filesystem=FILES) if number % 3 else fingerprint())
        if name == "latecomer":
            alone.register(name, fingerprint())
            for window, label in later:
                alone.update_weights(name, window, label)
        elif number % 3:
            taught(alone, name, number)
        for window, _ in seen:
            assert crowd.score(name, window) == alone.score(name, window)
            assert crowd.score_all(window)[name] == alone.score(name, window)
            assert crowd.contributions(name, window) == alone.contributions(name, window)


def test_unregistering_frees_what_a_module_knew() -> None:
    limbic = LimbicLayer(utc=True)
    for name in names(20):
        limbic.register(name, fingerprint())
        for window, label in stream(6, 20):
            limbic.update_weights(name, window, label)
    empty = LimbicLayer(utc=True)._core.save()
    assert limbic._core.features(names(20)[0]) > 50
    for name in names(20):
        limbic.unregister(name)
        assert limbic._core.features(name) == 0
    assert limbic.modules() == []
    assert limbic._core.save() == empty


def many_words(number: int) -> list[SignalEvent]:
    """One event with words that no other number has, a thousand features."""
    text = " ".join(f"w{number}x{each}" for each in range(500))
    return [file(f"/srv/{number}.py", text=text)]


def test_past_its_limit_a_module_forgets_the_weakest_half_and_keeps_the_rest() -> None:
    limbic = LimbicLayer(utc=True)
    for name in ("forgetful", "neighbour"):
        limbic.register(name, fingerprint(filesystem=FILES))
        for _ in range(20):
            limbic.update_weights(name, [file("/srv/exam.doc")], 1.0)
            limbic.update_weights(name, many_words(0), 0.0)
    exam, neighbour = [file("/srv/exam.doc")], limbic.score("neighbour", [file()])
    strong = {name for name, weight in limbic.contributions("forgetful", exam) if abs(weight) > 0.1}
    held = [limbic._core.features("forgetful")]
    while held[-1] >= held[0]:
        limbic.update_weights("forgetful", many_words(len(held)), len(held) % 2)
        held.append(limbic._core.features("forgetful"))
        assert held[-1] <= MOST_FEATURES
        if held[-1] < held[-2]:
            break
    assert held[-2] > MOST_FEATURES - 2_000
    assert MOST_FEATURES * 0.49 < held[-1] < MOST_FEATURES * 0.51
    assert strong <= {name for name, _ in limbic.contributions("forgetful", exam)}
    assert limbic.score("neighbour", [file()]) == neighbour
    assert limbic.score_all(exam)["forgetful"] == limbic.score("forgetful", exam) > 0.65
    again = LimbicLayer(utc=True)
    again._core.load(limbic._core.save())
    assert again._core.features("forgetful") == held[-1]
    assert again.score_all(exam) == limbic.score_all(exam)


def test_four_threads_score_while_one_trains_and_one_comes_and_goes() -> None:
    limbic = LimbicLayer(utc=True)
    for name in names(40):
        limbic.register(name, fingerprint(filesystem=FILES))
    lessons, done, ready = stream(7, 60), Event(), Barrier(6)

    def score() -> int:
        ready.wait()
        count = 0
        while not done.is_set() or count < 100:
            window = lessons[count % len(lessons)][0]
            one = limbic.score(names(40)[count % 40], window)
            everything = limbic.score_all(window)
            assert 0 < one < 1
            assert all(0 < each < 1 for each in everything.values())
            assert set(names(40)) <= set(everything)
            count += 1
        return count

    def train() -> None:
        ready.wait()
        for window, label in lessons * 3:
            for name in names(40)[::4]:
                limbic.update_weights(name, window, label)
        done.set()

    def come_and_go() -> None:
        ready.wait()
        for _ in range(100):
            limbic.register("visitor", fingerprint())
            limbic._core.save()
            limbic.unregister("visitor")

    with ThreadPoolExecutor(6) as pool:
        scoring = [pool.submit(score) for _ in range(4)]
        others = [pool.submit(train), pool.submit(come_and_go)]
        for each in others:
            each.result()
        assert all(each.result() >= 100 for each in scoring)

    alone = LimbicLayer(utc=True)
    for name in names(40):
        alone.register(name, fingerprint(filesystem=FILES))
    for window, label in lessons * 3:
        for name in names(40)[::4]:
            alone.update_weights(name, window, label)
    assert limbic.score_all(lessons[0][0]) == alone.score_all(lessons[0][0])
