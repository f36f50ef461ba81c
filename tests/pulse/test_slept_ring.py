"""What slept in the last day can be explained: a bounded ring on disk that outlives kills."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from prefrontal.cli import main
from prefrontal.clock import Clock
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.slept_ring import SleptRing, SleptWindows
from prefrontal.errors import InputError
from prefrontal.pulse.gate import Gate
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.slept_lines import SleptLines
from prefrontal.settings.gate import GateSettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

QUIET = GateSettings(audit_share=0.0)
DAY_S = 86_400.0
NOW = 1_700_000_000.0
PATIENCE_S = 60.0


def module(name: str = "code", threshold: float = 0.999) -> Any:
    return parse_fingerprint(
        {
            "module_id": name,
            "cluster": "test",
            "version": "1",
            "question_template": "{location}?",
            "default_threshold": threshold,
            "signal_priors": {},
        }
    )


def event(number: int, **features: Any) -> SignalEvent:
    told = {"extension": ".py", **features}
    return SignalEvent("filesystem", f"/w/file{number}.py", "modified", 0.5, NOW + number, told)


class Sleeping:
    """A gate below whose thresholds everything stays, and its ring."""

    def __init__(self, folder: Path, clock: Clock, most_bytes: int = 1_000_000) -> None:
        self.folder = folder
        self.gate = Gate(QUIET, LimbicLayer(), clock)
        for name in ("code", "docs"):
            self.gate.add(module(name))
        self.gate.asleep = []
        records = self.gate.records
        ring = SleptRing(folder, most_bytes, DAY_S, records.run, records.first_id)
        self.lines = SleptLines(ring, records, clock)
        self.expected: list[Decision] = []

    def sleep(self, *numbers: int, **features: Any) -> None:
        assert self.gate.asleep is not None
        for number in numbers:
            self.gate.judge((event(number, **features),))
        self.expected += self.gate.refused(self.gate.asleep)
        self.lines.keep(self.gate.asleep)
        self.gate.asleep = []


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def sleeping(tmp_path: Path, clock: ManualClock) -> Iterator[Sleeping]:
    made = Sleeping(tmp_path / "ring", clock)
    yield made
    made.lines.close()


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def test_what_slept_comes_back_as_the_log_would_have_kept_it(
    sleeping: Sleeping, clock: ManualClock
) -> None:
    sleeping.sleep(1, 2, text="naïve \udce9 \n", nested={"deep": [math.inf, None, 1e-300]})
    sleeping.sleep(3)
    windows = SleptWindows(sleeping.folder)
    assert len(sleeping.expected) == 6
    log = DecisionLog()
    log.append_many(sleeping.expected)
    for each in sleeping.expected:
        assert [repr(found) for found in windows.find(each.id)] == [repr(log.get(each.id))]
        assert [found.id for found in windows.find(each.id[:12])] == [each.id]
    assert [each.id for each in windows.newest(2, "docs", None, clock.now())] == [
        each.id for each in reversed(sleeping.expected) if each.subject == "docs"
    ][:2]
    assert windows.find("f" * 32) == windows.find("no id") == windows.find("") == []


@pytest.mark.exhaustive
def test_the_ring_keeps_the_newest_within_its_bytes(tmp_path: Path, clock: ManualClock) -> None:
    sleeping = Sleeping(tmp_path / "ring", clock, most_bytes=64_000)
    for number in range(600):
        sleeping.sleep(number)
        assert size_of(sleeping.folder) <= 64_000
    windows = SleptWindows(sleeping.folder)
    there = [bool(windows.find(each.id)) for each in sleeping.expected]
    assert there == sorted(there) and not there[0]  # the oldest went
    assert sum(there) > 100
    sleeping.sleep(9999, text="x" * 100_000)  # more than there may be
    assert len(list(sleeping.folder.iterdir())) == 1


def test_what_a_clock_that_was_ahead_kept_hides_nothing(tmp_path: Path) -> None:
    names: dict[str, str] = {}
    for moment in (NOW + 9e8, NOW):
        sleeping = Sleeping(tmp_path / "decisions.slept", ManualClock(moment))
        sleeping.sleep(1, 2)
        sleeping.lines.close()
        names |= {each.id: "ahead" if each.time > NOW + 60 else "now" for each in sleeping.expected}
    with DecisionLog(tmp_path / "decisions.sqlite", clock=ManualClock(NOW)) as log:
        for limit, expected in ((8, 4 * ["now"] + 4 * ["ahead"]), (5, 4 * ["now"] + ["ahead"])):
            assert [names[each.id] for each in log.recent(limit, acted=False)] == expected
        assert [names[each.id] for each in log.recent(2, acted=False)] == 2 * ["now"]
        [ahead] = log.recent(1, acted=False, since=NOW + 60)
        assert names[ahead.id] == "ahead"
    listed = CliRunner().invoke(main, ["decisions", "--slept", "--state", str(tmp_path)])
    assert "decisions from a clock that was ahead are listed last" in listed.stderr


def test_what_is_older_than_a_day_goes(sleeping: Sleeping, clock: ManualClock) -> None:
    for number in range(30):
        sleeping.sleep(number)
        clock.advance(3600.0)
    first, last = sleeping.expected[0], sleeping.expected[-1]
    assert not SleptWindows(sleeping.folder).find(first.id)
    assert SleptWindows(sleeping.folder).find(last.id)
    clock.advance(2 * DAY_S)
    sleeping.lines.keep([])
    assert not SleptWindows(sleeping.folder).find(last.id)


def test_a_line_that_a_kill_tore_is_left_out(sleeping: Sleeping, clock: ManualClock) -> None:
    sleeping.sleep(1, 2)
    [path] = sleeping.folder.iterdir()
    path.write_bytes(path.read_bytes()[:-5])
    damaged = path.with_name("0-damaged.slept")
    damaged.write_bytes(b"\xff\n[1,2\n")
    windows = SleptWindows(sleeping.folder)
    assert len(windows.newest(9, None, None, clock.now())) == 2
    again = Sleeping(sleeping.folder, clock)
    again.sleep(3)
    found = {each.id for each in windows.newest(9, None, None, clock.now())}
    assert found == {each.id for each in [*sleeping.expected[:2], *again.expected]}
    again.lines.close()


def test_a_ring_that_cannot_be_written_stops_nothing(
    tmp_path: Path, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "ring").write_text("a file is in the way")
    sleeping = Sleeping(tmp_path / "ring", clock)
    sleeping.sleep(1)
    sleeping.sleep(2)
    assert [each.message[:40] for each in caplog.records] == [
        "what slept cannot be kept to be explaine"
    ]


class Live:
    """A watch with the default settings, on a log."""

    def __init__(self, folder: Path, settings: GateSettings = QUIET) -> None:
        self.log = DecisionLog(folder / "decisions.sqlite")
        self.watch = Watch(settings, self.log)
        self.watch.add(module())
        self.watch.start()

    def sleep(self, *numbers: int) -> list[str]:
        for number in numbers:
            assert self.watch.push(event(number))
        assert self.watch.stop(PATIENCE_S)
        ids = [each.id for each in self.watch.refusals()]
        self.log.close()
        return ids


def test_explain_and_decisions_know_what_slept_without_a_setting(tmp_path: Path) -> None:
    ids = Live(tmp_path).sleep(1, 2, 3)
    assert len(ids) == 3
    state = ["--state", str(tmp_path)]
    page = CliRunner().invoke(main, ["explain", ids[0][:8], *state])
    assert page.exit_code == 0 and "/w/file3.py" in page.output
    assert "No question was asked." in page.output and "below" in page.output
    listed = CliRunner().invoke(main, ["decisions", "--slept", *state, "--limit", "2"])
    assert [each[:8] in listed.output for each in ids] == [True, True, False]
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        with pytest.raises(InputError, match="must have at least 4"):
            log.get("a")
        assert list(log.records()) == []  # the log itself has grown by nothing


def test_a_label_brings_what_slept_into_the_log(tmp_path: Path) -> None:
    first, second = Live(tmp_path).sleep(1, 2)
    said = CliRunner().invoke(main, ["feedback", first[:8], "useful", "--state", str(tmp_path)])
    assert said.exit_code == 0, said.output
    live = Live(tmp_path)
    live.watch.record_feedback(second, 1.0)
    assert live.watch.stop(PATIENCE_S)
    assert {(each.id, each.label) for each in live.log.records()} == {(first, 1.0), (second, 1.0)}
    assert live.watch.status()["labels_learned"] == 2
    live.log.close()
    verified = CliRunner().invoke(main, ["verify", "--state", str(tmp_path)])
    assert verified.exit_code == 0, verified.output


@pytest.mark.parametrize("settings", [{"slept_mb": 0}, {"log_refusals": True}])
def test_there_is_no_ring_where_none_is_wanted(tmp_path: Path, settings: dict[str, Any]) -> None:
    Live(tmp_path, GateSettings(audit_share=0.0, **settings)).sleep(1)
    assert not (tmp_path / "decisions.slept").exists()
