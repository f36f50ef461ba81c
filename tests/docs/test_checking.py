"""What checks the pages finds what is wrong with one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from .command_lines import calls_in, commands_of, refusal
from .page_run import PageRun
from .pages import Block, blocks_of
from .shown_output import fits, with_real_ids
from .written_settings import check_yaml

PAGE = """# Page

<!-- not run: needs the moon -->
```sh
prefrontal doctor
```

Text.

```console
$ echo one \\
  two
one two
$ true
```
"""


@pytest.fixture
def run(tmp_path: Path) -> Iterator[PageRun]:
    run = PageRun(tmp_path)
    yield run
    with suppress(AssertionError):
        run.close()


def console(text: str, **marks: str) -> Block:
    return Block("page.md", 1, "console", text, marks)


def test_blocks_are_found_with_their_line_language_and_marks() -> None:
    first, second = blocks_of("page.md", PAGE)
    assert (first.line, first.language, first.not_run) == (4, "sh", "needs the moon")
    assert (second.line, second.language, second.not_run) == (10, "console", None)
    shown = [(each.command, each.output, each.line) for each in commands_of(second)]
    assert shown == [("echo one two", "one two", 11), ("true", "", 14)]


def test_a_block_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match="a block must end"):
        blocks_of("page.md", "```sh\ntrue\n")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("prefrontal replay --got .", "No such option"),
        ("prefrontal ledger lst", "No such command 'lst'"),
        ("echo x | prefrontal agent run --channel morse", "'morse' is not one of"),
        ("prefrontal feedback 3f2a", "Missing argument"),
        ("X=1 prefrontal watch --recall much", "not a valid float"),
        ("claude mcp add prefrontal -- prefrontal mcp --prot 1", "No such option"),
        ("prefrontal doctor now", "unexpected extra argument"),
    ],
)
def test_a_command_that_cannot_be_is_told(command: str, why: str) -> None:
    [words] = calls_in(command)
    assert why in (refusal(words) or "")


@pytest.mark.parametrize(
    "command",
    [
        "prefrontal replay --git . --recall 0.95   # why",
        'prefrontal route "a b" --plan',
        "prefrontal agent run < in > out",
        "timeout 5 /home/ada/.venv/bin/prefrontal watch ~/Downloads --exec 'my-agent --ask'",
    ],
)
def test_a_command_that_can_be_is_taken(command: str) -> None:
    [words] = calls_in(command.partition("   #")[0])
    assert refusal(words) is None


def test_what_is_said_must_be_what_is_shown(run: PageRun) -> None:
    run.run(console("$ echo one\none\n"))
    with pytest.raises(AssertionError, match="must say"):
        run.run(console("$ echo one\ntwo\n"))
    with pytest.raises(AssertionError):
        run.run(console("$ false\n"))
    run.run(console("$ echo no && exit 3\nno\n(exit code 3)\n"))


def test_times_ids_and_gaps_may_differ_and_nothing_else() -> None:
    shown = "12:30 a1b2c3d4 took 0.1 s\n...\nend of a1b2c3d4\n"
    assert fits(shown, "09:59 00ff00ff took 12 s\nx\ny\nend of 00ff00ff\n") == {
        "a1b2c3d4": "00ff00ff"
    }
    assert fits(shown, "09:59 00ff00ff took 12 s\nend of 11ff00ff\n") is None
    assert fits(shown, "09:59 00ff00ff took 12 s\nend of 00ff00ff!\n") is None
    assert with_real_ids("explain a1b2", {"a1b2c3d4": "00ff00ff"}) == "explain 00ff"


def test_changes_that_were_coalesced_may_be_told_where_none_are_shown() -> None:
    assert fits("8 events, 0 audits.", "8 events, 0 audits, 1 coalesced.") == {}
    assert fits("8 events, 2 coalesced.", "8 events, 1 coalesced.") is None
    assert fits("8 events, 0 audits.", "8 events, 0 audits, 1 dropped.") is None


def test_python_blocks_share_one_program_and_a_failure_is_told(run: PageRun) -> None:
    run.run(Block("page.md", 1, "python", "a = 1\n"))
    run.run(Block("page.md", 5, "python", "print(a + 1)\n"))
    run.run(Block("page.md", 9, "text", "2\n", {"prints": ""}))
    with pytest.raises(AssertionError, match=r'"page\.md", line 13'):
        run.run(Block("page.md", 12, "python", "b\n"))


def test_a_terminal_goes_on_and_is_ended(run: PageRun) -> None:
    loop = "trap 'echo over; exit' INT; echo ready; while :; do sleep 0.05; done"
    (run.place / "loop.sh").write_text(loop)
    run.run(console("$ sh loop.sh\nready\n", terminal="1"))
    run.run(Block("page.md", 9, "text", "over\n", {"terminal 1 ends": ""}))


@pytest.mark.parametrize(
    "text", ["policy: {cooldwn_s: 1}", "cortex: {tiggers: []}", "identty: {}", "module_id: x"]
)
def test_settings_that_nobody_takes_are_refused(text: str) -> None:
    with pytest.raises((ValueError, AssertionError)):
        check_yaml(text)
