"""examples/control_agent.py runs, learns, and its parts can be taken out."""

from __future__ import annotations

import sys
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

PROGRAM = Path(__file__).parents[2] / "examples" / "control_agent.py"

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    return run_path(str(PROGRAM), run_name="control_agent")


@pytest.mark.exhaustive
@pytest.mark.parametrize("without", ["", "cue", "rule", "writes"])
def test_a_part_that_is_left_out_has_no_say_and_costs_no_parameter(
    program: dict[str, Any], without: str
) -> None:
    torch.manual_seed(0)
    whole, actor = program["Actor"](), program["Actor"](without)
    actor.load_state_dict(whole.state_dict())
    shown = torch.rand(2, 12), torch.rand(2, 250), torch.rand(2, 51)
    rule = torch.randn(2, 16)
    values, wanted = actor(*shown, rule)[0], whole(*shown, rule)[0]
    assert torch.equal(values, wanted) == (without in ("", "writes"))
    assert torch.equal(actor(*shown, -rule)[0], values) == (without == "rule")


@pytest.mark.exhaustive
@pytest.mark.parametrize("without", ["", "cue", "rule"])
def test_a_frozen_actor_values_actions_as_the_learning_one(
    program: dict[str, Any], without: str
) -> None:
    torch.manual_seed(0)
    actor = program["Actor"](without)
    frozen, rule = program["FrozenActor"](actor, 3), torch.zeros(3, 16)
    for _ in range(20):
        seen = {"body": torch.rand(3, 12), "world": torch.rand(3, 250), "harm": torch.rand(3, 51)}
        with torch.no_grad():
            wanted, _, following = actor(*seen.values(), rule)
            values, _ = actor.valued(actor.encoded(*seen.values()), frozen.cue, frozen.biases)
        assert torch.allclose(values, wanted, atol=1e-5)
        frozen({name: it.numpy() for name, it in seen.items()})
        rule = following
    assert torch.allclose(torch.from_numpy(frozen.rule.get_rule_state()), rule, atol=1e-5)


@pytest.mark.exhaustive
def test_it_trains_says_what_it_reached_and_writes_its_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    weights, threads = tmp_path / "agent.pt", torch.get_num_threads()
    words = ["--steps", "1600", "--world", "default", "--out", str(weights)]
    monkeypatch.setattr(sys, "argv", [str(PROGRAM), *words])
    try:
        run_path(str(PROGRAM), run_name="__main__")
    finally:
        torch.set_num_threads(threads)
    text = capsys.readouterr().out
    assert "mean return in 20 layouts never trained on" in text
    assert "  agent " in text and ", random " in text and ", stay " in text
    assert "modulation depth" in text and f"wrote {weights}" in text
    assert "benefit.0.weight" in torch.load(weights, weights_only=True)


@pytest.mark.exhaustive
@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("mirrored", [False, True])
def test_a_turned_world_is_stepped_as_its_observations_are_turned(
    program: dict[str, Any], turns: int, mirrored: bool
) -> None:
    import numpy as np

    from prefrontal.control import CausalGridWorldV2, GridWorldConfig

    config = GridWorldConfig.preset("contrast14", profile="fixed", drift_prob=0.0)
    symmetry, last = program["Symmetry"](turns, mirrored, config.size), config.size - 1

    def moved(row: int, column: int) -> tuple[int, int]:
        place = (row, last - column if mirrored else column)
        for _ in range(turns):
            place = (last - place[1], place[0])
        return place

    one, other = CausalGridWorldV2(config), CausalGridWorldV2(config)
    hazards, resources = [(6, 9)], [(2, 3), (9, 4), (8, 8)]
    one.reset_to(agent=(4, 5), hazards=hazards, resources=resources)
    other.reset_to(
        agent=moved(4, 5),
        hazards=[moved(*it) for it in hazards],
        resources=[moved(*it) for it in resources],
    )
    for action in (0, 3, 3, 1, 4, 2, 2, 1):
        seen, wanted = one.step(action)[0], other.step(int(symmetry.actions[action]))[0]
        turned = symmetry.turned(*(seen[name][None] for name in ("body", "world", "harm")))
        for part, name in zip(turned, ("body", "world", "harm"), strict=True):
            assert np.allclose(part[0], wanted[name], atol=1e-6), name


@pytest.mark.exhaustive
def test_batches_hold_the_reward_of_the_next_steps_and_none_beyond_an_end(
    program: dict[str, Any],
) -> None:
    import numpy as np

    ahead, worlds = program["AHEAD"], program["WORLDS"]
    gamma, replay = program["DISCOUNT"], program["Replay"](12, 16, 14)
    for t in range(12):
        rows = {
            name: np.full((worlds, wide), t, np.float32)
            for name, wide in {"body": 12, "world": 250, "rule": 16, "harm": 51}.items()
        }
        ends = np.full(worlds, t == 6)
        replay.add(rows, np.full(worlds, 4), np.full(worlds, float(t)), ends)
    batch = replay.sample(np.random.default_rng(0))
    begin = batch["now"][3][:, 0].numpy()
    for t, reward, discount in zip(
        begin, batch["reward"].numpy(), batch["discount"].numpy(), strict=True
    ):
        steps = [k for k in range(ahead) if not t <= 6 < t + k]
        assert reward == pytest.approx(5 * sum((t + k) * gamma**k for k in steps), rel=1e-5)
        assert discount == (0 if t <= 6 < t + ahead else pytest.approx(gamma**ahead))
    assert np.array_equal(batch["later"][3][:, 0].numpy(), begin + ahead)
    assert bool((batch["action"] == 4).all())  # staying is the same however one turns
