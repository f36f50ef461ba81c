"""Writers that are sources of a running gate: a followed log, posts, commits, the whole loop."""

from __future__ import annotations

import json
import math
import os
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from commands import Habit
from starts import Start
from watched import (
    are_decided,
    check_lines,
    decision_ids,
    has_place,
    lay,
    places,
    printed,
    seldom,
    texts,
    watch,
    write_settings,
)  # fmt: skip
from writers import Say, check_database, new_name

TOKEN = "RELIABILITY_TOKEN"
GIVE_UP_S = 3.0
"""After the last line was decided about."""


class Follow:
    """A watch follows a log file that is written to; each line is decided about once."""

    name = "followed log"

    def prepare(self, folder: Path, start: Start) -> None:
        write_settings(folder, logs=["app.log"])
        (folder / "app.log").touch()
        watch(folder, start, lambda: has_place(folder))

    def work(self, folder: Path, say: Say, start: Start) -> None:
        lay(folder / "app.log", "".join(f"line {new_name()}\n" for _ in range(40)), "a")
        watch(folder, start, lambda: are_decided(folder), say)

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        watch(folder, start, lambda: are_decided(folder))
        check_lines(folder)
        assert printed(said, "id") <= decision_ids(folder), "a decision is lost that was printed"


class Posts:
    """Events are posted to a watch; one that was answered 202 is decided about once."""

    name = "posts"
    _enough = 12

    def prepare(self, folder: Path, start: Start) -> None:
        """Nothing is there."""

    def work(self, folder: Path, say: Say, start: Start) -> None:
        door, accepted = Door(folder), 0

        def post() -> bool:
            nonlocal accepted
            name = new_name()
            if door.post(name):
                say(name)
                accepted += 1
            return accepted >= self._enough

        start(folder, "watch", "--json", *places(folder), codes=(0, 130), until=post)

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        path = folder / "state" / "decisions.sqlite"
        if not path.exists():
            assert not said, "the log is lost"
            return
        decided = Counter(texts(folder))
        lost = sum(name not in decided for name in said)
        assert not lost, f"of {len(said)} posts that were answered 202 {lost} are lost"
        assert set(decided.values()) <= {1}, "a post was decided about twice"
        check_database(path)


class Door:
    """Where events are posted to; the settings of the folder name its port.

    Its token is new: nobody else's watch that took the port meanwhile answers for ours.
    """

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            self._port = server.getsockname()[1]
        self._token = os.environ[TOKEN] = new_name() * 2
        write_settings(folder, http={"port": self._port, "token_env": TOKEN})

    def post(self, text: str) -> bool:
        """Whether the event was answered 202."""
        event = {"source": "test", "location": "here", "delta_type": "said"}
        body = json.dumps(event | {"features": {"text": text}})
        connection = HTTPConnection("127.0.0.1", self._port, timeout=10.0)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
        try:
            connection.request("POST", "/events", body, headers)
            return connection.getresponse().status == 202
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()


class Commits:
    """A watch looks at a repository; each new commit is decided about once."""

    name = "git"
    _most, _at_once = 80, 3

    def prepare(self, folder: Path, start: Start) -> None:
        write_settings(folder, git=["project"])
        environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        (folder / "project").mkdir()
        for words, data in (
            (["init", "--quiet", "--initial-branch=main"], ""),
            (["fast-import", "--quiet"], "".join(map(self._commit, range(self._most)))),
        ):
            done = subprocess.run(
                ["git", *words], cwd=folder / "project", input=data.encode(), env=environment,
                capture_output=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr.decode()
        names = subprocess.run(
            ["git", "rev-list", "--reverse", "main"], cwd=folder / "project", env=environment,
            capture_output=True, check=True, text=True,
        ).stdout  # fmt: skip
        (folder / "commits").write_text(names, encoding="ascii")
        self._move(folder, 0)
        watch(folder, start, lambda: has_place(folder))

    def work(self, folder: Path, say: Say, start: Start) -> None:
        self._move(folder, self._at_once)
        watch(folder, start, lambda: self._is_decided(folder), say)

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        watch(folder, start, lambda: self._is_decided(folder))
        decided, expected = Counter(texts(folder)), Counter(self._expected(folder))
        assert decided == expected, (
            f"of {expected.total()} commits {(expected - decided).total()} are lost,"
            f" {(decided - expected).total()} decided twice"
        )
        assert printed(said, "id") <= decision_ids(folder), "a decision is lost that was printed"
        check_database(folder / "state" / "decisions.sqlite")

    def _commit(self, number: int) -> str:
        subject, content = f"commit {number}", str(number)
        return (
            f"commit refs/heads/main\ncommitter a <a@b> {1_700_000_000 + number} +0000\n"
            f"data {len(subject)}\n{subject}\nM 644 inline file\ndata {len(content)}\n{content}\n"
        )

    def _names(self, folder: Path) -> list[str]:
        return (folder / "commits").read_text(encoding="ascii").split()

    def _tip(self, folder: Path) -> int:
        """The number of the commit that the branch is at."""
        text = (folder / "project" / ".git" / "refs" / "heads" / "main").read_text("ascii")
        return self._names(folder).index(text.strip())

    def _move(self, folder: Path, further: int) -> None:
        """Let the branch go on to later commits; in one write, which nothing tears."""
        path = folder / "project" / ".git" / "refs" / "heads" / "main"
        names = self._names(folder)
        number = min(self._tip(folder) + further, len(names) - 1) if further else 0
        file = os.open(path, os.O_WRONLY)
        os.write(file, f"{names[number]}\n".encode())
        os.fsync(file)
        os.close(file)

    def _expected(self, folder: Path) -> list[str]:
        return [f"commit {number}" for number in range(1, self._tip(folder) + 1)]

    def _is_decided(self, folder: Path) -> bool:
        return len(texts(folder)) >= self._tip(folder)


class Loop:
    """The whole loop follows a log file: each line's wake is routed, acted on and told once."""

    name = "run"

    def prepare(self, folder: Path, start: Start) -> None:
        sinks = [{"lines": "asked.jsonl", "durable": True, "name": "diary"}]
        write_settings(folder, logs=["app.log"], sinks=sinks)
        (folder / "app.log").touch()
        self._run(folder, start, lambda: has_place(folder))

    def work(self, folder: Path, say: Say, start: Start) -> None:
        lay(folder / "app.log", "".join(f"line {new_name()}\n" for _ in range(10)), "a")
        gives_up_at = math.inf

        def is_over() -> bool:
            """A wake that could not be attended to is left to the next start, which a check is."""
            nonlocal gives_up_at
            if not are_decided(folder):
                return False
            gives_up_at = min(gives_up_at, time.monotonic() + GIVE_UP_S)
            return time.monotonic() > gives_up_at or self._is_attended(folder)

        self._run(folder, start, is_over, say)

    def check(self, folder: Path, said: Sequence[str], start: Start) -> None:
        self._run(folder, start, lambda: are_decided(folder) and self._is_attended(folder))
        check_lines(folder)
        assert printed(said, "id") <= decision_ids(folder), "a decision is lost that was printed"
        wakes, steps = self._steps(folder)
        assert all(each == ["act", "route"] for each in steps.values()), "a step is lost or twice"
        asked = printed((folder / "asked.jsonl").read_text(encoding="utf-8").splitlines(), "id")
        assert wakes <= asked, "a question was not told"

    def _run(
        self, folder: Path, start: Start, until: Callable[[], bool], output: Say | None = None
    ) -> None:
        words = ["run", "--json", *places(folder)]
        start(folder, *words, codes=(0, 130), until=seldom(folder, until), output=output)

    def _is_attended(self, folder: Path) -> bool:
        wakes, steps = self._steps(folder)
        return all(len(each) == 2 for each in steps.values()) and not self._owed(folder, wakes)

    def _steps(self, folder: Path) -> tuple[set[str], dict[str, list[str]]]:
        """The wakes, and what followed each."""
        from prefrontal.decisions.log import DecisionLog
        from prefrontal.decisions.payloads import WAKE

        with DecisionLog(folder / "state" / "decisions.sqlite") as log:
            wakes = [each.id for each in log.records() if each.kind == WAKE and each.acted]
            steps = {
                name: sorted(
                    each.kind for each in log.followed(name) if each.kind in {"act", "route"}
                )
                for name in wakes
            }
        return set(wakes), steps

    def _owed(self, folder: Path, wakes: set[str]) -> bool:
        from prefrontal.decisions.log import DecisionLog

        with DecisionLog(folder / "state" / "decisions.sqlite") as log:
            deliveries = log.deliveries()
            states = [each.state for name in wakes for each in deliveries.of(name)]
            deliveries.close()
        return any(state != "done" for state in states)


SOURCES: tuple[Habit, ...] = (Follow(), Posts(), Commits(), Loop())
