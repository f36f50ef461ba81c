"""CueReader, ContextReader and RuleState take torch tensors as they take NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from prefrontal._core.control import ContextReader, CueReader, RuleState

from . import state_twins as twins

Z = np.random.default_rng(0).standard_normal((5, 32)).astype(np.float32)


def tensors(parameters: twins.Parameters) -> dict[str, Tensor]:
    return {name: torch.from_numpy(value.copy()) for name, value in parameters.items()}


def test_tensors_give_the_bits_of_arrays() -> None:
    arrays = twins.cue_parameters(world=True) | {"log_tau": np.array([2.0], np.float32)}
    ours, wanted = (
        CueReader(each, cue_action_input="context+world") for each in (tensors(arrays), arrays)
    )
    z = torch.from_numpy(Z)
    for given in (z, z[0], z[:0], torch.nn.Parameter(z)):
        bits = given.detach().numpy()
        assert all(map(np.array_equal, ours.read_context(given), wanted.read_context(bits)))
        assert np.array_equal(ours.weights(given), wanted.weights(bits))
    assert ours.changed(tensors(arrays)) == ()


def test_results_go_into_tensors() -> None:
    reader, z = CueReader(twins.cue_parameters()), torch.from_numpy(Z)
    action, terrain, context = torch.zeros(5, 16), torch.zeros(5, 2), torch.zeros(5, 64)
    reader.read_into(z, action, terrain, context)
    for tensor, wanted in zip((action, terrain, context), reader.read_context(Z), strict=True):
        assert np.array_equal(tensor.numpy(), wanted)
    out = torch.zeros(3, 64)
    x = torch.randn(3, 64)
    memory = ContextReader(tensors(twins.context_parameters()))
    memory.read_into(x, out)
    assert np.array_equal(out.numpy(), memory.read(x.numpy())) and bool(out.any())


def turned(value: Tensor) -> Tensor:
    return value.mT.contiguous().mT if value.dim() == 2 else value.repeat_interleave(2)[::2]


def test_a_module_gives_its_state_and_a_slot_is_written_from_a_tensor() -> None:
    arrays = twins.cue_parameters()
    given = {name: torch.nn.Parameter(turned(value)) for name, value in tensors(arrays).items()}
    reader = CueReader(given)  # in any order of memory: they are copied
    assert reader.changed(arrays) == ()
    row = torch.randn(128)
    reader.write_slot(3, row)
    assert np.array_equal(reader.memory[3], row.numpy())
    with torch.no_grad():
        given["memory"][3] = row
    assert reader.changed(given) == ()


def test_the_rule_takes_tensors_too() -> None:
    arrays, n = twins.rule_parameters(), 3
    ours, wanted = (RuleState(each, environments=n) for each in (tensors(arrays), arrays))
    delta, world, summaries = torch.randn(n, 32), torch.randn(n, 32), torch.randn(n, 7, 32)
    gates = torch.tensor([0.2, 1.0, 0.0])
    ours.update(delta, world, gates)
    wanted.update(delta.numpy(), world.numpy(), gates.numpy())
    assert np.array_equal(ours.get_rule_state(), wanted.get_rule_state())
    out = torch.empty(n, 7)
    ours.bias_into(summaries, out)
    assert np.array_equal(out.numpy(), wanted.bias(summaries.numpy()))
    ours.set_rule_state(torch.ones(n, 16))
    assert np.array_equal(ours.get_rule_state(), np.ones((n, 16)))
    one = RuleState(arrays)
    with pytest.raises(ValueError, match=r"^gate must .*nan"):
        one.update(delta[0], world[0], torch.tensor(float("nan")))


@contextmanager
def fake() -> Iterator[Tensor]:
    with FakeTensorMode() as mode:
        made = mode.from_tensor(torch.from_numpy(Z))
    yield made


def misaligned(z: Tensor) -> Tensor:
    """The same numbers one byte further than float32 may lie."""
    room = np.zeros(4 * z.numel() + 1, np.uint8)[1:]
    return torch.from_numpy(room.view(np.float32).reshape(z.shape))


@pytest.mark.parametrize(
    ("bad", "kind", "message"),
    [
        (
            lambda z: z.to("meta"),
            ValueError,
            r"^z must be a dense tensor on the CPU, got Tensor \(",
        ),
        (lambda z: z.to_sparse(), ValueError, r"^z must be a dense tensor on the CPU, got Tensor"),
        (
            lambda z: z.double(),
            TypeError,
            r"^z must be an array of float32, got torch.float64 of s",
        ),
        (lambda z: z.bfloat16(), TypeError, r"^z must .* got torch.bfloat16 of shape \(5, 32\)$"),
        (
            lambda z: z.T.contiguous().T,
            ValueError,
            r"^z must be .* as z.contiguous\(\) makes it, g",
        ),
        (lambda z: z[:, ::2], ValueError, r"^z must be contiguous .*, got strides \(32, 2\)$"),
        (lambda z: z[0, 0], ValueError, r"^z must be an array of 1 to 3 dimensions, got one of 0$"),
        (lambda z: z[None, None], ValueError, r"^z must be an array of 1 to 3 .*, got one of 4$"),
        (misaligned, ValueError, r"^z must be contiguous in C order and aligned, .*\(32, 1\)$"),
        (lambda z: z[:, :31].clone(), ValueError, r"^z must be of shape .*, got \(5, 31\)$"),
        (lambda z: z.tolist(), TypeError, r"^z must be a numpy array of float32, got list$"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(
    bad: Callable[[Tensor], Any], kind: type[Exception], message: str
) -> None:
    reader = CueReader(twins.cue_parameters())
    with pytest.raises(kind, match=message):
        reader.read(bad(torch.from_numpy(Z)))


def test_a_fake_tensor_is_refused_untouched_and_torch_ops_are_named() -> None:
    reader = CueReader(twins.cue_parameters())
    with fake() as z:
        for call in (reader.read, reader.weights, reader.read_context):
            with pytest.raises(
                ValueError,
                match=r"^z must be a plain tensor, got FakeTensor .*torch.ops.prefrontal",
            ):
                call(z)
        with pytest.raises(
            ValueError, match=r"^parameters\['memory'\] must be a plain tensor, got"
        ):
            CueReader(twins.cue_parameters() | {"memory": z})


def test_a_tensor_inside_functorch_is_refused() -> None:
    reader, seen = CueReader(twins.cue_parameters()), []

    def inside(row: Tensor) -> Tensor:
        with pytest.raises(
            ValueError, match=r"^z must be a .*tensor.*torch.ops.prefrontal"
        ) as error:
            reader.read(row)
        seen.append(str(error.value))
        return row.sum()

    z = torch.from_numpy(Z)
    torch.func.vmap(inside)(z)
    torch.func.grad(inside)(z)
    torch.func.functionalize(inside)(z)
    assert len(seen) == 3


def test_outputs_that_would_surprise_autograd_or_overlap_are_refused() -> None:
    reader, z = CueReader(twins.cue_parameters()), torch.from_numpy(Z.copy())
    action, terrain = torch.zeros(5, 16), torch.zeros(5, 2)
    with pytest.raises(ValueError, match=r"^action_bias must be free of gradients to be written"):
        reader.read_into(z, action.clone().requires_grad_(), terrain)
    with pytest.raises(
        ValueError, match=r"^terrain_weight must be of shape \(5, 2\), got \(4, 2\)$"
    ):
        reader.read_into(z, action, terrain[:4])
    with pytest.raises(
        ValueError, match=r"^action_bias must not overlap what is read, got the same"
    ):
        reader.read_into(z, z.view(-1)[:80].view(5, 16), terrain)
    assert not action.any()
