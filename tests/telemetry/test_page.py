"""docs/telemetry.md: its blocks are one program, and print what it says."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from prefrontal.telemetry.figures import FIGURES

from ..docs.pages import program_of, read

PAGE = read("docs/telemetry.md")


@pytest.fixture(scope="module")
def answer() -> subprocess.CompletedProcess[str]:
    """What the program of the page says."""
    command = [sys.executable, "-W", "error", "-c", program_of("docs/telemetry.md")]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def test_the_span_is_as_shown(answer: subprocess.CompletedProcess[str]) -> None:
    start = answer.stdout.index("{")
    span, _ = json.JSONDecoder().raw_decode(answer.stdout[start:])
    text = PAGE[PAGE.index('{\n    "name": "invoke') :].replace("    ...\n", "")
    shown = json.loads(f"{text[: text.index('},')]}}}}}")
    assert span["name"] == shown["name"]
    assert span["kind"] == shown["kind"]
    id_ = {"prefrontal.id": span["attributes"]["prefrontal.id"]}
    assert span["attributes"] == shown["attributes"] | id_


def test_the_page_and_the_log_line_are_as_shown(answer: subprocess.CompletedProcess[str]) -> None:
    assert answer.stdout.startswith("Is /srv/inbox/bill.pdf an invoice to file?\n")
    assert "\nprefrontal_events_total 2\n" in answer.stdout
    assert answer.stdout.endswith("\n1 1\n")
    [line] = answer.stderr.splitlines()
    shown = json.loads(next(each for each in PAGE.splitlines() if each.startswith('{"time"')))
    told = json.loads(line)
    assert told.keys() == shown.keys()
    assert told["decision"].keys() == shown["decision"].keys()
    assert (told["decision"]["subject"], told["decision"]["reason"]) == ("invoices", "woke")


def test_every_figure_is_on_the_page() -> None:
    for figure in FIGURES:
        last = figure.name.partition(".")[2]
        assert re.search(rf"`(?:prefrontal)?\.?{last}`", PAGE) or last.startswith("recall_")
