from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import prefrontal.compat
import prefrontal.pulse
from prefrontal.pulse import retina, signal
from prefrontal.types import FEATURE_DIM, SignalEvent


def test_importing_pulse_and_parsing_a_fingerprint_need_no_numpy() -> None:
    program = (
        "import sys, prefrontal.pulse as pulse\n"
        "assert 'prefrontal.pulse.modules.fingerprint' not in sys.modules\n"
        "pulse.parse_fingerprint, pulse.PrefrontalLayer, pulse.SignalEvent\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_event_has_one_class_under_all_its_published_names() -> None:
    assert signal.SignalEvent is retina.SignalEvent is prefrontal.pulse.SignalEvent is SignalEvent
    assert signal.FEATURE_DIM == retina.FEATURE_DIM == prefrontal.pulse.FEATURE_DIM == FEATURE_DIM


@pytest.mark.parametrize(
    ("path", "names"),
    {
        "bus": ["SignalBus"],
        "prefrontal": ["EscalationDecision", "PrefrontalLayer"],
        "registry": ["PulseRegistry"],
        "retina": ["Retina"],
        "training": ["ActivationRecord", "TrainingBuffer"],
    }.items(),
)
def test_published_paths_lead_to_what_compat_holds(path: str, names: list[str]) -> None:
    published = import_module(f"prefrontal.pulse.{path}")
    for name in names:
        known = getattr(prefrontal.compat, name)
        assert getattr(published, name) is getattr(prefrontal.pulse, name) is known


def test_a_name_that_is_not_exported_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"'prefrontal\.pulse' has no attribute 'Limbo'"):
        prefrontal.pulse.Limbo  # type: ignore[attr-defined]  # noqa: B018


def test_every_exported_name_is_listed() -> None:
    assert set(prefrontal.pulse.__all__) <= set(dir(prefrontal.pulse))


def test_every_published_name_loads_from_its_published_places() -> None:
    from prefrontal.compat.bus import SignalBus
    from prefrontal.compat.prefrontal import PrefrontalLayer
    from prefrontal.compat.registry import PulseRegistry
    from prefrontal.compat.training import ActivationRecord, TrainingBuffer
    from prefrontal.pulse.learning.limbic import LimbicLayer

    named = (SignalBus, LimbicLayer, PrefrontalLayer, PulseRegistry, retina.Retina,
             ActivationRecord, TrainingBuffer)  # fmt: skip
    for each in named:
        assert getattr(prefrontal.pulse, each.__name__) is each
