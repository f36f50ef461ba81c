"""What is no configuration, no number and no signal is refused by name, and changes nothing."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from prefrontal.control import E1Config, E3Config, GoalState, ResidueField, SalienceCoordinator
from prefrontal.control.agent.control_config import ControlConfig
from prefrontal.control.choice.e3 import E3TrajectorySelector
from prefrontal.control.choice.salience_config import SalienceConfig
from prefrontal.control.choice.trajectory import Trajectories

PARTS = ("latent", "e1", "e2", "e3", "hippocampal", "lateral_pfc", "salience", "dacc", "goal")
NOT_PARTS: list[Any] = [None, {"hidden_dim": 8}, "seed", 3]


@pytest.mark.parametrize("value", NOT_PARTS)
@pytest.mark.parametrize("name", [*PARTS, "clock", "learning"])
def test_a_part_of_a_configuration_is_of_its_class(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"{name} must be a \w+Config, got "):
        ControlConfig(**{name: value})


@pytest.mark.parametrize("value", NOT_PARTS)
@pytest.mark.parametrize(
    ("kind", "name"),
    [(E1Config, "memory"), (E1Config, "selection"), (E1Config, "terrain"), (E3Config, "residue")],
)
def test_a_part_of_a_part_is_of_its_class(kind: Any, name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"{name} must be a \w+Config, got "):
        kind(**{name: value})


@pytest.mark.parametrize("name", ["affinities", "write_weights", "salience_weights"])
def test_a_table_is_a_mapping(name: str) -> None:
    with pytest.raises(TypeError, match=rf"{name} must be a Mapping, got 3"):
        SalienceConfig(**{name: 3})  # type: ignore[arg-type]


def test_rows_of_a_table_and_modes_are_what_they_are_called() -> None:
    with pytest.raises(TypeError, match=r"affinities\['x'\] must be a Mapping, got 1"):
        SalienceConfig(affinities={"x": 1})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="modes must be a tuple of names, got 'external_task'"):
        SalienceConfig(modes="external_task")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "signals",
    [
        {"is_offline": 1e308},
        {"dacc_pe": 1e308, "aic_salience": 1e308},
        {"dacc_pe": -1e308, "aic_salience": -1e308, "dacc_foraging": 1e308, "pcc_stability": 1e308},
    ],
)
@pytest.mark.parametrize("gain", [0.0, 2.0])
def test_signals_however_large_leave_shares_and_a_gate(
    signals: dict[str, float], gain: float
) -> None:
    coordinator = SalienceCoordinator(SalienceConfig(aic_gain=gain, pcc_gain=gain))
    found = coordinator.tick(signals)
    assert sum(found.operating_mode.values()) == pytest.approx(1)
    assert 0 <= coordinator.write_gate("sd_033a") <= 1
    assert found.salience == found.salience


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_residue_is_left_at_no_place_that_is_none(bad: float) -> None:
    field = ResidueField()
    field.accumulate(torch.ones(1, 32), 0.5)
    before = {name: it.clone() for name, it in field.state_dict().items()}
    place = torch.ones(2, 32)
    place[1, 3] = bad
    with pytest.raises(ValueError, match="z_world must be finite"):
        field.accumulate(place, 1.0)
    assert all(torch.equal(it, before[name]) for name, it in field.state_dict().items())


def test_a_goal_is_no_place_that_is_none() -> None:
    goal = GoalState()
    goal.step(1.0, torch.ones(32))
    before = goal.z_goal.clone()
    with pytest.raises(ValueError, match="z_world must be finite"):
        goal.step(1.0, torch.full((32,), float("nan")))
    assert torch.equal(goal.z_goal, before)


def test_an_urgency_that_is_no_number_is_refused() -> None:
    e3 = E3TrajectorySelector(E3Config(urgency_weight=0.5))
    assert e3.threshold(torch.zeros(1, 16)) == pytest.approx(0.4)
    with pytest.raises(ValueError, match="z_harm_a must be finite"):
        e3.threshold(torch.full((1, 16), float("nan")))


@pytest.mark.parametrize("temperature", [1e-40, 5e-324])
def test_a_choice_as_cold_as_can_be_is_the_best(temperature: float) -> None:
    generator = torch.Generator().manual_seed(0)
    shapes = ((5, 1, 4, 32), (5, 1, 4, 32), (5, 1, 3, 5), (5, 1, 3, 16))
    candidates = Trajectories(*(torch.randn(it, generator=generator) for it in shapes))
    e3 = E3TrajectorySelector(generator=generator)
    found = e3.select(candidates, temperature=temperature, generator=generator)
    assert not found.committed
    assert found.index == int(found.detach().scores.argmin())
    assert found.log_prob.item() == 0
