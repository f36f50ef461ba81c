"""An agent learns to weigh harm by what it sees. Top to bottom: agent, world, training, picture.

    python examples/control_minimal.py            # half a minute; writes control_minimal.png

A large world with one hazard. The agent's cue path reads z_world alone and answers with two
weights, of harm and of goals; its labels come from the hazard in view. What is measured is the
depth: the mean of w_harm where more hazard than usual is in view, less its mean elsewhere. Needs
prefrontal[control] and matplotlib.
"""

import argparse

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import nn

from prefrontal.control import (
    CausalGridWorldV2,
    CausalGridWorldVecEnv,
    ControlAgent,
    ControlConfig,
    diagnose,
)

parser = argparse.ArgumentParser(description="Train a small control agent; draw what it learned.")
parser.add_argument("--batches", type=int, default=1000, help="of each training")
parser.add_argument("--steps", type=int, default=400, help="that the trained agent takes")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--out", default="control_minimal.png", help="where the picture goes")
options = parser.parse_args()
torch.set_num_threads(1)  # the matrices are small
torch.manual_seed(options.seed)
generator = torch.Generator().manual_seed(options.seed)

# --- the agent ------------------------------------------------------------------------------------
# The profile that repairs what is known to fail, with the cue path. Fewer and shorter candidates
# than an agent's preset, and a world latent that follows at once.
config = ControlConfig.from_dims(
    profile="sound",
    sd016_enabled=True,
    use_harm=True,
    use_harm_forward=True,
    between_ticks="follow",
    latent={"alpha_world": 1.0},
    e1={"prediction_horizon": 5},
    e2={"rollout_horizon": 10},
    hippocampal={"horizon": 10, "num_candidates": 16},
    learning={"decoder_learning_rate": 1e-3, "harm_learning_rate": 1e-3, "e2_world_weight": 1.0},
)
agent = ControlAgent(config, generator=generator)

# --- the world, walked at random: 32 copies of it, 250 steps each ---------------------------------
worlds = CausalGridWorldVecEnv(32, config.world("contrast14"), copy=True)
random = np.random.default_rng(options.seed)
seen = [worlds.reset(seed=options.seed)[0]]
for _ in range(250):
    seen.append(worlds.step(random.integers(5, size=32))[0])
body, world, harm = (
    torch.from_numpy(np.concatenate([it[name] for it in seen]))
    for name in ("body", "world", "harm")
)

# --- first training: the encoders, by telling the world back from its latent ----------------------
decoder = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 250))
encoders = nn.ModuleList([agent.body_obs_encoder, agent.world_obs_encoder, agent.latent_stack])
optimizer = torch.optim.Adam([*encoders.parameters(), *decoder.parameters()], lr=2e-3)


def z_world(rows: torch.Tensor) -> torch.Tensor:
    shown = agent.body_obs_encoder(body[rows]), agent.world_obs_encoder(world[rows])
    return agent.latent_stack(*shown, harm=harm[rows]).z_world


for _ in range(options.batches):
    rows = torch.randint(len(world), (256,), generator=generator)
    loss = (decoder(z_world(rows)) - world[rows]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"encoders: {loss.item():.4f} mean squared error of what is told back")

# --- second training: the cue path, on latents that do not change any more ------------------------
hazard = harm[:, :25].amax(dim=1)
high = hazard > hazard.median()
with torch.no_grad():
    z = z_world(torch.arange(len(world)))
agent.e1.terrain_targets.observe(harm)  # labels are split at quantiles of what was seen
optimizer = torch.optim.Adam(agent.e1.parameters(), lr=1e-3)
curve = []
for batch in range(options.batches):
    rows = torch.randint(len(z), (256,), generator=generator)
    loss = agent.e1.terrain_loss(z[rows], harm[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if batch % 20 == 0:
        with torch.no_grad():
            w_harm = agent.e1.extract_cue_context(z)[1][:, 0]
        curve.append((batch, float(w_harm[high].mean() - w_harm[~high].mean())))
print(f"cue: depth of w_harm {curve[0][1]:.3f} before, {curve[-1][1]:.3f} after training")

# --- the agent in a world that it has not seen, learning on ---------------------------------------
env = CausalGridWorldV2(config.world("contrast14"))
observation, _ = env.reset(seed=options.seed + 1000)
seen_near, said, harmed = [], [], 0.0
for step in range(options.steps):
    choice = agent.act(observation, generator=generator)
    seen_near.append(observation["harm"][:25].max())
    said.append(agent.cue_terrain_weight[0].tolist())
    observation, signal, terminated, truncated, _ = env.step(choice.action)
    agent.update_residue(signal)
    harmed -= min(signal, 0.0)
    if step % 4 == 0:
        agent.learn(generator)
    if terminated or truncated:
        agent.sense(observation)  # the last one is learned from, too
        observation, _ = env.reset()
        agent.reset()
print(f"agent: {options.steps} steps, harm {harmed:.2f}")
print(diagnose(agent, steps=300, seed=1))

# --- a script: straight into a hazard and back; what does the cue say, and when? ------------------
env = CausalGridWorldV2(config.world("contrast14", drift_prob=0.0))
observation, _ = env.reset_to(agent=(6, 2), hazards=[(6, 10)], resources=[(12, 12)])
agent.reset()
approach = []
for step in range(17):
    agent.sense(observation)
    with torch.no_grad():
        w_harm, w_goal = agent.e1.extract_cue_context(agent.latent.z_world)[1][0].tolist()
    approach.append((step, w_harm, w_goal, observation["harm_a"][0]))
    observation = env.step(3 if step < 8 else 2)[0]  # to the right, and back
steps, w_harm, w_goal, slow = zip(*approach, strict=True)

# --- the picture ----------------------------------------------------------------------------------
figure = Figure(figsize=(10, 3.4), dpi=120, layout="constrained")
left, middle, right = figure.subplots(1, 3)
left.plot(*zip(*curve, strict=True))
left.set(title="the cue learns", xlabel="batch of 256", ylabel="depth of w_harm")
middle.plot(steps, w_harm, color="tab:red", label="w_harm")
middle.plot(steps, w_goal, color="tab:green", label="w_goal")
middle.plot(steps, slow, color="black", label="slow harm stream")
middle.axvline(8, color="grey", lw=0.8, ls="--", label="contact")
middle.set(title="straight into a hazard", xlabel="step", ylim=(0, 1))
middle.legend(frameon=False, fontsize=8)
right.plot(seen_near, [it[0] for it in said], ".", ms=4, alpha=0.4, color="tab:red", label="w_harm")
right.plot(
    seen_near, [it[1] for it in said], ".", ms=4, alpha=0.4, color="tab:green", label="w_goal"
)
right.set(title="the agent on its own", xlabel="largest hazard field in view", ylim=(0, 1))
right.legend(frameon=False, fontsize=8)
figure.savefig(options.out)
print(f"wrote {options.out}")
