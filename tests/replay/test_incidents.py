"""Incidents: windows that belong together by name, each told by its first wake."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.cli import main
from prefrontal.errors import InputError
from prefrontal.replay.backtest import Question, backtest
from prefrontal.replay.delays import DelaySpan
from prefrontal.replay.histories.windows import read_windows
from prefrontal.replay.incidents import IncidentOutcome, Incidents
from prefrontal.replay.report.picture import draw
from prefrontal.replay.report.report import render_html
from prefrontal.replay.report.table import print_result
from prefrontal.replay.report.verdict import verdict
from prefrontal.replay.result import BudgetUse, ReplayResult
from prefrontal.replay.session import Request, replay_events, replay_sample
from prefrontal.settings.budget import parse_budget
from prefrontal.testing import ScriptedGate
from prefrontal.types import SignalEvent, Window

from .sample_results import sample_result
from .streams import START, window


def line(time: float, text: str, relevant: object) -> str:
    event = {"source": "alerts", "location": "host", "delta_type": "alert"}
    return json.dumps({"time": time, "text": text, "relevant": relevant, "events": [event]})


def file_of(path: Path, rows: Sequence[tuple[float, str, object]]) -> Path:
    path.write_text("\n".join(line(*row) for row in rows) + "\n", encoding="utf-8")
    return path


def named(number: int, place: str, incident: str) -> Window:
    made = window(number, place, relevant=bool(incident), at=START + number)
    return replace(made, incident=incident)


def wakes(events: Sequence[SignalEvent]) -> float:
    return float(events[0].location.startswith("wake"))


def test_relevant_may_name_an_incident(tmp_path: Path) -> None:
    path = file_of(tmp_path / "a.jsonl", [(1.0, "a", "scan"), (2.0, "b", False), (3.0, "c", True)])
    read = [(each.relevant, each.incident) for each in read_windows(path)]
    assert read == [(True, "scan"), (False, ""), (True, "")]


@pytest.mark.parametrize("label", ["", "  ", 1, ["scan"]])
def test_what_names_no_incident_is_refused(tmp_path: Path, label: object) -> None:
    path = file_of(tmp_path / "a.jsonl", [(1.0, "a", label)])
    with pytest.raises(InputError, match=r":1: relevant must be true, false or the name of an inc"):
        list(read_windows(path))


def test_an_incident_is_told_by_its_first_wake_so_long_after_it_began() -> None:
    windows = [
        named(0, "sleep", "scan"),
        named(10, "wake", ""),  # woke within the incident, but belongs to nothing
        named(30, "wake", "scan"),
        named(40, "wake", "scan"),
        named(50, "sleep", "theft"),
        named(60, "wake", "shell"),
    ]
    result = backtest(windows, ScriptedGate(wakes), Question("h", "recorded", 0))
    assert result.incidents == Incidents(
        3,
        2,
        DelaySpan(15.0, 27.0),
        ("theft",),
        (
            IncidentOutcome("scan", START, 3, 30.0),
            IncidentOutcome("theft", START + 50, 1, None),
            IncidentOutcome("shell", START + 60, 1, 0.0),
        ),
    )
    raw = json.loads(json.dumps(result.to_dict()))
    assert raw["incidents"]["delay_s"] == {"median": 15.0, "p90": 27.0}
    assert raw["incidents"]["missed"] == ["theft"]
    assert ReplayResult.from_dict(raw) == result


def test_a_history_that_names_none_has_none() -> None:
    windows = [window(n, "wake", relevant=n % 2 == 0) for n in range(4)]
    result = backtest(windows, ScriptedGate(wakes), Question("h", "recorded", 0))
    assert result.incidents is None
    assert result.to_dict()["incidents"] is None


def test_other_histories_are_learned_first_and_nothing_is_warm_up(tmp_path: Path) -> None:
    other = [(float(n), "attack" if n % 10 == 0 else "noise", n % 10 == 0) for n in range(300)]
    own = [(1e6 + 60 * n, "attack" if n == 3 else "noise", "a" if n == 3 else False)
           for n in range(40)]  # fmt: skip
    warm = file_of(tmp_path / "warm.jsonl", other)
    path = file_of(tmp_path / "own.jsonl", own)
    asked = Request(labels="asked")
    seen: list[tuple[str, int, int]] = []
    warmed = replace(asked, warm=(str(warm),))
    knowing = replay_events(str(path), warmed, PulseGate(), lambda *step: seen.append(step))
    told = [tuple(step) for what, *step in seen if what == "learning from other histories"]
    assert told == [(200, 300), (300, 300)] * 2, "the gate with all labels is replayed beside it"
    assert (knowing.windows, knowing.warmup) == (40, 0)
    score = {each.text: each.score for each in knowing.strip}
    assert score["attack"] > 0.5 > score["noise"]
    alone = replay_events(str(path), replace(asked, warm_up=0), PulseGate())
    assert {each.text: each.score for each in alone.strip}["attack"] < 0.5


def test_bursts_are_asked_about_without_other_histories(tmp_path: Path) -> None:
    path = tmp_path / "alerts.jsonl"
    rows = [
        {
            "time": 1.5e9 + 30 * n,
            "text": "login failed" if n % 40 else "odd",
            "relevant": False,
            "events": [{"source": "alerts", "location": "mail", "delta_type": "raised"}],
        }
        for n in range(300)
    ] + [
        {
            "time": 1.5e9 + 9001 + n,
            "text": "many ports asked for",
            "relevant": "port scan",
            "events": [{"source": "alerts", "location": "www", "delta_type": "raised"}],
        }
        for n in range(60)
    ]
    path.write_text("\n".join(map(json.dumps, sorted(rows, key=lambda row: row["time"]))))
    budget = parse_budget("20/day")
    told = replay_events(str(path), Request(budget=budget, incidents=True), PulseGate())
    assert told.warmup == 0
    assert told.incidents is not None
    assert (told.incidents.told, told.incidents.total) == (1, 1)
    assert 1 <= round(told.share_woken * told.windows) < 20
    done = CliRunner().invoke(
        main, ["replay", "--events", str(path), "--incidents", "--budget", "20/day"]
    )
    assert "told of 1 of 1 incidents" in " ".join(done.output.split())
    plain = replay_events(str(path), Request(budget=budget), PulseGate())
    hint = "These windows name incidents: --incidents asks about each burst of them once."
    assert hint in plain.notes
    assert hint not in told.notes


@pytest.mark.parametrize(
    "question", [Request(incidents=True),
                Request(incidents=True, budget=parse_budget("2/day"), labels="all")],
)  # fmt: skip
def test_incidents_need_a_budget_and_asked_labels(tmp_path: Path, question: Request) -> None:
    path = file_of(tmp_path / "own.jsonl", [(0.0, "a", False), (1.0, "b", True)])
    with pytest.raises(InputError, match="^incidents must come with a budget, and with labels"):
        replay_events(str(path), question, PulseGate())


def test_incidents_are_of_recorded_windows() -> None:
    with pytest.raises(InputError, match="^incidents must come with events"):
        replay_sample(Request(incidents=True, budget=parse_budget("2/day")), PulseGate())


def test_only_files_of_windows_are_warmed() -> None:
    with pytest.raises(InputError, match="^warm must come with events"):
        replay_sample(Request(warm=("a.jsonl",)), PulseGate())


def test_the_command_takes_what_is_learned_first_and_lists_incidents(tmp_path: Path) -> None:
    steps = {n: f"step {n}" for n in range(3, 60, 7)}
    rows = [(1e6 + n, "attack" if n in steps else "noise", steps.get(n, False)) for n in range(60)]
    path = file_of(tmp_path / "own.jsonl", rows)
    words = ["replay", "--events", str(path), "--warm", str(path), "--labels", "asked"]
    shown = CliRunner().invoke(main, words)
    assert shown.exit_code == 0, shown.output
    assert "Incidents (9 of 9 told):" in shown.output
    assert "step 3, 1 window: told at once" in " ".join(shown.output.split())
    gone = CliRunner().invoke(main, [*words[:4], str(tmp_path / "no.jsonl")])
    assert gone.exit_code == 2
    assert "events file must be readable" in gone.output


def test_terminal_report_and_verdict_show_incidents_and_not_windows() -> None:
    each = (
        IncidentOutcome("port <scan>", START, 3000, 240.0),
        IncidentOutcome("theft", START + 50, 1, None),
    )
    result = replace(sample_result(), incidents=Incidents.of(each), budget=BudgetUse("20/day", 9))
    target = io.StringIO()
    print_result(result, Console(file=target, width=100))
    text = " ".join(target.getvalue().split())
    assert "told of 1 of 2 incidents" in verdict(result).reason
    fewer = Incidents.of((*each, IncidentOutcome("leak", START + 90, 5, None)))
    judged = verdict(replace(result, incidents=fewer))
    assert (judged.title, judged.tone) == ("Worth little", "weak")
    assert judged.reason.endswith("Most were missed")
    assert "port <scan>, 3,000 windows: told after 4 min" in text
    assert "theft, 1 window: never told" in text
    assert "Missed: theft." in text
    assert "Learned gate 1 of 2" in text
    assert "Heartbeat, 30 min 2 of 2" in text
    assert not re.search("By chance|one-line rule|windows, oldest first", text)
    assert ", caught" not in text
    assert "Woke for nothing (" not in text
    page = render_html([result])
    assert ">1 of 2<" in page
    assert "What catching more costs" not in page
    assert "data-strip" not in page.partition("<script")[0]
    assert "Incidents: 1 of 2 told" in page
    assert "port &lt;scan&gt;" in page
    assert "Woke for nothing (" not in page


def test_the_picture_has_the_share_of_incidents_and_their_names() -> None:
    pytest.importorskip("matplotlib")
    names = [f"step {number}" for number in range(14)]
    each = tuple(IncidentOutcome(name, START, 2, None if "9" in name else 30.0) for name in names)
    shown = replace(sample_result(), incidents=Incidents.of(each), budget=BudgetUse("20/day", 9))
    above, below = draw(shown).axes
    assert above.get_title("left") == "incidents that were told of"
    assert not any("threshold" in str(line.get_label()) for line in above.get_lines())
    heights = {
        str(line.get_label()): float(np.asarray(line.get_ydata())[0]) for line in above.get_lines()
    }
    assert heights["learned gate, as it ran"] == pytest.approx(100 * 13 / 14)
    texts = [text.get_text() for text in below.texts]
    assert len(texts) == 12
    assert {"step 9", "step 13\nafter 30 s"} <= set(texts)
    assert "step 1\nafter 30 s" not in texts
