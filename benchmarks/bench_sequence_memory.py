"""EpisodeMemory and GatedRule beside GRU, LSTM and attention over the latest 16 steps.

    pip install popgym
    python benchmarks/bench_sequence_memory.py --json memory.json     # 15 minutes of a core

Four tasks of POPGym (Morad et al., ICLR 2023), stepped by its package, and two of this file: what
was stored is stored anew, and a share of what is told is false. Each model has the same encoder
and head, 10,000 parameters within 3 %, and the same number of updates on the same episodes. They
are taught the right answer at each step (POPGym's own baselines learn by reward alone), with a
clock of the step beside the observation, and valued by the mean reward of episodes not taught,
-1 to 1. Five seeds; each draws episodes and weights anew.
"""

from __future__ import annotations

import argparse
import json
import time
from bisect import bisect
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot, scaled_dot_product_attention

from prefrontal.control.experiments.bootstrap import bootstrap_interval
from prefrontal.control.memory.context_memory_config import ContextMemoryConfig
from prefrontal.control.memory.episode_memory import EpisodeMemory
from prefrontal.control.rule.gated_rule import GatedRule

WIDTH, CLOCK, SLOTS, PARAMETERS, RULES = 32, 8, 16, 10_000, 8
BATCH, RATE, HELD_OUT = 16, 3e-3, 100
UNGATED = "EpisodeMemory, no gate"
NOTHING = -1  # the answer of a step that asks for none
Episodes = tuple[Tensor, Tensor, int]  # observations [N, T, F], answers [N, T], how many answers


def attended(x: Tensor, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attention of each step to itself and the 15 before."""
    steps = torch.arange(x.shape[1])
    back = steps[:, None] - steps
    window = (back >= 0) & (back < SLOTS)
    return scaled_dot_product_attention(queries, keys, values, attn_mask=window)


class Window(nn.Module):
    """Plain attention over 16 slots, which hold the latest 16 steps."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.projections = nn.Linear(width, 3 * hidden)

    def forward(self, x: Tensor) -> tuple[Tensor, None]:
        return attended(x, *self.projections(x).chunk(3, -1)), None


def slots(hidden: int, *, gated: bool) -> EpisodeMemory:
    config = ContextMemoryConfig(
        latent_dim=WIDTH,
        memory_dim=hidden,
        num_slots=SLOTS,
        attention="cosine",
        slot_init="orthogonal",
        write_rate=0.5,
        match_threshold=0.9,
    )
    return EpisodeMemory(config, gated_writes=gated)


KINDS: dict[str, Callable[[int], tuple[nn.Module, int]]] = {
    "EpisodeMemory": lambda hidden: (slots(hidden, gated=True), WIDTH),
    UNGATED: lambda hidden: (slots(hidden, gated=False), WIDTH),
    "GatedRule": lambda hidden: (GatedRule(WIDTH, hidden, rules=RULES), RULES * hidden),
    "GRU": lambda hidden: (nn.GRU(WIDTH, hidden, batch_first=True), hidden),
    "LSTM": lambda hidden: (nn.LSTM(WIDTH, hidden, batch_first=True), hidden),
    "attention": lambda hidden: (Window(WIDTH, hidden), hidden),
}


class Model(nn.Module):
    """Encoder, a memory of some kind, and a head that sees both."""

    def __init__(self, kind: str, hidden: int, features: int, answers: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(features + CLOCK, WIDTH), nn.ReLU())
        self.memory, wide = KINDS[kind](hidden)
        self.head = nn.Sequential(
            nn.Linear(wide + WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, answers)
        )

    def forward(self, x: Tensor) -> Tensor:
        seen = self.encoder(torch.cat([x, clock(x)], -1))
        answers: Tensor = self.head(torch.cat([self.memory(seen)[0], seen], -1))
        return answers


def clock(x: Tensor) -> Tensor:
    """The number of the step as waves [B, T, 8]."""
    steps = torch.arange(x.shape[1]).unsqueeze(1) / 4.0 ** torch.arange(CLOCK // 2)
    return torch.cat([steps.sin(), steps.cos()], -1).expand(len(x), -1, -1)


def sized(kind: str, features: int, answers: int) -> Model:
    """The largest model of this kind that has no more parameters than asked."""

    def size(hidden: int) -> int:
        model = Model(kind, hidden, features, answers)
        return sum(it.numel() for it in model.parameters())

    state, sizes = torch.get_rng_state(), range(SLOTS if "Episode" in kind else 2, 120)
    hidden = sizes[bisect(sizes, PARAMETERS, key=size) - 1]
    torch.set_rng_state(state)
    return Model(kind, hidden, features, answers)


# --- tasks ----------------------------------------------------------------------------------------


def repeat_previous(env: Any, seen: Any) -> Any:
    return np.concatenate([np.full(env.k - 1, NOTHING), seen[: len(seen) - env.k + 1, 0]])


def autoencode(env: Any, seen: Any) -> Any:
    answers = np.full(len(seen), NOTHING)
    cards = seen[: env.deck.num_cards, 1]
    answers[len(cards) - 1 :] = cards[::-1]
    return answers


def count_recall(_: Any, seen: Any) -> Any:
    return np.array([np.sum(seen[: t + 1, 0] == seen[t, 1]) for t in range(len(seen))])


def higher_lower(_: Any, seen: Any) -> Any:
    """What the cards that are left make likelier; a tie is higher."""
    left, answers = np.full(13, 4), []
    for card in seen[:, 0]:
        left[card] -= 1
        answers.append(int(left[card + 1 :].sum() < left[:card].sum()))
    return np.array(answers)


POPGYM = {
    "RepeatPreviousEasy": repeat_previous,
    "HigherLowerEasy": higher_lower,
    "CountRecallEasy": count_recall,
    "AutoencodeEasy": autoencode,
}


def played(env: Any, seed: int, actions: NDArray[Any] | None) -> tuple[NDArray[Any], float]:
    """(observations [T, parts], sum of rewards) of an episode; without actions, of action 0."""
    observation, _ = env.reset(seed=seed)
    seen, total, done = [], 0.0, False
    while not done:
        seen.append(np.atleast_1d(observation))
        action = 0 if actions is None else int(max(actions[len(seen) - 1], 0))
        observation, reward, done, _, _ = env.step(action)
        total += reward
    return np.array(seen), total


def popgym_env(name: str) -> Any:
    return getattr(import_module("popgym.envs"), name)()


def popgym_episodes(name: str, count: int, first_seed: int) -> Episodes:
    env, answers, rows = popgym_env(name), [], []
    for seed in range(first_seed, first_seed + count):
        seen, _ = played(env, seed, None)
        rows.append(seen)
        answers.append(POPGYM[name](env, seen))
    space = env.observation_space
    sizes = getattr(space, "nvec", None)
    if sizes is None:
        sizes = [it.n for it in getattr(space, "spaces", [space])]
    stacked = torch.from_numpy(np.array(rows))
    parts = [one_hot(stacked[..., k], int(size)) for k, size in enumerate(sizes)]
    observations = torch.cat(parts, -1).float()
    return observations, torch.from_numpy(np.array(answers)), int(env.action_space.n)


KEYS, VALUES, SOURCES, STEPS, FALSE = 6, 4, 4, 32, 0.3


def stored_values(count: int, seed: int, *, poisoned: bool) -> Episodes:
    """Half of the steps tell a value of a key, half ask for the latest true one of a key told.

    poisoned: 30 % of what is told is a value by chance; one of two sources (of four) says it, so
    that it can be known.
    """
    random = np.random.default_rng([seed, poisoned])
    x = np.zeros((count, STEPS, KEYS + VALUES + SOURCES + 1), np.float32)
    answers = np.full((count, STEPS), NOTHING)
    for row in range(count):
        truth: dict[int, int] = {}
        for t in range(STEPS):
            false = poisoned and random.random() < FALSE
            key, value = int(random.integers(KEYS)), int(random.integers(VALUES))
            if truth and random.random() < 0.5:
                key = int(random.choice(list(truth)))
                x[row, t, [key, -1]] = 1
                answers[row, t] = truth[key]
                continue
            source = int(random.integers(2)) + 2 * false
            x[row, t, [key, KEYS + value, KEYS + VALUES + source]] = 1
            if not false:
                truth[key] = value
    return torch.from_numpy(x), torch.from_numpy(answers), VALUES


def episodes(task: str, count: int, seed: int) -> Episodes:
    if task in POPGYM:
        return popgym_episodes(task, count, seed)
    return stored_values(count, seed, poisoned=task == "Poisoned")


TASKS = ("Rewrite", "Poisoned", *POPGYM)


def valued(model: nn.Module, task: str, held_out: Episodes, first_seed: int) -> float:
    """The mean reward of an episode: POPGym's own, or right less wrong answers as a share."""
    with torch.no_grad():
        given = model(held_out[0]).argmax(-1)
    if task not in POPGYM:
        asked = held_out[1] != NOTHING
        return float((given == held_out[1])[asked].float().mean() * 2 - 1)
    env = popgym_env(task)
    each = [played(env, first_seed + row, it.numpy())[1] for row, it in enumerate(given)]
    return float(np.mean(each))


def best_possible(task: str, held_out: Episodes, first_seed: int) -> float:
    """The reward of the answers that are taught."""
    if task not in POPGYM:
        return 1.0
    env = popgym_env(task)
    each = [played(env, first_seed + row, it.numpy())[1] for row, it in enumerate(held_out[1])]
    return float(np.mean(each))


def taught(kind: str, seed: int, updates: int, taught_by: Episodes) -> Model:
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    x, answers, count = taught_by
    model = sized(kind, x.shape[-1], count)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, fused=True)
    for _ in range(updates):
        rows = torch.from_numpy(random.integers(len(x), size=BATCH))
        optimizer.zero_grad(set_to_none=True)
        given = model(x[rows]).flatten(0, 1)
        cross_entropy(given, answers[rows].flatten(), ignore_index=NOTHING).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model


def measure(task: str, seed: int, updates: int, kinds: dict[str, list[float]]) -> None:
    """Add what each model reaches."""
    first, held_first = 100_000 * (seed + 1), 100_000 * (seed + 1) + 50_000
    taught_by, held_out = episodes(task, 1000, first), episodes(task, HELD_OUT, held_first)
    kinds.setdefault("best", []).append(best_possible(task, held_out, held_first))
    for kind in KINDS:
        if kind != UNGATED or task not in POPGYM:  # only where writes are to be told apart
            model = taught(kind, seed, updates, taught_by)
            kinds.setdefault(kind, []).append(valued(model, task, held_out, held_first))


def table(results: dict[str, dict[str, list[float]]]) -> str:
    """Mean reward with its 95 % bootstrap interval over the seeds, for each task and model."""
    lines = [f"| task | best | {' | '.join(KINDS)} |", f"|---|---|{'---|' * len(KINDS)}"]
    for task, kinds in results.items():
        cells = [f"{np.mean(kinds['best']):.2f}"]
        for kind in KINDS:
            values = kinds.get(kind, [])
            low, high = bootstrap_interval(values) or (float("nan"), float("nan"))
            cells.append(f"{np.mean(values):.2f} ({low:.2f} to {high:.2f})" if values else "")
        lines.append(f"| {task} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="run once and quickly")
    parser.add_argument("--rounds", type=int, help="unused, as of the other benchmarks")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--updates", type=int, default=250)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--json", help="where the numbers of each seed go")
    options = parser.parse_args()
    if options.smoke:
        options.seeds, options.updates, options.tasks = 1, 2, ["Rewrite", "Poisoned"]
    if find_spec("popgym") is None:
        print("left out, as popgym is not installed:", ", ".join(POPGYM))
        options.tasks = [task for task in options.tasks if task not in POPGYM]
    torch.set_num_threads(1)
    results: dict[str, dict[str, list[float]]] = {task: {} for task in options.tasks}
    begin = time.thread_time()
    for task, kinds in results.items():
        for seed in range(options.seeds):
            measure(task, seed, options.updates, kinds)
            last = {kind: round(values[-1], 3) for kind, values in kinds.items()}
            print(f"{task}, seed {seed}: {last}, {time.thread_time() - begin:.0f} s", flush=True)
            if options.json:
                saved = {"updates": options.updates, "results": results}
                Path(options.json).write_text(json.dumps(saved) + "\n")
    print(table(results))


if __name__ == "__main__":
    main()
