"""Runs what a page shows, block by block, in a home of its own."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from contextlib import chdir
from pathlib import Path
from tempfile import mkdtemp
from unittest.mock import patch

from click.testing import CliRunner

from prefrontal.cli import main

from .command_lines import NAME, Shown, commands_of, without_comment
from .page_program import LONGEST_S, PageProgram
from .pages import Block
from .preparations import PREPARED
from .shown_output import fits, with_real_ids
from .terminals import OpenTerminal

_SHELL = set("|<>&;$`*")
_BY_CLOCK = ("verify",)
"""Commands that need the time zone of the page, which a process takes up only at its start."""
_PATIENCE = ("--limit", "30")
"""For the gate, which on a busy machine would rightly wake because nothing was decided."""
_SHIM = """#!/bin/sh
{patience}
PYTHONPATH={modules} exec {python} -W error {more} "$@"
"""
_LAUNCHER = (
    "prefrontal-sbx",
    "-c 'from prefrontal.sandbox.launcher import main; main()'",
)


def _noon() -> str:
    """A time zone in which it is twenty past twelve, so that no page meets the end of an hour."""
    behind = 12 * 60 + 20 - int(time.time() // 60) % (24 * 60)
    sign = "-" if behind > 0 else "+"
    return f"ADA{sign}{abs(behind) // 60:02}:{abs(behind) % 60:02}"


class PageRun:
    """One page on its way: where its files are, and what goes on.

    folder: of its programs. The page starts in an empty folder within a home that lies as deep as
    /home/ada, so that paths count as much in a score.
    """

    def __init__(self, folder: Path) -> None:
        self.home = Path(mkdtemp(prefix="ada-", dir="/tmp"))
        self.place = self.home / "work"
        for each in (self.place, self.home / "Downloads"):
            each.mkdir(parents=True)
        programs = folder / "bin"
        programs.mkdir()
        modules = shlex.quote(os.pathsep.join(filter(None, sys.path)))
        for name, more in ((NAME, "-m prefrontal"), ("python", ""), _LAUNCHER):
            patience = f'[ "$1" != gate ] || set -- "$@" {" ".join(_PATIENCE)}'
            patience = patience if name == NAME else ""
            told = _SHIM.format(
                python=sys.executable, modules=modules, more=more, patience=patience
            )
            (programs / name).write_text(told)
            (programs / name).chmod(0o755)
        own = {k: v for k, v in os.environ.items() if not k.startswith(("PREFRONTAL_", "XDG_"))}
        self.environment = own | {
            "HOME": str(self.home),
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": "140",
            "TZ": _noon(),
            "OMP_NUM_THREADS": "1",
            "PREFRONTAL_AUDIT_SHARE": "0",  # nothing is asked by chance
            "HTTPS_PROXY": "http://127.0.0.1:9",  # nothing outside is asked
            "HTTP_PROXY": "http://127.0.0.1:9",
            "NO_PROXY": "127.0.0.1,localhost",
        }
        self._ids: dict[str, str] = {}
        self._terminals: dict[str, OpenTerminal] = {}
        self._program: PageProgram | None = None
        self._printed = ""

    def run(self, block: Block) -> None:
        """Do what the block says. Raises AssertionError when it does not hold."""
        if "prepared" in block.marks:
            PREPARED[block.marks["prepared"]](self.place, self.environment)
        if "file" in block.marks:
            path = self.place / Path(block.marks["file"].replace("~", str(self.home)))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.not_run is not None:
            return
        elif block.language in ("console", "sh"):
            for shown in commands_of(block):
                self._command(block, shown)
        elif block.language == "python":
            self._program = self._program or PageProgram(self.place, self.environment)
            self._printed += self._program.run(block)
        else:
            self._shown_text(block)

    def printed(self, command: str) -> str:
        """What a command prints on both streams. Raises AssertionError when it fails."""
        code, said = self._done(command)
        assert code == 0, f"{command}\n{said}"
        return said

    def close(self) -> None:
        """End what goes on, and take the home away."""
        for terminal in self._terminals.values():
            terminal.close()
        try:
            if self._program is not None:
                self._program.close()
        finally:
            shutil.rmtree(self.home)

    def _command(self, block: Block, shown: Shown) -> None:
        command = with_real_ids(without_comment(shown.command), self._ids)
        if "terminal" in block.marks:
            terminal = OpenTerminal(command, self.place, self.environment)
            self._terminals[block.marks["terminal"]] = terminal
            ordered = "in any order" not in block.marks
            self._ids |= terminal.says(shown.output, ordered=ordered)
            return
        code, said = self._done(command)
        if code != 0:
            said = f"{said.rstrip()}\n(exit code {code})"
        where = f"{block.page}:{shown.line}: {command}"
        expected = "exit code" in shown.output
        assert code == 0 or expected, f"{where}\n{said}"
        if shown.output.strip() and "outputs differ" not in block.marks:
            known = fits(shown.output.replace("(exit code 0)", ""), said, str(self.home))
            assert known is not None, f"{where}\nmust say\n{shown.output}\ngot\n{said}"
            self._ids |= known

    def _done(self, command: str) -> tuple[int, str]:
        """Run one command line; its exit code, and both streams as a terminal shows them."""
        words = [
            word.replace("~", str(self.home), word[:2] == "~/") for word in shlex.split(command)
        ]
        if words[0] == "cd":
            self.place = (self.place / words[1]).resolve()
        elif words[0] == "export":
            self.environment |= dict([words[1].split("=", 1)])
        elif words[0] == NAME and words[1] not in _BY_CLOCK and not set(command) & _SHELL:
            with patch.dict(os.environ, self.environment, clear=True), chdir(self.place):
                patience = _PATIENCE if words[1] == "gate" else ()
                result = CliRunner().invoke(main, [*words[1:], *patience])
            return result.exit_code, result.output
        else:
            return self._in_a_shell(command)
        return 0, ""

    def _in_a_shell(self, command: str) -> tuple[int, str]:
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.place,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )
        return done.returncode, done.stdout

    def _shown_text(self, block: Block) -> None:
        """A text that says what was printed, or what a terminal shows."""
        for name in block.marks:
            number, _, what = name.removeprefix("terminal ").partition(" ")
            if name == "prints":
                known = fits(block.text, self._printed, str(self.home))
                assert known is not None, f"{block.place} must show\n{self._printed}"
                self._printed = ""
            elif what.startswith("says"):
                ordered = not what.endswith("in any order")
                self._ids |= self._terminals[number].says(block.text, ordered=ordered)
            elif what == "ends":
                self._ids |= self._terminals[number].ends(block.text)
