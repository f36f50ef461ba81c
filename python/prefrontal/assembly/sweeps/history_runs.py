"""Runs of the gate on histories, in a worker: a history is read once, and replayed many times."""

from __future__ import annotations

import gc
import os
import pickle
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ...errors import InputError
from ...replay.backtest import Question, backtest
from ...replay.histories.history_kind import holds_sessions, is_of_git
from ...replay.presets.hiding import paths_only
from ...replay.session import (
    Replayer,
    Request,
    replay_events,
    replay_git,
    replay_history,
    replay_sample,
)
from ...settings.budget import parse_budget
from ...settings.gate import GateSettings
from ...settings.sweeps import SAMPLE
from ..replay_gate import PulseGate

if TYPE_CHECKING:
    from ...protocols import TrialGate
    from ...replay.result import ReplayResult
    from ...types import Window

FILES = ("file",)
CHUNK = 500
MOST_BYTES = 256 * 2**20
"""A history whose copy is larger is read from it for each run, instead of held in memory."""

FIGURES = (
    "windows", "relevant", "got_recall", "wakes_per_day", "share_woken", "precision",
    "tokens_per_useful_wake", "auc", "missed", "wasted_count",
)  # fmt: skip


class HistoryCopy(Replayer):
    """Writes the labelled windows to a file, in place of replaying them.

    digest: of all that a gate can see of them, and of their labels.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = sha256()
        self.question: Question | None = None

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    def replay(
        self, windows: Iterable[Window], gate: TrialGate, question: Question
    ) -> ReplayResult:
        chunk: list[Window] = []
        for window in windows:
            self._hash.update(repr(window).encode("utf-8", "surrogatepass"))
            chunk.append(window)
            if len(chunk) == CHUNK:
                pickle.dump(chunk, self._file)
                chunk = []
        pickle.dump(chunk, self._file)
        self.question = question
        self._hash.update(repr((question.total, question.preset, question.labels)).encode())
        return super().replay((), gate, question)


def read(folder: Path, number: int, history: dict[str, Any]) -> dict[str, Any]:
    """Read and label a history; what `run` needs of it, as JSON values."""
    request = Request(
        relevant=history["relevant"],
        since=history["since"],
        until=history["until"],
        limit=history["max"],
        all_commits=history["all_commits"],
    )
    file = folder / f"{number}-{os.getpid()}.windows"
    with file.open("wb") as target:
        copy = HistoryCopy(target)
        _replayed(history["path"], request, copy)
    question = copy.question
    assert question is not None
    return {
        "name": question.source,
        "digest": copy.digest,
        "file": file.name,
        "preset": question.preset,
        "total": question.total,
        "labels": question.labels,
        "origin": question.origin,
    }


def _replayed(path: str, request: Request, copy: HistoryCopy) -> ReplayResult:
    gate = PulseGate()
    if path == SAMPLE:
        return replay_sample(request, gate, replayer=copy)
    place = Path(path)
    if not place.exists():
        raise InputError(
            "history must be a repository, a file of recorded windows or the sessions of an agent,"
            f" got {path!r} (there is nothing)"
        )
    if is_of_git(path):
        return replay_git(path, request, gate, replayer=copy)
    if place.is_file() and not holds_sessions(place):
        return replay_events(path, request, gate, replayer=copy)
    return replay_history(path, request, gate, replayer=copy)


def run(folder: Path, history: dict[str, Any], setting: dict[str, Any]) -> dict[str, Any]:
    """The figures of one setting on one history."""
    windows: Iterable[Window] = _last.windows(folder / history["file"])
    if setting["features"] == "paths":
        windows = paths_only(windows)
    question = Question(
        source=history["name"],
        preset=history["preset"],
        total=history["total"],
        seed=setting["seed"],
        origin=history["origin"],
        labels=setting["labels"] or history["labels"],
    )
    if setting["recall"] is not None:
        question = replace(question, recall=setting["recall"])
    if setting["budget"] is not None:
        question = replace(question, budget=parse_budget(setting["budget"]))
    gate = PulseGate(settings=GateSettings(seed=setting["seed"]))
    result = backtest(windows, gate, question)
    figures = {name: getattr(result, name) for name in FIGURES}
    return {"preset": result.preset, **setting, "labels": result.labels, **figures}


class LastHistory:
    """The history that this worker replayed last; its tasks come history by history."""

    def __init__(self) -> None:
        self._file = Path()
        self._windows: list[Window] = []

    def windows(self, file: Path) -> Iterable[Window]:
        """The labelled windows of a copy."""
        if file.stat().st_size > MOST_BYTES:
            return _read(file)
        if file != self._file:
            gc.unfreeze()
            self._windows = []
            self._file, self._windows = file, list(_read(file))
            gc.freeze()  # the collector need not look through what stays
        return self._windows


_last = LastHistory()


def _read(file: Path) -> Iterator[Window]:
    """From a copy that a worker of this sweep wrote, in a folder that only its user can enter."""
    with file.open("rb") as source:
        while True:
            try:
                yield from pickle.load(source)
            except EOFError:
                return
