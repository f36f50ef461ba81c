"""Sweeps: what is run, what is kept, and what becomes of workers that end."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.assembly.sweeps import history_runs, trust_runs
from prefrontal.assembly.sweeps.local_workers import LocalWorkers
from prefrontal.assembly.sweeps.pool import LostTask, Task, WorkerPool
from prefrontal.assembly.sweeps.store import NAME, SweepStore
from prefrontal.assembly.sweeps.sweep import carry_out, history_sweep, trust_sweep
from prefrontal.errors import InputError
from prefrontal.replay.session import Request, replay_events
from prefrontal.settings.budget import parse_budget

from ...replay.streams import history, write_lines


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    for seed in (0, 1):
        write_lines(tmp_path / f"windows{seed}.jsonl", history(seed, 60))
    path = tmp_path / "sweep.yml"
    path.write_text(
        "histories: [windows0.jsonl, {path: windows1.jsonl, max: 50}]\n"
        "recalls: [0.8, 0.9]\nbudgets: [2/day]\nfeatures: [all, paths]\nseeds: [0, 1]\n"
    )
    return path


def test_each_setting_is_run_once_on_each_history(settings: Path) -> None:
    plan = history_sweep(str(settings))
    assert plan.runs == 2 * 3 * 2 * 2
    assert len({str(each) for each in plan.settings}) == 12
    assert plan.settings[1] == {
        "recall": 0.8, "budget": None, "features": "all", "labels": None, "seed": 1,
    }  # fmt: skip
    assert plan.inputs[1]["path"] == str(settings.parent / "windows1.jsonl")


@pytest.mark.parametrize(
    ("aim", "labels"), [({"recall": 0.8}, "all"), ({"budget": "2/day"}, "asked")]
)
def test_a_run_has_the_figures_of_a_replay_alone(
    tmp_path: Path, aim: dict[str, Any], labels: str
) -> None:
    file = write_lines(tmp_path / "windows.jsonl", history(0, 80))
    whole = {"relevant": None, "since": None, "until": None, "max": 60, "all_commits": False}
    place = history_runs.read(tmp_path, 0, {"path": str(file), **whole})
    setting = {"recall": None, "budget": None, **aim, "features": "paths", "seed": 0}
    row = history_runs.run(tmp_path, place, {**setting, "labels": labels})
    budget = aim.get("budget")
    request = Request(
        recall=aim.get("recall", 0.9),
        budget=None if budget is None else parse_budget(budget),
        features="paths",
        labels=labels,
        limit=60,
    )
    alone = replay_events(str(file), request, PulseGate())
    assert alone.windows == 48
    assert {name: row[name] for name in history_runs.FIGURES} == {
        name: getattr(alone, name) for name in history_runs.FIGURES
    }


def test_what_changes_in_a_history_changes_its_digest(tmp_path: Path) -> None:
    whole = {"relevant": None, "since": None, "until": None, "max": None, "all_commits": False}
    digests = set()
    for number, (seed, count) in enumerate([(0, 40), (0, 40), (0, 39), (1, 40)]):
        file = write_lines(tmp_path / "windows.jsonl", history(seed, count))
        digests.add(history_runs.read(tmp_path, number, {"path": str(file), **whole})["digest"])
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must be a mapping with histories, recalls"),
        ("histories: [a]", "sweep must have recalls or budgets, got"),
        ("histories: []\nrecalls: [0.9]", "histories must have at least one entry, got []"),
        ("histories: a\nrecalls: [0.9]", "histories must be a list, got 'a'"),
        ("histories: [a]\nrecalls: [0.9, 0.9]", "recalls must have each entry once, got"),
        ("histories: [a]\nrecalls: [1.5]", "recalls[0] must be a number above 0 and at most 1"),
        ("histories: [a]\nbudgets: [20]", "budgets[0] must be wakes an hour, day or week"),
        ("histories: [a]\nrecall: [0.9]", "got 'recall' (did you mean 'recalls'?)"),
        ("histories: [{path: a, limit: 3}]\nrecalls: [0.9]", "only known keys, got 'limit'"),
        ("histories: [a]\nrecalls: [0.9]\nfeatures: [none]", "features[0] must be one of"),
    ],
)
def test_what_is_no_sweep_is_refused_in_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "sweep.yml"
    path.write_text(text)
    with pytest.raises(InputError) as refusal:
        history_sweep(str(path))
    assert str(path) in str(refusal.value)
    assert words in str(refusal.value)


def test_a_sweep_of_too_many_runs_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sweep.yml"
    lists = (f"h{n}" for n in range(41)), [n / 50 for n in range(1, 51)], list(range(50))
    histories, recalls, seeds = (", ".join(map(str, each)) for each in lists)
    path.write_text(f"histories: [{histories}]\nrecalls: [{recalls}]\nseeds: [{seeds}]\n")
    with pytest.raises(InputError, match="at most 100,000 runs, got 102,500"):
        history_sweep(str(path))


def test_a_history_that_is_not_there_is_named(tmp_path: Path) -> None:
    whole = {"relevant": None, "since": None, "until": None, "max": None, "all_commits": False}
    with pytest.raises(InputError, match=r"history must be .* got '/nowhere/at/all'"):
        history_runs.read(tmp_path, 0, {"path": "/nowhere/at/all", **whole})


def test_a_line_cut_short_counts_as_not_done(tmp_path: Path) -> None:
    with SweepStore(tmp_path) as store:
        store.add("first", {"auc": 0.5})
        store.add("second", {"auc": 0.25})
    file = tmp_path / NAME
    file.write_bytes(file.read_bytes()[:-9])
    with SweepStore(tmp_path) as store:
        assert store.row("first") == {"auc": 0.5}
        assert store.row("second") is None
        store.add("third", {"auc": 1.0})
    with SweepStore(tmp_path) as store:
        assert store.row("third") == {"auc": 1.0}


def test_one_sweep_at_a_time_uses_a_folder(tmp_path: Path) -> None:
    with SweepStore(tmp_path), pytest.raises(InputError, match="by one sweep at a time"):
        SweepStore(tmp_path)


def test_a_stream_is_replayed_under_each_setting(tmp_path: Path) -> None:
    rows = [f"rater{n},user{user},{-10 if user and n > 7 else 3},{n * 86_400}"
            for n in range(12) for user in range(2)]  # fmt: skip
    (tmp_path / "ratings.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "labels.csv").write_text("user0,1\nuser1,-1\n")
    path = tmp_path / "sweep.yml"
    path.write_text(
        "streams: [{ratings: ratings.csv, labels: labels.csv}]\nclamps: [1, 20]\nbatches: [1]\n"
    )
    plan = trust_sweep(str(path))
    [stream] = [trust_runs.read(tmp_path, 0, each) for each in plan.inputs]
    low, high = (trust_runs.run(tmp_path, stream, each) for each in plan.settings)
    assert (low["clamp"], high["clamp"]) == (1, 20)
    assert low["turncoats"] == high["turncoats"] == 1
    assert (low["cycles"], low["missed"]) != (high["cycles"], high["missed"])


class KillingWorkers(LocalWorkers):
    """Kills the worker of each task that it is asked for, the first time."""

    def __init__(self, folder: str) -> None:
        super().__init__("histories", folder)
        self.killed: set[int] = set()

    def ask(self, place: int, task: Task) -> None:
        super().ask(place, task)
        if place not in self.killed:
            self.killed.add(place)
            [process] = [each for each, at in self._busy.values() if at == place]
            os.kill(process.pid, signal.SIGKILL)


@pytest.mark.exhaustive
def test_a_task_whose_worker_is_killed_is_done_by_another(settings: Path, tmp_path: Path) -> None:
    plan = history_sweep(str(settings))
    tasks = [{"act": "read", "with": [n, each]} for n, each in enumerate(plan.inputs)]
    with closing(KillingWorkers(str(tmp_path))) as workers:
        pool = WorkerPool(workers, 2)
        answers = dict(pool.answers(tasks))
    assert [answers[n]["total"] for n in range(2)] == [60, 50]
    assert pool.restarts == 2


@pytest.mark.exhaustive
def test_a_task_whose_workers_all_end_is_lost_and_no_other(settings: Path, tmp_path: Path) -> None:
    plan = history_sweep(str(settings))
    tasks: list[Task] = [
        {"act": "no such act", "with": []},
        {"act": "read", "with": [0, plan.inputs[0]]},
    ]
    with closing(LocalWorkers("histories", str(tmp_path))) as workers:
        answers = dict(WorkerPool(workers, 2).answers(tasks))
    assert isinstance(answers[0], LostTask)
    assert answers[0].why == "exit code 1"
    assert answers[1]["total"] == 60


@pytest.mark.exhaustive
def test_a_sweep_is_the_same_on_any_number_of_workers_and_goes_on_where_it_was_ended(
    settings: Path, tmp_path: Path
) -> None:
    plan = history_sweep(str(settings))
    whole = carry_out(plan, tmp_path / "one", 1, lambda *_: None)
    assert (len(whole.rows), whole.done_before, whole.lost) == (24, 0, [])

    def interrupt(what: str, done: int, total: int) -> None:
        if what == "running" and done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carry_out(plan, tmp_path / "three", 3, interrupt)
    rest = carry_out(plan, tmp_path / "three", 3, lambda *_: None)
    assert rest.done_before == 5
    assert rest.rows == whole.rows
    assert carry_out(plan, tmp_path / "three", 2, lambda *_: None).done_before == 24
