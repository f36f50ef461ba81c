"""What `prefrontal run` prints of an episode, and how a terminal is told to answer a wake."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click
import pytest

from prefrontal.cli.run.story import Story
from prefrontal.cli.watch.hand_over import HandOver
from prefrontal.cli.watch.screen import Screen
from prefrontal.cli.watch.session import WatchSession
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.payloads import WakePayload
from prefrontal.executive import ActOutcome, Choice, Episode, Status
from prefrontal.executive.records import route_record
from prefrontal.pulse.sinks import Shape
from prefrontal.storage.state_folder import StateFolder

WAKE = Decision(
    id="0" * 32,
    time=1e9,
    payload=WakePayload(),
    subject="ada/mail",
    acted=True,
    reason="woke",
    score=0.9,
    threshold=0.5,
    question="Ada says: hello",
    propensity=1.0,
    window=(),
)


class Pieces(Screen):
    """Keeps what it shows."""

    def __init__(self, shape: Shape | None = None) -> None:
        super().__init__(shape, lambda: None)
        self.pieces: list[str] = []

    def line(self, text: str) -> bool:
        self.pieces.append(text)
        return True


class Session:
    """As much of a session as is handed over to."""

    sinks = ()

    def __init__(self, state: StateFolder) -> None:
        self.state = state
        self.outbox = self

    def take(self, decision: Decision) -> None: ...


CHOICE = Choice("hello", "ask", (), 0.6, "there is no tool")
EPISODE = Episode(
    WAKE,
    CHOICE,
    ActOutcome(Status.ASKED, "asked"),
    (),
    (route_record(WAKE, CHOICE, None, 1e9, 0),),
)


def test_of_several_partitions_each_episode_is_told_in_one_piece(tmp_path: Path) -> None:
    screen = Pieces()
    story = Story(screen, lambda *_: None, tmp_path, as_json=False, whole=True)
    story.begun(WAKE)
    assert screen.pieces == []
    story.ended(EPISODE)
    [piece] = screen.pieces
    assert [line.split()[-1] for line in piece.splitlines()] == ["hello", "tool"]


@pytest.mark.parametrize("whole", [False, True])
def test_a_terminal_is_told_once_how_to_answer_an_episode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    monkeypatch.setattr("prefrontal.cli.watch.screen.is_output_terminal", lambda: True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    screen = Pieces()
    story = Story(
        screen, lambda *_: None, tmp_path / "partitions" / "017", as_json=False, whole=whole
    )
    for _ in range(2):
        story.begun(WAKE)
        story.ended(EPISODE)
    lines = "\n".join(map(click.unstyle, screen.pieces)).splitlines()
    [place] = [i for i, line in enumerate(lines) if line.startswith("Was it worth it?")]
    assert place == 2  # below the wake and its route
    state = f"--state {tmp_path}/partitions/017"
    assert f"prefrontal feedback {state} {WAKE.id[:8]} useful" in lines[place]
    in_json = Pieces("v2")
    Story(in_json, lambda *_: None, tmp_path, as_json=True, whole=whole).ended(EPISODE)
    assert "worth" not in "".join(in_json.pieces)


def test_a_terminal_is_told_where_a_partition_keeps_its_wakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prefrontal.cli.watch.screen.is_output_terminal", lambda: True)
    screen = Pieces()
    for number in ("000", "017"):
        session = cast("WatchSession", Session(StateFolder(tmp_path / number)))
        HandOver(session, screen, lambda *_: None).take(WAKE)
    first, second = map(click.unstyle, screen.pieces)
    assert f"prefrontal feedback --state {tmp_path}/000 {WAKE.id[:8]} useful" in first
    assert "Was it worth it?" not in second
