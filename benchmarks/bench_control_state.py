"""What reading a context memory and moving a rule costs from Python, in every form of the call.

Beside each, the same in NumPy in the same run: "plain" writes the formula down (float32, keys and
values once for all rows), "folded" multiplies out what is linear beforehand. Results are compared
before anything is timed.

    python benchmarks/bench_control_state.py [--smoke]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import harness
from prefrontal._core import instruction_set
from prefrontal._core.control import ContextReader, CueReader, RuleState

Floats = NDArray[Any]  # float32, as far as NumPy's types can tell
Parameters = dict[str, Floats]
Entries = dict[str, Callable[[], object]]

RNG = np.random.default_rng(0)


def main() -> None:
    options = harness.options(__doc__ or "")
    print(f"instruction set {instruction_set()}\n")
    for title, entries in (
        ("cue context, B = 1", one_cue()),
        ("cue context, B = 32", cues(32)),
        ("cue context, B = 1,024", cues(1024)),
        ("ContextMemory.read, B = 1", reads(1)),
        ("ContextMemory.read, B = 1,024", reads(1024)),
        ("a snapshot of the memory", snapshots()),
        ("rule update", updates()),
        ("rule update and bias, K = 8", ticks(8)),
        ("rule update and bias, K = 32", ticks(32)),
        ("rule update and bias, K = 128", ticks(128)),
        ("a rule for each of 1,024 environments, K = 32", environments(1024, 32)),
    ):
        rows = harness.measure(entries, rounds=options.rounds, smoke=options.smoke)
        twin = "NumPy, plain" if "NumPy, plain" in entries else None
        print(f"**{title}**\n\n{harness.table(rows, twin=twin)}\n")


def draw(*shape: int) -> Floats:
    return RNG.standard_normal(shape).astype(np.float32)


def linear(name: str, into: int, out: int) -> Parameters:
    return {f"{name}.weight": draw(out, into) * into**-0.5, f"{name}.bias": draw(out) * into**-0.5}


def memory_parameters(query: str, inputs: int) -> Parameters:
    made = {"memory": draw(16, 128), **linear(query, inputs, 128), **linear("key_proj", 128, 128)}
    del made["key_proj.bias"]
    return {**made, **linear("value_proj", 128, 128), **linear("output_proj", 128, 64)}


def cue_parameters() -> Parameters:
    heads = {**linear("cue_action_proj", 64, 16), **linear("cue_terrain_proj", 64, 2)}
    return {**memory_parameters("world_query_proj", 32), **heads}


def rule_parameters() -> Parameters:
    latents = {**linear("delta_proj", 32, 16), **linear("world_proj", 32, 16)}
    return {**latents, **linear("rule_bias_head.0", 48, 32), **linear("rule_bias_head.2", 32, 1)}


def softmax(scores: Floats) -> Floats:
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights: Floats = shares / shares.sum(axis=1, keepdims=True)
    return weights


def plain_read(p: Parameters, query: str, x: Floats) -> Floats:
    q = x @ p[f"{query}.weight"].T + p[f"{query}.bias"]
    keys = p["memory"] @ p["key_proj.weight"].T
    values = p["memory"] @ p["value_proj.weight"].T + p["value_proj.bias"]
    weights = softmax(q @ keys.T / np.float32(128**0.5))
    read: Floats = (weights @ values) @ p["output_proj.weight"].T + p["output_proj.bias"]
    return read


def heads_of(p: Parameters, context: Floats) -> tuple[Floats, Floats]:
    action = context @ p["cue_action_proj.weight"].T + p["cue_action_proj.bias"]
    logits = context @ p["cue_terrain_proj.weight"].T + p["cue_terrain_proj.bias"]
    return action, 1 / (1 + np.exp(-logits))


class Folded:
    """The linear parts multiplied out, as CueReader does, for NumPy."""

    def __init__(self, p: Parameters, query: str, *, heads: bool) -> None:
        keys = p["memory"] @ p["key_proj.weight"].T / np.float32(128**0.5)
        values = p["memory"] @ p["value_proj.weight"].T + p["value_proj.bias"]
        self.score = np.ascontiguousarray((keys @ p[f"{query}.weight"]).T)
        self.score_start = keys @ p[f"{query}.bias"]
        self.value = values @ p["output_proj.weight"].T + p["output_proj.bias"]
        if heads:
            both = [f"cue_{name}_proj" for name in ("action", "terrain")]
            weight = np.concatenate([p[f"{name}.weight"] for name in both])
            bias = np.concatenate([p[f"{name}.bias"] for name in both])
            self.value = self.value @ weight.T + bias

    def read(self, x: Floats) -> Floats:
        out: Floats = softmax(x @ self.score + self.score_start) @ self.value
        return out

    def cue(self, z: Floats) -> tuple[Floats, Floats]:
        out = self.read(z)
        return out[:, :16], 1 / (1 + np.exp(-out[:, 16:]))


def agree(found: tuple[Floats, ...], *wanted: tuple[Floats, ...]) -> None:
    for each in wanted:
        for a, b in zip(found, each, strict=True):
            assert np.allclose(a, b, atol=3e-6), np.max(np.abs(a - b))


def one_cue() -> Entries:
    p, z = cue_parameters(), draw(32)
    cue, folded = CueReader(p), Folded(p, "world_query_proj", heads=True)
    action, terrain = cue.read(z)
    row = z[None]
    agree((action[None], terrain[None]), folded.cue(row), heads_of(p, context(p, row)))
    cue.z[:] = z
    return {
        "CueReader.tick": cue.tick,
        "CueReader.read_into": lambda: cue.read_into(z, action, terrain),
        "CueReader.read": lambda: cue.read(z),
        "CueReader.read_context": lambda: cue.read_context(z),
        "CueReader.weights": lambda: cue.weights(z),
        "NumPy, folded": lambda: folded.cue(row),
        "NumPy, plain": lambda: heads_of(p, context(p, row)),
    }


def context(p: Parameters, z: Floats) -> Floats:
    return plain_read(p, "world_query_proj", z)


def cues(rows: int) -> Entries:
    p, z = cue_parameters(), draw(rows, 32)
    cue, folded = CueReader(p), Folded(p, "world_query_proj", heads=True)
    cosine = CueReader(p, attention="cosine")
    action, terrain, read = cue.read_context(z)
    agree((action, terrain), folded.cue(z), heads_of(p, context(p, z)))
    return {
        "CueReader.read_into": lambda: cue.read_into(z, action, terrain),
        "CueReader.read_into with the context": lambda: cue.read_into(z, action, terrain, read),
        "CueReader.read_into, cosine": lambda: cosine.read_into(z, action, terrain),
        "NumPy, folded": lambda: folded.cue(z),
        "NumPy, plain": lambda: heads_of(p, context(p, z)),
    }


def reads(rows: int) -> Entries:
    p, x = memory_parameters("query_proj", 64), draw(rows, 64)
    memory, folded = ContextReader(p), Folded(p, "query_proj", heads=False)
    out = memory.read(x)
    agree((out,), (folded.read(x),), (plain_read(p, "query_proj", x),))
    return {
        "ContextReader.read_into": lambda: memory.read_into(x, out),
        "ContextReader.read": lambda: memory.read(x),
        "NumPy, folded": lambda: folded.read(x),
        "NumPy, plain": lambda: plain_read(p, "query_proj", x),
    }


def snapshots() -> Entries:
    p, row = cue_parameters(), draw(128)
    cue = CueReader(p)
    return {
        "CueReader.refresh": lambda: cue.refresh(p),
        "CueReader.write_slot": lambda: cue.write_slot(3, row),
        "CueReader.changed": lambda: cue.changed(p),
        "NumPy, plain": lambda: Folded(p, "world_query_proj", heads=True),
    }


def plain_update(p: Parameters, rule: Floats, delta: Floats, world: Floats, gate: float) -> Floats:
    e = np.float32(0.05 * min(max(gate, 0.0), 1.0))
    source = delta @ p["delta_proj.weight"].T + p["delta_proj.bias"]
    source += np.float32(0.5) * (world @ p["world_proj.weight"].T + p["world_proj.bias"])
    moved: Floats = (1 - e) * rule + e * source
    return moved


def plain_bias(p: Parameters, rule: Floats, summaries: Floats) -> Floats:
    first = p["rule_bias_head.0.weight"]
    hidden = summaries @ first[:, 16:].T + (first[:, :16] @ rule + p["rule_bias_head.0.bias"])
    raw = np.maximum(hidden, 0) @ p["rule_bias_head.2.weight"][0] + p["rule_bias_head.2.bias"]
    biases: Floats = np.clip(raw, -0.1, 0.1)
    return biases


def updates() -> Entries:
    p, delta, world = rule_parameters(), draw(32), draw(32)
    state, rule = RuleState(p), np.zeros(16, np.float32)
    state.update(delta, world, 0.3)
    agree((state.get_rule_state(),), (plain_update(p, rule, delta, world, 0.3),))
    return {
        "RuleState.update": lambda: state.update(delta, world, 0.3),
        "NumPy, plain": lambda: plain_update(p, rule, delta, world, 0.3),
    }


def ticks(candidates: int) -> Entries:
    p, delta, world, summaries = rule_parameters(), draw(32), draw(32), draw(candidates, 32)
    state, told = RuleState(p, candidates=candidates), RuleState(p)
    rule, biases = np.zeros(16, np.float32), np.zeros(candidates, np.float32)
    state.z_delta[:], state.z_world[:], state.summaries[:] = delta, world, summaries

    def into() -> None:
        told.update(delta, world, 0.3)
        told.bias_into(summaries, biases)

    def fresh() -> Floats:
        told.update(delta, world, 0.3)
        return told.bias(summaries)

    def plain() -> Floats:
        return plain_bias(p, plain_update(p, rule, delta, world, 0.3), summaries)

    state.tick(0.3)
    agree((state.biases, fresh()), (plain(), plain_bias(p, told.get_rule_state(), summaries)))
    return {
        "RuleState.tick": lambda: state.tick(0.3),
        "RuleState.update and bias_into": into,
        "RuleState.update and bias": fresh,
        "NumPy, plain": plain,
    }


def environments(n: int, candidates: int) -> Entries:
    p = rule_parameters()
    state = RuleState(p, environments=n, candidates=candidates)
    delta, world, summaries = draw(n, 32), draw(n, 32), draw(n, candidates, 32)
    state.z_delta[:], state.z_world[:], state.summaries[:] = delta, world, summaries
    rule, first = np.zeros((n, 16), np.float32), p["rule_bias_head.0.weight"]

    def plain() -> Floats:
        moved = plain_update(p, rule, delta, world, 0.3)
        hidden = summaries @ first[:, 16:].T
        hidden += (moved @ first[:, :16].T + p["rule_bias_head.0.bias"])[:, None]
        raw = np.maximum(hidden, 0) @ p["rule_bias_head.2.weight"][0] + p["rule_bias_head.2.bias"]
        biases: Floats = np.clip(raw, -0.1, 0.1)
        return biases

    state.tick(0.3)
    agree((state.biases,), (plain(),))
    return {"RuleState.tick": lambda: state.tick(0.3), "NumPy, plain": plain}


if __name__ == "__main__":
    main()
