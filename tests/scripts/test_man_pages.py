"""The manual in share/man, as scripts/make_references.py writes it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from prefrontal.cli import COMMANDS

FOLDER = Path(__file__).parents[2] / "share" / "man" / "man1"
PAGES = sorted(FOLDER.glob("*.1"))
REQUESTS = {".TH", ".SH", ".TP", ".PP", ".B", ".BR", ".br", ".nf", ".fi", ".RS", ".RE", '.\\"'}


def shown(page: Path, width: int = 80) -> str:
    """The page as a terminal shows it, and no warning."""
    words = ["groff", "-man", "-Tascii", "-wall", "-P-c", "-P-b", "-P-u", f"-rLL={width}n"]
    done = subprocess.run([*words, str(page)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def test_there_is_a_page_for_each_command_and_one_over_all() -> None:
    names = {"prefrontal.1", *(f"prefrontal-{name}.1" for name in COMMANDS)}
    assert {page.name for page in PAGES} == names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_holds_only_requests_that_are_known(page: Path) -> None:
    text = page.read_text()
    assert text.index(".SH NAME") < text.index(".SH SYNOPSIS") < text.index(".SH EXIT STATUS")
    for line in text.splitlines():
        if line.startswith("."):
            assert line.split()[0] in REQUESTS
        assert not line.startswith("'")
        assert not re.search(r"(?<!\\)-", line.partition('.\\"')[0])


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_shown_without_a_warning_within_80_columns(page: Path) -> None:
    lines = shown(page).splitlines()
    assert len(lines) > 20
    wide = [line for line in lines if len(line) > 80 and not re.match(r" {11}\S", line)]
    assert wide == [], "only an example may be wider"


def test_a_page_tells_options_examples_commands_below_and_exit_codes() -> None:
    page = (FOLDER / "prefrontal-route.1").read_text()
    assert ".SH COMMAND: TOOLS PROMOTE" in page
    assert ".B \\-\\-dry\\-run" in page
    assert ".TP\n.B 7\nthe sandbox does not confine" in page
    watch = (FOLDER / "prefrontal-watch.1").read_text()
    assert ".nf\nprefrontal watch \\(ti/Downloads\n" in watch
    assert ".B \\-h, \\-\\-help" in watch
