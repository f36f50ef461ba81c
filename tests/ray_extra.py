"""Tests that begin a Ray cluster: `make test-ray` runs them."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest


def require_ray() -> None:
    """Skip, unless these tests are asked for: Ray gives up where it has no core for 30 s."""
    if "PREFRONTAL_TEST_RAY" not in os.environ:
        pytest.skip("needs a Ray cluster: make test-ray")
    assert find_spec("ray") is not None, "Ray must be installed: make .venv/ray-tools"
