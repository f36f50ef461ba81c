"""X6: its layouts are what they say, and its verdict follows from what it measured."""

from __future__ import annotations

from typing import Any, cast

import pytest
import torch

from prefrontal.control.experiments import affordance
from prefrontal.control.experiments.affordance_states import MOVES, held_out_layouts
from prefrontal.control.experiments.affordance_training import Taught
from prefrontal.control.experiments.figure import render_png
from prefrontal.control.experiments.record import ExperimentRecord
from prefrontal.control.experiments.trained_cue import cue_predictor, world_config
from prefrontal.control.experiments.walks import learned_encoder, random_walks

from .. import drawn

SMALL: dict[str, Any] = {"worlds": 40, "walk": 5, "steps": 25, "layouts": 5}


@pytest.fixture(scope="module")
def record() -> ExperimentRecord:
    told: list[str] = []
    found = affordance.run([3], report=told.append, **SMALL)
    assert all(it.startswith("seed 3: ") for it in told)
    return found


@pytest.mark.exhaustive
def test_the_invariants_hold_however_little_was_learned(record: ExperimentRecord) -> None:
    assert record.measured["scores moved by the bias"] == 0.0
    assert record.measured["actions moved, 1 iteration"] == 0.0
    assert record.measured["reordered by e3_score"] > 0.0
    shares = record.raw["seeds"][0]["share_away"]
    assert shares["hazard"][0] == shares["none"][0] == shares["safe"][0]
    losses = record.raw["seeds"][0]["loss"]
    assert losses[-1] < losses[0]


def test_the_verdict_is_that_of_its_measurements(record: ExperimentRecord) -> None:
    measurements = record.seeds[0].measurements
    wanted = [record.measured["rise"] >= 0.15, True, True, measurements[3].value >= 0.5]
    assert [it.passed for it in measurements] == wanted
    assert record.verdict == ("pass" if all(wanted) else "fail")
    shares = record.raw["seeds"][0]["share_away"]
    assert record.measured["rise"] == pytest.approx(shares["hazard"][2] - shares["safe"][2])


@pytest.mark.exhaustive
def test_the_same_seed_gives_the_same_record(record: ExperimentRecord) -> None:
    torch.manual_seed(77)
    assert affordance.run([3], **SMALL).to_json() == record.to_json()


@pytest.mark.exhaustive
def test_the_figure_is_drawn_from_the_json(record: ExperimentRecord) -> None:
    pytest.importorskip("matplotlib")
    again = ExperimentRecord.from_json(record.to_json())
    assert render_png(again, affordance.draw) == render_png(record, affordance.draw)


def test_layouts_have_the_hazard_near_or_far_and_know_which_actions_lead_away() -> None:
    found = held_out_layouts(1, 30, world_config("sound"))
    views = found.near[:, 200:225].reshape(30, 5, 5)
    assert set(found.distances.tolist()) == {1, 2, 3}
    for n in range(30):
        near = (views[n] > 0.999).nonzero()
        if len(near) == 0:
            continue  # three cells away and out of view
        row, column = (int(it) - 2 for it in near[0])
        assert abs(row) + abs(column) == int(found.distances[n])
        for action, (down, right) in enumerate(MOVES):
            further = abs(row - down) + abs(column - right) > abs(row) + abs(column)
            wall = found.near[n].reshape(-1)[7 * (5 * (2 + down) + 2 + right) + 1] == 1.0
            assert bool(found.leads_away[n, action]) == (further and not bool(wall))
    assert bool((found.far[:, 200:225].amax(1) < 0.3).all())


def test_walks_are_told_by_their_seed_and_skip_the_reset_after_an_end() -> None:
    config = world_config("sound")
    first, second, other = (random_walks(it, 6, 8, config) for it in (1, 1, 2))
    assert torch.equal(first.world, second.world)
    assert not torch.equal(first.world, other.world)
    assert first.before("world").shape == (48, 250)
    assert torch.equal(first.after("harm_a")[:6], first.harm_a[1])
    short = random_walks(1, 3, 8, world_config("sound").preset("contrast14", max_steps=2))
    assert short.running[:, 0].tolist() == [True, True, False] * 2 + [True, True]


def test_an_encoder_spreads_what_it_saw_to_unit_variance_and_takes_no_gradient() -> None:
    seen = random_walks(1, 20, 5, world_config("seed")).before("world")
    encoder = learned_encoder(seen, 0, steps=20)
    z = encoder(seen)
    assert z.shape == (100, 32)
    assert not z.requires_grad
    assert float(z.var(dim=0).mean()) == pytest.approx(1.0, rel=1e-4)
    assert torch.allclose(z.mean(dim=0), torch.zeros(32), atol=1e-5)


def test_an_untaught_cue_of_the_seed_profile_is_as_good_as_constant() -> None:
    z = torch.randn(200, 32, generator=torch.Generator().manual_seed(0))
    spreads = {}
    for profile in ("seed", "sound"):
        with torch.no_grad():
            bias, _ = cue_predictor(profile, 1).extract_cue_context(z)
        spreads[profile] = float(bias.std(dim=0).mean())
    assert spreads["seed"] < 1e-5 < 1e-3 < spreads["sound"]


class _Cue:
    """Cues whose bias is large and their latent's own."""

    def extract_cue_context(self, z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return 20.0 * z[:, :16], z[:, :2]


def test_only_the_bias_differs_between_the_cues_that_are_compared() -> None:
    encoder = torch.nn.Linear(250, 32, bias=False).requires_grad_(False)
    torch.nn.init.normal_(encoder.weight, std=0.3, generator=drawn.generator())
    parts = Taught(encoder, drawn.hippocampal(), cast("Any", _Cue()), [], 0.0)
    asked = held_out_layouts(1, 30, world_config("sound"))
    result, raw = affordance._asked(0, parts, asked)
    shares = raw["share_away"]
    assert len({shares[cue][0] for cue in shares}) == 1
    assert len({shares[cue][2] for cue in shares}) == 3
    assert raw["share_away_by_the_cue_of_another_place"] != shares["hazard"][2]
    assert result.measurements[0].value == pytest.approx(shares["hazard"][2] - shares["safe"][2])
