"""A watch in the shadow: what it begins with, what it leaves alone, and what adopting it brings."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from prefrontal.assembly.shadow import adoption as shadow_module
from prefrontal.assembly.shadow.adoption import ShadowMark, adopt_shadow, open_shadow, shadow_log
from prefrontal.assembly.shadow.report import shadow_report
from prefrontal.assembly.wakes_again import again
from prefrontal.cli.watch.hand_over import give_once
from prefrontal.cli.watch.session import WatchSession, build_watch
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError
from prefrontal.pulse.learned import RECALL, WEIGHTS
from prefrontal.pulse.status_note import STATUS
from prefrontal.settings import Settings, load_settings
from prefrontal.storage.state_folder import StateFolder
from prefrontal.types import Reason, SignalEvent

from ..replay import repositories
from .test_adoption import changes

no_set_up, git, import_history = (
    repositories.no_set_up,
    repositories.git,
    repositories.import_history,
)
Import = Callable[[Sequence[repositories.Change]], Path]

MODULE: dict[str, Any] = {
    "module_id": "mail",
    "cluster": "test",
    "version": "1",
    "question_template": "{location}",
    "default_threshold": None,
    "signal_priors": {},
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    file = tmp_path / "prefrontal.yml"
    document = {
        "modules": [MODULE],
        "recall": 0.9,
        "audit_share": 1.0,  # by chance it would follow from the time
        "log_refusals": True,
        "policy": {"cooldown_s": 0},
        "sinks": [{"lines": "questions.jsonl"}],
        "state": "state",
    }
    file.write_text(json.dumps(document), encoding="utf-8")
    return load_settings(file)


def event(number: int) -> SignalEvent:
    place = "inbox/boss" if number % 3 == 0 else "inbox/list"
    return SignalEvent("user", f"{place}/{number}", "created", 1.0, 1_700_000_000.0 + number)


def say(sentence: str, decision: Decision | None = None) -> None:
    raise AssertionError(sentence)


def run(settings: Settings, numbers: Sequence[int], shadow: bool = False) -> WatchSession:
    """Watch until these events are decided about."""
    session = build_watch(settings, shadow=shadow)
    session.watch.on_wake(lambda decision: give_once(decision, session.sinks, say))
    session.start()
    assert all(session.watch.push(event(number)) for number in numbers)
    assert session.stop()
    return session


def state_of(settings: Settings) -> StateFolder:
    return StateFolder(settings.state_folder())


def decisions(folder: StateFolder) -> list[Decision]:
    with DecisionLog(folder.decisions) as log:
        return list(log.records())


def answer(folder: StateFolder) -> None:
    """Somebody says of each question what it was worth."""
    with DecisionLog(folder.decisions) as log:
        for each in [each for each in log.records() if each.acted]:
            log.add_label(each.id, float("boss" in each.window[0].location), each.time)


def known(folder: StateFolder) -> tuple[bytes, dict[str, Any]]:
    with DecisionLog(folder.decisions) as log:
        weights, counts = log.load_state(WEIGHTS), log.load_state(RECALL)
    assert weights is not None
    assert counts is not None
    return weights[0], json.loads(counts[0])


def delivered(settings: Settings) -> list[str]:
    file = settings.path("questions.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [json.loads(line)["question"] for line in lines]


def test_a_shadow_tells_nobody_and_writes_nothing_of_the_gates(settings: Settings) -> None:
    state = state_of(settings)
    session = run(settings, range(4), shadow=True)
    assert [each.acted for each in decisions(state.shadow)] == [True] * 4
    assert not state.decisions.exists()
    assert (session.sinks, session.owed, delivered(settings)) == ((), 0, [])


def test_it_begins_with_what_the_gate_knows_and_both_go_on_by_themselves(
    settings: Settings,
) -> None:
    state = state_of(settings)
    run(settings, range(6))
    asked = len(delivered(settings))
    answer(state)
    run(settings, [6])
    before, learned = decisions(state), known(state)
    run(settings, [7, 8], shadow=True)
    assert [each.id for each in decisions(state.shadow)][: len(before)] == [
        each.id for each in before
    ]
    assert known(state.shadow)[0] == learned[0]
    assert known(state) == learned
    assert decisions(state) == before
    answer(state.shadow)
    run(settings, [9], shadow=True)
    assert known(state.shadow) != learned
    assert known(state) == learned
    assert len(delivered(settings)) == asked + 1


def test_adopting_it_brings_what_it_learned_and_asks_nothing_of_its_time(
    settings: Settings,
) -> None:
    state = state_of(settings)
    run(settings, range(3))
    for _ in range(2):
        run(settings, range(3, 40), shadow=True)
        answer(state.shadow)
    run(settings, [], shadow=True)  # learns the answers
    learned, asked = known(state.shadow), delivered(settings)
    adopted = adopt_shadow(state)
    assert known(state) == learned
    assert adopted.mark.watched == ("--config", str(settings.file))
    assert len(decisions(state)) == 3
    run(settings, [42])
    assert delivered(settings)[len(asked) :] == ["inbox/boss/42"]
    answer(state)
    run(settings, range(43, 50))
    for file in (state.decisions, state.path / "shadow-adopted" / "decisions.sqlite"):
        with DecisionLog(file) as log:  # it holds what it took to decide so
            assert list(again(log)) == []
    with pytest.raises(InputError, match="holds none"):
        adopt_shadow(state)


def test_an_adoption_that_was_killed_on_the_way_can_be_done_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = state_of(settings)
    run(settings, range(9), shadow=True)
    answer(state.shadow)
    run(settings, [], shadow=True)
    learned = known(state.shadow)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    for step in ("_late", "_put_away"):  # before anything was written, and after all was
        with monkeypatch.context() as patch:
            patch.setattr(shadow_module, step, killed)
            with pytest.raises(KeyboardInterrupt):
                adopt_shadow(state)
    adopt_shadow(state)
    assert known(state) == learned
    assert not state.shadow.path.exists()
    assert delivered(settings) == []


def test_a_first_start_that_was_killed_leaves_no_half_shadow(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = state_of(settings)
    run(settings, range(3))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shadow_module, "_copy_files", killed)
        with pytest.raises(KeyboardInterrupt):
            open_shadow(state)
    assert not state.shadow.decisions.exists()
    open_shadow(state)
    assert len(decisions(state.shadow)) == 3
    assert list(state.shadow.path.glob("copy*")) == []


def test_what_the_gate_was_told_meanwhile_is_learned_on_top(settings: Settings) -> None:
    state = state_of(settings)
    run(settings, range(6))
    run(settings, range(6, 12), shadow=True)
    answer(state)
    assert adopt_shadow(state).labels == len([each for each in decisions(state) if each.acted])


def test_a_gate_that_decided_beside_it_is_not_overwritten(settings: Settings) -> None:
    state = state_of(settings)
    run(settings, range(3), shadow=True)
    run(settings, range(3))
    before = known(state)
    with pytest.raises(InputError, match="the gate of .* decided, too"):
        adopt_shadow(state)
    assert known(state) == before
    assert state.shadow.decisions.exists()


def test_a_followed_repository_goes_on_where_the_shadow_read_it(
    tmp_path: Path, import_history: Import, git: repositories.Git
) -> None:
    from prefrontal.cli.replay.adoption import History, carry_out, plan

    repository = import_history(changes(150))
    config = tmp_path / "prefrontal.yml"
    config.write_text("state: state\n", encoding="utf-8")
    history = History.of(str(repository), None, None)
    with plan(history, config, None, None, "path:news/**", lambda *_: None) as planned:
        carry_out(planned)
    settings = load_settings(config)
    state = state_of(settings)
    head = git(repository, "rev-parse", "main")
    tree = git(repository, "rev-parse", "main~3^{tree}")
    commit = git(repository, "commit-tree", tree, "-p", head, "-m", "Fix what the shadow saw")
    git(repository, "update-ref", "refs/heads/main", commit)
    with DecisionLog(open_shadow(state).decisions) as log:
        places = log.load_states("history ")
    run_until_told(settings, shadow=True)
    adopt_shadow(state)
    with DecisionLog(state.decisions) as log:
        assert log.load_states("history ") != places
    session = build_watch(settings)
    session.start()
    session.stop()
    assert [each for each in decisions(state) if each.reason != Reason.REPLAYED] == []


def test_a_report_counts_from_its_beginning_and_says_when_that_is_too_short(
    settings: Settings,
) -> None:
    state = state_of(settings)
    run(settings, range(5))
    run(settings, range(5, 10), shadow=True)
    with shadow_log(state) as (log, mark):
        soon = shadow_report(log, mark, mark.began + 3600)
        half = shadow_report(log, mark, mark.began + 12 * 3600)
        day = shadow_report(log, mark, mark.began + 24 * 3600)
    assert (soon.figures.signals, soon.figures.wakes, soon.delayed) == (5, 5, 5)
    assert soon.notes[0] == "Too short for rates: they need 6 hours, and there are 1.0."
    assert {each.wakes_per_day for each in soon.policies} == {None}
    assert half.notes[0].startswith("Less than a day (12.0 hours)")
    assert [(each.name, each.wakes, each.wakes_per_day) for each in day.policies] == [
        ("prefrontal", 5, 5.0),
        ("on_change", 5, 5.0),
        ("heartbeat", 48, 48.0),
        ("cheap_heartbeat", 18, 18.0),
    ]
    assert day.policies[3].usd == pytest.approx(18 * day.policies[0].usd / 5 / 3)
    assert len(day.notes) == 1
    assert "nearly everything" in day.notes[0]
    assert day.policies[0].recall is None


def test_delays_are_of_what_mattered_once_somebody_said_what_did(settings: Settings) -> None:
    state = state_of(settings)
    run(settings, range(9), shadow=True)
    answer(state.shadow)
    with shadow_log(state) as (log, mark):
        report = shadow_report(log, mark, mark.began + 86400)
    assert (report.delayed, report.is_known) == (3, True)
    assert report.to_dict()["delays_of"] == "mattered"
    gate, every, heartbeat, cheap = report.policies
    assert gate.delay_minutes == pytest.approx(0.0, abs=0.1)
    assert every.delay_minutes == 0.0
    assert heartbeat.delay_minutes is not None
    assert 0.0 < heartbeat.delay_minutes <= 30.0
    assert cheap.delay_minutes is not None


def test_a_shadow_ended_when_a_clock_that_was_not_ahead_last_told_of_it(settings: Settings) -> None:
    state = state_of(settings)
    run(settings, range(2), shadow=True)
    with shadow_log(state) as (log, mark):
        now = mark.began + 600.0
        heard = shadow_report(log, mark, now, runs=False)
        assert mark.began < heard.until < now
        [latest] = log.recent(1)
        log.append(replace(latest, id="f" * 32, time=now + 9e6))
        assert shadow_report(log, mark, now, runs=False).until == heard.until
        log.save_state(STATUS, json.dumps({"at": now + 9e6}).encode(), 0)
        assert shadow_report(log, mark, now, runs=False).until == latest.time


def test_what_is_no_shadow_is_refused(settings: Settings) -> None:
    state = state_of(settings)
    with (
        pytest.raises(InputError, match="shadow must have begun, and .* holds none"),
        shadow_log(state),
    ):
        pass
    open_shadow(state)
    with pytest.raises(InputError, match="must have watched something"):
        adopt_shadow(state)
    with DecisionLog(state.shadow.decisions) as log:
        assert isinstance(ShadowMark.read(log), ShadowMark)


def run_until_told(settings: Settings, shadow: bool) -> None:
    """Watch until a commit of the followed repository was decided about."""
    session = build_watch(settings, shadow=shadow)
    session.start()
    for _ in range(1000):
        if session.watch.status()["events"] or Event().wait(0.02):
            break
    session.stop()
