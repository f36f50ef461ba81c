"""The simulations of the benchmark hold, and would tell when they did not."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import cortex_rubric as rubric
import cortex_simulations as simulations

from ..exhaustive import first

SIMULATIONS = [
    simulations.s2_hallucination, simulations.s3_pattern, simulations.s4_cost,
    simulations.s5_activity, simulations.s6_expiry, simulations.s7_clamp, simulations.s8_first,
    simulations.s9_migration, simulations.s10_concurrency,
]  # fmt: skip


@pytest.mark.parametrize("simulation", first(3, SIMULATIONS))
async def test_a_simulation_passes(simulation: Callable[[], Awaitable[Any]]) -> None:
    verdict = await simulation()
    assert verdict.passed, verdict.measured


@pytest.mark.parametrize(
    ("simulation", "settings"),
    first(
        2,
        [
            (
                simulations.s2_hallucination,
                {"max_trust_delta": 9, "max_trust_delta_per_hour": None},
            ),
            (simulations.s4_cost, {"triggers": ["timer"], "schedule_minutes": 120}),
            (simulations.s6_expiry, {"belief_ttl_minutes": 60}),
            (simulations.s7_clamp, {"max_trust_delta": 5}),
            (simulations.s8_first, {"max_trust_delta": 8}),
        ],
    ),
)
async def test_a_simulation_fails_where_the_agent_is_set_up_otherwise(
    simulation: Callable[..., Awaitable[Any]], settings: dict[str, Any]
) -> None:
    verdict = await simulation(**settings)
    assert not verdict.passed, verdict.measured


@pytest.mark.exhaustive
async def test_reflection_is_as_good_or_better_in_at_least_14_of_20_sequences(
    tmp_path: Path,
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    verdict = await simulations.s1_quality(pairs)
    assert verdict.passed, verdict.measured
    shown = [json.loads(line) for line in pairs.read_text("utf-8").splitlines()]
    keys = [json.loads(line) for line in pairs.with_suffix(".key.jsonl").read_text().splitlines()]
    assert len(shown) == len(keys) == 20
    assert all(set(pair) == {"pair", "facts", "first", "second"} for pair in shown)
    assert {key["first"] for key in keys} == {"reflection", "inline"}


def test_the_rubric_rewards_what_is_borne_out_and_punishes_what_is_not() -> None:
    sequence = rubric.farming()
    right = "6 interactions from 2026-01-01 to 2026-01-15; the last one far larger."
    assert rubric.score(right, sequence) == 4
    assert rubric.score("42 interactions", sequence) == -1
    assert rubric.score("Cooperative, no problem.", sequence) == 0
    assert rubric.names_the_escalation(right)
    assert not rubric.names_the_escalation("Cooperative, no problem.")
