"""The windows that woke nobody, as a gate remembers them for a while."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from prefrontal.pulse.event_bytes import size_of
from prefrontal.pulse.gate import Gate
from prefrontal.pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from prefrontal.pulse.opening import UnlabelledStates, open_gate
from prefrontal.pulse.recent_refusals import MOST, MOST_BYTES
from prefrontal.settings import GateSettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

from .registries import raw

NOW = 1_704_137_400.0
ALWAYS = {"default_threshold": 0.999, "signal_priors": {}}


class MeasuredText(str):
    """Knows how often it was asked how large it is."""

    __slots__ = ()
    asked: ClassVar[Counter[str]] = Counter()

    def __sizeof__(self) -> int:
        MeasuredText.asked[str(self)] += 1
        return super().__sizeof__()


def gate(*modules: ModuleFingerprint) -> Gate:
    settings = GateSettings(audit_share=0.0)
    return open_gate(settings, UnlabelledStates(), ManualClock(NOW), modules).gate


def event(number: int, text: str) -> SignalEvent:
    return SignalEvent("test", f"place {number}", "said", 0.5, NOW + number, {"text": text})


def test_each_window_is_measured_once_while_it_is_remembered() -> None:
    one = gate(parse_fingerprint(raw() | ALWAYS))
    MeasuredText.asked.clear()
    for number in range(50):
        one.judge((event(number, MeasuredText(f"{number} " + "x" * 20_000)),))
    assert len(one.refusals) == 50
    assert set(MeasuredText.asked.values()) == {1}


def test_a_window_that_several_modules_refuse_takes_room_once() -> None:
    modules = [parse_fingerprint(raw(module_id=name) | ALWAYS) for name in "abc"]
    one = gate(*modules)
    text = "x" * (MOST_BYTES // 4)
    for number in range(6):
        one.judge((event(number, text),))
    windows = {id(each.scored.window): each.scored.window for each in one.refusals}
    assert len(windows) == 3 and len(one.refusals) == 9
    assert sum(map(size_of, windows.values())) <= MOST_BYTES


def test_the_newest_stays_though_it_is_larger_than_all_room() -> None:
    one = gate(parse_fingerprint(raw() | ALWAYS))
    one.judge((event(0, "small"),))
    one.judge((event(1, "x" * (MOST_BYTES + 1)),))
    assert [each.scored.window[0].location for each in one.refusals] == ["place 1"]
    one.judge((event(2, "small"),))
    assert [each.scored.window[0].location for each in one.refusals] == ["place 2"]


def test_of_small_ones_a_number_is_remembered() -> None:
    one = gate(parse_fingerprint(raw() | ALWAYS))
    for number in range(MOST + 5):
        one.judge((event(number, "small"),))
    locations = [each.scored.window[0].location for each in one.refusals]
    assert locations == [f"place {number}" for number in range(5, MOST + 5)]
    assert one.refusals.newest.scored.window[0].location == f"place {MOST + 4}"
