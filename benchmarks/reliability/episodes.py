"""Episodes of the executive: killed at each step boundary, and how long one takes; DBOS beside it.

    python benchmarks/reliability/episodes.py [--kills 40] [--timed 200]

An episode routes, acts, learns and reflects. The process is killed at a boundary, and the next one
attends to the wake again: how often did it act in all? The act is a line in a file, synced before
anything else is kept of it. Where Debian's PostgreSQL is installed the log lies there, too, and
where the package `dbos` is installed the same steps run as its workflow on the same server.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import Any

from postgres_server import PostgresServer, programs, server_in
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.payloads import BeliefPayload, WakePayload
from prefrontal.errors import InputError
from prefrontal.executive import ActOutcome, Choice, Conclusion, Executive, Option, Status, loop
from prefrontal.storage.postgres_url import PostgresUrl, write_link
from prefrontal.testing import (
    ScriptedActor,
    ScriptedChooser,
    ScriptedReviewer,
    ScriptedWaker,
    SteppingMoments,
)

BOUNDARIES = ("routed", "acted", "act kept", "reflecting", "reflected", "over")
CHOICE = Choice("What changed", "select", (Option("git/diff.py", "diff", 0.8, {}),), 0.6, "diff")
CONCLUSION = Conclusion(BeliefPayload("added"), "diff:good", "diff works", True, "added", 0.9)
Attend = Callable[[Decision], object]


def wake(number: int) -> Decision:
    """A wake that nobody has attended to."""
    return Decision(
        id=f"{number:032x}",
        time=1e9 + number,
        payload=WakePayload(),
        subject="code",
        acted=True,
        reason="woke",
        score=0.9,
        threshold=0.5,
        question="What changed?",
        propensity=1.0,
        window=(),
    )


class Parts:
    """The roles of the loop; `end` kills the process at that boundary."""

    def __init__(self, log: DecisionLog, effects: Path, end: str = "") -> None:
        self.log = log
        self.end = end
        self._effects = os.open(effects, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
        self.chooser = ScriptedChooser(lambda _: CHOICE)
        self.chooser.learn = lambda *_: self.at("act kept")  # type: ignore[method-assign]
        self.actor = ScriptedActor(self.act)
        self.reviewer = ScriptedReviewer(make=self.conclude)
        self.executive = Executive(
            ScriptedWaker(lambda _: ()), self.chooser, self.actor, self.reviewer, log,
            SteppingMoments(),
        )  # fmt: skip

    def at(self, boundary: str) -> None:
        if boundary == self.end:
            os.kill(os.getpid(), signal.SIGKILL)

    def act(self, about: Decision) -> ActOutcome:
        self.at("routed")
        os.write(self._effects, f"{about.id}\n".encode())
        os.fsync(self._effects)
        self.at("acted")
        return ActOutcome(Status.DONE, "3 lines", ["x"], True, True, 0.25)

    def conclude(self, _: Decision) -> list[Conclusion]:
        self.at("reflecting")
        return [CONCLUSION]

    def attend(self, about: Decision) -> None:
        """By the loop alone, as `assembly.attendance` does: an act that follows ends it."""
        with suppress(InputError):
            self.executive.attend(about)
        self.at("over")


def loop_alone(parts: Parts, server: PostgresServer | None) -> Attend:
    return parts.attend


def loop_that_forgets(parts: Parts, server: PostgresServer | None) -> Attend:
    """The loop without the act that it keeps."""

    def attend(about: Decision) -> None:
        module: Any = loop
        keep_act, module.keep_act = module.keep_act, lambda *_: None
        try:
            parts.attend(about)
        finally:
            module.keep_act = keep_act

    return attend


def by_dbos(parts: Parts, server: PostgresServer | None) -> Attend:
    """The same steps as a workflow; what was not over is taken up when it is launched."""
    assert server is not None
    dbos = importlib.import_module("dbos")
    url = f"postgresql+psycopg://prefrontal@127.0.0.1:{server.port}/workflows"
    config = {"name": "episodes", "system_database_url": url, "executor_id": "partition-0",
              "application_version": "1", "log_level": "CRITICAL"}  # fmt: skip
    dbos.DBOS(config=config)
    steps: Any = parts.executive

    @dbos.DBOS.step()  # type: ignore[untyped-decorator]
    def route(about: str) -> None:
        steps._route(_wake_of(parts, about))

    @dbos.DBOS.step()  # type: ignore[untyped-decorator]
    def act(about: str) -> ActOutcome:
        return parts.actor.act(_wake_of(parts, about), CHOICE)

    @dbos.DBOS.step()  # type: ignore[untyped-decorator]
    def reflect(about: str, outcome: ActOutcome) -> None:
        from prefrontal.executive.records import act_record, choice_of, followed_id

        record = parts.log.get(followed_id(about, "route"))
        assert record is not None
        choice = choice_of(record)
        acted = act_record(record, choice, outcome, 0.0)
        steps._learn(_wake_of(parts, about), choice, outcome, 0.0)
        with suppress(InputError):  # a step is at least once: it was kept, and its end was not
            steps._reflect(_wake_of(parts, about), choice, outcome, acted)
        parts.at("reflected")

    @dbos.DBOS.workflow()  # type: ignore[untyped-decorator]
    def episode(about: str) -> None:
        route(about)
        reflect(about, act(about))

    dbos.DBOS.launch()

    def attend(about: Decision) -> None:
        with dbos.SetWorkflowID(about.id):
            dbos.DBOS.start_workflow(episode, about.id).get_result()
        parts.at("over")

    return attend


def _wake_of(parts: Parts, about: str) -> Decision:
    record = parts.log.get(about)
    assert record is not None
    return record


def forked(work: Callable[[], None]) -> int:
    """Its exit code in a process of its own, negative for a signal."""
    process = os.fork()
    if process == 0:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 (told, and the fork ends)
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


Opened = Callable[[Parts, PostgresServer | None], Attend]


def killed(
    folder: Path, form: Opened, server: PostgresServer | None, kills: int
) -> dict[str, Counter[int]]:
    """Kill an episode at each boundary in turn and attend again.

    Boundary -> how many episodes had so many acts. Raises AssertionError where records are not
    those of one episode.
    """
    log, effects = _log(folder, server), folder / "effects"
    acts: dict[str, Counter[int]] = {each: Counter() for each in BOUNDARIES}
    for number in range(kills):
        boundary = BOUNDARIES[number % len(BOUNDARIES)]
        about = wake(number)
        for end in (boundary, ""):

            def attend(end: str = end, about: Decision = about) -> None:
                with DecisionLog(log) as decisions:
                    if decisions.get(about.id) is None:
                        decisions.append(about)
                    form(Parts(decisions, effects, end), server)(about)

            code = forked(attend)
            assert code in (0, -signal.SIGKILL), f"{boundary}: {code}"
        lines = effects.read_text().split()
        acts[boundary][lines.count(about.id)] += 1
    with DecisionLog(log) as decisions:
        for number in range(kills):
            kinds = [each.kind for each in decisions.followed(wake(number).id)]
            assert kinds == ["route", "act", "belief"], kinds
    return acts


def timed(
    folder: Path, forms: dict[str, Opened], server: PostgresServer | None, episodes: int
) -> str:
    """Milliseconds that an episode takes, the forms in turn."""
    with DecisionLog(_log(folder, server)) as decisions:
        wakes = [wake(10_000 + number) for number in range(episodes * len(forms))]
        decisions.append_many(wakes)
        parts = Parts(decisions, folder / "timed")
        attends = [form(parts, server) for form in forms.values()]
        took: list[list[float]] = [[] for _ in forms]
        for number, each in enumerate(wakes):
            before = time.perf_counter()
            attends[number % len(forms)](each)
            took[number % len(forms)].append(1000 * (time.perf_counter() - before))
    cuts = [quantiles(each, n=100) for each in took]
    words = (
        f"{name} {cut[49]:.1f} and {cut[98]:.1f}" for name, cut in zip(forms, cuts, strict=True)
    )
    return f"p50 and p99 in ms, {episodes} each in turn: {', '.join(words)}"


def _log(folder: Path, server: PostgresServer | None) -> Path:
    path = folder / "decisions.sqlite"
    if server is not None and not path.exists():
        write_link(path, PostgresUrl.parse(server.url()))
    return path


def main() -> None:
    """Print a line a form on acts after kills, and one a database on the time of an episode."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=60, help="of each form")
    parser.add_argument("--timed", type=int, default=200, help="episodes of each form")
    options = parser.parse_args()
    with ExitStack() as stack:
        alone: dict[str, Opened] = {"nothing kept": loop_that_forgets, "loop": loop_alone}
        databases: list[tuple[str, dict[str, Opened], PostgresServer | None]] = [
            ("SQLite", alone, None)
        ]
        if (found := programs()) is not None:
            server = stack.enter_context(server_in(found))
            both = dict(alone)
            if importlib.util.find_spec("dbos") is not None:
                importlib.import_module("dbos")
                server._run("createdb", "-h", str(server.folder), "-p", str(server.port), "-U",
                            "prefrontal", "workflows")  # fmt: skip
                both["DBOS"] = by_dbos
            databases.append(("PostgreSQL", both, server))
        for database, forms, at in databases:
            for name, form in forms.items():
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                acts = killed(folder, form, at, options.kills).items()
                words = (f"{boundary} {dict(counts)}" for boundary, counts in acts if counts)
                print(f"{database}, {name}: acts, killed when {', '.join(words)}", flush=True)
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            line = partial(timed, folder, forms, at, options.timed)
            assert forked(lambda line=line, at=database: print(f"{at}: {line()}", flush=True)) == 0  # type: ignore[misc]


if __name__ == "__main__":
    main()
