"""Every block of code in README.md and docs/ holds: it runs, or says why it does not.

`make test` runs the README's; each is read and parsed there, too.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from prefrontal.assembly.router import build_runner
from prefrontal.settings.routing import Routing

from ..exhaustive import first
from .command_lines import calls_in, commands_of, refusal, without_comment
from .page_run import PageRun
from .pages import LANGUAGES, Block, blocks_of, pages, prose_of
from .written_settings import check_yaml

PAGES = [page for page in pages() if blocks_of(page)]
BLOCKS = [block for page in PAGES for block in blocks_of(page)]
RUN = [page for page in PAGES if any(each.not_run is None for each in blocks_of(page))]
HELP = "docs/reference/cli.md"
"""Examples out of help texts: each is parsed, and none is run."""
NOT_RUN = {
    "README.md": 3,
    "docs/control.md": 2,
    "docs/cortex.md": 2,
    "docs/dash.md": 1,
    "docs/gate.md": 1,
    "docs/in-front.md": 1,
    "docs/install.md": 5,
    "docs/mcp.md": 3,
    "docs/recipes.md": 4,
    "docs/replay.md": 1,
    "docs/routing.md": 1,
    "docs/runtime.md": 1,
    "docs/scale.md": 3,
    "docs/shell.md": 1,
    "docs/sources.md": 1,
    "docs/telemetry.md": 1,
    "docs/tutorials/control.md": 1,
    "docs/tutorials/dash.md": 2,
    "docs/tutorials/mcp.md": 2,
    "docs/tutorials/replay.md": 1,
    "docs/tutorials/route.md": 1,
    "docs/tutorials/run.md": 1,
    "docs/tutorials/watch.md": 1,
}
"""How many blocks of each page are not run; no more without a look at this table."""
for_each_page = pytest.mark.parametrize("page", PAGES)


@pytest.mark.parametrize("page", first(1, RUN))
def test_a_page_does_what_it_says(page: str, tmp_path: Path) -> None:
    if any("needs a sandbox" in block.marks for block in blocks_of(page)):
        skip_without_sandbox()
    run = PageRun(tmp_path)
    try:
        for block in blocks_of(page):
            run.run(block)
    finally:
        run.close()


@for_each_page
def test_a_block_is_marked_with_its_language(page: str) -> None:
    for block in blocks_of(page):
        assert block.language in LANGUAGES, block.place


@pytest.mark.parametrize("page", pages())
def test_no_code_hides_in_indented_lines(page: str) -> None:
    previous = ""
    for number, line in prose_of(page):
        begins = line.startswith("    ") and not previous.strip()
        assert not begins, f"{page}:{number}: put it in a fence"
        previous = line


@for_each_page
def test_data_can_be_read(page: str) -> None:
    for block in blocks_of(page):
        try:
            read_data(block)
        except Exception as error:
            error.add_note(f"in the block of {block.place}")
            raise


def read_data(block: Block) -> None:
    """Read a block as what its language says; raises what the reader of that language does."""
    if block.language == "json":
        json.loads(block.text)
    elif block.language == "jsonl":
        for line in block.text.splitlines():
            json.loads(line)
    elif block.language == "toml":
        tomllib.loads(block.text)
    elif block.language == "ini":
        configparser.ConfigParser(interpolation=None, strict=False).read_string(block.text)
    elif block.language == "yaml":
        check_yaml(block.text)
    elif block.language == "python":
        compile(block.text, block.place, "exec")


@for_each_page
def test_prefrontal_takes_every_command_that_is_shown(page: str) -> None:
    for line, command in (each for block in blocks_of(page) for each in _commands(block)):
        for words in calls_in(command):
            assert (why := refusal(words)) is None, f"{page}:{line}: {command}: {why}"


@pytest.mark.parametrize("page", [page for page in pages() if "/requirements/" not in page])
def test_prefrontal_takes_every_command_within_a_sentence(page: str) -> None:
    text = "\n".join(line for _, line in prose_of(page))
    for command in re.findall(r"`(prefrontal [a-z-][^`]+)`", text):
        plain = re.sub(r"\\?\|\S*|[\[\]]|\.\.\.", " ", " ".join(command.split()))
        words = re.sub(r"\b[A-Z][A-Z_]*\b", "1", plain).split()[1:]
        why = refusal(words)
        assert why is None or _is_unfinished(why), f"{page}: {command}: {why}"


def test_what_is_not_run_is_counted_and_says_why() -> None:
    left = [each for each in BLOCKS if each.not_run is not None and each.page != HELP]
    for block in left:
        print(f"{block.place}: {block.not_run}")
        assert len((block.not_run or "").split()) >= 3, block.place
    assert Counter(block.page for block in left) == NOT_RUN


def skip_without_sandbox() -> None:
    if not build_runner(Routing()).enforced:
        pytest.skip("no sandbox that confines here, so no tool is tried out")


def _is_unfinished(why: str) -> bool:
    """Whether a sentence names a command without what it takes."""
    return why.startswith(("a command must follow", "Missing argument", "Missing option"))


def _commands(block: Block) -> list[tuple[int, str]]:
    """The command lines in a block, whatever its language, with their lines."""
    if block.language in ("console", "sh"):
        return [(each.line, without_comment(each.command)) for each in commands_of(block)]
    if block.language in ("ini", "crontab"):
        lines = enumerate(block.text.splitlines(), start=block.line + 1)
        return [(n, re.sub(r"^.*?(?=\S*prefrontal )", "", line)) for n, line in lines]
    return []
