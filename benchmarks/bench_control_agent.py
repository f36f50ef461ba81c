"""Does the agent of examples/control_agent.py learn to act? Beside PPO and DQN, in the same run.

    python benchmarks/bench_control_agent.py --seeds 5 --json runs.json     # half an hour of a core

Each seed: the agent (and with --ablations each of its parts without a say), random steps, staying,
and stable-baselines3's PPO and DQN with their defaults on the same number of steps, then on until
they have spent the agent's CPU time. All are valued alike: the mean return, to the last step, in
20 layouts that no training begins with, each with its best action.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch

from prefrontal.control import CausalGridWorldV2
from prefrontal.control.experiments.bootstrap import bootstrap_interval

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
control_agent: Any = import_module("control_agent")

SLICE = 4096
Scores = dict[str, float]
Curve = list[tuple[int, float]]  # steps so far, mean return in the unseen layouts


def taught(seed: int, steps: int, world: str, without: str, curve: Curve) -> tuple[float, ...]:
    """(mean return, CPU seconds of training, share of the most frequent action)."""
    aside = 0.0

    def report(step: int, _: float, actor: Any) -> None:
        nonlocal aside
        if step > 0.95 * steps:
            return  # the end itself follows
        begin = time.thread_time()
        curve.append((step, float(acted(actor)[0].mean())))
        aside += time.thread_time() - begin

    def acted(actor: Any) -> tuple[Any, Any]:
        frozen = control_agent.FrozenActor(actor, control_agent.LAYOUTS)
        returns, shares = control_agent.evaluate(frozen, config)
        return returns, shares

    config = control_agent.Actor().config.world(world)
    begin = time.thread_time()
    actor = control_agent.train(steps, seed, world=world, without=without, report=report)
    spent = time.thread_time() - begin - aside
    returns, shares = acted(actor)
    curve.append((steps, float(returns.mean())))
    return float(returns.mean()), spent, float(shares.max())


def twins(
    seed: int, steps: int, config: Any, budget_s: float, most: int, curves: dict[str, Curve]
) -> Scores:
    """PPO and DQN after the same steps, and after the same CPU time (at most `most` steps)."""
    from stable_baselines3 import DQN, PPO

    scores: Scores = {}
    for kind in (PPO, DQN):
        name = kind.__name__
        model: Any = kind("MultiInputPolicy", CausalGridWorldV2(config), seed=seed, device="cpu")
        curve = curves.setdefault(name, [(0, valued(model, config))])
        aside: list[float] = []
        begin = time.thread_time()

        def report(*_: Any, model: Any = model, curve: Any = curve, aside: Any = aside) -> bool:
            if model.num_timesteps % (steps // 10) == 0:
                paused = time.thread_time()
                curve.append((model.num_timesteps, valued(model, config)))
                aside.append(time.thread_time() - paused)
            return True

        model.learn(steps, callback=report)
        spent = time.thread_time() - begin - sum(aside)
        scores |= {f"{name} steps' CPU s": spent, name: valued(model, config)}
        if budget_s <= 0:
            continue
        while spent < budget_s and model.num_timesteps < most:
            begin = time.thread_time()
            model.learn(SLICE, reset_num_timesteps=False)
            spent += time.thread_time() - begin
        scores[f"{name}, equal CPU"] = valued(model, config)
        scores[f"{name}, equal CPU, steps"] = model.num_timesteps
    return scores


def valued(model: Any, config: Any) -> float:
    returns, _ = control_agent.evaluate(
        lambda observation: model.predict(observation, deterministic=True)[0], config
    )
    return float(returns.mean())


def aimless(config: Any, seed: int) -> Scores:
    random, rows = np.random.default_rng(seed), control_agent.LAYOUTS
    policies: dict[str, Callable[[Any], Any]] = {
        "random": lambda _: random.integers(control_agent.ACTIONS, size=rows),
        "stay": lambda _: np.full(rows, control_agent.ACTIONS - 1),
    }
    return {
        name: float(control_agent.evaluate(policy, config)[0].mean())
        for name, policy in policies.items()
    }


def measured(seed: int, options: argparse.Namespace, curves: dict[str, Curve]) -> Scores:
    config = control_agent.Actor().config.world(options.world)
    agent = curves.setdefault("agent", [])
    mean, spent, share = taught(seed, options.steps, options.world, "", agent)
    scores = {"agent": mean, "agent CPU s": spent, "agent most frequent action": share}
    scores |= aimless(config, seed)
    if options.ablations:
        for part in control_agent.ABLATIONS:
            scores[f"without {part}"] = taught(seed, options.steps, options.world, part, [])[0]
    if find_spec("stable_baselines3") is not None and not options.alone:
        budget_s = 0.0 if options.equal_steps else spent
        scores |= twins(seed, options.steps, config, budget_s, 20 * options.steps, curves)
    return scores


def table(runs: list[Scores]) -> str:
    """Means with 95 % bootstrap intervals over the seeds, and how often the agent is above."""
    lines = ["| what | mean | 95 % interval | seeds | agent above |", "|---|---|---|---|---|"]
    for name in runs[0]:
        values = [run[name] for run in runs]
        low, high = bootstrap_interval(values) or (float("nan"), float("nan"))
        above = sum(run["agent"] > run[name] for run in runs)
        each = ", ".join(f"{it:.2f}" for it in values)
        compared = "" if "CPU s" in name or name.startswith("agent") else f"{above} of {len(runs)}"
        lines.append(
            f"| {name} | {np.mean(values):.2f} | {low:.2f} to {high:.2f} | {each} | {compared} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="run once and quickly")
    parser.add_argument("--rounds", type=int, help="unused, as of the other benchmarks")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=30_000)
    parser.add_argument("--world", choices=("contrast14", "default"), default="contrast14")
    parser.add_argument("--ablations", action="store_true", help="each part without a say, too")
    parser.add_argument("--alone", action="store_true", help="without PPO and DQN")
    parser.add_argument("--equal-steps", action="store_true", help="not on to equal CPU time")
    parser.add_argument("--json", help="where the numbers of each seed go")
    options = parser.parse_args()
    if options.smoke:
        options.steps, options.seeds, options.alone = 1600, 1, True
    torch.set_num_threads(1)
    runs: list[Scores] = []
    curves: list[dict[str, Curve]] = []
    for seed in range(options.seeds):
        curves.append({})
        runs.append(measured(seed, options, curves[-1]))
        print(f"seed {seed}: {json.dumps(runs[-1])}", flush=True)
        if options.json:
            saved = {"world": options.world, "runs": runs, "curves": curves}
            Path(options.json).write_text(json.dumps(saved) + "\n")
    print(table(runs))


if __name__ == "__main__":
    main()
