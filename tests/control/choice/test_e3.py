"""E3 scores candidates as the formulas say, whatever M comes from and whatever weights it."""

from __future__ import annotations

import copy
import pickle
import warnings
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor

from prefrontal.control.choice.e3 import E3TrajectorySelector, TerrainOnWorldWarning
from prefrontal.control.choice.e3_config import E3Config
from prefrontal.control.choice.harm_forward import ResidualHarmForward
from prefrontal.control.choice.trajectory import Trajectories

from .. import drawn

GOAL = drawn.normal(32, seed=20)


def ready(**fields: Any) -> E3TrajectorySelector:
    """With benefit taught and harm in the field."""
    e3 = drawn.e3(**fields)
    e3.record_benefit_samples(50)
    e3.residue_field.accumulate(drawn.normal(3, 32, seed=9), 2.0)
    return e3


def terms_by_hand(e3: E3TrajectorySelector, worlds: Tensor) -> dict[str, Tensor]:
    """From the heads, one state after the other, in double precision."""
    e3, w = copy.deepcopy(e3).double(), worlds.double()
    states = w.unbind(2)
    moved = [(after - before).square().sum(-1) for before, after in pairwise(states)]
    return {
        "F": torch.stack(moved).mean(0),
        "M": torch.stack([e3.harm_eval(it) for it in states]).sum(0),
        "Phi": torch.stack([e3.residue_field(it) for it in states]).sum(0),
        "B": torch.stack([e3.benefit_eval(it) for it in states]).sum(0),
        "G": torch.stack([1 / (1 + (it - GOAL).square().sum(-1)) for it in states]).sum(0),
    }  # fmt: skip


def near(found: Tensor, wanted: Tensor) -> bool:
    return torch.allclose(found.double(), wanted, rtol=2e-6, atol=1e-6)


def test_it_has_the_parameters_of_the_specification() -> None:
    e3 = drawn.e3()
    assert drawn.parameters_of(e3) == 13_924
    for name in ("harm_eval_head", "benefit_eval_head", "harm_eval_z_harm_head"):
        assert drawn.parameters_of(getattr(e3, name)) == 2_177


@pytest.mark.parametrize("agents", [1, 3])
def test_the_score_is_the_weighted_sum_of_its_terms(agents: int) -> None:
    weights = {"lambda_ethical": 1.5, "rho": 0.25, "f_weight": 0.75, "goal_weight": 3.0}
    e3 = ready(**weights, benefit_enabled=True, benefit_weight=2.0)
    many = drawn.candidates(6, agents=agents)
    by_hand = terms_by_hand(e3, many.world_states)
    found = e3.terms(many, goal=GOAL)
    for column, name in enumerate(["F", "M", "Phi", "B", "G"]):
        assert near(found[..., column], by_hand[name]), name
    wanted = 0.75 * by_hand["F"] + 1.5 * by_hand["M"] + 0.25 * by_hand["Phi"]
    wanted = wanted - 2.0 * by_hand["B"] - 3.0 * by_hand["G"]
    assert near(e3.score(many, goal=GOAL), wanted)
    assert near(e3.score(list(many), goal=GOAL), wanted)


def test_terrain_scales_harm_and_benefit_and_never_surprise_or_residue() -> None:
    e3, many = ready(goal_weight=3.0, benefit_enabled=True), drawn.candidates(6, agents=2)
    t = {name: it.float() for name, it in terms_by_hand(e3, many.world_states).items()}
    for terrain in (torch.tensor([[0.25, 0.5]]), torch.tensor([[0.25, 0.5], [1.0, 0.0]])):
        harm, goal = terrain[:, 0], terrain[:, 1]
        wanted = t["F"] + harm * t["M"] + 0.5 * t["Phi"] - goal * (t["B"] + 3.0 * t["G"])
        assert torch.allclose(e3.score(many, goal=GOAL, terrain_weight=terrain), wanted, atol=1e-4)
    whole = e3.score(many, goal=GOAL, terrain_weight=torch.ones(1, 2))
    assert torch.allclose(whole, e3.score(many, goal=GOAL), atol=1e-5)


def test_benefit_counts_from_fifty_samples_on_and_only_if_enabled() -> None:
    many = drawn.candidates(4)
    e3, off = drawn.e3(benefit_enabled=True), drawn.e3()
    without = e3.score(many)
    e3.record_benefit_samples(49)
    off.record_benefit_samples(50)
    assert torch.equal(e3.score(many), without)
    e3.record_benefit_samples()
    benefit = e3.benefit_eval(many.world_states).sum(-1)
    assert torch.allclose(e3.score(many), without - benefit, atol=1e-5)
    assert torch.equal(off.score(many), without)
    with pytest.raises(ValueError, match="samples must be at least 0, got -1"):
        e3.record_benefit_samples(-1)


def test_felt_harm_raises_lambda() -> None:
    many = drawn.candidates(4, agents=2)
    e3 = drawn.e3(affective_harm_scale=0.5, lambda_ethical=2.0)
    z_harm_a = drawn.normal(2, 16)
    found = e3.terms(many)
    raised = 2.0 * (1.0 + 0.5 * z_harm_a.norm(dim=-1))
    wanted = found[..., 0] + raised * found[..., 1] + 0.5 * found[..., 2]
    assert torch.allclose(e3.score(many, z_harm_a=z_harm_a), wanted, atol=1e-4)
    assert torch.equal(drawn.e3().score(many, z_harm_a=z_harm_a), drawn.e3().score(many))


def test_harm_comes_from_its_own_rollout_first_then_over_the_bridge_then_from_the_world() -> None:
    e3, many = drawn.e3(), drawn.candidates(4, agents=2)
    forward, bridge = ResidualHarmForward(), drawn.bridge()
    z_harm = drawn.normal(2, 32, seed=7)
    felt, rolled = z_harm.expand(4, 2, 32), torch.zeros(4, 2)
    for t in range(4):
        felt = forward(felt, many.actions[:, :, t])
        rolled = rolled + e3.harm_eval_z_harm(felt)
    bridged = e3.harm_eval_z_harm(bridge(many.world_states)).sum(-1)
    seen = e3.harm_eval(many.world_states).sum(-1)

    def harm(**streams: Any) -> Tensor:
        return e3.terms(many, **streams)[..., 1]

    both: dict[str, Any] = {"harm_forward": forward, "harm_bridge": bridge}
    assert torch.allclose(harm(**both, z_harm=z_harm), rolled, atol=1e-5)
    assert torch.allclose(harm(**both), bridged, atol=1e-5)
    assert torch.allclose(harm(harm_forward=forward), seen, atol=1e-5)
    assert torch.allclose(harm(z_harm=z_harm), seen, atol=1e-5)
    assert torch.equal(e3.terms(many, **both)[..., [0, 2, 3, 4]], e3.terms(many)[..., [0, 2, 3, 4]])


def test_terrain_on_a_harm_of_the_world_is_warned_of_once() -> None:
    many, terrain = drawn.candidates(3), torch.full((1, 2), 0.5)
    e3 = drawn.e3(warn_world_harm=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        e3.score(many)
        e3.score(many, terrain_weight=terrain, harm_bridge=drawn.bridge())
    with pytest.warns(
        TerrainOnWorldWarning, match="terrain_weight scales a harm that was read off"
    ):
        e3.score(many, terrain_weight=terrain)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        e3.score(many, terrain_weight=terrain)
        drawn.e3().score(many, terrain_weight=terrain)


@pytest.mark.parametrize(
    ("streams", "message"),
    [
        ({"terrain_weight": torch.ones(2)}, r"terrain_weight must be shaped \[3, 2\] or \[1, 2\]"),
        ({"terrain_weight": torch.ones(2, 2)}, "terrain_weight must have 1 or 3 rows, got 2"),
        (
            {"z_harm": torch.ones(2, 32), "harm_forward": ResidualHarmForward()},
            "z_harm must have 1",
        ),
        ({"goal": torch.ones(5)}, "goal must "),
        ({"z_harm_a": torch.ones(2, 16)}, "z_harm_a must have 1 or 3 rows, got 2"),
    ],
)
def test_streams_that_do_not_fit_are_refused_by_name(streams: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        drawn.e3(affective_harm_scale=1.0).score(drawn.candidates(4, agents=3), **streams)


def test_no_candidates_are_refused() -> None:
    e3, none = drawn.e3(), drawn.candidates(0)
    empty: tuple[Any, Any] = ([], none)
    for many in empty:
        with pytest.raises(ValueError, match="candidates must hold at least one trajectory, got 0"):
            e3.score(many)
        with pytest.raises(ValueError, match="candidates must hold at least one trajectory, got 0"):
            e3.select(many)


def test_scores_have_gradients_for_heads_and_terrain() -> None:
    e3, many = ready(benefit_enabled=True), drawn.candidates(3)
    terrain = torch.full((1, 2), 0.5, requires_grad=True)
    e3.score(many, terrain_weight=terrain).sum().backward()
    assert terrain.grad is not None
    assert bool((terrain.grad != 0).all())
    taught = {name.split(".")[0] for name, it in e3.named_parameters() if it.grad is not None}
    assert taught == {"harm_eval_head", "benefit_eval_head", "residue_field"}
    assert e3.residue_field.centres.grad is None


def test_it_is_copied_pickled_and_loaded_with_all_it_has_lived_through() -> None:
    e3, many = ready(benefit_enabled=True), drawn.candidates(3)
    e3.update_running_variance(torch.zeros(1, 32), torch.ones(1, 32))
    loaded = drawn.e3(benefit_enabled=True)
    loaded.load_state_dict(e3.state_dict())
    for it in (copy.deepcopy(e3), pickle.loads(pickle.dumps(e3)), loaded):
        assert torch.equal(it.score(many), e3.score(many))
        assert it.precision == e3.precision != drawn.e3().precision


@pytest.mark.exhaustive
def test_scoring_compiles_without_a_graph_break() -> None:
    e3, many, terrain = drawn.e3(), drawn.candidates(3), torch.full((1, 2), 0.5)
    whole = torch.compile(e3.score, fullgraph=True, backend="aot_eager")
    wanted = e3.score(many, terrain_weight=terrain)
    assert torch.allclose(whole(many, terrain_weight=terrain), wanted, atol=1e-5)


def test_meta_tensors_are_scored_and_not_chosen_from() -> None:
    e3, many = drawn.e3().to("meta"), drawn.candidates(4)
    parts = (many.states, many.world_states, many.actions, many.action_objects)
    there = Trajectories(*(it.to("meta") for it in parts))
    assert e3.score(there).shape == (4, 1)
    with pytest.raises((RuntimeError, NotImplementedError)):
        e3.select(there)


def test_in_double_precision_and_with_strides_the_scores_are_the_same() -> None:
    e3, many = ready(), drawn.candidates(4, agents=2)
    wanted = e3.score(many)
    strided = Trajectories(
        many.states, many.world_states.transpose(0, 1).contiguous().transpose(0, 1), many.actions,
        many.action_objects,
    )  # fmt: skip
    assert not strided.world_states.is_contiguous()
    assert torch.allclose(e3.score(strided), wanted, atol=1e-5)
    doubled = Trajectories(
        *(it.double() for it in (many.states, many.world_states, many.actions, many.action_objects))
    )
    assert torch.allclose(e3.double().score(doubled), wanted.double(), atol=1e-4)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature", 0.0), ("variance_alpha", 1.5), ("rho", float("nan")), ("hidden_dim", 0),
        ("affordance_mode", "scores"), ("commitment_threshold", -0.1), ("world_dim", 16),
        ("benefit_min_samples", -1),
    ],
)  # fmt: skip
def test_a_field_out_of_its_range_is_named(field: str, value: Any) -> None:
    name = "residue.world_dim" if field == "world_dim" else field
    with pytest.raises(ValueError, match=rf"^{name} must "):
        E3Config(**{field: value})
