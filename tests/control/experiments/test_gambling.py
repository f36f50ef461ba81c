"""X10 judges what was played as its criterion says, and its fit finds what it looks for."""

from __future__ import annotations

import math
from dataclasses import asdict

import pytest
import torch
from torch import Tensor

from prefrontal.control.experiments import gambling
from prefrontal.control.experiments.figure import render_png
from prefrontal.control.experiments.gambling_fit import FITTED_INTERVAL, distance, fit
from prefrontal.control.experiments.gambling_subjects import GamblingParameters, Session
from prefrontal.control.experiments.gambling_task import HEALTHY
from prefrontal.control.experiments.record import ExperimentRecord, SeedResult

from ...exhaustive import first

PEOPLE = 8
HUMAN = (-2.0, 0.0, 2.0, 4.0, 4.0)
LESION = (-2.0, -2.0, -2.0, -2.0, -2.0)
FLAT = (-2.0, -2.0, 0.0, 0.0, 0.0)


def session(nets: tuple[float, ...], early: float = 0.0) -> Session:
    """Blocks of these nets; w_harm of the bad decks is `early` higher from card 20 on."""
    blocks = [[2] * int(10 + it / 2) + [0] * int(10 - it / 2) for it in nets]
    choices = torch.tensor([deck for block in blocks for deck in block]).expand(PEOPLE, -1)
    terrain = torch.full((PEOPLE, 101, 4, 2), 0.5)
    terrain[:, 20:, :2, 0] += early
    return Session(choices, terrain)


def failed(result: SeedResult) -> list[str]:
    return [it.name for it in result.measurements if not it.passed]


def test_a_seed_that_meets_every_part_of_the_criterion_passes() -> None:
    result = gambling.judge(7, session(HUMAN, 0.2), session(LESION))
    assert (result.seed, result.verdict, failed(result)) == (7, "pass", [])


@pytest.mark.parametrize(
    ("intact", "early", "lesion", "wanted"),
    first(
        2,
        [
            ((2, 4, 6, 8, 8), 0.2, LESION, ["RMSE to people", "anticipation before the hunch"]),
            (HUMAN, 0.2, (-2, -2, -2, -2, 2), ["lesion, block 5", "intact - lesion, block 5"]),
            (HUMAN, 0.2, (-2, -2, -2, 2, -2), ["intact - lesion, block 4"]),
            (HUMAN, 0.1 - 1e-4, LESION, ["anticipation before the hunch"]),
            (FLAT, 0.2, (-2, -2, -2, -4, -4), ["RMSE to people", "anticipation before the hunch"]),
        ],
    ),
)
def test_what_misses_the_criterion_fails_by_name(
    intact: tuple[float, ...], early: float, lesion: tuple[float, ...], wanted: list[str]
) -> None:
    result = gambling.judge(0, session(intact, early), session(lesion))
    assert result.verdict == "fail"
    assert failed(result) == wanted


def test_a_lesion_that_anticipates_fails() -> None:
    result = gambling.judge(0, session(HUMAN, 0.2), session(LESION, 0.03))
    assert failed(result) == ["anticipation, lesion"]


def test_the_hunch_is_measured_as_the_first_positive_block_begins() -> None:
    anticipation = torch.arange(101.0)
    assert gambling.before_the_hunch(torch.tensor([-1.0, 0, 1, 2, 3]), anticipation) == 40
    assert gambling.before_the_hunch(torch.tensor([1.0, 0, 1, 2, 3]), anticipation) == 0
    assert math.isnan(gambling.before_the_hunch(torch.zeros(5), anticipation))


@pytest.mark.exhaustive
def test_a_small_run_has_the_records_keys_and_its_figure_comes_from_the_json() -> None:
    told: list[str] = []
    record = gambling.run([4], people=PEOPLE, report=told.append)
    assert [it.split(":")[0] for it in told] == ["seed 4"] * 3
    again = ExperimentRecord.from_json(record.to_json())
    extra = again.extra
    for name in ("blocks_intact", "blocks_lesion", "anticipatory_by_block"):
        assert len(extra[name]) == 5
    assert sum(extra["deck_shares"].values()) == pytest.approx(1, abs=1e-3)
    assert extra["anticipatory_by_block_lesion"] == [0.0] * 5
    assert extra["parameters"]["fitted"] == asdict(GamblingParameters())
    assert again.measured["RMSE to people"] == pytest.approx(
        distance(torch.tensor(extra["blocks_intact"])), abs=1e-3
    )
    assert render_png(again, gambling.draw).startswith(b"\x89PNG")


def test_no_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="seeds must hold at least one, got none"):
        gambling.run([])


def simulated(parameters: GamblingParameters) -> Tensor:
    """People whose blocks are the healthy ones at one setting, and bend away from it."""
    wanted = GamblingParameters(0.06, 0.3, 1.2)
    away = [math.log(a / b) for a, b in zip(_values(parameters), _values(wanted), strict=True)]
    spread = torch.linspace(-0.5, 0.5, PEOPLE)[:, None]
    moved = torch.tensor([away[0], away[1], away[2], away[0] * away[1], away[2] ** 2])
    return torch.tensor(HEALTHY.blocks) + 4 * moved + spread


def _values(parameters: GamblingParameters) -> list[float]:
    return list(asdict(parameters).values())


def test_the_fit_finds_the_setting_that_plays_like_people() -> None:
    found = fit(simulate=simulated, draws=20)
    assert _values(found.parameters) == pytest.approx([0.06, 0.3, 1.2], rel=0.05)
    assert found.rmse == pytest.approx(distance(simulated(found.parameters).mean(0)))
    assert found.rmse < 0.2
    for name, (low, high) in found.interval.items():
        assert low <= high, name
        assert low * 0.8 < getattr(found.parameters, name) < high * 1.25


def test_the_defaults_lie_within_the_interval_of_their_fit() -> None:
    for name, (low, high) in FITTED_INTERVAL.items():
        assert low <= getattr(GamblingParameters(), name) <= high, name
