from __future__ import annotations

import sys
from pathlib import Path

import pytest

from prefrontal.errors import InputError, SourceError
from prefrontal.routing.generation.code_models import (
    LARGEST_REPLY,
    CommandModel,
    RecordedModel,
    code_model,
    prompt_key,
)
from prefrontal.settings.routing import Model

from ...processes import ended


def python(code: str, timeout_s: float = 20.0) -> CommandModel:
    """A model that is a small program."""
    return CommandModel([sys.executable, "-I", "-S", "-c", code], timeout_s=timeout_s)


ECHO = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"


@pytest.mark.parametrize("prompt", ["", "write é 🙂\n", "x" * 1_000_000])
def test_the_command_gets_the_prompt_and_gives_the_reply(prompt: str) -> None:
    assert python(ECHO + "; print('!')").complete(prompt) == prompt + "!\n"


def test_a_command_need_not_read_its_input() -> None:
    assert python("print('done')").complete("x" * 5_000_000) == "done\n"


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import sys; sys.exit('no key\\nat all')", "ended with status 1: no key at all"),
        ("raise SystemExit(3)", "ended with status 3: no message"),
        ("import os; os.kill(os.getpid(), 9)", "ended with status -9"),
        ("pass", "must reply with text, got nothing"),
        ("print('  ')", "must reply with text, got nothing"),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", "must reply with text in UTF-8"),
        (f"print('x' * {LARGEST_REPLY + 1})", f"must reply with at most {LARGEST_REPLY} bytes"),
        ("while True: print('x' * 1000)", "must reply with at most"),
        ("import sys\nsys.stderr.write('e' * 10**6)\nsys.exit(2)", "ended with status 2: ee"),
    ],
)
def test_a_command_that_fails_is_a_sentence(code: str, says: str) -> None:
    with pytest.raises(SourceError) as failure:
        python(code).complete("x")
    assert says in str(failure.value)


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(60)",
        "import os, time; os.close(1); os.close(2); time.sleep(60)",
        "print('x', flush=True); import time; time.sleep(60)",
    ],
)
def test_a_command_that_takes_too_long_is_killed(code: str) -> None:
    with pytest.raises(SourceError, match=r"must reply within 0\.2 s"):
        python(code, 0.2).complete("x")


def test_nothing_the_command_started_is_left_running() -> None:
    child = "import os, time\npid = os.fork()\nif pid: print(pid)\n"
    child += "else: os.close(1); os.close(2); time.sleep(60)"
    pid = int(python(child).complete("x"))
    assert ended(pid)


def test_a_program_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(SourceError, match="/no/program cannot be started: No such file"):
        CommandModel(["/no/program"]).complete("x")


def test_recorded_replies_are_found_by_the_hash_of_the_prompt(tmp_path: Path) -> None:
    (tmp_path / f"{prompt_key('one')}.txt").write_text("reply one")
    model = RecordedModel(tmp_path)
    assert model.complete("one") == "reply one"
    with pytest.raises(SourceError, match=f"{prompt_key('two')}.txt or default.txt"):
        model.complete("two")
    (tmp_path / "default.txt").write_text("any")
    assert (model.complete("one"), model.complete("two")) == ("reply one", "any")


def test_a_recorded_reply_that_is_no_text_is_a_sentence(tmp_path: Path) -> None:
    model = RecordedModel(tmp_path)
    (tmp_path / "default.txt").write_bytes(b"\xff")
    with pytest.raises(SourceError, match="UTF-8"):
        model.complete("x")
    (tmp_path / "default.txt").write_bytes(b"x" * (LARGEST_REPLY + 1))
    with pytest.raises(SourceError, match="at most"):
        model.complete("x")
    (tmp_path / "default.txt").unlink()
    (tmp_path / "default.txt").mkdir()
    with pytest.raises(SourceError, match="cannot be read"):
        model.complete("x")


def test_the_settings_name_the_model(tmp_path: Path) -> None:
    assert code_model(Model(), tmp_path) is None
    recorded = code_model(Model(provider="recorded", command="replies", name="r1"), tmp_path)
    assert recorded is not None
    assert (recorded.provider, recorded.name, recorded.temperature) == ("recorded", "r1", 0.3)
    (tmp_path / "replies").mkdir()
    (tmp_path / "replies" / "default.txt").write_text("hello")
    assert recorded.complete("x") == "hello"


def test_a_command_line_is_split_without_a_shell(tmp_path: Path) -> None:
    line = f"{sys.executable} -c \"print('$HOME; ls')\""
    model = code_model(Model(provider="command", command=line, temperature=0.0), tmp_path)
    assert model is not None
    assert (model.provider, model.name, model.temperature) == ("command", "command", 0.0)
    assert model.complete("x") == "$HOME; ls\n"


@pytest.mark.parametrize("line", ["say 'x", '"'])
def test_a_command_line_that_cannot_be_split_is_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"model\.command must be words as on a command line"):
        code_model(Model(provider="command", command=line), tmp_path)
