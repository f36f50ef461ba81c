"""What the tests of the grid world share: configurations at random, and comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from prefrontal.control import GridWorldConfig

OBSERVATION = {"body": 12, "world": 250, "harm": 51, "harm_a": 50}


def configs(**fixed: Any) -> st.SearchStrategy[GridWorldConfig]:
    """Small worlds, so that everything in them is met; `fixed`: fields that are told."""
    fields: dict[str, st.SearchStrategy[Any]] = {
        "size": st.integers(5, 9),
        "num_hazards": st.integers(0, 4),
        "num_resources": st.integers(0, 4),
        "max_steps": st.integers(1, 60),
        "drift_interval": st.integers(1, 6),
        "drift_prob": st.sampled_from([0.0, 0.3, 1.0]),
        "decay": st.sampled_from([0.0, 0.5, 2.5]),
        "hazard_harm": st.sampled_from([0.01, 0.5]),
        "contaminated_harm": st.sampled_from([0.02, 0.4]),
        "energy_decay": st.sampled_from([0.01, 0.2]),
        "contamination_spread": st.sampled_from([0.0, 0.5, 1.0]),
        "resource_respawn_on_consume": st.booleans(),
        "persist_harm_ema": st.sampled_from([None, True, False]),
        "profile": st.sampled_from(["upstream", "fixed"]),
    }
    told = {name: st.just(value) for name, value in fixed.items()}
    return st.builds(GridWorldConfig, **{**fields, **told})


def assert_same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Observations alike to the last bit."""
    assert ours.keys() == theirs.keys() == OBSERVATION.keys()
    for name, length in OBSERVATION.items():
        assert ours[name].dtype == np.float32 and ours[name].shape[-1] == length
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)
