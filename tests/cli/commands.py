"""`prefrontal replay` inside the test's own process."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from prefrontal import cli


def run(*words: str | Path, data: str | None = None) -> Result:
    return CliRunner().invoke(cli.main, ["replay", *map(str, words)], input=data)


def said(result: Result) -> str:
    """The one sentence of a refusal."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    sentence = result.stderr.strip().splitlines()[-1]
    assert sentence.startswith("Error: ")
    assert "Traceback" not in result.stderr
    return sentence.removeprefix("Error: ")
