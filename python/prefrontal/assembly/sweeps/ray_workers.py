"""Runs of a sweep as tasks of a Ray cluster; where they run, what was read is copied to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ... import __version__
from ...ray_cluster import LOCAL, first_line
from .pool import LostTask, Task
from .worker import answer_line, read_answer, refusal, work_module

CHUNK = 16 * 2**20
"""Bytes of a file that are one object in Ray's store."""

Copies = dict[str, tuple[str, list[Any]]]
"""What names a file in a history -> the file's name, and references to its content."""


class RayWorkers:
    """The role `SweepWorkers` for tasks that run; `read` is for processes on this machine.

    ray: connected, at `address`.
    """

    def __init__(self, ray: Any, address: str, work: str, folder: str) -> None:
        self._ray = ray
        self._work, self._folder = work, folder
        self._is_shared = address == LOCAL
        # Ray's own tries would not be counted.
        self._run = ray.remote(run_on_ray).options(
            num_cpus=1, max_retries=0, scheduling_strategy="SPREAD"
        )
        self._busy: dict[Any, int] = {}
        self._copies: dict[Path, tuple[str, list[Any]]] = {}

    def ask(self, place: int, task: Task) -> None:
        history = task["with"][0]
        copies: Copies = {}
        if not self._is_shared:
            for name in work_module(self._work).FILES:
                if history[name] is not None:
                    copies[name] = self._put(Path(self._folder) / history[name])
        words = (__version__, self._work, self._folder, json.dumps(task), copies)
        self._busy[self._run.remote(*words)] = place

    def answered(self) -> Iterator[tuple[int, Any]]:
        ready, _ = self._ray.wait(list(self._busy), num_returns=1)
        for reference in ready:
            place = self._busy.pop(reference)
            try:
                line = self._ray.get(reference)
            except self._ray.exceptions.RayError as error:
                yield place, LostTask(first_line(getattr(error, "cause", None) or error))
            else:
                yield place, read_answer(line)

    def close(self) -> None:
        for reference in self._busy:
            self._ray.cancel(reference, force=True)

    def _put(self, file: Path) -> tuple[str, list[Any]]:
        """A name of its own, and references to the content, which is put into the store once."""
        if file not in self._copies:
            with file.open("rb") as source:
                chunks = iter(lambda: source.read(CHUNK), b"")
                content = [self._ray.put(chunk) for chunk in chunks]
                self._copies[file] = f"{len(self._copies)}-{file.name}", content
        return self._copies[file]


def run_on_ray(version: str, work: str, folder: str, line: str, copies: Copies) -> str:
    """The line that answers a task, in a process of the cluster."""
    if version != __version__:
        rule = f"be {version} on each machine of the cluster, as it is on the one that asks"
        return refusal(f"prefrontal must {rule}, got {__version__}")
    task: Task = json.loads(line)
    if copies:
        folder = _folder().name
        task["with"][0] |= {
            name: _copied(Path(folder) / file, content) for name, (file, content) in copies.items()
        }
    return answer_line(work_module(work), json.dumps(task), Path(folder))


@cache
def _folder() -> TemporaryDirectory[str]:
    """Of this process, which does many tasks of one sweep; it goes when that ends."""
    return TemporaryDirectory(prefix="prefrontal-sweep-")


def _copied(file: Path, content: Iterable[Any]) -> str:
    """The file's path, once it holds the content."""
    import ray

    if not file.exists():
        part = file.with_name(f"{file.name}.part")
        with part.open("wb") as target:
            for reference in content:
                target.write(ray.get(reference))
        part.rename(file)
    return str(file)
