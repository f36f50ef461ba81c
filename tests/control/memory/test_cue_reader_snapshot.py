"""A CueReader is a snapshot: nothing but `refresh` and `write_slot` changes what it reads."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal._core.control import ContextReader, CueReader

from .. import state_twins as twins

Z = np.random.default_rng(3).standard_normal((5, 32)).astype(np.float32)


def in_place(parameters: twins.Parameters) -> None:
    """As `p.add_()` under no_grad and plain optimizers do: a version counter would see it."""
    parameters["memory"] += 0.5


def through_data(parameters: twins.Parameters) -> None:
    """As `p.data[...] =`: no version counter sees it."""
    parameters["memory"][...] = parameters["memory"][::-1].copy()


def through_a_view(parameters: twins.Parameters) -> None:
    """As a NumPy view of the same memory: no version counter sees it."""
    flat = parameters["memory"].reshape(-1)
    flat[7 * 128 : 8 * 128] = 1.0


def fused(parameters: twins.Parameters) -> None:
    """As a fused optimizer: every parameter at once, written by a kernel into its memory."""
    for value in parameters.values():
        np.multiply(value, np.float32(0.9), out=value)


CASES = [in_place, through_data, through_a_view, fused]


@pytest.mark.parametrize("change", CASES)
def test_a_change_of_the_callers_arrays_is_read_after_a_refresh_and_not_before(
    change: Callable[[twins.Parameters], None],
) -> None:
    parameters = twins.cue_parameters()
    reader = CueReader(parameters)
    before = reader.read_context(Z)
    assert reader.changed(parameters) == ()
    change(parameters)
    assert all(map(np.array_equal, reader.read_context(Z), before))
    assert "memory" in reader.changed(parameters)  # never silently stale
    reader.refresh(parameters)
    assert reader.changed(parameters) == ()
    fresh = CueReader(parameters).read_context(Z)
    assert all(map(np.array_equal, reader.read_context(Z), fresh))
    assert not np.array_equal(fresh[0], before[0])


def test_changed_names_what_differs_in_the_order_of_the_parameters() -> None:
    parameters = twins.cue_parameters()
    reader = CueReader(parameters)
    parameters["cue_terrain_proj.bias"] += 1
    parameters["key_proj.weight"][3, 4] += 1
    assert reader.changed(parameters) == ("key_proj.weight", "cue_terrain_proj.bias")
    del parameters["cue_terrain_proj.bias"]
    with pytest.raises(ValueError, match=r"^parameters must hold 'cue_terrain_proj.bias', got"):
        reader.changed(parameters)


@pytest.mark.parametrize("attention", ["dot", "cosine"])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), slots=st.lists(st.integers(0, 15), min_size=1, max_size=6))
def test_written_slots_give_the_bits_of_a_reader_made_with_them(
    attention: Any, seed: int, slots: list[int]
) -> None:
    rng = np.random.default_rng(seed)
    parameters = twins.cue_parameters(seed)
    reader = CueReader(parameters, attention=attention)
    mine = parameters["memory"].copy()
    for slot in slots:
        row = rng.standard_normal(128).astype(np.float32)
        reader.write_slot(slot, row)
        mine[slot] = row
        row[:] = 0.0  # the reader has copied it
    assert np.array_equal(reader.memory, mine)
    fresh = CueReader(parameters | {"memory": mine}, attention=attention)
    assert all(map(np.array_equal, reader.read_context(Z), fresh.read_context(Z)))
    assert np.array_equal(reader.weights(Z), fresh.weights(Z))


def test_a_written_slot_leaves_the_callers_memory_and_is_undone_by_a_refresh() -> None:
    parameters = twins.cue_parameters()
    given_memory = parameters["memory"].copy()
    reader = CueReader(parameters)
    before = reader.read(Z)
    reader.write_slot(4, np.ones(128, np.float32))
    assert np.array_equal(parameters["memory"], given_memory)
    assert reader.changed(parameters) == ("memory",)
    assert not np.array_equal(reader.read(Z)[0], before[0])
    reader.refresh(parameters)
    assert all(map(np.array_equal, reader.read(Z), before))


def test_a_long_read_beside_refreshes_gives_one_snapshot_or_the_other() -> None:
    first, second = twins.cue_parameters(1), twins.cue_parameters(2)
    reader, z = CueReader(first), np.tile(Z, (200, 1))
    wanted = [CueReader(each).read(z)[0] for each in (first, second)]
    with ThreadPoolExecutor(1) as pool:
        reads = [pool.submit(reader.read, z) for _ in range(100)]
        for turn in range(100):
            reader.refresh(second if turn % 2 == 0 else first)
        for each in reads:
            assert any(np.array_equal(each.result()[0], one) for one in wanted)


def test_a_copy_of_the_memory_is_handed_out() -> None:
    reader = CueReader(twins.cue_parameters())
    reader.memory[:] = 0.0
    assert np.any(reader.memory != 0.0)


def test_what_is_refused_leaves_the_snapshot_as_it_was() -> None:
    parameters = twins.cue_parameters()
    parameters["value_proj.weight"] *= 1000
    reader = CueReader(parameters)
    before = reader.read(Z)
    huge = np.full(128, 3e38, np.float32)
    with pytest.raises(ValueError, match=r"^parameters must fold to finite numbers, got products"):
        reader.write_slot(2, huge)
    with pytest.raises(ValueError, match=r"^parameters\['memory'\] must be finite, got NaN"):
        reader.refresh(parameters | {"memory": parameters["memory"] * np.float32(np.nan)})
    with pytest.raises(ValueError, match=r"^parameters must fold to finite numbers, got products"):
        reader.refresh(parameters | {"memory": np.tile(huge, (16, 1))})
    assert reader.changed(parameters) == ()
    assert all(map(np.array_equal, reader.read(Z), before))


@pytest.mark.parametrize("attention", ["dot", "cosine"])
@pytest.mark.parametrize("n", [1, 7, 1024])
def test_the_context_reader_is_within_1e_6_of_the_formula_in_double(n: int, attention: Any) -> None:
    parameters = twins.context_parameters(n)
    reader = ContextReader(parameters, attention=attention)
    x = np.random.default_rng(n).standard_normal((n, 64)).astype(np.float32)
    weights, wanted = twins.attend(parameters, x, cosine=attention == "cosine")
    read = reader.read(x)
    assert np.max(np.abs(read - wanted)) <= 1e-6 * np.max(np.abs(wanted))
    assert np.max(np.abs(reader.weights(x) - weights)) <= 1e-6 * np.max(weights)
    out = np.full_like(read, np.nan)
    reader.read_into(x, out)
    assert np.array_equal(out, read) and np.array_equal(reader.read(x[0]), read[0])
    assert reader.read(x[:0]).shape == (0, 64)


def test_a_context_is_in_the_affine_hull_of_the_slots_and_slots_are_written() -> None:
    parameters = twins.context_parameters()
    reader = ContextReader(parameters)
    x = np.random.default_rng(0).standard_normal((12, 64)).astype(np.float32)
    memory = parameters["memory"].astype(float)
    hull = twins.apply(parameters, "output_proj", twins.apply(parameters, "value_proj", memory))
    assert np.allclose(reader.read(x), reader.weights(x) @ hull, atol=1e-5)
    for slot in range(16):
        reader.write_slot(slot, parameters["memory"][0])
    assert np.allclose(reader.read(x), hull[0], atol=1e-5)
    assert np.array_equal(reader.memory, np.tile(parameters["memory"][:1], (16, 1)))
    reader.refresh(parameters)
    assert np.array_equal(reader.read(x), ContextReader(parameters).read(x))


@pytest.mark.parametrize("attention", ["dot", "cosine"])
def test_a_snapshot_is_copied_and_pickled_whole(attention: Any) -> None:
    generator = np.random.default_rng(0)
    z, x = (generator.standard_normal((5, wide)).astype(np.float32) for wide in (32, 64))
    parameters = twins.cue_parameters(world=True) | {"log_tau": np.array([0.7], np.float32)}
    cue = CueReader(parameters, cue_action_input="context+world", attention=attention)
    memory = ContextReader(twins.context_parameters(), attention=attention)
    cue.write_slot(3, parameters["memory"][0])

    def pickled(reader: Any) -> Any:
        return pickle.loads(pickle.dumps(reader))

    copies: tuple[Any, ...] = (copy.deepcopy, pickled)
    for copied in copies:
        for wanted, found in zip(cue.read_context(z), copied(cue).read_context(z), strict=True):
            assert np.array_equal(wanted, found)
        assert np.array_equal(copied(memory).read(x), memory.read(x))
        assert np.array_equal(copied(cue).memory, cue.memory)
