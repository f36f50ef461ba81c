"""Who is told what mattered: every window, or only what woke the agent and what was audited."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from rich.console import Console

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.errors import InputError
from prefrontal.replay.backtest import Question, backtest
from prefrontal.replay.learner import LABELS
from prefrontal.replay.report.comparison import caution
from prefrontal.replay.report.report import render_html
from prefrontal.replay.report.table import print_result
from prefrontal.replay.report.wording import compared_sentence, labels_sentence
from prefrontal.replay.result import OtherLabels, ReplayResult
from prefrontal.replay.session import Request, replay_events, replay_sample
from prefrontal.testing import ScriptedGate
from prefrontal.testing.gate import ScriptedJudge
from prefrontal.types import Judgement, LateQuestion, Reason, SignalEvent, Window

from .sample_results import sample_result
from .streams import history, window

DAY_S = 86_400.0


def score_of_path(events: Sequence[SignalEvent]) -> float:
    return float(events[0].location)


def scripted(scores: Sequence[float]) -> list[Window]:
    return [window(n, str(score), relevant=n % 2 == 0) for n, score in enumerate(scores)]


def asked(total: int, compared: bool = False) -> Question:
    return Question("history", "recorded", total, labels="asked", compared=compared)


def test_with_labels_as_asked_what_slept_is_never_learned() -> None:
    gate = ScriptedGate(score_of_path)
    backtest(scripted([0.1, 0.2, 0.6, 0.3, 0.7]), gate, asked(total=0))
    assert gate.asked("learn") == ["0.6", "0.7"]


@dataclass(slots=True)
class HoldingJudge(ScriptedJudge):
    """Holds back every window, and asks about all of them when a day is over."""

    held: list[Window] = field(default_factory=list)

    def judge(self, window: Window) -> Judgement:
        self.held.append(window)
        return Judgement(1.0, 0.5, Reason.COOLDOWN, waits=True)

    def late(self, until: float) -> tuple[LateQuestion, ...]:
        held = tuple(self.held)
        if not held or until < held[0].time + DAY_S:
            return ()
        self.held.clear()
        told = Judgement(1.0, 0.5, Reason.WOKE, folded=held)
        return (LateQuestion(held[0].time + DAY_S, held[-1], told),)


class HoldingGate(ScriptedGate):
    def open(
        self, prior_rule: object, recall: float, complete: bool, *, commits: bool = False
    ) -> ScriptedJudge:
        return HoldingJudge(self, recall)


@pytest.mark.parametrize("labels", LABELS)
def test_a_question_after_the_last_window_is_counted_on_both_sides(labels: str) -> None:
    gate = HoldingGate(score_of_path)
    told = Question("history", "recorded", 0, labels=labels, compared=True)
    result = backtest(scripted([0.1, 0.2, 0.6]), gate, told)
    assert result.compared is not None
    assert (result.got_recall, result.compared.recall) == (1.0, 1.0)
    assert result.compared.wakes_per_day > 0


def test_in_the_warm_up_everything_wakes() -> None:
    gate = ScriptedGate(score_of_path)
    backtest(scripted([0.1, 0.2, 0.6, 0.3, 0.7]), gate, asked(total=10))
    assert gate.asked("learn") == ["0.1", "0.2", "0.6", "0.7"]
    decided = [value for what, _, value in gate.diary if what == "observe"]
    assert decided == [0.0, 0.0, 0.5, 0.5]


def test_audits_are_learned_and_count_as_wake_ups() -> None:
    gate = ScriptedGate(score_of_path, audits=lambda events: events[0].location == "0.2")
    result = backtest(scripted([0.1, 0.6, 0.2, 0.3]), gate, asked(total=0))
    assert gate.asked("learn") == ["0.6", "0.2"]
    assert (result.audits, result.share_woken) == (1, 0.5)
    assert result.got_recall == 0.5  # of the two that mattered the audit found one


def test_a_label_as_asked_comes_when_it_is_known() -> None:
    made = scripted([0.6, 0.7, 0.8])
    late = [replace(made[0], known_at=made[1].time), *made[1:]]
    gate = ScriptedGate(score_of_path)
    backtest(late, gate, asked(total=0))
    assert gate.asked("learn") == ["0.7", "0.6", "0.8"]


def test_both_are_shown_where_they_differ() -> None:
    windows = history(1, 300)
    one = backtest(windows, PulseGate(), asked(300, compared=True))
    alone = backtest(windows, PulseGate(), asked(300))
    every = backtest(windows, PulseGate(), replace(asked(300), labels="all"))
    assert one.compared is not None
    assert replace(one, compared=None, seconds=0.0) == replace(alone, seconds=0.0)
    assert one.compared.recall == every.got_recall
    assert one.compared.wakes_per_day == pytest.approx(every.wakes_per_day)
    assert every.audits == 0


def test_what_is_shown_says_which_labels_there_were(capsys: pytest.CaptureFixture[str]) -> None:
    result = replace(
        sample_result(), labels="asked", audits=7, compared=OtherLabels("all", 0.934, 3.1, 0)
    )
    sentence = compared_sentence(result)
    assert sentence == (
        "With every label 93.4 % caught at 3.10 wake-ups a day; with only what is asked 89.2 % at"
        " 0.57."
    )
    assert "with 7 audits of what slept" in labels_sentence(result)
    print_result(result, Console(width=1_000))
    shown = capsys.readouterr().out
    page = render_html([result]).replace("\u00a0", " ")
    for each in (sentence, labels_sentence(result)):
        assert each in shown
        assert each in page
    assert "here every window has its label" not in page
    assert "here every window has its label" in render_html([sample_result()])
    assert "the first had every label" in caution(sample_result(), result).lower()
    same = OtherLabels("all", result.got_recall, result.wakes_per_day, 0)
    assert compared_sentence(replace(result, compared=same)) == ""


def test_who_is_told_by_default(tmp_path: Path) -> None:
    lines = [
        {"time": 1.5e9 + n, "relevant": n % 3 == 0, "text": f"{n}", "events": []} for n in range(90)
    ]
    file = tmp_path / "w.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))

    def replayed(labels: str | None) -> ReplayResult:
        return replay_events(str(file), Request(labels=labels), PulseGate())

    assert replayed(None).labels == "asked"
    assert replayed("all").labels == "all"
    assert replay_sample(Request(), PulseGate()).labels == "all"


def test_other_labels_are_refused() -> None:
    with pytest.raises(InputError, match="labels must be all or asked, got 'some'"):
        Request(labels="some")
