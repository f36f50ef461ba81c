"""What the readers do not take is refused by name, with the rule and what was found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from prefrontal._core.control import ContextReader, CueReader

from .. import state_twins as twins

GOOD = twins.cue_parameters()


@pytest.mark.parametrize(
    ("z", "kind", "message"),
    [
        ([0.0] * 32, TypeError, r"^z must be a numpy array of float32, got list$"),
        (np.zeros(32), TypeError, r"^z must be an array of float32, got float64 of shape \(32,\)$"),
        (np.zeros(32, ">f4"), TypeError, r"^z must be an array of float32, got >f4 of shape"),
        (np.zeros(31, np.float32), ValueError, r"^z must be of shape \(32,\) or \(rows, 32\), got"),
        (np.zeros((2, 31), np.float32), ValueError, r"or \(rows, 32\), got \(2, 31\)$"),
        (np.zeros((1, 2, 32), np.float32), ValueError, r"^z must be of shape .*got \(1, 2, 32\)$"),
        (np.zeros((), np.float32), ValueError, r"^z must be an array of 1 to 3 dimensions, got"),
        (
            np.zeros((3, 64), np.float32)[:, ::2],
            ValueError,
            r"^z must be contiguous in C order and aligned, as "
            r"numpy.require\(z, requirements=\['C', 'A'\]\) makes it, got strides \(256, 8\)$",
        ),
        (np.zeros(129, np.uint8)[1:].view(np.float32), ValueError, r"C order and aligned, as"),
    ],
)
def test_a_wrong_cue_is_refused(z: Any, kind: type[Exception], message: str) -> None:
    reader = CueReader(GOOD)
    for call in (reader.read, reader.read_context, reader.weights):
        with pytest.raises(kind, match=message):
            call(z)


def test_the_path_that_is_named_takes_what_is_not_contiguous() -> None:
    reader, z = CueReader(GOOD), np.ones((3, 64), np.float32)[:, ::2]
    assert reader.read(np.require(z, requirements=["C", "A"]))[0].shape == (3, 16)


def test_wrong_outputs_are_refused() -> None:
    reader, z = CueReader(GOOD), np.zeros((3, 32), np.float32)
    action, terrain = reader.read(z)
    with pytest.raises(
        ValueError, match=r"^terrain_weight must be of shape \(3, 2\), got \(2, 2\)"
    ):
        reader.read_into(z, action, terrain[:2])
    with pytest.raises(ValueError, match=r"^action_bias must be of shape \(16,\), got \(3, 16\)"):
        reader.read_into(z[0], action, terrain)
    with pytest.raises(ValueError, match=r"^cue_context must be of shape \(3, 64\), got \(3, 16\)"):
        reader.read_into(z, action, terrain, action)
    with pytest.raises(ValueError, match=r"^action_bias must not overlap what is read, got the"):
        reader.read_into(z, z.reshape(-1)[10:58].reshape(3, 16), terrain)
    action.flags.writeable = False
    with pytest.raises(ValueError, match=r"^action_bias must be writable, got a read-only array$"):
        reader.read_into(z, action, terrain)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"memory": None}, TypeError, r"^parameters\['memory'\] must be a numpy array of float32"),
        (
            {"memory": np.zeros((15, 128), "f4")},
            ValueError,
            r"of shape \(16, 128\), got \(15, 128\)",
        ),
        ({"memory": np.zeros((16, 128))}, TypeError, r"an array of float32, got float64 of shape"),
        ({"cue_terrain_proj.bias": np.zeros(3, "f4")}, ValueError, r"of shape \(2,\), got \(3,\)$"),
        (
            {"cue_action_proj.weight": np.zeros((16, 96), "f4")},  # of the other cue_action_input
            ValueError,
            r"^parameters\['cue_action_proj.weight'\] must be of shape \(16, 64\), got \(16, 96\)$",
        ),
        (
            {"value_proj.bias": np.full(128, np.inf, "f4")},
            ValueError,
            r"must be finite, got NaN or",
        ),
        (
            {"query_proj.bias": np.zeros(128, "f4")},
            ValueError,
            r"names of this object alone, got 'q",
        ),
        ({3: np.zeros(1, "f4")}, ValueError, r"names of this object alone, got 3$"),
    ],
)
def test_wrong_parameters_are_refused(change: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        CueReader(GOOD | change)


def test_a_missing_parameter_no_mapping_and_unknown_options_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^parameters must hold 'output_proj.bias', got \['memory"
    ):
        CueReader({name: each for name, each in GOOD.items() if name != "output_proj.bias"})
    with pytest.raises(
        TypeError, match=r"^parameters must be a mapping of names to arrays, got int"
    ):
        CueReader(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^attention must be 'dot' or 'cosine', got 'soft'$"):
        CueReader(GOOD, attention="soft")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^cue_action_input must be 'context' or .*, got 'z'$"):
        CueReader(GOOD, cue_action_input="z")  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"names of this object alone, got 'world_query_proj.weight'"
    ):
        ContextReader(twins.context_parameters() | {"world_query_proj.weight": GOOD["memory"]})


def test_wrong_slots_and_rows_are_refused() -> None:
    reader = CueReader(GOOD)
    row = np.zeros(128, np.float32)
    for slot in (-1, 16):
        with pytest.raises(ValueError, match=rf"^slot must be 0 to 15, got {slot}$"):
            reader.write_slot(slot, row)
    with pytest.raises(ValueError, match=r"^row must be of shape \(128,\), got \(127,\)$"):
        reader.write_slot(0, row[:127])
    row[5] = np.nan
    with pytest.raises(ValueError, match=r"^row must be finite, got -?nan$"):
        reader.write_slot(0, row)


def test_parameters_in_another_order_and_a_number_for_log_tau_are_taken() -> None:
    turned = {name: np.asfortranarray(each) for name, each in GOOD.items()}
    z = np.ones(32, np.float32)
    assert np.array_equal(CueReader(turned).read(z)[0], CueReader(GOOD).read(z)[0])
    number, vector = (GOOD | {"log_tau": np.ones(s, np.float32)} for s in ((), (1,)))
    assert np.array_equal(CueReader(number).weights(z), CueReader(vector).weights(z))
