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

from ...errors import InputError, PrefrontalError

WORKS = {"histories": "history_runs", "streams": "trust_runs"}
"""What a worker can do, and the module that does it, with its functions `read` and `run`."""


def serve(work: str, folder: str) -> None:
    """Answer until the input ends. folder: where what was read is kept for all workers."""
    module = work_module(work)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    for line in sys.stdin:
        print(answer_line(module, line, Path(folder)), file=answers, flush=True)


def work_module(work: str) -> Any:
    """What does the work. FILES: which values of what was read name files that a run needs."""
    return import_module(f".{WORKS[work]}", __package__)


def answer_line(module: Any, line: str, folder: Path) -> str:
    """Do the task of a line; the line that answers it."""
    task = json.loads(line)
    act: Callable[..., Any] = {"read": module.read, "run": module.run}[task["act"]]
    try:
        return json.dumps({"answer": act(folder, *task["with"])})
    except PrefrontalError as error:
        return refusal(str(error))


def refusal(sentence: str) -> str:
    """The line that refuses a task."""
    return json.dumps({"refusal": sentence})


def read_answer(line: str | bytes) -> Any:
    """What a line answers. Raises InputError with the sentence of a task that was refused."""
    answer = json.loads(line)
    if "refusal" in answer:
        raise InputError(answer["refusal"])
    return answer["answer"]


if __name__ == "__main__":
    serve(*sys.argv[1:])
