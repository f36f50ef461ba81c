"""The command `prefrontal` itself: help, version, errors and exit codes."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import click
import click.testing
import pytest

from prefrontal import cli
from prefrontal.errors import InputError, SourceError

SCRIPT = Path(sys.executable).with_name("prefrontal")

failure: BaseException


@click.command()
def failing() -> None:
    """Raise what the test asks for."""
    raise failure


@pytest.fixture
def _with_failing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cli.COMMANDS, "failing", ("failing_command:failing", "Fails."))
    monkeypatch.setitem(sys.modules, "prefrontal.cli.failing_command", sys.modules[__name__])


def fail_with(error: BaseException) -> click.testing.Result:
    global failure  # noqa: PLW0603
    failure = error
    return click.testing.CliRunner().invoke(cli.main, ["failing"])


def test_the_installed_script_tells_its_version() -> None:
    result = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True, check=True)
    assert result.stdout == f"prefrontal {version('prefrontal')}\n"


def test_help_lists_every_command_with_its_line() -> None:
    result = click.testing.CliRunner().invoke(cli.main, ["--help"])
    assert result.exit_code == 0
    for name, (_, line) in cli.COMMANDS.items():
        assert name in result.stdout
        assert line in result.stdout


def test_every_listed_command_can_be_loaded() -> None:
    for name in cli.COMMANDS:
        result = click.testing.CliRunner().invoke(cli.main, [name, "--help"])
        assert result.exit_code == 0, result.output


def test_an_unknown_command_is_a_usage_error() -> None:
    result = click.testing.CliRunner().invoke(cli.main, ["wake"])
    assert result.exit_code == 2
    assert "No such command 'wake'" in result.stderr


@pytest.mark.parametrize(
    ("word", "meant"),
    [("decison", "decisions"), ("Replay", "replay"), ("help", "--help"), ("doctr", "doctor")],
)
def test_a_misspelt_command_is_told_what_it_may_have_meant(word: str, meant: str) -> None:
    result = click.testing.CliRunner().invoke(cli.main, [word])
    assert result.exit_code == 2
    sentence = f"Error: No such command {word!r}. Did you mean {meant!r}?\n"
    assert result.stderr.endswith(sentence)


@pytest.mark.usefixtures("_with_failing")
@pytest.mark.parametrize("kind", [InputError, SourceError])
def test_our_errors_are_one_sentence_and_exit_code_2(kind: type[Exception]) -> None:
    result = fail_with(kind("recall must lie between 0 and 1, got 7"))
    assert result.exit_code == 2
    assert result.stderr == "Error: recall must lie between 0 and 1, got 7\n"
    assert result.stdout == ""


@pytest.mark.usefixtures("_with_failing")
def test_an_interrupt_is_silent_and_exit_code_130() -> None:
    result = fail_with(KeyboardInterrupt())
    assert result.exit_code == 130
    assert result.output == ""


@pytest.mark.usefixtures("_with_failing")
def test_a_defect_is_one_sentence_without_a_traceback() -> None:
    result = fail_with(ZeroDivisionError("division by zero"))
    assert result.exit_code == 1
    assert "ZeroDivisionError: division by zero" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.usefixtures("_with_failing")
def test_a_disk_that_fails_where_nobody_expected_it_is_no_defect() -> None:
    for number in (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EINTR, errno.EFBIG):
        result = fail_with(OSError(number, os.strerror(number), "/var/lib/state"))
        assert result.exit_code == 2
        assert result.stderr == f"Error: /var/lib/state cannot be used: {os.strerror(number)}\n"
    result = fail_with(OSError(errno.EIO, os.strerror(errno.EIO), 7))  # of a descriptor
    assert (
        result.stderr == f"Error: a file or the output cannot be used: {os.strerror(errno.EIO)}\n"
    )


@pytest.mark.usefixtures("_with_failing")
def test_no_folder_for_temporary_files_is_no_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/proc/none"])
    monkeypatch.setattr(tempfile, "tempdir", None)
    with pytest.raises(FileNotFoundError) as caught:
        tempfile.gettempdir()  # the error as this Python words it
    result = fail_with(caught.value)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: no folder for temporary files can be written")


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_help_on_a_full_disk_is_a_sentence(word: str) -> None:
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            [sys.executable, "-m", "prefrontal", word],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
        )  # fmt: skip
    reason = os.strerror(errno.ENOSPC)
    assert result.stderr == f"Error: a file or the output cannot be used: {reason}\n"
    assert result.returncode == 2


@pytest.mark.parametrize("columns", ["0", "000"])
def test_a_terminal_said_to_have_no_columns_is_printed_to(
    columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    result = click.testing.CliRunner().invoke(cli.main, ["doctor"])
    assert "instruction set" in result.stdout


@pytest.mark.parametrize(
    "words",
    [
        "control import",
        "decisions --state",
        "memory list --workspace",
        "route tools list --workflows",
    ],
)
def test_a_text_that_is_too_long_for_a_path_is_no_defect(words: str) -> None:
    result = click.testing.CliRunner().invoke(cli.main, [*words.split(), "x" * 300])
    assert result.exit_code == 2
    assert result.stderr.endswith(f"cannot be used: {os.strerror(errno.ENAMETOOLONG)}\n")
    assert result.stderr.count("\n") == 1


def test_a_link_to_itself_is_no_defect(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    words = ["watch", str(loop), "--state", str(tmp_path / "state")]
    result = click.testing.CliRunner().invoke(cli.main, words)
    assert result.exit_code == 2
    assert result.stderr == f"Error: {loop} cannot be used: {os.strerror(errno.ELOOP)}\n"


@pytest.mark.usefixtures("_with_failing")
def test_the_traceback_of_a_defect_is_shown_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFRONTAL_TRACEBACK", "1")
    result = fail_with(ZeroDivisionError("division by zero"))
    assert isinstance(result.exception, ZeroDivisionError)


@pytest.mark.exhaustive
def test_a_closed_pipe_ends_quietly() -> None:
    reader_gone = subprocess.Popen(
        [SCRIPT, "doctor", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert reader_gone.stdout is not None
    assert reader_gone.stderr is not None
    reader_gone.stdout.close()
    with reader_gone.stderr as errors:
        assert errors.read() == b""
    assert reader_gone.wait() == 1


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A folder whose name is not UTF-8, with settings that keep their state in it."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    folder.mkdir()
    (folder / "prefrontal.yml").write_text("state: ./st\n")
    return folder


def in_odd(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run where a terminal's encoding takes no other bytes, as with LANG=en_US.UTF-8."""
    told = {k: v for k, v in os.environ.items() if not k.startswith("PREFRONTAL_")}
    return subprocess.run(
        [sys.executable, "-m", "prefrontal", *words], check=False, capture_output=True, cwd=folder,
        env=told | {"HOME": str(folder.parent), "PYTHONIOENCODING": "utf-8:strict"},
    )  # fmt: skip


def test_a_name_that_is_no_utf8_can_be_printed(odd: Path) -> None:
    done = in_odd(odd, "modules", "list")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "/caf\ufffd/st/modules" in done.stdout.decode()


def test_json_with_a_name_that_is_no_utf8_can_be_read(odd: Path) -> None:
    done = in_odd(odd, "doctor", "--json")
    assert done.stderr == b""
    assert "caf\udce9" in json.loads(done.stdout.decode())["settings"]["file"]


def test_settings_that_cannot_hold_a_name_are_a_sentence(odd: Path) -> None:
    done = in_odd(odd, "init", "new", "--yes")
    assert done.returncode == 2
    assert done.stderr.startswith(b"Error: DIR must have a name in UTF-8, got")
