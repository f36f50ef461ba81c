"""A GatedRule is the gated average at every step, and trains through time."""

from __future__ import annotations

import copy
import math
import pickle

import pytest
import torch
from torch import Tensor

from prefrontal.control.rule.gated_rule import GatedRule


def made(*, rules: int = 2, eta: float = 1.0) -> GatedRule:
    torch.manual_seed(0)
    return GatedRule(5, 3, rules=rules, eta=eta)


def sequence(rows: int = 2, steps: int = 6) -> Tensor:
    return torch.randn(rows, steps, 5, generator=torch.Generator().manual_seed(1))


def test_each_step_is_the_formula() -> None:
    module, x = made(eta=0.3), sequence()
    held, last = module(x)
    rule = torch.zeros(2, 2, 3)
    for t in range(x.shape[1]):
        gate = 0.3 * torch.sigmoid(module.gate_proj(x[:, t])).unsqueeze(-1)
        rule = (1 - gate) * rule + gate * module.source_proj(x[:, t]).view(2, 2, 3)
        torch.testing.assert_close(held[:, t], rule.flatten(1))
    assert torch.equal(last, held[:, -1])


def test_at_an_open_gate_it_is_half_way_after_13_and_a_half_steps_of_eta_one_twentieth() -> None:
    module = made(rules=1, eta=0.05)
    torch.nn.init.constant_(module.gate_proj.bias, 50.0)
    x = sequence(rows=1, steps=1).expand(-1, 14, -1)
    share = module(x)[0][0, :, 0] / module.source_proj(x)[0, 0, 0]
    half = math.log(0.5) / math.log(0.95)
    assert share[12] < 0.5 < share[13] and 13 < half < 14


def test_a_shut_gate_holds_a_rule() -> None:
    module = made()
    torch.nn.init.constant_(module.gate_proj.bias, -200.0)
    rule = torch.randn(2, 6)
    assert torch.equal(module(sequence(), rule)[1], rule)


def test_a_sequence_may_be_given_in_pieces() -> None:
    module, x = made(), sequence()
    begin, rule = module(x[:, :2])
    rest, _ = module(x[:, 2:], rule)
    torch.testing.assert_close(torch.cat([begin, rest], 1), module(x)[0])


def test_a_loss_on_the_last_rule_teaches_gates_and_sources() -> None:
    module = made()
    module(sequence())[1].sum().backward()
    for layer in (module.gate_proj, module.source_proj):
        assert layer.weight.grad is not None and bool((layer.weight.grad != 0).all())


def test_sizes_and_shapes_out_of_range_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="rule_dim must be at least 1, got 0"):
        GatedRule(5, 0)
    with pytest.raises(ValueError, match=r"eta must be above 0 and at most 1, got 1.5"):
        GatedRule(5, 3, eta=1.5)
    with pytest.raises(ValueError, match=r"x must be of shape \[B, T, 5\], got \[2, 5\]"):
        made()(torch.zeros(2, 5))


@pytest.mark.parametrize(("rows", "steps"), [(0, 3), (2, 0)])
def test_nothing_gives_nothing(rows: int, steps: int) -> None:
    held, last = made()(torch.zeros(rows, steps, 5))
    assert held.shape == (rows, steps, 6) and last.shape == (rows, 6)


@pytest.mark.exhaustive
def test_it_is_copied_pickled_compiled_and_exported() -> None:
    module, x = made(), sequence()
    wanted = module(x)[0]
    for twin in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert torch.equal(twin(x)[0], wanted)
    torch.compiler.reset()
    whole = torch.compile(module, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(whole(x)[0], wanted)
    torch.testing.assert_close(torch.export.export(module, (x,)).module()(x)[0], wanted)


@pytest.mark.exhaustive
def test_it_runs_in_double_and_in_mixed_precision() -> None:
    module, x = made(), sequence()
    wanted = module(x)[0]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        held, last = module(x)
    assert held.dtype == last.dtype == torch.float32  # a rule of bfloat16 would lose small steps
    torch.testing.assert_close(held, wanted, atol=0.05, rtol=0.05)
    module, x = module.double(), x.double().requires_grad_()
    assert torch.autograd.gradcheck(lambda it: module(it)[0], (x,))
