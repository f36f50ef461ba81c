"""The soft operating mode and the gates of writing: the golden numbers and the whole table."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.control import SalienceCoordinator
from prefrontal.control.choice.salience_config import AFFINITIES, MODES, SalienceConfig

TABLE = """
sd_033a       1.0 1.0 0.05 0.3
sd_033b       1.0 0.5 0.05 0.3
sd_033c       1.0 0.5 0.5  0.3
sd_033d       1.0 1.0 0.05 0.3
hc_viability  1.0 0.5 1.0  0.3
sensory_buffer 0.3 0.3 1.0 1.0
autonomic     1.0 0.3 0.3  0.3
e3_policy     1.0 0.5 0.05 0.3
"""


@pytest.mark.parametrize(
    ("signals", "shares", "gate"),
    [
        ({}, (0.4754, 0.1749, 0.1749, 0.1749), 0.7115),
        ({"is_offline": 1.0}, (None, None, None, 0.9692), 0.3154),
        (
            {"dacc_pe": 2.0, "dacc_foraging": 0.5, "dacc_difficulty": 0.2},
            (0.1336, 0.6619, 0.1553, 0.0492),
            0.8181,
        ),
        ({"drive_level": 1.0}, (0.7112, None, None, None), 0.8412),
    ],
)
def test_a_tick_gives_the_golden_shares_and_gates(
    signals: dict[str, float], shares: tuple[float | None, ...], gate: float
) -> None:
    coordinator = SalienceCoordinator()
    found = coordinator.tick(signals).operating_mode
    for mode, wanted in zip(MODES, shares, strict=True):
        assert wanted is None or found[mode] == pytest.approx(wanted, abs=6e-5)
    assert coordinator.write_gate("sd_033a") == pytest.approx(gate, abs=6e-5)
    assert sum(found.values()) == pytest.approx(1)


@pytest.mark.parametrize("line", TABLE.split("\n")[1:-1])
def test_every_gate_of_every_pure_mode_is_that_of_the_table(line: str) -> None:
    target, *weights = line.split()
    coordinator = SalienceCoordinator()
    for mode, weight in zip(MODES, weights, strict=True):
        coordinator.force_mode({mode: 1.0})
        assert coordinator.write_gate(target) == float(weight)
    assert len(coordinator.targets) == 8


def test_before_the_first_tick_all_is_the_external_task_and_unknown_targets_are_shut() -> None:
    coordinator = SalienceCoordinator()
    assert coordinator.operating_mode == dict(zip(MODES, (1.0, 0.0, 0.0, 0.0), strict=True))
    assert coordinator.mode == "external_task" and coordinator.write_gate("sd_033a") == 1.0
    assert coordinator.write_gate("nowhere") == 0.0


@settings(max_examples=60, deadline=None)
@given(
    signals=st.dictionaries(st.sampled_from(sorted(AFFINITIES)), st.floats(-1e3, 1e3)),
    temperature=st.floats(0.1, 10),
)
def test_shares_are_a_distribution_and_gates_lie_within_0_and_1(
    signals: dict[str, float], temperature: float
) -> None:
    coordinator = SalienceCoordinator(SalienceConfig(temperature=temperature))
    shares = coordinator.tick(signals).operating_mode
    assert sum(shares.values()) == pytest.approx(1) and min(shares.values()) >= 0
    assert all(0 <= coordinator.write_gate(target) <= 1 for target in coordinator.targets)


def test_without_is_replay_no_signal_makes_replay_likely_and_with_it_the_gate_nearly_shuts() -> (
    None
):
    others = {name: 5.0 for name in AFFINITIES if name not in ("is_replay", "is_offline")}
    for name in others:
        coordinator = SalienceCoordinator()
        coordinator.tick({name: 5.0})
        assert coordinator.write_gate("sd_033a") > 0.7
    replaying = SalienceCoordinator()
    tick = replaying.tick(is_replay=True)
    assert tick.operating_mode["internal_replay"] == pytest.approx(0.9692, abs=1e-4)
    assert replaying.write_gate("sd_033a") == pytest.approx(0.0747, abs=1e-4)
    assert replaying.tick(is_replay=False).operating_mode["external_task"] > 0.4


def test_forced_shares_stay_through_ticks_until_let_go() -> None:
    coordinator = SalienceCoordinator()
    coordinator.force_mode({"internal_replay": 3.0, "external_task": 1.0})
    assert coordinator.mode == "internal_replay"
    assert coordinator.write_gate("sd_033a") == pytest.approx(0.75 * 0.05 + 0.25)
    coordinator.tick({"drive_level": 9.0})
    assert coordinator.operating_mode["internal_replay"] == 0.75
    coordinator.force_mode(None)
    assert coordinator.tick().operating_mode["external_task"] > 0.99


def test_targets_signals_and_modes_can_be_added() -> None:
    config = SalienceConfig(modes=(*MODES, "social"))
    coordinator = SalienceCoordinator(config)
    coordinator.register_signal("being_watched", {"social": 10.0})
    coordinator.register_target("reputation", {"social": 1.0, "external_task": 0.5})
    coordinator.tick({"being_watched": 1.0})
    assert coordinator.write_gate("reputation") == pytest.approx(1, abs=1e-3)
    coordinator.register_target("sd_033a", {})
    assert coordinator.write_gate("sd_033a") == 0.0
    assert SalienceCoordinator().write_gate("sd_033a") == 1.0


def test_weights_that_pass_1_are_clipped() -> None:
    coordinator = SalienceCoordinator()
    coordinator.register_target("eager", {"external_task": 3.0})
    coordinator.register_target("averse", {"external_task": -3.0})
    assert (coordinator.write_gate("eager"), coordinator.write_gate("averse")) == (1.0, 0.0)


def test_a_cap_holds_signals_in_the_logits_but_not_in_the_salience() -> None:
    capped = SalienceCoordinator(SalienceConfig(affinity_input_cap=1.0))
    plain = SalienceCoordinator()
    found, wanted = capped.tick({"dacc_pe": 9.0}), plain.tick({"dacc_pe": 1.0})
    assert found.operating_mode == wanted.operating_mode and found.salience == 9.0
    weighed = SalienceCoordinator(SalienceConfig.for_agent())
    assert weighed.tick({"dacc_pe": 1.0, "dacc_foraging": 0.5}).salience == 1.25


def test_arousal_flattens_and_stability_sharpens_the_modes_within_bounds() -> None:
    config = SalienceConfig(aic_gain=1.0, pcc_gain=1.0)
    signals = {"drive_level": 2.0}
    shares = [
        SalienceCoordinator(config).tick(signals | more).operating_mode["external_task"]
        for more in ({"pcc_stability": 1.0}, {}, {"pacc_autonomic": 0.0, "aic_salience": 1.0})
    ]
    assert shares[0] > shares[1] > shares[2]
    hottest = SalienceCoordinator(config).tick({"pcc_stability": -99.0}).operating_mode
    raised = math.exp(math.exp(-4))
    assert hottest["external_task"] == pytest.approx(raised / (raised + 3))


@pytest.mark.parametrize("again", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_copies_go_on_by_themselves(again: Callable[[Any], Any]) -> None:
    coordinator = SalienceCoordinator()
    coordinator.tick({"dacc_pe": 2.0})
    other = again(coordinator)
    assert other.operating_mode == coordinator.operating_mode
    other.tick(is_offline=True)
    assert coordinator.signals["is_offline"] == 0.0


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda c: c.tick({"dacc": 1.0}), ValueError, "^signal must be one of dacc_pe, .*'dacc'$"),
        (lambda c: c.tick({"dacc_pe": math.nan}), ValueError, "^dacc_pe must be finite, got nan$"),
        (lambda c: c.tick({"dacc_pe": "2"}), TypeError, "^dacc_pe must be a number, got '2'$"),
        (lambda c: c.update_signal("aic", 1.0), ValueError, "^signal must be one of"),
        (lambda c: c.force_mode({"asleep": 1.0}), ValueError, "^shares must name modes among ext"),
        (lambda c: c.force_mode({}), ValueError, "^shares must be at least 0 and not all 0, got"),
        (
            lambda c: c.force_mode({"external_task": -1.0, "internal_replay": 2.0}),
            ValueError,
            "^shares must be at least 0 and not all 0",
        ),
        (
            lambda c: c.register_target("t", {"asleep": 1.0}),
            ValueError,
            r"^write_weights\['t'\] must name modes among external_task, .*, got 'asleep'$",
        ),
        (
            lambda c: c.register_signal("s", {"external_task": math.inf}),
            ValueError,
            r"^affinities\['s'\]\['external_task'\] must be finite, got inf$",
        ),
    ],
)
def test_what_is_refused_changes_nothing(
    call: Callable[[Any], Any], kind: type[Exception], message: str
) -> None:
    coordinator = SalienceCoordinator()
    coordinator.tick({"dacc_pe": 1.0})
    before = coordinator.operating_mode, coordinator.signals, coordinator.ticks
    with pytest.raises(kind, match=message):
        call(coordinator)
    assert (coordinator.operating_mode, coordinator.signals, coordinator.ticks) == before
