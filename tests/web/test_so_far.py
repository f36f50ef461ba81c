"""What the page says of the gate so far is what `prefrontal replay --log` says of the same days."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from prefrontal.cli import main
from prefrontal.http_door import Door
from prefrontal.replay.report.report import render_html
from prefrontal.web.app import build_dash

from ..assembly.wake_days import live
from ..replay.sample_results import sample_result
from .dash_samples import shown_in

TILE = re.compile(
    r'<div(?: id="(?P<id>[^"]*)")? class="figure(?: unknown)?"><dt>(?P<label>[^<]*)</dt> '
    r'<dd>(?P<figure>[^<]*)</dd> <dd class="more">(?P<more>[^<]*)</dd></div>'
)


def drawn(html: str) -> list[str]:
    """Each card on the page, in the words of a terminal."""
    plain = str.maketrans({"\u00a0": " ", "\u2011": "-"})
    return [
        unescape(f"{each['figure']} {each['label']}: {each['more']}").translate(plain)
        for each in TILE.finditer(html)
    ]


def saved(line: str) -> str:
    return line.removesuffix(" against waking on every signal")


@pytest.mark.exhaustive
def test_the_page_and_the_replay_of_its_log_have_the_same_figures(tmp_path: Path) -> None:
    with shown_in(tmp_path) as context:
        live(context.log, 600, starts=2, audit_share=0.6)
        folder = str(tmp_path / "state")
        arguments = ["replay", "--log", folder]
        as_json = CliRunner().invoke(main, [*arguments, "--json"])
        as_text = CliRunner().invoke(main, arguments, env={"COLUMNS": "300"})
        dash = build_dash(context, Door())
        with TestClient(dash.app, base_url="http://127.0.0.1:8768") as client:
            told = client.get("/state").json()
            page = client.get("/").text
    expected = json.loads(as_json.output)["so_far"]
    assert expected["wakes"] > 50
    assert expected["caught"] is not None
    assert expected["wakes_per_day"] is None
    for name, value in expected.items():
        assert told["so_far"][name] == value, name
    assert told["so_far"].keys() == expected.keys()
    pieces = told["regions"]["so-far"]["pieces"]
    lines = as_text.output.splitlines()
    count = lines.index("") - 1
    assert lines[0] == "So far"
    cards = drawn("".join(pieces.values()))
    needs = lines[count].partition(": ")[2]
    assert "a rate needs 6 hours" in needs  # which the terminal says once, for all of them
    waiting = [each for each in cards if each.endswith(needs)]
    assert [each for each in cards if each not in waiting] == [*lines[1:5], lines[6]]
    assert waiting[0] == f"– wake-ups than waking on every signal: {saved(lines[5])}; {needs}"
    assert (len(cards), len(waiting), count) == (10, 5, 7)
    assert all(piece in page for piece in pieces.values())


def test_the_cards_of_a_report_are_drawn_as_those_of_the_page() -> None:
    cards = drawn(render_html([sample_result()]))
    assert len(cards) == 4
    assert "of what mattered was caught: 90 % was asked" in cards[0]
    assert "wake-ups than waking on every change" in cards[1]
