"""The whole agent for bench_control.py: steps of the reference's preset with every feature on.

A step is one of the agent and one of the world. The preset: 32 candidates of 30 actions, 3
iterations, E1 over 20 steps. The twin runs the plain torch forms of all operators. "ticking always"
makes every step a tick of E3, which is the most an agent can have to do; an agent with untrained
networks walks into a wall and stays, so that its own clock ticks less than in the reference's runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from control_sections import Section, plain_forms
from prefrontal.control import CausalGridWorldV2, ControlAgent, ControlConfig
from prefrontal.control.agent.control_config import ALL_FEATURES

PLAIN = "plain torch"
TARGET_S = 1 / 150
ALWAYS = {"clock": {"e3_slow": 1, "e3_fast": 1}}
QUIET = {"e3": {"warn_world_harm": False}}

Walk = Callable[[], "list[int]"]


def sections() -> list[Section]:
    return [
        _steps("all features, ticking always", ALL_FEATURES | ALWAYS, TARGET_S),
        _steps("all features, by its own clock", ALL_FEATURES, TARGET_S),
        _steps("no feature, ticking always", ALWAYS, None),
        _learning(),
    ]


def _steps(what: str, changes: dict[str, Any], target_s: float | None) -> Section:
    ours, twin = _walk(changes), _walk(changes)

    def plain() -> list[int]:
        with plain_forms():
            return twin()

    _agree(ours, plain)
    targets = {} if target_s is None else {"ControlAgent": target_s}
    return Section(f"one step, {what}", {"ControlAgent": ours, PLAIN: plain}, PLAIN, targets)


def _learning() -> Section:
    agent = _agent(ALL_FEATURES)
    walk = _walk(ALL_FEATURES, agent)
    for _ in range(40):
        walk()
    generator = torch.Generator().manual_seed(0)
    return Section("one step of learning", {PLAIN: lambda: agent.learn(generator)}, PLAIN, {})


def _agent(changes: dict[str, Any]) -> ControlAgent:
    config = ControlConfig.from_dims(profile="upstream", **(QUIET | changes))
    return ControlAgent(config, generator=torch.Generator().manual_seed(0))


def _walk(changes: dict[str, Any], agent: ControlAgent | None = None) -> Walk:
    """A step at each call; its action and the tick's E3 flag."""
    walker = agent or _agent(changes)
    env = CausalGridWorldV2(walker.config.world())
    generator = torch.Generator().manual_seed(0)
    shown = [env.reset(seed=0)[0]]

    def step() -> list[int]:
        choice = walker.act(shown[0], generator=generator)
        shown[0], signal, ended, cut, _ = env.step(choice.action)
        walker.update_residue(float(signal))
        if ended or cut:
            shown[0] = env.reset()[0]
            walker.reset()
        return [choice.action, int(choice.selection is not None)]

    return step


def _agree(ours: Walk, plain: Walk) -> None:
    """Both walk the same way."""
    for step in range(8):
        mine, theirs = ours(), plain()
        if mine != theirs:
            raise AssertionError(f"step {step} must be {theirs}, got {mine}")
