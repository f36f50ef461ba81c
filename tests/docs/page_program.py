"""The python blocks of a page: one program, told block by block."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from .pages import Block

LONGEST_S = 120.0
_END = "--- the block is over ---"
_PROGRAM = f"""
import json, sys
scope = {{"__name__": "__main__"}}
for line in sys.stdin:
    told = json.loads(line)
    exec(compile(told["text"], told["name"], "exec"), scope)
    sys.stderr.flush()
    print({_END!r}, flush=True)
"""


class PageProgram:
    """A process of its own; a warning is an error there."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            ["python", "-c", _PROGRAM],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._told, self._said = self._process.stdin, self._process.stdout

    def run(self, block: Block) -> str:
        """Run the block; what it printed on both streams. Raises AssertionError when it fails."""
        told = {"text": "\n" * block.line + block.text, "name": block.page}
        self._told.write(json.dumps(told) + "\n")
        self._told.flush()
        said: list[str] = []
        for line in self._said:
            if line.strip() == _END:
                return "".join(said)
            said.append(line)
        raise AssertionError(f"{block.place}\n{''.join(said)}")

    def close(self) -> None:
        """Let it end; raises AssertionError when it ends badly."""
        self._told.close()
        rest = self._said.read()
        self._said.close()
        assert self._process.wait(LONGEST_S) == 0, rest
