"""The engine against its twin in plain Python: the same answers after any calls."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal._core.cortex import TriggerEngine

from ...exhaustive import first
from .trigger_twin import PlainEngine

AGENTS = (0, 1, -7)
PEERS = ("ada", "bo", "zoë", "n" * 40)
KEYS = ("pay", "ship", "call")
STEPS = (0.0, 1.0, 29.5, 599.0, 600.0, 1800.0, 7000.0, 90_000.0, -50.0)
SIZES = (0.0, 3.0, 40.0, 250.0, 5000.0)

Call = tuple[str, tuple[Any, ...]]

agents = st.sampled_from(AGENTS)
peers = st.sampled_from(PEERS)
keys = st.sampled_from(KEYS)
kinds = st.sampled_from(("in", "in", "in", "in", "out", "effort", "good", "bad", "known"))
thresholds = st.fixed_dictionaries(
    {},
    optional={
        "period_s": st.sampled_from((None, 30.0, 1800.0, 50_000.0)),
        "count": st.sampled_from((None, 1, 2, 5)),
        "count_outgoing": st.booleans(),
        "new_peer": st.booleans(),
        "promise_timeout": st.booleans(),
        "farming": st.booleans(),
        "retry_s": st.sampled_from((0.0, 7.0, 60.0)),
        "retry_limit_s": st.sampled_from((60.0, 200.0)),
        "farming_easy_count": st.integers(1, 3),
        "farming_jump_from": st.sampled_from(("largest", "usual")),
        "farming_jump_factor": st.sampled_from((1.0, 2.5)),
        "farming_jump_min_size": st.sampled_from((0.0, 200.0)),
        "farming_tempo_count": st.integers(2, 4),
        "farming_tempo_per_day": st.sampled_from((1.0, 12.0, 2000.0)),
        "farming_tempo_gap_s": st.sampled_from((0.0, 600.0)),
        "max_peers": st.integers(1, 3),
        "max_commitments": st.integers(1, 2),
    },
)
calls: st.SearchStrategy[Call] = st.one_of(
    st.tuples(st.just("push"), st.tuples(agents, kinds, peers, st.sampled_from(SIZES))),
    st.tuples(st.just("push"), st.tuples(agents, st.just("in"), peers, st.just(3.0))),
    st.tuples(st.just("commit"), st.tuples(agents, peers, st.sampled_from(STEPS), keys)),
    st.tuples(st.just("uncommit"), st.tuples(agents, keys)),
    st.tuples(st.just("due"), st.tuples()),
    st.tuples(st.just("begin"), st.tuples(agents)),
    st.tuples(st.just("finish"), st.tuples(agents, st.none() | st.integers(0, 6))),
    st.tuples(st.just("fail"), st.tuples(agents)),
    st.tuples(st.just("set_thresholds"), st.tuples(st.none() | agents, thresholds)),
    st.tuples(st.just("reload"), st.tuples(st.none() | st.sampled_from((0.0, 5e6)))),
)


class Both:
    """Makes each call of both and compares what they say."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.engine, self.twin = TriggerEngine(**options), PlainEngine(**options)
        self.now = 1000.0

    def call(self, name: str, step: float, arguments: tuple[Any, ...]) -> None:
        self.now += step
        made = getattr(self, f"_{name}")(*arguments)
        if made is not None:
            told, expected = made
            assert told == expected, (name, arguments)
        assert self.engine.next_due() == self.twin.next_due(), (name, arguments)

    def _ask(self, name: str, *arguments: Any) -> tuple[object, object]:
        return getattr(self.engine, name)(*arguments), getattr(self.twin, name)(*arguments)

    def _push(self, agent: int, kind: str, peer: str, size: float) -> tuple[object, object]:
        return self._ask("push", agent, kind, peer, self.now, size)

    def _commit(self, agent: int, peer: str, after: float, key: str) -> tuple[object, object]:
        return self._ask("commit", agent, peer, self.now + after, key)

    def _uncommit(self, agent: int, key: str) -> tuple[object, object]:
        return self._ask("uncommit", agent, key)

    def _due(self) -> tuple[object, object]:
        return self._ask("due", self.now)

    def _begin(self, agent: int) -> tuple[object, object] | None:
        return None if self.twin.running(agent) else self._ask("begin", agent, self.now)

    def _finish(self, agent: int, seen: int | None) -> tuple[object, object] | None:
        return self._ask("finish", agent, self.now, seen) if self.twin.running(agent) else None

    def _fail(self, agent: int) -> tuple[object, object] | None:
        return self._ask("fail", agent, self.now) if self.twin.running(agent) else None

    def _set_thresholds(self, agent: int | None, options: dict[str, Any]) -> None:
        self.engine.set_thresholds(agent, **options)
        self.twin.set_thresholds(agent, **options)

    def _reload(self, now: float | None) -> None:
        saved = self.engine.save()
        assert TriggerEngine.load(saved).save() == saved
        self.engine = TriggerEngine.load(saved, now)
        self.twin = self.twin.reloaded(now)
        self.now = self.now if now is None else now

    def compare(self) -> None:
        names: list[tuple[str, tuple[Any, ...]]] = [
            ("agents", ()),
            ("thresholds", ()),
            ("due", (self.now + 1e7,)),
        ]
        for agent in (*AGENTS, 99):
            of_agents = ("thresholds", "interactions", "peers", "commitments", "next_due")
            names += [(name, (agent,)) for name in of_agents]
            names += [("statistics", (agent, peer)) for peer in (*PEERS, "nobody")]
        for name, arguments in names:
            told, expected = self._ask(name, *arguments)
            assert told == expected, (name, arguments)


@pytest.mark.exhaustive
@settings(max_examples=250, deadline=None)
@given(thresholds, st.lists(st.tuples(st.sampled_from(STEPS), calls), min_size=10, max_size=60))
def test_the_engine_answers_as_its_twin_does(
    options: dict[str, Any], made: list[tuple[float, Call]]
) -> None:
    both = Both(options)
    for step, (name, arguments) in made:
        both.call(name, step, arguments)
    both.compare()


def call_made_up(random: Random) -> tuple[float, Call]:
    """A call of a lively agent: mostly messages, now and then a cycle, seldom anything else."""
    agent, peer = random.choice(AGENTS), random.choice(PEERS)
    kind = random.choice(("in",) * 8 + ("out", "effort", "effort", "good", "bad", "known"))
    made: dict[str, tuple[Any, ...]] = {
        "push": (agent, kind, peer, random.choice(SIZES)),
        "commit": (agent, peer, random.choice(STEPS), random.choice(KEYS)),
        "uncommit": (agent, random.choice(KEYS)),
        "due": (),
        "begin": (agent,),
        "finish": (agent, random.choice((None, None, 0, 3))),
        "fail": (agent,),
        "reload": (random.choice((None, 5e6)),),
    }
    (name,) = random.choices(list(made), weights=(60, 6, 1, 15, 8, 8, 2, 1))
    return random.choice(STEPS), (name, made[name])


@pytest.mark.parametrize("seed", first(10, range(40)))
def test_the_engine_answers_as_its_twin_does_over_a_long_life(seed: int) -> None:
    random = Random(seed)
    both = Both(
        {
            "new_peer": True,
            "promise_timeout": True,
            "farming": True,
            "farming_jump_from": random.choice(("largest", "usual")),
            "farming_easy_count": random.randint(1, 4),
            "farming_tempo_count": random.randint(2, 5),
            "farming_tempo_per_day": random.choice((5.0, 30.0)),
            "max_peers": random.randint(2, 4),
            "retry_s": random.choice((0.0, 60.0)),
        }
    )
    for _ in range(400):
        step, (name, arguments) = call_made_up(random)
        both.call(name, step, arguments)
    both.compare()
