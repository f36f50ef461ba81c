"""A context memory folded for reading: everything linear around its softmax becomes one tensor.

It is a snapshot: it does not change when the parameters do, however they are changed. Sixteen
slots, float32, the CPU; cues are 32 wide and states 64, contexts 64, actions 16, terrain 2.
Layout (csrc/simd/slots.hpp): header [16], score [64, 16], its start [16], value [16, 96], its start
[96], action [32, 16], norm [65, 80]. The header holds whole numbers bit by bit.
"""

from __future__ import annotations

import torch
from torch import Tensor

from . import compiled
from .shapes import expect

SLOTS, WORLD, CONTEXT, ACTIONS, TERRAIN = 16, 32, 64, 16, 2
MARK = 0x50464331
SIZES = (16, 64 * 16, 16, 16 * 96, 96, 32 * 16, 65 * 80)
FOLDED = sum(SIZES)


def fold_context(
    memory: Tensor,
    query_weight: Tensor,
    query_bias: Tensor,
    key_weight: Tensor,
    value_weight: Tensor,
    value_bias: Tensor,
    output_weight: Tensor,
    output_bias: Tensor,
    key_bias: Tensor | None = None,
    log_tau: Tensor | None = None,
    *,
    cosine: bool = False,
) -> Tensor:
    """The parameters of `context_read` folded for `folded_context_read`: one flat float32 tensor.

    Raises ValueError where a shape, dtype or device does not fit, or a folded number is not finite.
    """
    tensors = (
        *(memory, query_weight, query_bias, key_weight, value_weight, value_bias),
        *(output_weight, output_bias, key_bias, log_tau),
    )
    if compiled.available():
        folded: Tensor = torch.ops.prefrontal.fold_context(*tensors, cosine)
        return folded
    return plain_fold(*tensors, cosine=cosine)


def fold_cue(
    memory: Tensor,
    query_weight: Tensor,
    query_bias: Tensor,
    key_weight: Tensor,
    value_weight: Tensor,
    value_bias: Tensor,
    output_weight: Tensor,
    output_bias: Tensor,
    action_weight: Tensor,
    action_bias: Tensor,
    terrain_weight: Tensor,
    terrain_bias: Tensor,
    key_bias: Tensor | None = None,
    log_tau: Tensor | None = None,
    *,
    cosine: bool = False,
) -> Tensor:
    """The parameters of `cue_context` folded for `folded_cue_context`: one flat float32 tensor.

    Raises ValueError where a shape, dtype or device does not fit, or a folded number is not finite.
    """
    read = (
        *(memory, query_weight, query_bias, key_weight, value_weight, value_bias),
        *(output_weight, output_bias),
    )
    heads = (action_weight, action_bias, terrain_weight, terrain_bias)
    if compiled.available():
        folded: Tensor = torch.ops.prefrontal.fold_cue(*read, *heads, key_bias, log_tau, cosine)
        return folded
    return plain_fold(*read, key_bias, log_tau, heads, cosine=cosine)


def folded_context_read(x: Tensor, folded: Tensor) -> Tensor:
    """The context [B, 64] of states x [B, 64], as `context_read` gives it. Without gradients."""
    if compiled.available():
        context: Tensor = torch.ops.prefrontal.folded_context_read(x, folded)
        return context
    weights, parts = _attend("x", x, folded, CONTEXT)
    return weights @ parts[3].view(SLOTS, 96)[:, 32:] + parts[4][32:]


def folded_cue_context(z: Tensor, folded: Tensor) -> tuple[Tensor, Tensor]:
    """(action [B, 16], terrain [B, 2]) of cues z [B, 32], as `cue_context`. Without gradients."""
    if compiled.available():
        action, terrain = torch.ops.prefrontal.folded_cue_context(z, folded)
        return action, terrain
    weights, parts = _attend("z", z, folded, WORLD)
    heads = weights @ parts[3].view(SLOTS, 96)[:, :18] + parts[4][:18]
    action = heads[:, :ACTIONS] + z @ parts[5].view(WORLD, ACTIONS)
    return action, torch.sigmoid(heads[:, ACTIONS:])


def folded_cue_context_out(z: Tensor, folded: Tensor, action: Tensor, terrain: Tensor) -> None:
    """`folded_cue_context` into given contiguous tensors, apart from z in memory."""
    if compiled.available():
        torch.ops.prefrontal.folded_cue_context_out(z, folded, action, terrain)
        return
    expect("action", action, z.shape[0], ACTIONS, like=z)
    expect("terrain", terrain, z.shape[0], TERRAIN, like=z)
    for out, result in zip((action, terrain), folded_cue_context(z, folded), strict=True):
        out.copy_(result)


def _attend(name: str, x: Tensor, folded: Tensor, width: int) -> tuple[Tensor, list[Tensor]]:
    expect(name, x, None, width)
    expect("folded", folded, FOLDED, like=x)
    if x.dtype != torch.float32:
        raise ValueError(f"{name} must be torch.float32 to be read folded, got {x.dtype}")
    if torch.is_grad_enabled() and x.requires_grad:
        raise ValueError(f"{name} must not require a gradient to be read folded, got one that does")
    parts = list(folded.split(SIZES))
    inputs, cosine, _, mark = parts[0][:4].view(torch.int32).tolist()
    if mark != MARK or inputs != width:
        raise ValueError(f"folded must come from the folding of {width} inputs, got something else")
    scores = x @ parts[1].view(64, SLOTS)[:width] + parts[2]
    if cosine:
        norm = parts[6].view(65, 80)
        lengths = torch.linalg.vector_norm(x @ norm[:width] + norm[width], dim=1, keepdim=True)
        scores = scores / lengths.clamp_min(1e-12)
    return torch.softmax(scores, dim=-1), parts


def plain_fold(
    memory: Tensor,
    query_weight: Tensor,
    query_bias: Tensor,
    key_weight: Tensor,
    value_weight: Tensor,
    value_bias: Tensor,
    output_weight: Tensor,
    output_bias: Tensor,
    key_bias: Tensor | None = None,
    log_tau: Tensor | None = None,
    heads: tuple[Tensor, Tensor, Tensor, Tensor] | None = None,
    *,
    cosine: bool = False,
) -> Tensor:
    """`fold_cue` (with heads) and `fold_context` in plain torch, through double precision."""
    width = CONTEXT if heads is None else WORLD
    depth = memory.shape[-1]
    _check_fold(memory, width, query_weight, query_bias, key_weight, value_weight, value_bias)
    expect("output_weight", output_weight, CONTEXT, depth, like=memory)
    expect("output_bias", output_bias, CONTEXT, like=memory)
    query = torch.cat([query_weight, query_bias[:, None]], dim=1).detach().double()
    slots = memory.detach().double()
    key = slots @ key_weight.detach().double().T
    if key_bias is not None:
        key = key + key_bias.detach().double()
    tau = depth**0.5 if log_tau is None else float(log_tau.detach().double().exp()) + 1e-3
    if cosine:
        key = depth * key / key.norm(dim=1, keepdim=True).clamp_min(1e-12)
    score = (key @ query / tau).T
    value = slots @ value_weight.detach().double().T + value_bias.detach().double()
    context = value @ output_weight.detach().double().T
    parts = [torch.zeros(size, dtype=torch.float64) for size in SIZES]
    parts[1][: width * SLOTS] = score[:-1].flatten()
    parts[2][:] = score[-1]
    parts[3].view(SLOTS, 96)[:, 32:] = context
    parts[4][32:] = output_bias.detach().double()
    direct = False if heads is None else _fold_heads(context, output_bias, heads, parts)
    if cosine:
        triangle = torch.linalg.qr(query, mode="r").R
        triangle = triangle * torch.where(triangle.diagonal() < 0, -1.0, 1.0)[:, None]
        parts[6].view(65, 80)[: width + 1, : len(triangle)] = triangle.T
    folded = torch.cat(parts).float()
    if not bool(folded.isfinite().all()):
        raise ValueError("parameters must fold to finite numbers, got products over 3.4e38")
    header = torch.tensor([width, cosine, direct, MARK], dtype=torch.int32)
    folded[:4] = header.view(torch.float32)
    return folded


def _check_fold(
    memory: Tensor,
    width: int,
    query_weight: Tensor,
    query_bias: Tensor,
    key_weight: Tensor,
    value_weight: Tensor,
    value_bias: Tensor,
) -> None:
    depth = memory.shape[-1]
    if memory.dtype != torch.float32 or memory.device.type != "cpu":
        found = f"{memory.dtype} on {memory.device}"
        raise ValueError(f"memory must be torch.float32 on the CPU to be folded, got {found}")
    expect("memory", memory, SLOTS, None)
    expect("query_weight", query_weight, depth, width, like=memory)
    expect("query_bias", query_bias, depth, like=memory)
    expect("key_weight", key_weight, depth, depth, like=memory)
    expect("value_weight", value_weight, depth, depth, like=memory)
    expect("value_bias", value_bias, depth, like=memory)


def _fold_heads(
    context: Tensor,
    output_bias: Tensor,
    heads: tuple[Tensor, Tensor, Tensor, Tensor],
    parts: list[Tensor],
) -> bool:
    """Writes the heads into the parts; whether the action reads the cue beside the context."""
    action, action_bias, terrain, terrain_bias = heads
    direct = action.shape[-1] != CONTEXT
    expect("action_weight", action, ACTIONS, CONTEXT + WORLD if direct else CONTEXT)
    expect("action_bias", action_bias, ACTIONS, like=action)
    expect("terrain_weight", terrain, TERRAIN, CONTEXT, like=action)
    expect("terrain_bias", terrain_bias, TERRAIN, like=action)
    weight = torch.cat([action[:, :CONTEXT], terrain]).detach().double()
    bias = torch.cat([action_bias, terrain_bias]).detach().double()
    parts[3].view(SLOTS, 96)[:, :18] = context @ weight.T
    parts[4][:18] = weight @ output_bias.detach().double() + bias
    if direct:
        parts[5].view(WORLD, ACTIONS)[:] = action[:, CONTEXT:].detach().double().T
    return direct
