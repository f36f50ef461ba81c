"""What a step of CausalGridWorldV2 costs: the compiled world, Gymnasium's doors to it, the twin.

All entries take the same random actions in the same worlds (the default one), with the resets they
lead to; the figures are for one world's step. The twin is the plain Python of the tests; that
both agree is asserted first.

    python benchmarks/bench_control_env.py [--smoke]
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.vector import SyncVectorEnv

import harness
from harness import Row
from prefrontal._core.control import GridWorlds
from prefrontal.control import CausalGridWorldV2, CausalGridWorldVecEnv, GridWorldConfig

RAW, VECTOR, TWIN = "raw steps, 256 worlds", "vector API, 256 worlds", "plain Python twin"
TARGETS = {RAW: 1e6, f"{RAW}, with observations": 1e6, VECTOR: 300e3}
TWIN_FILE = Path(__file__).parents[1] / "tests" / "control" / "grid_world_twin.py"

Step = Callable[[], object]


def main() -> None:
    options = harness.options(__doc__ or "")
    twin_class = plain_world()
    agree(twin_class, 200 if options.smoke else 2000)
    entries, worlds = {}, {}
    for name, count, step in steppers(twin_class):
        entries[name], worlds[name] = step, count
    told = harness.measure(entries, rounds=options.rounds, smoke=options.smoke)
    rows = [Row(r.name, r.fastest_s / worlds[r.name], r.median_s / worlds[r.name]) for r in told]
    print("**One step of one world of CausalGridWorldV2, one thread**\n")
    print(harness.table(rows, twin=TWIN))
    print("\n" + "\n".join(f"{row.name}: {1 / row.median_s:,.0f} steps a second" for row in rows))
    for row in rows:
        if row.name in TARGETS:
            target = TARGETS[row.name]
            verdict = "met" if 1 / row.median_s >= target else "MISSED"
            print(f"Target for {row.name}, {target:,.0f} a second: {verdict}.")


def plain_world() -> Any:
    spec = importlib.util.spec_from_file_location("grid_world_twin", TWIN_FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PlainGridWorld


def agree(twin_class: Any, steps: int) -> None:
    """The twin and a world of the vector, step by step, to the last bit."""
    config = GridWorldConfig()
    env, twin = CausalGridWorldVecEnv(1, config), twin_class(config, np.random.default_rng(3))
    env.reset(seed=3)
    twin.reset()
    ended = False
    for action in np.random.default_rng(4).integers(5, size=steps).tolist():
        observation, rewards, terminated, truncated, _ = env.step(np.array([action]))
        if ended:
            twin.reset()
        else:
            assert rewards[0] == twin.step(action)[0]
        ended = bool(terminated[0] or truncated[0])
        for name, plain in twin.observe().items():
            assert observation[name][0].tolist() == plain.tolist(), name


def steppers(twin_class: Any) -> list[tuple[str, int, Step]]:
    """(name, worlds stepped by a call, the call); the twin comes last."""
    return [
        (RAW, 256, raw(256, observed=False)),
        (f"{RAW}, with observations", 256, raw(256, observed=True)),
        (VECTOR, 256, vector(CausalGridWorldVecEnv(256))),
        ("vector API, 256 worlds, copy=False", 256, vector(CausalGridWorldVecEnv(256, copy=False))),
        ("vector API, 16 worlds", 16, vector(CausalGridWorldVecEnv(16))),
        (
            "Gymnasium's SyncVectorEnv, 16 worlds",
            16,
            vector(SyncVectorEnv([CausalGridWorldV2] * 16)),
        ),
        ("one world through Gymnasium", 1, single()),
        (TWIN, 1, plain(twin_class)),
    ]


def actions(count: int) -> Callable[[], Any]:
    """Random actions of `count` worlds, the same again after 64 calls."""
    drawn = np.random.default_rng(0).integers(5, size=(64, count))
    step = iter(range(10**12))
    return lambda: drawn[next(step) % 64]


def raw(count: int, *, observed: bool) -> Step:
    env, chosen = CausalGridWorldVecEnv(count), actions(count)
    worlds = GridWorlds(count, "NextStep")
    for at in range(count):
        worlds.set_generator(at, np.random.default_rng(at))
    worlds.reset()
    observation = env.reset(seed=0)[0] if observed else None
    kinds = {"rewards": np.float64, "terminated": np.bool_, "truncated": np.bool_}
    codes = {"transitions": np.uint8, "causes": np.uint8, "steps": np.int64}
    out: dict[str, Any] = {name: np.empty(count, kind) for name, kind in (kinds | codes).items()}
    return lambda: worlds.step(chosen(), out, observation)


def vector(env: Any) -> Step:
    env.reset(seed=0)
    chosen = actions(env.num_envs)
    return lambda: env.step(chosen())


def single() -> Step:
    env, chosen = CausalGridWorldV2(), actions(1)
    env.reset(seed=0)

    def step() -> None:
        _, _, terminated, truncated, _ = env.step(chosen()[0])
        if terminated or truncated:
            env.reset()

    return step


def plain(twin_class: Any) -> Step:
    twin, chosen = twin_class(GridWorldConfig(), np.random.default_rng(0)), actions(1)
    twin.reset()

    def step() -> None:
        cause = twin.step(int(chosen()[0]))[2]
        if cause:
            twin.reset()
        twin.observe()

    return step


if __name__ == "__main__":
    main()
