"""What is held back waits for a question that tells of it; nothing that mattered is lost."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payloads import WakePayload
from prefrontal.pulse.holds import MOST_FOLDED
from prefrontal.pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from prefrontal.pulse.opening import OpenGate, UnlabelledStates, open_gate
from prefrontal.pulse.policy import DeliveryPolicy
from prefrontal.pulse.shells.asker import Asker
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import Reason, SignalEvent, Standing

NOW = 1_704_137_400.0
"""2024-01-01 19:30 UTC."""
DAY_S = 86_400.0


def module(module_id: str = "code", threshold: float = 0.0, **more: Any) -> ModuleFingerprint:
    return parse_fingerprint(
        {
            "module_id": module_id,
            "cluster": "c",
            "version": "1",
            "question_template": "{text} ({location})?",
            "default_threshold": threshold,
            **more,
        }
    )


def event(text: str, at: float = NOW, actor: str = "") -> SignalEvent:
    features = {"text": text} | ({"actor": actor} if actor else {})
    return SignalEvent("git", "/src", "commit", 1.0, at, features)


def opened(clock: ManualClock, *modules: ModuleFingerprint, **policy: Any) -> OpenGate:
    chosen = GateSettings(audit_share=0.0, policy=PolicySettings(**{"key_ttl_s": 0.0} | policy))
    return open_gate(chosen, UnlabelledStates(), clock, modules or (module(),), standings=Trust())


class Trust:
    """The role Standings: ben may wake twice an hour."""

    def standing(self, event: SignalEvent) -> Standing | None:
        return Standing("ben", -6, 0.0, 2.0) if event.features.get("actor") == "ben" else None


def payload(decision: Decision) -> WakePayload:
    assert isinstance(decision.payload, WakePayload)
    return decision.payload


def to_the_next(one: OpenGate, clock: ManualClock) -> list[Decision]:
    """Let the time pass until the next hold ends; what is asked then."""
    due = one.gate.due()
    assert due is not None
    clock.advance(max(0.0, due - clock.monotonic()))
    one.gate.tick()
    return one.gate.drain()


def test_six_commits_under_a_cooldown_are_told_by_two_questions() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, cooldown_s=60.0)
    for number in range(6):
        one.gate.judge([event(f"Fix security hole number {number + 1}")])
        clock.advance(1.0)
    first, *held = one.gate.drain()
    assert first.question == "Fix security hole number 1 (/src)?"
    assert [each.reason for each in held] == ["cooldown"] * 5
    [late] = to_the_next(one, clock)
    assert clock.now() == NOW + 60.0  # when the cooldown ends, though nothing new came
    assert late.question == (
        "Fix security hole number 2 (/src)? And 4 more: Fix security hole number 3; "
        "Fix security hole number 4; Fix security hole number 5; Fix security hole number 6."
    )
    assert (late.acted, late.reason, payload(late).late) == (True, Reason.WOKE, True)
    assert [each.id for each in payload(late).folded] == [each.id for each in held]
    assert one.gate.due() is None


def test_an_error_after_a_heartbeat_is_told_within_one_cooldown() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, cooldown_s=60.0)
    one.gate.judge([event("INFO heartbeat")])
    clock.advance(5.0)
    one.gate.judge([event("ERROR database lost")])
    one.gate.drain()
    [late] = to_the_next(one, clock)
    assert late.question == "ERROR database lost (/src)?"


def test_the_next_question_of_the_module_names_what_was_held_back() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, cooldown_s=60.0)
    for text in ("one", "two", "two"):
        one.gate.judge([event(text)])
    one.gate.drain()
    clock.advance(61.0)  # nobody looked when the hold ended: the next window comes first
    one.gate.judge([event("three")])
    [asked] = one.gate.drain()
    assert asked.question == "three (/src)? And 2 more: two (2 times)."
    assert not payload(asked).late
    assert len(payload(asked).folded) == 2


def test_a_long_list_is_cut_in_the_question_and_whole_in_the_decision() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, cooldown_s=60.0)
    for number in range(40):
        one.gate.judge([event(f"change {number} " + "x" * 300)])
    one.gate.drain()
    [late] = to_the_next(one, clock)
    assert late.question is not None and len(late.question) < 1000
    assert late.question.endswith("; and 32 others.")
    assert " And 38 more (38 commit): change 2 " in late.question
    assert len(payload(late).folded) == 39


def test_more_than_one_question_can_tell_is_told_by_several() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, cooldown_s=60.0)
    for number in range(1202):
        one.gate.judge([event(f"change {number}")])
    one.gate.drain()
    sizes = [len(payload(to_the_next(one, clock)[0]).folded) for _ in range(3)]
    assert sizes == [500, 500, 201]
    assert one.gate.due() is None


def test_a_peer_without_a_budget_is_not_carried_by_the_questions_of_others() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, burst=1)
    one.gate.judge([event("ben 1", actor="ben")])
    one.gate.judge([event("ben 2", actor="ben")])
    one.gate.judge([event("ann")])
    asked = [each.question for each in one.gate.drain() if each.acted]
    assert asked == ["ben 1 (/src)?", "ann (/src)?"]
    [late] = to_the_next(one, clock)
    assert late.question == "ben 2 (/src)?"
    assert clock.now() == pytest.approx(NOW + 1800.0)


def test_an_audit_tells_of_what_waits_as_any_question() -> None:
    clock = ManualClock(NOW)
    chosen = GateSettings(audit_share=1.0, policy=PolicySettings(cooldown_s=60.0, key_ttl_s=0.0))
    one = open_gate(chosen, UnlabelledStates(), clock, [module(threshold=0.4)])
    for text in ("a", "b"):
        one.gate.judge([event(text)], "code")
    clock.advance(61.0)
    one.gate.modules["code"].wish(1.0)
    one.gate.judge([event("c")], "code")
    asked = [each for each in one.gate.drain() if each.acted]
    assert [(each.reason, each.question) for each in asked] == [
        ("woke", "a (/src)?"),
        ("audit", "c (/src)? And 1 more: b."),
    ]


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A place whose clocks change."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    "wall",
    [NOW, NOW + 0.75, 1_711_841_400.0, 1_729_992_600.0],  # two nights on which clocks change
)
def test_quiet_hours_end_when_free_at_says(wall: float, berlin: None) -> None:
    policy = DeliveryPolicy(PolicySettings(quiet_hours=(23, 21)))
    free = policy.free_at("code", wall, 100.0)
    assert 100.0 < free <= 100.0 + DAY_S + 7200.0
    end = wall + free - 100.0
    assert policy.admit("code", end - 1.0, 0.0) is Reason.QUIET_HOURS
    assert policy.admit("code", end, 0.0) is None


def test_a_clock_that_is_set_ends_quiet_hours_at_once() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, quiet_hours=(0, 22))
    one.gate.judge([event("a")])
    one.gate.tick()
    assert [each.acted for each in one.gate.drain()] == [False]
    ends = DeliveryPolicy(PolicySettings(quiet_hours=(0, 22))).free_at("code", NOW, 0.0)
    clock.jump(ends)  # the machine slept meanwhile: its monotonic clock stood
    one.gate.tick()
    assert [each.acted for each in one.gate.drain()] == [True]


def test_a_gate_that_held_nothing_back_decides_as_rules_of_before() -> None:
    found = []
    for version in (2, 3):
        clock = ManualClock(NOW)
        one = open_gate(GateSettings(log_refusals=True), UnlabelledStates(), clock, [module()],
                        version=version)  # fmt: skip
        for number in range(50):
            one.gate.judge([event(f"change {number}")])
            one.gate.tick()
        found.append([(d.reason, d.score, d.question, d.why) for d in one.gate.drain()])
    assert found[0] == found[1]


policies = st.fixed_dictionaries(
    {},
    optional={
        "cooldown_s": st.sampled_from([5.0, 60.0, 3600.0]),
        "group_s": st.sampled_from([10.0, 90.0]),
        "quiet_hours": st.sampled_from([(20, 6), (19, 19), (3, 1)]),
        "module_wakes_per_hour": st.sampled_from([0.5, 4.0, 60.0]),
        "wakes_per_hour": st.sampled_from([1.0, 12.0]),
        "hold_s": st.sampled_from([2.0, 600.0]),
        "burst": st.integers(1, 3),
    },
)
steps = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 7.0, 59.0, 1000.0, 20_000.0]),
              st.sampled_from(["code", "docs", "end", "look"]),
              st.sampled_from(["ann", "ben"])),
    max_size=40,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(policies, steps)
def test_every_window_is_told_or_waits(policy: dict[str, Any], steps: list[Any]) -> None:
    """Over restarts and kills: whatever was stored goes on, and nothing is told twice."""
    clock = ManualClock(NOW)
    modules = [module("code", signal_priors={}), module("docs", signal_priors={})]
    told = GateSettings(audit_share=0.0, policy=PolicySettings(**policy | {"key_ttl_s": 0.0}))
    with DecisionLog() as log:
        one = Stepper(log, modules, told, clock=clock, standings=Trust())
        pushed = 0
        for pause, what, actor in steps:
            clock.advance(pause)
            if what == "end":  # without a close, as a killed process
                one = Stepper(log, modules, told, clock=clock, standings=Trust())
            elif what == "look":
                one.tick()
            else:
                pushed += 1
                one.judge([event(f"{pushed}", actor=actor)], what)
        check(log, pushed)
        for _ in range(60):  # whatever waits is told when holds end and nothing else comes
            if (due := one.due()) is None:
                break
            clock.advance(max(0.0, due - clock.monotonic()))
            one.tick()
        check(log, pushed)
        assert log.waiting_windows() == []


def check(log: DecisionLog, pushed: int) -> None:
    """Each of the windows is told once, or waits."""
    records = list(log.records())
    waits = {each.id for each in log.waiting_windows()}
    told = Counter(text for each in records for text in texts(each, records))
    assert set(told.values()) <= {1}
    waiting = {each.window[-1].features["text"] for each in records if each.id in waits}
    assert waiting.isdisjoint(told)
    assert waiting | told.keys() == {str(number + 1) for number in range(pushed)}
    by = log.fold_questions([each.id for each in records if payload(each).waits])
    assert {id_ for id_, question in by.items() if question is None} == waits


def texts(question: Decision, records: list[Decision]) -> Iterator[str]:
    """What a question tells of."""
    if question.acted:
        ids = {each.id for each in payload(question).folded}
        own = () if payload(question).late or payload(question).gathered else question.window
        yield from (each.features["text"] for each in own)
        yield from (each.window[-1].features["text"] for each in records if each.id in ids)


def test_what_an_asker_held_back_is_told_at_the_next_call() -> None:
    clock = ManualClock(NOW)
    chosen = GateSettings(policy=PolicySettings(cooldown_s=60.0, key_ttl_s=0.0))
    with DecisionLog() as log:
        one = Asker(log, [module(), module("docs")], chosen, clock=clock)
        assert one.judge([event("a")], "code")[0].acted
        assert one.judge([event("b")], "code")[0].reason == Reason.COOLDOWN
        clock.advance(61.0)
        found = one.judge([event("d")], "docs")
        assert [each.question for each in found] == ["b (/src)?", "d (/src)?"]


def test_what_waits_for_a_module_that_is_not_there_makes_nothing_due() -> None:
    clock = ManualClock(NOW)
    chosen = GateSettings(policy=PolicySettings(cooldown_s=60.0, key_ttl_s=0.0))
    with DecisionLog() as log:
        before = Stepper(log, [module()], chosen, clock=clock)
        for text in ("a", "b"):
            before.wake(event(text))
        log.flush()
        later = open_gate(chosen, log, clock, [module("docs")])
        clock.advance(61.0)
        later.gate.tick()
        assert later.gate.due() is None
        assert later.gate.holds.of_others(later.gate.modules) == {"code": 1}
        again = open_gate(chosen, log, clock, [module("docs"), module()])
        assert again.gate.due() == clock.monotonic()
        assert again.gate.holds.of_others(again.gate.modules) == {}
        again.gate.tick()
        assert [each.question for each in again.gate.drain()] == ["b (/src)?"]


def test_an_asker_leaves_to_a_watch_what_a_watch_held_back() -> None:
    clock = ManualClock(NOW)
    chosen = GateSettings(policy=PolicySettings(cooldown_s=60.0, key_ttl_s=0.0))
    with DecisionLog() as log:
        stepper = Stepper(log, [module()], chosen, clock=clock)
        for text in ("a", "b"):
            stepper.wake(event(text))
        first = Asker(log, [module()], chosen, clock=clock)
        for text in ("c", "d"):
            first.judge([event(text)])
        log.flush()
        clock.advance(61.0)
        [asked] = Asker(log, [module()], chosen, clock=clock).judge([event("e")])
        log.flush()
        assert asked.question == "e (/src)? And 1 more: d."
        assert [each.window[0].features["text"] for each in log.waiting_windows()] == ["b"]


def burst(clock: ManualClock, one: OpenGate, count: int, pause: float) -> None:
    """Files that come one after the other; holds that end meanwhile are looked at."""
    for number in range(count):
        name = f"/home/ada/Downloads/{number}.txt"
        one.gate.judge([SignalEvent("filesystem", name, "created", 1.0, clock.now())])
        clock.advance(pause)
        one.gate.tick()


def test_a_burst_is_one_question_and_a_lone_event_one_after_two_seconds() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, module(hold_s=2.0, question_template="{what}? ({location})"))
    burst(clock, one, 30, 0.1)
    held = one.gate.drain()
    assert [(each.acted, each.reason) for each in held] == [(False, "grouped")] * 30
    [late] = to_the_next(one, clock)
    assert late.time == pytest.approx(NOW + 2.9 + 2.0)
    assert late.question == (
        "0.txt was created in Downloads? (/home/ada/Downloads/0.txt) And 29 more (29 created): "
        "1.txt created; 2.txt created; 3.txt created; 4.txt created; 5.txt created; "
        "6.txt created; and 23 others."
    )
    clock.advance(2.5)
    burst(clock, one, 1, 0.0)
    one.gate.drain()
    [alone] = to_the_next(one, clock)
    assert alone.question == "0.txt was created in Downloads? (/home/ada/Downloads/0.txt)"
    assert alone.time == pytest.approx(late.time + 2.5 + 2.0)


def test_a_burst_of_rules_before_was_asked_about_at_its_beginning_and_its_end() -> None:
    for version, asked in ((4, [0.0, 4.9]), (5, [4.9])):
        clock = ManualClock(NOW)
        one = open_gate(GateSettings(audit_share=0.0), UnlabelledStates(), clock,
                        [module(hold_s=2.0)], version=version)  # fmt: skip
        burst(clock, one, 30, 0.1)
        found = [*one.gate.drain(), *to_the_next(one, clock)]
        assert [each.time - NOW for each in found if each.acted] == pytest.approx(asked)


def test_an_audit_within_a_burst_is_left_out_and_does_not_prolong_it() -> None:
    clock = ManualClock(NOW)
    told = GateSettings(audit_share=1.0, threshold=0.9, log_refusals=True)
    one = open_gate(told, UnlabelledStates(), clock, [module(hold_s=2.0)])
    one.gate.modules["code"].wish(0.0)
    one.gate.judge([event("loud")])
    one.gate.modules["code"].wish(0.9)
    clock.advance(1.5)
    one.gate.judge([event("quiet")])
    loud, quiet = one.gate.drain()
    assert (loud.reason, payload(quiet).held_back) == ("grouped", "grouped")
    [asked] = to_the_next(one, clock)
    assert (asked.question, clock.now()) == ("loud (/src)?", NOW + 2.0)
    one.gate.judge([event("later")])
    assert [each.reason for each in one.gate.drain()] == ["audit"]


def test_a_peer_with_a_budget_of_its_own_is_gathered_apart() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, module(hold_s=2.0))
    for number, actor in enumerate(("ann", "ben", "ann", "ben")):
        one.gate.judge([event(f"{number} by {actor}", actor=actor)])
    one.gate.drain()
    asked = to_the_next(one, clock)
    assert [each.question for each in asked] == [
        "0 by ann (/src)? And 1 more: 2 by ann.",
        "1 by ben (/src)? And 1 more: 3 by ben.",
    ]


def test_more_than_one_question_can_tell_of_waits_for_the_next() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, module(hold_s=2.0))
    for number in range(MOST_FOLDED + 3):
        one.gate.judge([event(f"change {number}")])
    one.gate.drain()
    [first] = to_the_next(one, clock)
    one.gate.tick()
    assert one.gate.drain() == []
    [second] = to_the_next(one, clock)
    assert clock.now() == NOW + 4.0
    assert [len(payload(each).folded) for each in (first, second)] == [MOST_FOLDED, 3]


def test_a_burst_that_goes_on_is_asked_about_after_half_a_minute() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, module(hold_s=2.0))
    burst(clock, one, 700, 0.1)
    asked = [each.time - NOW for each in one.gate.drain() if each.acted]
    assert asked == pytest.approx([30.0, 60.0], abs=0.2)


def test_the_settings_stand_before_a_modules_hold() -> None:
    for chosen, asked in ((0.0, 30), (0.15, 1), (0.05, 30), (None, 0)):
        clock = ManualClock(NOW)
        one = opened(clock, module(hold_s=2.0), hold_s=chosen)
        burst(clock, one, 30, 0.1)
        assert sum(each.acted for each in one.gate.drain()) == asked


def test_what_was_kept_to_be_asked_as_one_is_asked_at_the_end() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, module(hold_s=2.0))
    burst(clock, one, 3, 0.0)
    one.gate.drain()
    one.gate.tick(everything=True)
    [late] = one.gate.drain()
    assert (payload(late).closed, len(payload(late).folded)) == (True, 3)


def test_a_hold_is_of_the_fingerprint_and_leaves_others_as_they_are() -> None:
    assert parse_fingerprint(module(hold_s=2).to_dict()).hold_s == 2.0
    assert "hold_s" not in module().to_dict()
    with pytest.raises(ValueError, match="hold_s must be a number of seconds from 0 up, got -1"):
        module(hold_s=-1)


def test_a_file_that_is_written_on_is_asked_about_once_in_half_a_minute() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, module(hold_s=2.0, question_template="{what}? ({location})"))
    kinds = ["created"] + ["modified"] * 5 + ["deleted"]
    for kind in kinds:
        one.gate.judge([SignalEvent("filesystem", "/in/app.log", kind, 1.0, clock.now())])
        clock.advance(4.5)
        one.gate.tick()
    one.gate.judge([SignalEvent("filesystem", "/in/other.txt", "created", 1.0, clock.now())])
    asked = [(each.time - NOW, each.question) for each in one.gate.drain() if each.acted]
    changes = "app.log modified (5 times)"
    assert asked == [
        (4.5, "app.log was created in in? (/in/app.log)"),
        (31.5, f"app.log was deleted in in? (/in/app.log) And 5 more: {changes}."),
    ]
    [other] = to_the_next(one, clock)
    assert other.question == "other.txt was created in in? (/in/other.txt)"


def test_what_is_written_on_for_long_is_told_though_it_goes_on() -> None:
    clock = ManualClock(NOW)
    one = opened(clock, module(hold_s=2.0))
    for _ in range(30):
        one.gate.judge([SignalEvent("filesystem", "/in/app.log", "modified", 1.0, clock.now())])
        clock.advance(4.0)
        one.gate.tick()
    asked = [each.time - NOW for each in one.gate.drain() if each.acted]
    assert asked == pytest.approx([4.0, 36.0, 68.0, 100.0])
