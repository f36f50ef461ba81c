"""Many modules, many features and many threads."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.types import SignalEvent

from .sample_modules import DOWNLOADS, FILES, file, fingerprint

MOST_FEATURES = 2**17


def stream(seed: int, windows: int) -> list[tuple[list[SignalEvent], float]]:
    rng = random.Random(seed)
    found = []
    for _ in range(windows):
        events = [
            file(
                f"{rng.choice([DOWNLOADS, '/srv/a', '/srv/b'])}/"
                f"{rng.choice('xyz')}{rng.randrange(9)}{rng.choice(['.pdf', '.tmp', '.py'])}",
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


def taught(limbic: LimbicLayer, name: str, lessons: list[tuple[list[SignalEvent], float]]) -> None:
    for window, label in lessons:
        limbic.update_weights(name, window, label)


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 64])
def test_modules_that_share_features_learn_as_if_each_were_alone(count: int) -> None:
    """Each third module leaves, and others come into its place."""
    crowd = LimbicLayer(utc=True)
    lonely = {name: LimbicLayer(utc=True) for name in (*names(count), "latecomer")}
    for number, name in enumerate(names(count)):
        for limbic in (crowd, lonely[name]):
            limbic.register(name, fingerprint(filesystem=FILES))
            taught(limbic, name, stream(number % 5, 25))
    for name in names(count)[::3]:
        crowd.unregister(name)
    for name in ("latecomer", *names(count)[::3]):
        for limbic in (crowd, lonely[name]):
            limbic.register(name, fingerprint())
            taught(limbic, name, stream(6, 10))

    for name, alone in lonely.items():
        assert crowd._core.features(name) == alone._core.features(name)
    for window, _ in stream(7, 8):
        together = crowd.score_all(window)
        for name, alone in lonely.items():
            assert together[name] == crowd.score(name, window) == alone.score(name, window)
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


class Bustle:
    """What several threads do with one layer of 40 modules at the same time."""

    def __init__(self, threads: int) -> None:
        self.modules = names(40)
        self.lessons = [([*events, file(f"/srv/{number}/n{number}.py")], label)
                        for number, (events, label) in enumerate(stream(7, 180))]  # fmt: skip
        self.limbic = self.layer()
        self.done, self.ready = Event(), Barrier(threads)

    def layer(self) -> LimbicLayer:
        limbic = LimbicLayer(utc=True)
        for name in self.modules:
            limbic.register(name, fingerprint(filesystem=FILES))
        return limbic

    def train(self, limbic: LimbicLayer) -> None:
        for window, label in self.lessons:
            for name in self.modules[::4]:
                limbic.update_weights(name, window, label)

    def train_beside_others(self) -> int:
        self.ready.wait()
        try:
            self.train(self.limbic)
        finally:
            self.done.set()
        return len(self.lessons)

    def score(self) -> int:
        self.ready.wait()
        count = 0
        while not self.done.is_set() or count < 100:
            window = self.lessons[count % len(self.lessons)][0]
            scores = self.limbic.score_all(window)
            assert set(self.modules) <= set(scores)
            one = self.limbic.score(self.modules[count % 40], window)
            assert all(0 < each < 1 for each in (one, *scores.values()))
            count += 1
        return count

    def come_and_go(self) -> int:
        self.ready.wait()
        for _ in range(100):
            self.limbic.register("visitor", fingerprint())
            self.limbic._core.save()
            self.limbic.unregister("visitor")
        return 100


def test_of_features_that_are_all_as_weak_only_half_is_forgotten() -> None:
    limbic = LimbicLayer(utc=True)
    limbic.register("m", fingerprint())
    held = 0
    for number in range(200):
        limbic.update_weights("m", many_words(number), 0.5)  # what it thinks anyway: weights stay 0
        before, held = held, limbic._core.features("m")
        if held < before:
            break
    assert MOST_FEATURES * 0.49 < held < MOST_FEATURES * 0.51


def test_four_threads_score_while_one_trains_and_one_comes_and_goes() -> None:
    bustle = Bustle(threads=6)
    work = [*[bustle.score] * 4, bustle.train_beside_others, bustle.come_and_go]
    with ThreadPoolExecutor(len(work)) as pool:
        counts = [each.result() for each in [pool.submit(each) for each in work]]
    assert min(counts) >= 100
    alone = bustle.layer()
    bustle.train(alone)
    for window, _ in bustle.lessons[:10]:
        assert bustle.limbic.score_all(window) == alone.score_all(window)
