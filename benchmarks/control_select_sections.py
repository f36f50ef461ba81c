"""E3's selection for bench_control.py, beside the same choice written down in plain torch."""

from __future__ import annotations

import torch
from torch import Tensor

from control_sections import Section
from prefrontal.control.choice.e3 import E3TrajectorySelector
from prefrontal.control.choice.e3_config import E3Config
from prefrontal.control.choice.trajectory import Trajectories
from prefrontal.control.layers import layer_tensors
from prefrontal.control.ops.scores import plain_score_trajectories

PLAIN = "plain torch"


def sections() -> list[Section]:
    return [selection(32, 10)]


def selection(candidates: int, steps: int) -> Section:
    torch.manual_seed(4)
    e3 = E3TrajectorySelector(E3Config(warn_world_harm=False))
    e3.residue_field.accumulate(0.3 * torch.randn(8, 32), torch.randn(8))
    drawn = trajectories(candidates, steps)
    terrain, bias = torch.tensor([[0.7, 0.4]]), 0.1 * torch.randn(candidates)
    head = layer_tensors(e3.harm_eval_head)
    residue = e3.residue_field.residue_parameters()

    def plain_scores(world_states: Tensor) -> Tensor:
        found = plain_score_trajectories(world_states, head, residue)
        return found[:, 0] + terrain[0, 0] * found[:, 1] + 0.5 * found[:, 2]

    def chosen(scores: Tensor) -> Tensor:
        index = torch.multinomial(torch.softmax(-scores, 0), 1)
        return drawn.actions[int(index), :, 0]

    worlds = drawn.world_states[:, 0]

    def plain() -> Tensor:
        return chosen(plain_scores(worlds) + bias)

    def one_by_one() -> Tensor:
        return chosen(torch.cat([plain_scores(world) for world in worlds.split(1)]) + bias)

    def ours() -> object:
        return e3.select(drawn, terrain_weight=terrain, score_bias=bias)

    found = e3.select(drawn, terrain_weight=terrain, score_bias=bias).scores
    torch.testing.assert_close(found, plain_scores(worlds) + bias, rtol=2e-6, atol=2e-6)
    quiet = torch.inference_mode()
    entries = {
        "E3TrajectorySelector.select": quiet(ours),
        "the same with a graph": ours,
        "plain torch, candidate by candidate": quiet(one_by_one),
        PLAIN: quiet(plain),
    }
    title = f"E3 select, K = {candidates}, H = {steps}"
    return Section(title, entries, PLAIN, {"E3TrajectorySelector.select": 250e-6})


def trajectories(candidates: int, steps: int) -> Trajectories:
    states = 0.3 * torch.randn(2, candidates, 1, steps + 1, 32)
    actions = torch.randn(candidates, 1, steps, 5)
    return Trajectories(states[0], states[1], actions, torch.randn(candidates, 1, steps, 16))
