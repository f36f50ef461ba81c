"""X11: what is imagined is what the world shows, and the verdict follows from the measurements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from prefrontal.control import CausalGridWorldV2
from prefrontal.control.choice.e3 import E3TrajectorySelector
from prefrontal.control.choice.e3_config import E3Config
from prefrontal.control.experiments import allostasis, foraging
from prefrontal.control.experiments.figure import render_png
from prefrontal.control.experiments.foraging import (
    ForagingLayout,
    ForagingOutcome,
    forage,
    imagined,
    layouts,
)
from prefrontal.control.experiments.record import ExperimentRecord
from prefrontal.control.experiments.trained_cue import CueSizes, world_config

SIZES = CueSizes(
    worlds=4, steps=40, encoder_batches=40, cue_batches=20, held_out_worlds=2, held_out_steps=20
)
SMALL: dict[str, Any] = {
    "sizes": SIZES, "trials": 4, "steps": 3, "lessons": 10, "lesson_layouts": 3,
}  # fmt: skip
CONFIG = world_config("sound", drift_prob=0.0)


@pytest.fixture(scope="module")
def record() -> ExperimentRecord:
    return allostasis.run([2], **SMALL)


@pytest.mark.exhaustive
def test_the_coupling_holds_for_any_cue_however_little_was_trained(
    record: ExperimentRecord,
) -> None:
    assert record.measured["smallest step of w_goal"] >= 0.0
    assert record.measured["smallest Spearman"] == pytest.approx(1.0, abs=1e-12)
    assert record.measured["smallest w_goal at drive 1"] >= 0.8
    assert record.measured["w_harm moved"] == 0.0


def test_the_verdict_is_that_of_its_measurements(record: ExperimentRecord) -> None:
    rise = record.seeds[0].measurements[-1]
    fetched = record.raw["seeds"][0]["fetched"]
    assert rise.value == pytest.approx(fetched[-1] - fetched[0])
    assert rise.passed == (rise.value >= 0.2)
    assert record.verdict == ("pass" if rise.passed else "fail")


def test_no_room_to_rise_is_void() -> None:
    met = torch.full((3, 2), 0.5)
    outcomes = [ForagingOutcome([True] * 10, [False] * 10) for _ in allostasis.DRIVES]
    result, _ = allostasis._judged(0, met, outcomes)
    assert result.verdict == "void"
    assert result.reason == "100% were fetched without drive, no room to rise"


def test_a_weight_that_falls_or_stands_still_is_no_perfect_rank_correlation() -> None:
    assert allostasis._spearman(np.array([0.0, 0.1, 0.5])) == pytest.approx(1.0)
    assert allostasis._spearman(np.array([0.0, 0.5, 0.1])) == pytest.approx(0.5)
    assert allostasis._spearman(np.array([0.0, 0.5, 0.5])) < 0.9
    assert allostasis._spearman(np.zeros(3)) == 0.0


@pytest.mark.exhaustive
def test_the_same_seed_gives_the_same_record_and_its_figure(record: ExperimentRecord) -> None:
    again = allostasis.run([2], **SMALL)
    assert again.to_json() == record.to_json()
    pytest.importorskip("matplotlib")
    drawn = render_png(ExperimentRecord.from_json(record.to_json()), allostasis.draw)
    assert drawn == render_png(record, allostasis.draw)


def test_what_is_imagined_is_what_the_world_shows_where_nothing_is_taken() -> None:
    layout = ForagingLayout((5, 5), (3, 3), (4, 4))
    table = imagined(CONFIG, layout)
    env = CausalGridWorldV2(CONFIG)
    for cell in ((5, 5), (1, 1), (4, 5), (12, 12)):
        seen = env.reset_to(cell, [layout.hazard], [layout.resource])[0]["world"]
        assert torch.equal(table[cell], torch.from_numpy(seen)), cell
    on_resource, on_hazard = table[4, 4], table[3, 3]
    assert float(on_resource[225 + 12]) == pytest.approx(1.0, abs=1e-5)
    assert float(on_hazard[200 + 12]) == pytest.approx(1.0, abs=1e-5)
    assert float(on_resource[200 + 12]) == pytest.approx(0.5, abs=1e-5)


def test_layouts_put_the_resource_beside_the_hazard_and_the_agent_on_the_other_side() -> None:
    for it in layouts(4, 40, 14):
        (a, b, c) = (np.array(place) for place in (it.agent, it.hazard, it.resource))
        assert abs(b - c).sum() in (1, 2)
        assert abs(a - c).sum() in (3, 4, 5)
        assert abs(a - b).sum() > abs(a - c).sum()
        assert all(1 <= coordinate <= 12 for coordinate in (*a, *b, *c))


class _Wants(E3TrajectorySelector):
    """Scores by the state's first number alone: benefit less harm, as weighted."""

    def score(self, candidates: Any, *, terrain_weight: Tensor, **_: Any) -> Tensor:  # type: ignore[override]
        harm, benefit = candidates.world_states[..., 0], candidates.world_states[..., 1]
        w_harm, w_goal = terrain_weight.unbind(1)
        found: Tensor = w_harm * harm.sum(-1) - w_goal * benefit.sum(-1)
        return found


@pytest.mark.parametrize(("weights", "fetched"), [([0.0, 1.0], True), ([1.0, 0.0], False)])
def test_an_agent_that_weighs_only_goals_fetches_and_one_that_weighs_only_harm_does_not(
    weights: list[float], fetched: bool
) -> None:
    trials = layouts(1, 6, 14)
    tables = torch.stack([imagined(CONFIG, it) for it in trials])
    latents = tables[..., [200 + 12, 225 + 12]]  # both fields of the own cell
    e3 = _Wants(E3Config())
    precision = torch.tensor([weights]).expand(6, 2)
    found = forage(latents, e3, lambda seen: precision, CONFIG, trials, steps=8)
    assert found.fetched == [fetched] * 6
    assert not any(found.hurt)


def test_ways_stop_at_walls_and_are_the_cells_their_actions_lead_to() -> None:
    rows, columns = torch.meshgrid(torch.arange(6.0), torch.arange(6.0), indexing="ij")
    latents = torch.stack([rows, columns], dim=-1).expand(2, 6, 6, 2)
    ways = foraging._ways(latents, torch.tensor([[1, 1], [3, 4]]))
    assert len(ways) == 125
    up_left_down = foraging.SEQUENCES.index((0, 2, 1))
    found = ways.world_states[up_left_down].tolist()
    assert found[0] == [[1, 1], [1, 1], [1, 1], [2, 1]]
    assert found[1] == [[3, 4], [2, 4], [2, 3], [3, 3]]
    assert ways.actions[up_left_down, 0].argmax(-1).tolist() == [0, 2, 1]
