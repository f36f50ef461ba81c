"""Reading the context memory, for bench_control.py, beside plain torch, SDPA, compile and NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from control_sections import Section
from prefrontal._core.control import ContextReader, CueReader
from prefrontal.control.ops import (
    CueHeads,
    MemoryWeights,
    TerrainWeights,
    context_read,
    cue_context,
    terrain_step,
)
from prefrontal.control.ops.cue import plain_context_read, plain_cue_context

PLAIN = "plain torch"
READ = (
    *("memory", "query_proj.weight", "query_proj.bias", "key_proj.weight", "value_proj.weight"),
    *("value_proj.bias", "output_proj.weight", "output_proj.bias"),
)
HEADS = tuple(f"cue_{n}_proj.{part}" for n in ("action", "terrain") for part in ("weight", "bias"))

Entry = Callable[[], object]


def sections() -> list[Section]:
    return [
        one_cue(),
        *(forward(rows) for rows in (1, 32, 1024)),
        *(training(rows) for rows in (1, 32, 1024)),
        terrain(),
        *(reading(rows) for rows in (1, 1024)),
    ]


def linear(outputs: int, inputs: int) -> list[Tensor]:
    bound = inputs**-0.5
    return [(2 * torch.rand(outputs, *rest) - 1) * bound for rest in ((inputs,), ())]


def parameters(inputs: int) -> list[Tensor]:
    """Memory, query, key (no bias), value and output; with 32 inputs the two heads too."""
    made = [torch.randn(16, 128), *linear(128, inputs), linear(128, 128)[0], *linear(128, 128)]
    made += linear(64, 128)
    return made + [*linear(16, 64), *linear(2, 64)] * (inputs == 32)


def parts(own: Sequence[Tensor]) -> tuple[MemoryWeights, CueHeads]:
    """What `parameters(32)` made, as a cue takes it."""
    return MemoryWeights(*own[:8]), CueHeads(*own[8:])


def named(tensors: Sequence[Tensor]) -> dict[str, np.ndarray]:
    names = READ if len(tensors) == len(READ) else (*READ, *HEADS)
    if len(tensors) != len(READ):
        names = tuple(name.replace("query", "world_query") for name in names)
    return {name: each.detach().numpy() for name, each in zip(names, tensors, strict=True)}


def agree(found: object, wanted: object) -> None:
    for one, other in zip(results(found), results(wanted), strict=True):
        gap = (one - other).abs().max() / other.abs().max().clamp_min(1.0)
        assert gap <= 3e-6, gap


def results(found: object) -> tuple[Tensor, ...]:
    return (found,) if isinstance(found, Tensor) else tuple(found)  # type: ignore[arg-type]


def without_grad(entries: dict[str, Entry]) -> dict[str, Entry]:
    return {name: torch.inference_mode()(run) for name, run in entries.items()}


def one_cue() -> Section:
    torch.manual_seed(0)
    own, z = parameters(32), torch.randn(1, 32)
    reader, row = CueReader(named(own)), z.numpy()
    action, terrain = torch.empty(1, 16), torch.empty(1, 2)
    entries: dict[str, Entry] = {
        "CueReader.tick (_core)": reader.tick,
        "CueReader.read_into, NumPy (_core)": partial(
            reader.read_into, row, action.numpy(), terrain.numpy()
        ),
        "CueReader.read_into, torch (_core)": partial(reader.read_into, z, action, terrain),
        PLAIN: lambda: plain_cue_context(z, *parts(own)),
    }
    reader.read_into(z, action, terrain)
    agree((action, terrain), plain_cue_context(z, *parts(own)))
    targets = {
        "CueReader.tick (_core)": 0.25e-6,
        "CueReader.read_into, NumPy (_core)": 0.25e-6,
    }
    # Without inference_mode, whose own price is that of a call; nothing here wants a gradient.
    return Section("cue context, B = 1, frozen", entries, PLAIN, targets)


def forward(rows: int) -> Section:
    torch.manual_seed(rows)
    own, z = [each.requires_grad_() for each in parameters(32)], torch.randn(rows, 32)
    live, frozen = parts(own), parts([each.detach() for each in own])
    agree(cue_context(z, *live), plain_cue_context(z, *live))
    entries: dict[str, Entry] = {
        "cue_context with its graph": lambda: cue_context(z, *live),
        "cue_context by cosine with its graph": lambda: cue_context(z, *live, cosine=True),
        "cue_context without": lambda: cue_context(z, *frozen),
        "plain torch without a graph": lambda: plain_cue_context(z, *frozen),
        PLAIN: lambda: plain_cue_context(z, *live),
    }
    targets = {"cue_context with its graph": 8e-6} if rows == 1 else {}
    return Section(f"cue context, B = {rows:,}, live weights", entries, PLAIN, targets)


def training(rows: int) -> Section:
    torch.manual_seed(rows)
    own, z = [each.requires_grad_() for each in parameters(32)], torch.randn(rows, 32)
    live = parts(own)
    weights = (torch.randn(rows, 16), torch.randn(rows, 2))

    def trained(cue: Callable[..., tuple[Tensor, Tensor]]) -> Callable[[], list[Tensor]]:
        def run() -> list[Tensor]:
            for each in own:
                each.grad = None
            torch.autograd.backward(cue(z, *live), weights)
            return [each.grad for each in own if each.grad is not None]

        return run

    ours, plain = trained(cue_context), trained(plain_cue_context)
    agree([each.clone() for each in ours()], plain())
    entries = {
        "cue_context": ours,
        "cue_context by cosine": trained(partial(cue_context, cosine=True)),
        "torch.compile of the plain form": trained(torch.compile(plain_cue_context, dynamic=False)),
        PLAIN: plain,
    }
    title = f"cue context forward and backward, B = {rows:,}"
    return Section(title, entries, PLAIN, {"cue_context": {1: 75e-6, 32: 110e-6}.get(rows, 400e-6)})


def terrain() -> Section:
    torch.manual_seed(3)
    made, z, target = parameters(32), torch.randn(1, 32), torch.tensor([[0.8, 0.3]])
    own = [each.requires_grad_() for each in (*made[:8], *made[10:])]
    for each in own:
        each.grad = torch.zeros_like(each)
    gradients = [each.grad for each in own if each.grad is not None]
    memory = MemoryWeights(*own[:8])
    live = TerrainWeights(memory, *own[8:])
    into = TerrainWeights(MemoryWeights(*gradients[:8]), *gradients[8:])

    def plain() -> Tensor:
        for each in gradients:
            each.zero_()
        context, _ = plain_context_read(z, memory)
        weights = torch.sigmoid(functional.linear(context, *own[8:]))
        loss = functional.mse_loss(weights[:, 0], target[:, 0]) + functional.mse_loss(
            weights[:, 1], target[:, 1]
        )
        loss.backward()
        return loss

    def fused(cosine: bool = False) -> Tensor:
        return terrain_step(z, target, live, into, cosine=cosine)

    plain()
    wanted = [each.clone() for each in gradients]
    fused()
    agree(gradients, wanted)
    entries: dict[str, Entry] = {
        "terrain_step": fused,
        "terrain_step by cosine": lambda: fused(True),
        PLAIN: plain,
    }
    return Section(
        "terrain loss, one training step, B = 1", entries, PLAIN, {"terrain_step": 15e-6}
    )


def reading(rows: int) -> Section:
    torch.manual_seed(rows)
    own, x = parameters(64), torch.randn(rows, 64)
    memory = MemoryWeights(*own)
    reader, out = ContextReader(named(own)), torch.empty(rows, 64)

    def attention() -> Tensor:
        query, key = functional.linear(x, *own[1:3]), functional.linear(own[0], own[3])
        value = functional.linear(own[0], *own[4:6])
        read = functional.scaled_dot_product_attention(query[None], key[None], value[None])[0]
        return functional.linear(read, *own[6:])

    wanted = plain_context_read(x, memory)
    agree(context_read(x, memory), wanted)
    reader.read_into(x, out)
    agree((out, attention()), (wanted[0], wanted[0]))
    entries: dict[str, Entry] = {
        "context_read, live weights": lambda: context_read(x, memory),
        "ContextReader.read_into (_core)": lambda: reader.read_into(x, out),
        "scaled_dot_product_attention": attention,
        "torch.compile of the plain form": partial(
            torch.compile(plain_context_read, dynamic=False), x, memory
        ),
        PLAIN: lambda: plain_context_read(x, memory),
    }
    limits = {"context_read, live weights": 450e-6, "ContextReader.read_into (_core)": 70e-6}
    title = f"ContextMemory.read, B = {rows:,}"
    return Section(title, without_grad(entries), PLAIN, limits if rows > 1 else {})
