"""A worker process: reads a task a line from standard input, and answers each with a line.

It ends at the end of its input, so that it never outlives whoever asks.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from ...errors import PrefrontalError

WORKS = {"histories": "history_runs", "streams": "trust_runs"}
"""What a worker can do, and the module that does it, with its functions `read` and `run`."""


def serve(work: str, folder: str) -> None:
    """Answer until the input ends. folder: where what was read is kept for all workers."""
    module = import_module(f".{WORKS[work]}", __package__)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    for line in sys.stdin:
        print(json.dumps(_answer(module, json.loads(line), Path(folder))), file=answers, flush=True)


def _answer(module: Any, task: dict[str, Any], folder: Path) -> dict[str, Any]:
    act: Callable[..., Any] = {"read": module.read, "run": module.run}[task["act"]]
    try:
        return {"answer": act(folder, *task["with"])}
    except PrefrontalError as error:
        return {"refusal": str(error)}


if __name__ == "__main__":
    serve(*sys.argv[1:])
