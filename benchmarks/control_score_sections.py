"""The rule and the scores of trajectories for bench_control.py, beside their plain torch forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

import control_select_sections
from control_sections import Section
from prefrontal._core.control import RuleState
from prefrontal.control.ops import rule_bias, rule_update, score_trajectories
from prefrontal.control.ops.rule import plain_rule_bias, plain_rule_update
from prefrontal.control.ops.scores import plain_score_trajectories

PLAIN = "plain torch"
STEP, POOL, SCALE = 0.05, 0.5, 0.1

Entry = Callable[[], object]


def sections() -> list[Section]:
    return [
        rule(8),
        rule(32),
        training(32),
        scores(32, 10),
        scores(32, 30),
        score_training(32, 10),
        *control_select_sections.sections(),
    ]


def linear(outputs: int, inputs: int) -> list[Tensor]:
    bound = inputs**-0.5
    return [(2 * torch.rand(outputs, *rest) - 1) * bound for rest in ((inputs,), ())]


def rule_inputs() -> tuple[list[Tensor], list[Tensor]]:
    """The rule, latents and projections; the bias head."""
    moved = [torch.randn(1, 16), torch.randn(1, 32), torch.randn(1, 32)]
    return [*moved, *linear(16, 32), *linear(16, 32)], [*linear(32, 48), *linear(1, 32)]


def rule(candidates: int) -> Section:
    torch.manual_seed(candidates)
    moving, head = rule_inputs()
    summaries = torch.randn(candidates, 32)
    held = rule_state(moving, head, candidates)
    held.summaries[:] = summaries.numpy()

    def operators() -> Tensor:
        moved = rule_update(*moving, step=STEP, pool=POOL)
        return rule_bias(summaries, moved, *head, scale=SCALE)

    def plain() -> Tensor:
        moved = plain_rule_update(*moving, step=STEP, pool=POOL)
        return plain_rule_bias(summaries, moved, *head, scale=SCALE)

    held.set_rule_state(moving[0].numpy()[0])
    held.tick()
    agree(operators(), plain())
    agree(torch.from_numpy(held.biases.copy()), plain())
    updates = torch.ops.prefrontal.rule_update.default
    biases = torch.ops.prefrontal.rule_bias.default
    entries: dict[str, Entry] = {
        "RuleState.tick (_core)": held.tick,
        "rule_update and rule_bias": operators,
        "torch.ops rule_update": lambda: updates(*moving, STEP, POOL),
        "torch.ops rule_bias": lambda: biases(summaries, moving[0], *head, SCALE, False, False),
        "NumPy": numpy_rule(moving, head, summaries),
        PLAIN: plain,
    }
    targets = {"torch.ops rule_update": 2e-6}
    targets["RuleState.tick (_core)"] = 0.5e-6 if candidates == 8 else 1.2e-6
    if candidates == 32:
        targets["torch.ops rule_bias"] = 3.5e-6
    return Section(f"rule update and bias, K = {candidates}", entries, PLAIN, targets)


def rule_state(moving: Sequence[Tensor], head: Sequence[Tensor], candidates: int) -> RuleState:
    names = ("delta_proj", "world_proj", "rule_bias_head.0", "rule_bias_head.2")
    both = [f"{name}.{part}" for name in names for part in ("weight", "bias")]
    tensors = dict(zip(both, [*moving[3:], *head], strict=True))
    made = RuleState(
        {name: tensor.numpy() for name, tensor in tensors.items()},
        update_eta=STEP,
        world_pool_weight=POOL,
        bias_scale=SCALE,
        candidates=candidates,
    )
    made.z_delta[:], made.z_world[:] = (tensor.numpy()[0] for tensor in moving[1:3])
    return made


def numpy_rule(moving: Sequence[Tensor], head: Sequence[Tensor], summaries: Tensor) -> Entry:
    rule, z_delta, z_world, wd, bd, ww, bw = (tensor.numpy() for tensor in moving)
    w1, b1, w2, b2 = (tensor.numpy() for tensor in head)
    rows = summaries.numpy()

    def run() -> object:
        source = z_delta @ wd.T + bd + POOL * (z_world @ ww.T + bw)
        moved = (1 - STEP) * rule + STEP * source
        hidden = np.maximum(rows @ w1[:, 16:].T + (moved @ w1[:, :16].T + b1), 0)
        return np.clip((hidden @ w2.T + b2)[:, 0], -SCALE, SCALE)

    return run


def training(candidates: int) -> Section:
    torch.manual_seed(1)
    head = [tensor.requires_grad_() for tensor in rule_inputs()[1]]
    summaries, state = torch.randn(candidates, 32), torch.randn(1, 16)
    weights = torch.randn(candidates)

    def trained(bias: Callable[..., Tensor]) -> Callable[[], tuple[Tensor, ...]]:
        return lambda: torch.autograd.grad(bias(summaries, state, *head, scale=1.0), head, weights)

    ours, plain = trained(rule_bias), trained(plain_rule_bias)
    agree(ours(), plain())
    title = f"rule bias forward and backward, K = {candidates}"
    return Section(title, {"rule_bias": ours, PLAIN: plain}, PLAIN, {})


def score_inputs(trajectories: int, steps: int) -> tuple[Tensor, list[Tensor], list[Tensor]]:
    head = [*linear(64, 32), *linear(1, 64)]
    layers = [*linear(64, 32), *linear(64, 64), *linear(1, 64)]
    residue = [torch.randn(32, 32), torch.rand(32), *layers]
    return 0.3 * torch.randn(trajectories, steps + 1, 32), head, residue


def scores(trajectories: int, steps: int) -> Section:
    torch.manual_seed(steps)
    states, head, residue = score_inputs(trajectories, steps)
    goal = torch.randn(32)

    def plain() -> Tensor:
        return plain_score_trajectories(states, head, residue)

    entries: dict[str, Entry] = {
        "F, M, Phi": lambda: score_trajectories(states, head, residue),
        "F, M, Phi, B, G": lambda: score_trajectories(
            states, head, residue, benefit=head, goal=goal
        ),
        "torch.compile of the plain form": torch.compile(plain, dynamic=False),
        PLAIN: plain,
    }
    agree(score_trajectories(states, head, residue), plain())
    title = f"scores of trajectories, K = {trajectories}, H = {steps}"
    quiet = {name: without_grad(entry) for name, entry in entries.items()}
    return Section(title, quiet, PLAIN, {"F, M, Phi": 200e-6} if steps == 10 else {})


def score_training(trajectories: int, steps: int) -> Section:
    torch.manual_seed(2)
    states, head, residue = score_inputs(trajectories, steps)
    leaves = [tensor.requires_grad_() for tensor in (*head, *residue)]
    weights = torch.randn(trajectories, 5)

    def trained(score: Callable[..., Tensor]) -> Callable[[], tuple[Tensor, ...]]:
        return lambda: torch.autograd.grad(score(states, head, residue), leaves, weights)

    ours, plain = trained(score_trajectories), trained(plain_score_trajectories)
    torch.testing.assert_close(ours(), plain(), rtol=1e-4, atol=1e-4)
    entries: dict[str, Entry] = {
        "forward with a graph": lambda: score_trajectories(states, head, residue),
        "forward and backward": ours,
        PLAIN: plain,
    }
    title = f"scores forward and backward, K = {trajectories}, H = {steps}"
    return Section(title, entries, PLAIN)


def without_grad(run: Entry) -> Entry:
    return torch.inference_mode()(run)


def agree(found: Tensor | Sequence[Tensor], wanted: Tensor | Sequence[Tensor]) -> None:
    torch.testing.assert_close(found, wanted, rtol=2e-6, atol=2e-6)
