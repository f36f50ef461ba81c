"""An agent that learns to act in the grid world: it looks one step ahead and picks the best.

    python examples/control_agent.py --out agent.pt    # 30,000 steps: one to two minutes

Encoders turn an observation into z_self, z_world and z_harm. For each of the five actions E2
foresees z_world and the harm model z_harm; two heads value that, in benefit and in harm; the cue
path, which reads z_world alone from the context memory, weighs the two and adds the affordance of
the action; the rule state adds a bias. All of it learns from one error, that of the value of an
action three steps on (double Q-learning from a replay buffer), E2 and the harm model besides from
what came next, and the weights of the cue by the terrain loss alone. What is replayed is turned
and reflected by chance, as the grid may be.

Exploration: a random action with a probability that falls from 1 to 0.05 over the first fifth of
the steps, then stays. The memory is written, without gradients, where a step brought much harm or
benefit. Once it has learned, a CueReader and a RuleState answer for cue and rule (FrozenActor).
Needs prefrontal[control].
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import mse_loss, smooth_l1_loss

from prefrontal._core.control import RuleState
from prefrontal.control import CausalGridWorldVecEnv, ControlAgent, ControlConfig, diagnose
from prefrontal.control.latent.latent import LatentState
from prefrontal.control.layers import mlp

ACTIONS, WORLDS, AHEAD, DISCOUNT = 5, 16, 3, 0.98
BATCH, UPDATES, RATE, FOLLOW, WARM_UP, EXPLORING = 32, 4, 5e-4, 0.01, 1000, 0.2
REWARD_SCALE, MUCH = 5.0, 0.2
LAYOUTS, UNSEEN = 20, 10_000  # seeds of the layouts that no training begins with
ABLATIONS = ("cue", "rule", "writes")
SEEN = ("body", "world", "harm")
Numbers = dict[str, NDArray[Any]]
Cue = Callable[[Tensor], tuple[Tensor, Tensor]]
Biases = Callable[[Tensor], Tensor]


class Actor(nn.Module):
    """The parts of a ControlAgent that act, and the two heads of value. 648,491 parameters.

    without: parts that stay where they are and have no say, so that sizes are equal.
    """

    def __init__(self, without: str = "") -> None:
        super().__init__()
        config = ControlConfig.from_dims(
            profile="sound",
            sd016_enabled=True,
            use_lateral_pfc_analog=True,
            use_harm=True,
            use_harm_forward=True,
            latent={"alpha_self": 1.0, "alpha_world": 1.0, "alpha_shared": 1.0},
            lateral_pfc={"head": "trained", "bias_scale": 1.0, "environments": 1},
        )
        self.config, self.without = config, without
        parts = ControlAgent(config)
        self.body, self.world = parts.body_obs_encoder, parts.world_obs_encoder
        self.stack, self.e1, self.e2 = parts.latent_stack, parts.e1, parts.e2
        assert parts.lateral_pfc is not None and parts.harm_forward is not None
        self.rule, self.foresee = parts.lateral_pfc, parts.harm_forward
        latent = config.latent
        width = latent.self_dim + latent.world_dim + latent.harm_dim
        self.benefit, self.harm = mlp(width, 64, 1), mlp(width, 64, 1)

    def forward(
        self, body: Tensor, world: Tensor, harm: Tensor, rule: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """(values [B, 5], what is foreseen [B, 5, 64], the next rule [B, 16])."""
        latent = self.encoded(body, world, harm)

        def biases(summaries: Tensor) -> Tensor:
            held = rule.unsqueeze(1).expand(-1, ACTIONS, -1)
            raw: Tensor = self.rule.rule_bias_head(torch.cat([held, summaries], -1)).squeeze(-1)
            return self.rule.config.bias_scale * raw.tanh()

        values, ahead = self.valued(latent, self.e1.extract_cue_context, biases)
        with torch.no_grad():
            source = self.rule.source(latent.z_delta, latent.z_world)
            following = rule + self.rule.config.update_eta * (source - rule)
        return values, ahead, following

    def valued(self, latent: LatentState, cue: Cue, biases: Biases) -> tuple[Tensor, Tensor]:
        """(values [B, 5], what is foreseen [B, 5, 64]), with a cue path and a rule to ask."""
        assert latent.z_harm is not None
        rows, z = len(latent.z_world), latent.z_world.repeat_interleave(ACTIONS, 0)
        actions = torch.eye(ACTIONS).repeat(rows, 1)
        ahead_world = self.e2.world_forward(z, actions)
        ahead_harm = self.foresee(latent.z_harm.repeat_interleave(ACTIONS, 0), actions)
        ahead = torch.cat([ahead_world, ahead_harm], dim=1)
        own = latent.z_self.repeat_interleave(ACTIONS, 0)
        seen = torch.cat([own, ahead], dim=1)
        benefit, harm = (head(seen).view(rows, ACTIONS) for head in (self.benefit, self.harm))
        if self.without == "cue":
            values = benefit - harm
        else:
            action_bias, terrain = cue(latent.z_world)
            terrain = terrain.detach()  # it has a loss of its own
            objects = self.e2.action_object(z, actions).view(rows, ACTIONS, -1)
            affordance = (objects * action_bias.unsqueeze(1)).mean(-1)
            values = 2 * (terrain[:, 1:] * benefit - terrain[:, :1] * harm) + affordance
        if self.without != "rule":
            values = values - biases(ahead_world.view(rows, ACTIONS, -1))
        return values, ahead.view(rows, ACTIONS, -1)

    def encoded(self, body: Tensor, world: Tensor, harm: Tensor) -> LatentState:
        """The latents of observations."""
        state: LatentState = self.stack(self.body(body), self.world(world), harm=harm)
        return state

    def act(self, observation: Numbers, rule: Tensor) -> tuple[NDArray[np.int64], Tensor]:
        """The best action for each world, and the next rule, while it learns."""
        with torch.no_grad():
            values, _, rule = self(*shown(observation), rule)
        return values.argmax(1).numpy(), rule


class FrozenActor:
    """An actor that learns no more: its cue is read by a CueReader, its rule kept by a RuleState.

    Begins an episode in each of `rows` worlds; takes over what the actor learned until now.
    """

    def __init__(self, actor: Actor, rows: int) -> None:
        config = actor.rule.config
        self.actor, self.reader = actor, actor.e1.cue_snapshot()
        self.rule = RuleState(
            actor.rule.rule_parameters(),
            update_eta=config.update_eta,
            world_pool_weight=config.world_pool_weight,
            bias_scale=config.bias_scale,
            bias_bound="tanh",
            environments=rows,
        )

    def __call__(self, observation: Numbers) -> NDArray[np.int64]:
        """The best action for each world."""
        with torch.no_grad():
            latent = self.actor.encoded(*shown(observation))
            values, _ = self.actor.valued(latent, self.cue, self.biases)
        self.rule.update(latent.z_delta, latent.z_world)
        best: NDArray[np.int64] = values.argmax(1).numpy()
        return best

    def cue(self, z_world: Tensor) -> tuple[Tensor, Tensor]:
        action_bias, terrain = self.reader.read(z_world)
        return torch.from_numpy(action_bias), torch.from_numpy(terrain)

    def biases(self, summaries: Tensor) -> Tensor:
        return torch.from_numpy(self.rule.bias(summaries))


def shown(observation: Numbers) -> tuple[Tensor, ...]:
    return tuple(torch.from_numpy(observation[name]) for name in SEEN)


class Symmetry:
    """One of the eight turns and reflections of the grid, for observations and actions."""

    def __init__(self, turns: int, mirrored: bool, size: int) -> None:
        view = np.arange(25).reshape(5, 5)
        cells = np.rot90(view[:, ::-1] if mirrored else view, turns).ravel()
        entities = (cells[:, None] * 7 + np.arange(7)).ravel()
        self.world = np.concatenate([entities, *(175 + 25 * k + cells for k in range(3))])
        self.harm = np.concatenate([cells, 25 + cells, [50]])
        moves = {(-1, 0): 0, (1, 0): 1, (0, -1): 2, (0, 1): 3}
        self.actions = np.arange(ACTIONS)
        for (down, right), action in moves.items():
            way = (down, -right if mirrored else right)
            for _ in range(turns):  # counterclockwise, as rot90
                way = (-way[1], way[0])
            self.actions[action] = moves[way]
        self.body = np.concatenate([np.arange(5), 5 + np.argsort(self.actions[:4]), [9, 10, 11]])
        self.turns, self.mirrored, self.last = turns, mirrored, (size - 1) / size

    def turned(self, body: Any, world: Any, harm: Any) -> tuple[Any, Any, Any]:
        body = body[:, self.body]
        row, column = body[:, 0].copy(), body[:, 1].copy()
        column = self.last - column if self.mirrored else column
        for _ in range(self.turns):
            row, column = self.last - column, row
        body[:, 0], body[:, 1] = row, column
        return body, world[:, self.world], harm[:, self.harm]


class Replay:
    """All steps of all worlds, and batches of them with the reward of the next five steps."""

    def __init__(self, steps: int, rule_width: int, size: int) -> None:
        self.symmetries = [Symmetry(k, it, size) for k in range(4) for it in (False, True)]
        widths = {"body": 12, "world": 250, "harm": 51, "rule": rule_width}
        self.rows = {
            name: np.zeros((steps, WORLDS, wide), np.float32) for name, wide in widths.items()
        }
        self.actions = np.zeros((steps, WORLDS), np.int64)
        self.rewards = np.zeros((steps, WORLDS), np.float32)
        self.ends = np.zeros((steps, WORLDS), bool)
        self.steps = 0

    def add(self, rows: Numbers, actions: Any, rewards: Any, ends: Any) -> None:
        for name, stored in self.rows.items():
            stored[self.steps] = rows[name]
        self.actions[self.steps] = actions
        self.rewards[self.steps], self.ends[self.steps] = rewards, ends
        self.steps += 1

    def sample(self, random: np.random.Generator) -> dict[str, Any]:
        """Turned or reflected by chance. An end, in death or by the last step, is known to the
        body: nothing follows it.
        """
        symmetry = self.symmetries[random.integers(8)]
        t = random.integers(self.steps - AHEAD, size=BATCH)
        world = random.integers(WORLDS, size=BATCH)
        reward, alive = np.zeros(BATCH, np.float32), np.ones(BATCH, np.float32)
        for k in range(AHEAD):
            reward += alive * self.rewards[t + k, world] * DISCOUNT**k
            alive *= ~self.ends[t + k, world]

        def rows(later: int) -> list[Tensor]:
            seen = symmetry.turned(*(self.rows[name][t + later, world] for name in SEEN))
            rule = self.rows["rule"][t + later, world]
            return [torch.from_numpy(it) for it in (*seen, rule)]

        return {
            "now": rows(0),
            "next": rows(1),
            "later": rows(AHEAD),
            "action": torch.from_numpy(symmetry.actions[self.actions[t, world]]),
            "goes_on": torch.from_numpy(~self.ends[t, world]),
            "reward": torch.from_numpy(reward * REWARD_SCALE),
            "discount": torch.from_numpy(alive * np.float32(DISCOUNT**AHEAD)),
        }


def losses(actor: Actor, target: Actor, batch: dict[str, Any]) -> Tensor:
    """The error of the chosen action's value, and of what E2 foresaw."""
    with torch.no_grad():
        best = actor(*batch["later"])[0].argmax(1, keepdim=True)
        worth = target(*batch["later"])[0].gather(1, best).squeeze(1)
        wanted = batch["reward"] + batch["discount"] * worth
        latent = target.encoded(*batch["next"][:3])
        assert latent.z_harm is not None
        came = torch.cat([latent.z_world, latent.z_harm], dim=1)
    values, ahead, _ = actor(*batch["now"])
    rows = torch.arange(len(wanted))
    error = smooth_l1_loss(values[rows, batch["action"]], wanted)
    foreseen = ahead[rows, batch["action"]][batch["goes_on"]]
    error = error + 0.1 * mse_loss(foreseen, came[batch["goes_on"]])
    harm = batch["now"][2]
    actor.e1.terrain_targets.observe(harm[:8])
    with torch.no_grad():
        cue = actor.encoded(*batch["now"][:3]).z_world
    return error + 0.1 * actor.e1.terrain_loss(cue, harm)


def train(
    steps: int = 30_000,
    seed: int = 0,
    *,
    world: str = "contrast14",
    without: str = "",
    report: Callable[[int, float, Actor], None] = lambda step, mean, actor: None,
) -> Actor:
    """An actor after this many steps in all worlds together.

    report: called ten times with the steps so far, the mean return of the latest episodes and the
    actor.
    """
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    actor = Actor(without)
    target = copy.deepcopy(actor).requires_grad_(False)
    weights = [it for it in actor.parameters() if it.requires_grad]
    optimizer = torch.optim.Adam(weights, lr=RATE, fused=True)
    worlds = CausalGridWorldVecEnv(
        WORLDS, actor.config.world(world), autoreset_mode="SameStep", copy=True
    )
    observation, _ = worlds.reset(seed=seed)
    rule = torch.zeros(WORLDS, actor.rule.config.rule_dim)
    replay, rounds = Replay(steps // WORLDS, rule.shape[1], worlds.config.size), steps // WORLDS
    returns, running = [0.0], np.zeros(WORLDS)
    for turn in range(rounds):
        chance = max(0.05, 1 - turn / (EXPLORING * rounds) * 0.95)
        actions, following = actor.act(observation, rule)
        drawn = random.random(WORLDS) < chance
        actions = np.where(drawn, random.integers(ACTIONS, size=WORLDS), actions)
        before, held = observation, rule
        observation, rewards, dead, cut, _ = worlds.step(actions)
        ends = dead | cut
        replay.add({**before, "rule": held.numpy()}, actions, rewards, ends)
        rule = following * torch.from_numpy(~ends).float().unsqueeze(1)
        running += rewards
        returns += running[ends].tolist()
        running[ends] = 0
        if without != "writes" and bool((np.abs(rewards) > MUCH).any()):
            write(actor, before, np.abs(rewards) > MUCH)
        if replay.steps * WORLDS >= WARM_UP:
            for _ in range(UPDATES):
                optimizer.zero_grad(set_to_none=True)
                losses(actor, target, replay.sample(random)).backward()
                nn.utils.clip_grad_norm_(weights, 10.0)
                optimizer.step()
                torch._foreach_lerp_(list(target.parameters()), list(actor.parameters()), FOLLOW)
        if turn % max(1, rounds // 10) == 0:
            report(turn * WORLDS, float(np.mean(returns[-30:])), actor)
    return actor


@torch.no_grad()
def write(actor: Actor, observation: Numbers, where: NDArray[np.bool_]) -> None:
    """Write the states in which much happened to the memory."""
    latent = actor.encoded(*(it[torch.from_numpy(where)] for it in shown(observation)))
    actor.e1.context_memory.write(torch.cat([latent.z_self, latent.z_world], dim=1))


Policy = Callable[[Numbers], NDArray[np.int64]]


def evaluate(policy: Policy, config: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The returns [20] of one episode in each unseen layout, and the shares of the actions [5]."""
    worlds = CausalGridWorldVecEnv(LAYOUTS, config, autoreset_mode="SameStep", copy=True)
    observation, _ = worlds.reset(seed=UNSEEN)
    returns, alive, counts = np.zeros(LAYOUTS), np.ones(LAYOUTS, bool), np.zeros(ACTIONS)
    while alive.any():
        actions = policy(observation)
        counts += np.bincount(actions[alive], minlength=ACTIONS)
        observation, rewards, dead, cut, _ = worlds.step(actions)
        returns += np.where(alive, rewards, 0.0)
        alive &= ~(dead | cut)
    return returns, counts / counts.sum()


def main() -> None:
    parser = argparse.ArgumentParser(description="Train an agent to act, and compare it.")
    parser.add_argument("--world", choices=("contrast14", "default"), default="contrast14")
    parser.add_argument("--steps", type=int, default=30_000, help="in 16 worlds together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", choices=ABLATIONS, default="", help="what has no say")
    parser.add_argument("--out", help="where the weights go")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the matrices are small

    def report(step: int, mean: float, _: Actor) -> None:
        print(f"{step:6} steps: return {mean:5.2f} over the latest episodes", flush=True)

    begin = time.thread_time()
    actor = train(
        options.steps, options.seed, world=options.world, without=options.without, report=report
    )
    spent = time.thread_time() - begin
    config, random = actor.config.world(options.world), np.random.default_rng(0)
    returns, shares = evaluate(FrozenActor(actor, LAYOUTS), config)
    aimless, _ = evaluate(lambda _: random.integers(ACTIONS, size=LAYOUTS), config)
    still, _ = evaluate(lambda _: np.full(LAYOUTS, ACTIONS - 1), config)
    print(f"trained in {spent:.0f} s of CPU; mean return in {LAYOUTS} layouts never trained on:")
    print(f"  agent {returns.mean():.2f}, random {aimless.mean():.2f}, stay {still.mean():.2f}")
    print(f"  actions up, down, left, right, stay: {', '.join(f'{it:.2f}' for it in shares)}")
    if shares.max() > 0.95:
        print("  WARNING: collapsed to one action")
    worlds = CausalGridWorldVecEnv(500, config)
    observation, _ = worlds.reset(seed=UNSEEN)
    with torch.no_grad():
        cues = actor.encoded(*shown(observation)).z_world
    print(diagnose(actor.e1, z_world=cues, harm_obs=torch.from_numpy(observation["harm"])))
    if options.out:
        torch.save(actor.state_dict(), options.out)
        print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
