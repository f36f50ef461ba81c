"""LateralPFCAnalog writes, keeps and reads its rule as the formulas say."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch._subclasses import FakeTensorMode

from prefrontal.control import LateralPFCAnalog, LateralPFCConfig

from ...exhaustive import first
from .. import state_twins as twins


def made(seed: int = 0, **options: Any) -> LateralPFCAnalog:
    config = LateralPFCConfig(use_lateral_pfc_analog=True, **options)
    return LateralPFCAnalog(config, generator=torch.Generator().manual_seed(seed))


def drawn(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def held(seed: int = 0, **options: Any) -> LateralPFCAnalog:
    module = made(seed, **options)
    module.set_rule_state(drawn(*module.rule_state.shape, seed=2))
    return module


def test_parameters_have_the_names_shapes_and_counts_of_the_specification() -> None:
    shapes = {name: tuple(value.shape) for name, value in made().state_dict().items()}
    assert shapes == {
        "delta_proj.weight": (16, 32),
        "delta_proj.bias": (16,),
        "world_proj.weight": (16, 32),
        "world_proj.bias": (16,),
        "rule_bias_head.0.weight": (32, 48),
        "rule_bias_head.0.bias": (32,),
        "rule_bias_head.2.weight": (1, 32),
        "rule_bias_head.2.bias": (1,),
    }
    assert sum(it.numel() for it in made().parameters()) == 528 + 528 + 1568 + 33


def test_weights_are_those_torch_would_draw() -> None:
    torch.manual_seed(3)
    module = LateralPFCAnalog(LateralPFCConfig(use_lateral_pfc_analog=True))
    torch.manual_seed(3)
    assert torch.equal(module.delta_proj.weight, torch.nn.Linear(32, 16).weight)


def test_switched_off_there_is_no_parameter_no_random_number_and_no_effect() -> None:
    torch.manual_seed(5)
    module = LateralPFCAnalog()
    after = torch.rand(4)
    torch.manual_seed(5)
    assert torch.equal(after, torch.rand(4))
    assert list(module.parameters()) == [] and module.state_dict() == {}
    module.update(drawn(32), drawn(32), math.nan)
    assert torch.equal(module.rule_state, torch.zeros(1, 16))
    scores = drawn(7)
    assert torch.equal(module.biased(scores, drawn(7, 32)), scores)
    assert torch.equal(module.compute_bias(drawn(7, 32)), torch.zeros(7))
    gain = LateralPFCAnalog(LateralPFCConfig(bias_form="gain"))
    assert torch.equal(gain.biased(scores, drawn(7, 32)), scores)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**31 - 1),
    gate=st.floats(-1, 2),
    override=st.floats(-1, 2),
    pool=st.sampled_from([0.0, 0.5, -2.0]),
    batch=st.sampled_from([0, 1, 5]),
)
def test_an_update_is_within_1e_6_of_the_formula_in_double(
    seed: int, gate: float, override: float, pool: float, batch: int
) -> None:
    module = held(seed, world_pool_weight=pool, override_gain=2.0)
    shape = (batch, 32) if batch else (32,)
    z_delta, z_world = drawn(*shape, seed=seed), drawn(*shape, seed=seed + 1)
    wanted = twins.updated(
        module.rule_parameters(),
        module.rule_state[0].double().numpy(),
        z_delta.numpy(),
        z_world.numpy(),
        gate,
        pool=pool,
        forced=2.0 * min(max(override, 0.0), 1.0),
    )
    module.update(z_delta, z_world, gate, override)
    assert module.rule_state.shape == (1, 16)
    torch.testing.assert_close(
        module.rule_state[0].double(), torch.from_numpy(wanted), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize(
    ("gate", "half_life"), first(1, [(1.0, 13.51), (0.3, 45.9), (0.05, 276.9)])
)
def test_the_rule_is_half_way_after_its_half_life(gate: float, half_life: float) -> None:
    module, z = held().double(), drawn(32).double()
    start, source = module.get_rule_state(), module.source(z[None], z[None]).detach()
    left = []
    for n in range(1, 281):
        module.update(z, z, gate)
        closed = source + (1 - 0.05 * gate) ** n * (start - source)
        torch.testing.assert_close(module.rule_state, closed, rtol=1e-11, atol=1e-12)
        left.append(((module.rule_state - source).norm() / (start - source).norm()).item())
    assert sum(each > 0.5 for each in left) == math.floor(half_life)
    assert abs(math.log(0.5) / math.log(1 - 0.05 * gate) - half_life) < 0.05


def test_the_time_constant_at_an_open_gate_is_twenty_ticks() -> None:
    module, z = made().double(), drawn(32).double()
    source = module.source(z[None], z[None])
    for _ in range(20):
        module.update(z, z)
    risen = (module.rule_state.norm() / source.norm()).item()
    assert risen == pytest.approx(1 - 0.95**20, abs=1e-12)
    assert risen == pytest.approx(0.63, abs=0.015)


def test_a_shut_gate_holds_the_rule_to_the_bit_whatever_comes() -> None:
    module = held()
    before = module.get_rule_state()
    for gate in (0.0, -3.0):
        module.update(drawn(32), torch.full((32,), math.inf), gate)
        assert torch.equal(module.rule_state, before)


def test_an_untold_gate_is_open_and_a_gate_above_one_is_one() -> None:
    modules = [held() for _ in range(3)]
    modules[0].update(drawn(32), drawn(32, seed=4))
    for module, gate in zip(modules[1:], (1.0, 7.0), strict=True):
        module.update(drawn(32), drawn(32, seed=4), gate)
    assert torch.equal(modules[0].rule_state, modules[1].rule_state)
    assert torch.equal(modules[0].rule_state, modules[2].rule_state)


def test_gradients_reach_the_head_and_the_summaries_and_never_the_rule() -> None:
    module = held(head="frozen_random")
    latents, summaries = drawn(32).requires_grad_(), drawn(6, 32).requires_grad_()
    module.update(latents, latents)
    assert not module.rule_state.requires_grad
    bias = module.compute_bias(summaries)
    module.reset()  # which leaves the graph of an earlier bias alone, as a later tick does
    module.update(latents, latents)
    bias.sum().backward()
    assert latents.grad is None and module.delta_proj.weight.grad is None
    assert summaries.grad is not None and summaries.grad.abs().sum() > 0
    for parameter in module.rule_bias_head.parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0


def test_a_new_head_gives_exactly_nothing_and_leaves_scores_to_the_bit() -> None:
    module, scores = held(), drawn(8, seed=9)
    assert torch.equal(module.compute_bias(drawn(8, 32)), torch.zeros(8))
    assert torch.equal(module.biased(scores, drawn(8, 32)), scores)


def test_reset_zeroes_the_rule_and_what_was_kept_for_diagnosis() -> None:
    module = held()
    module.update(drawn(32), drawn(32), 0.3)
    module.compute_bias(drawn(2, 32))
    assert module.last_gate == 0.3 and module.last_bias is not None
    module.reset()
    assert torch.equal(module.rule_state, torch.zeros(1, 16))
    assert module.last_gate is None and module.last_bias is None


def test_the_rule_is_outside_of_the_state_dict_unless_asked_for_and_is_got_and_set() -> None:
    module, kept = held(), held(persistent_rule_state=True)
    assert "rule_state" not in module.state_dict() and "rule_state" in kept.state_dict()
    other = made(persistent_rule_state=True)
    other.load_state_dict(kept.state_dict())
    assert torch.equal(other.rule_state, kept.rule_state)
    copied = module.get_rule_state()
    copied += 1
    assert not torch.equal(copied, module.rule_state)
    module.set_rule_state(copied)
    wanted = copied.clone()
    copied += 1
    assert torch.equal(module.rule_state, wanted)
    module.set_rule_state(copied[0])
    assert torch.equal(module.rule_state, copied)
    with pytest.raises(RuntimeError, match="Missing key"):
        module.load_state_dict({})


@pytest.mark.parametrize("again", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_copies_go_on_by_themselves_with_the_same_numbers(again: Any) -> None:
    module = held(head="frozen_random", persistence="synaptic_hold")
    module.update(drawn(32), drawn(32))
    other = again(module)
    assert torch.equal(other.compute_bias(drawn(4, 32)), module.compute_bias(drawn(4, 32)))
    before = module.get_rule_state()
    other.update(drawn(32), drawn(32))
    assert torch.equal(module.rule_state, before)


def test_double_precision_strided_rows_and_no_candidates_are_taken() -> None:
    module = held(head="frozen_random")
    wide = drawn(6, 64)
    found = module.compute_bias(wide[:, ::2])
    assert torch.equal(found, module.compute_bias(wide[:, ::2].contiguous()))
    double = copy.deepcopy(module).double()
    assert double.rule_state.dtype == torch.float64
    torch.testing.assert_close(double.compute_bias(wide[:, ::2].double()).float(), found)
    assert module.compute_bias(torch.empty(0, 32)).shape == (0,)
    centred = held(head="frozen_random", centre_summaries=True)
    assert centred.compute_bias(torch.empty(0, 32)).shape == (0,)
    module.update(wide[:, ::2], wide[:, 1::2])


def test_meta_and_fake_tensors_give_shapes_and_crash_nothing() -> None:
    on_meta = held(head="frozen_random").to("meta")
    on_meta.update(torch.empty(3, 32, device="meta"), torch.empty(3, 32, device="meta"), 0.5)
    assert on_meta.compute_bias(torch.empty(4, 32, device="meta")).shape == (4,)
    with FakeTensorMode() as mode:
        fake = made(environments=2, head="frozen_random")
        latent = mode.from_tensor(drawn(2, 32))
        fake.update(latent, latent, torch.ones(2))
        assert fake.compute_bias(mode.from_tensor(drawn(2, 4, 32))).shape == (2, 4)


@pytest.mark.exhaustive
def test_the_module_compiles_without_a_graph_break() -> None:
    module, twin = held(head="frozen_random"), held(head="frozen_random")

    def tick(z: Tensor, summaries: Tensor) -> Tensor:
        module.update(z, z, 0.5)
        return module.compute_bias(summaries)

    found = torch.compile(tick, fullgraph=True, backend="aot_eager")(drawn(32), drawn(5, 32))
    twin.update(drawn(32), drawn(32), 0.5)
    torch.testing.assert_close(found, twin.compute_bias(drawn(5, 32)))
    torch.testing.assert_close(module.rule_state, twin.rule_state)
