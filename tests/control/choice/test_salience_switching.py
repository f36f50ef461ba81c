"""When the hard mode switches, and what a reset leaves."""

from __future__ import annotations

import math
from typing import Any

import pytest

from prefrontal.control import SalienceCoordinator
from prefrontal.control.choice.salience_config import SalienceConfig

PLANNING = {"dacc_pe": 2.0}


def test_a_mode_switches_only_when_salience_passes_and_another_mode_is_likelier() -> None:
    coordinator = SalienceCoordinator()
    tick = coordinator.tick({"dacc_pe": 1.0, "dacc_foraging": 1.0})
    assert not tick.switched and tick.salience == 1.0  # which is not above 1
    assert tick.operating_mode["internal_planning"] == max(tick.operating_mode.values())
    tick = coordinator.tick({"dacc_pe": 1.0 + 1e-9})
    assert tick.switched and tick.mode == "internal_planning"
    assert not coordinator.tick().switched
    calm = coordinator.tick({"dacc_pe": 0.0, "dacc_foraging": 0.0})
    assert calm.mode == "internal_planning" and calm.salience == 0.0
    assert calm.operating_mode["external_task"] == max(calm.operating_mode.values())
    assert (coordinator.ticks, coordinator.switches) == (4, 1)


def test_a_likely_mode_is_not_left_above_its_exit_threshold() -> None:
    strict = SalienceCoordinator(SalienceConfig(exit_threshold=0.2))
    tick = strict.tick(PLANNING | {"drive_level": 0.5})
    assert tick.operating_mode["internal_planning"] > tick.operating_mode["external_task"] > 0.2
    assert not tick.switched
    assert strict.tick({"drive_level": 0.0}).switched
    default = SalienceCoordinator()
    assert default.tick({"drive_level": 1.9, "dacc_pe": 3.0}).switched


def test_stability_raises_what_salience_must_pass() -> None:
    for scaling, switches in ((0.0, True), (1.0, True), (1.5, False)):
        coordinator = SalienceCoordinator(SalienceConfig(stability_scaling=scaling))
        assert coordinator.tick(PLANNING | {"pcc_stability": 0.9}).switched == switches


def test_single_modes_have_thresholds_of_their_own() -> None:
    config = SalienceConfig(
        enter_thresholds={"internal_planning": 2.5}, exit_thresholds={"internal_replay": 0.3}
    )
    coordinator = SalienceCoordinator(config)
    assert not coordinator.tick(PLANNING).switched
    assert coordinator.tick({"dacc_pe": 1.5, "is_replay": 1.0}).mode == "internal_replay"
    tick = coordinator.tick({"is_replay": 0.2, "dacc_pe": 2.6})
    assert tick.operating_mode["internal_planning"] > tick.operating_mode["internal_replay"] > 0.3
    assert not tick.switched
    assert coordinator.tick({"is_replay": 0.0}).mode == "internal_planning"


def test_a_reset_clears_signals_and_mode_and_keeps_the_counters() -> None:
    coordinator = SalienceCoordinator()
    coordinator.tick(PLANNING)
    coordinator.force_mode({"internal_replay": 1.0})
    coordinator.reset()
    assert coordinator.mode == "external_task" and coordinator.write_gate("sd_033a") == 1.0
    assert set(coordinator.signals.values()) == {0.0} and coordinator.salience == 0.0
    assert (coordinator.ticks, coordinator.switches) == (1, 1)
    assert coordinator.tick().operating_mode["external_task"] == pytest.approx(0.4754, abs=6e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"modes": ()}, r"^modes must be different names, at least one, got \(\)$"),
        ({"modes": ("a", "a")}, "^modes must be different names"),
        ({"default_mode": "sleep"}, "^default_mode must be one of external_task, .*, got 'sleep'$"),
        ({"temperature": 0.0}, "^temperature must be finite and above 0, got 0.0$"),
        ({"switch_threshold": math.nan}, "^switch_threshold must be finite, got nan$"),
        ({"affinity_input_cap": -1.0}, "^affinity_input_cap must be at least 0, got -1.0$"),
        ({"salience_weights": {"joy": 1.0}}, "^signal must be one of .*, got 'joy'$"),
        ({"enter_thresholds": {"sleep": 1.0}}, "^enter_thresholds must name modes among"),
        ({"affinities": {"joy": {"sleep": 1.0}}}, r"^affinities\['joy'\] must name modes among"),
    ],
)
def test_tables_and_options_that_cannot_be_are_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        SalienceCoordinator(SalienceConfig(**options))
