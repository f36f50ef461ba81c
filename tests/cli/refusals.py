"""A command that refuses: exit code 2, nothing for programs, one sentence for a person."""

from __future__ import annotations

from click.testing import Result


def refusal(result: Result) -> str:
    """The one line on standard error."""
    assert result.stderr.count("\n") == 1, result.stderr
    return last_line(result)


def last_line(result: Result) -> str:
    """Of standard error, where how the command is used, or a warning, stands before it."""
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert "Traceback" not in result.stderr
    line = result.stderr.splitlines(keepends=True)[-1]
    assert line.startswith("Error: "), result.stderr
    return line
