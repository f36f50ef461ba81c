"""Bursts are decided in a replay as they are live: same questions, times, scores, thresholds."""

from __future__ import annotations

from prefrontal.assembly.adopted_state import keep_judge
from prefrontal.assembly.replay_gate import PulseGate, ReplayJudge
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.replay.learner import ASKED, Learner
from prefrontal.settings import GateSettings
from prefrontal.settings.budget import Budget
from prefrontal.testing import ManualClock
from prefrontal.types import Window

from .test_incident_warming import site

BUDGET = Budget(4, "hour")
Asked = tuple[float, float, float, tuple[str, ...]]


def mixed() -> list[Window]:
    """Noise, and two bursts that begin within one hold."""
    windows = [*site("own", "drop table"), *site("own", "port scan", days=3)]
    return sorted(windows, key=lambda each: each.time)


def warmed() -> ReplayJudge:
    judge = PulseGate().open_incidents(BUDGET)
    assert isinstance(judge, ReplayJudge)
    for window in site("other", "drop table"):
        judge.learn(window)
    judge.begin()
    return judge


def replayed(judge: ReplayJudge, windows: list[Window]) -> list[Asked]:
    learner, asked = Learner(judge, ASKED), []
    for window in windows:
        for late in learner.late(window.time):
            made = late.judgement
            texts = tuple(each.text for each in made.folded)
            asked.append((late.time, made.score, made.threshold, texts))
        made = learner.decide(window)
        learner.take(window, made)
        if made.woke:
            texts = tuple(each.text for each in made.folded)
            asked.append((window.time, made.score, made.threshold, (window.text, *texts)))
    return asked


def live(judge: ReplayJudge, windows: list[Window], settings: GateSettings) -> list[Asked]:
    clock = ManualClock(windows[0].time)
    mattered = {each.text: bool(each.relevant) for each in windows}
    with DecisionLog() as log:
        keep_judge(log, settings, [], judge)
        one = Stepper(log, [judge.module.fingerprint], settings, clock=clock)
        asked: list[Asked] = []

        def note(questions: list[Decision], *own: str) -> None:
            for each in questions:
                folded = tuple(one.name for one in each.payload.folded)  # type: ignore[union-attr]
                texts = (*own, *folded)
                asked.append((each.time, each.score, each.threshold, texts))
                log.add_label(each.id, float(any(mattered[text] for text in texts)), clock.now())

        for window in windows:
            while (due := one.due()) is not None and due <= clock.monotonic() + (
                window.time - clock.now()
            ):
                clock.advance(max(0.0, due - clock.monotonic()))
                one.learn()
                note(one.tick())
            clock.advance(window.time - clock.now())
            note(one.judge(window.events, judge.module_id), window.text)
        return asked


def test_a_replay_of_bursts_decides_as_the_live_gate_does() -> None:
    windows = mixed()
    judge = warmed()
    found = live(judge, windows, judge.settings)
    assert found == replayed(judge, windows)
    told = {texts: at for at, *_, texts in found}
    assert told[("port scan",)] == told[("drop table",)] + 15.0  # held back, and told of later
