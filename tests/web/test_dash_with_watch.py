"""The page beside a real `prefrontal watch` in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from prefrontal.clock import SystemClock
from prefrontal.storage.state_folder import StateFolder

from ..cli.running import Running
from .dash_on_screen import Screen
from .dash_samples import served, shown_in

pytestmark = pytest.mark.exhaustive  # make test looks at the page in fewer ways

BILLS = {
    "module_id": "bills",
    "cluster": "money",
    "version": "1",
    "question_template": "{location}: an invoice to file?",
    "default_threshold": 0.5,
}


def test_what_a_real_watch_asks_is_answered_on_the_page_and_its_threshold_moved(
    screen: Screen, tmp_path: Path
) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    state = StateFolder(tmp_path / "state")
    state.make()
    watched = {"watch_directories": [str(inbox)], "relevant_extensions": [".pdf"]}
    told = {**BILLS, "signal_priors": {"filesystem": watched}}
    state.module_file("bills").write_text(json.dumps(told))
    with (
        shown_in(tmp_path, told, clock=SystemClock(), policy={"settle_s": 0.0}) as context,
        served(context) as page,
        closing(Running("--state", state.path, "--log-refusals", inbox)) as watch,
    ):
        watch.until("Ctrl-C stops")
        screen.open(page.url)
        (inbox / "first.pdf").touch()
        screen.until(lambda: "first.pdf" in screen.find(".question .text").text)
        screen.click(".question button[value=accept]")
        screen.until(lambda: not screen.all(".question"))
        screen.until(lambda: screen.all(".bar.caught"))
        screen.drag(".module input[type=range]", 1.0)
        screen.click(".knob button")
        screen.until(lambda: "Yours: 1.00" in screen.find(".module .head").text)
        screen.until(taken_up(screen, inbox))
        newest = context.log.recent(1)[0]
        assert (newest.threshold, newest.reason) == (1.0, "below_threshold")
        code, _, errors = watch.end()
        assert code == 130
        assert not [each for each in errors if "Warning" in each or "Error" in each]


def taken_up(screen: Screen, inbox: Path) -> Callable[[], bool]:
    """One file more at each look, until the page says that the gate goes by the new threshold."""
    looks = iter(range(10_000))

    def look() -> bool:
        (inbox / f"more{next(looks)}.pdf").touch()
        return "in use" in screen.find(".module .head").text

    return look
