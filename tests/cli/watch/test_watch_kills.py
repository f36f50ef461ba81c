"""A watch that is killed at any moment has decided about everything once in the end."""

from __future__ import annotations

import json
import random
import socket
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from threading import Event, Semaphore

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.pulse.sources.git import COMMITS
from prefrontal.pulse.sources.imap_session import ImapAddress

from ...exhaustive import first
from ...pulse.sources.dovecot import dovecot
from ...pulse.sources.github_site import TOKEN, github_site, thread
from ...pulse.sources.imap_stand_in import imap_stand_in
from ...pulse.sources.made_calendars import calendar, event
from ...replay import repositories
from ..running import PATIENCE_S, Running, watching
from .kills import at_work, config, decided, kill_often, text, writing

no_set_up, git, repository, commit = (
    repositories.no_set_up,
    repositories.git,
    repositories.repository,
    repositories.commit,
)

KILLS = first(1, [1, 50])


@pytest.mark.exhaustive
@pytest.mark.parametrize("kills", [1, 50])
def test_each_line_of_a_followed_log_is_decided_once_whenever_the_watch_is_killed(
    tmp_path: Path, kills: int
) -> None:
    path, numbers, lengths = tmp_path / "app.log", count(), random.Random(0)
    path.touch()
    settings = config(tmp_path, logs=[str(path)])

    def write() -> None:
        lines = [f"line {next(numbers)}\n" for _ in range(lengths.randrange(120))]
        with path.open("a", encoding="ascii") as file:
            file.writelines(lines)

    with watching("--config", settings):  # what is there at the first start is no event
        pass
    with writing(write):
        kill_often(kills, settings)
    with path.open("a", encoding="ascii") as file:
        file.write("the last line\n")
    with watching("--config", settings) as running:
        while not running.line().endswith("the last line"):
            pass
        running.end()
    expected = Counter([f"line {number}" for number in range(next(numbers))] + ["the last line"])
    found = decided(tmp_path)
    assert (expected - found, found - expected) == (Counter(), Counter())


class Poster:
    """Posts numbered events one after the other; knows which were answered 202."""

    def __init__(self, port: int, first: int, came: Semaphore) -> None:
        self.port = port
        self.numbers = count(first)
        self.came = came
        self.accepted: list[str] = []

    def __call__(self) -> None:
        for said in [f"event {next(self.numbers)}" for _ in range(10)]:
            if self.post(said):
                self.accepted.append(said)
                self.came.release()

    def post(self, said: str) -> bool:
        event = {"source": "test", "location": "here", "delta_type": "said"}
        body = json.dumps(event | {"features": {"text": said}})
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request("POST", "/events", body, {"Content-Type": "application/json"})
            return connection.getresponse().status == 202
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()


@pytest.mark.parametrize("kills", KILLS)
def test_each_post_that_was_answered_202_is_decided_once_whenever_the_watch_is_killed(
    tmp_path: Path, kills: int
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    settings = config(tmp_path, http={"port": port})
    came = Semaphore(0)
    posters = [Poster(port, first, came) for first in (0, 1_000_000)]

    def wait(running: Running, moments: random.Random) -> None:
        for _ in range(moments.randrange(1, 60)):
            assert came.acquire(timeout=PATIENCE_S)

    with writing(posters[0]), writing(posters[1]):
        kill_often(kills, settings, wait)
    found = decided(tmp_path)
    accepted = [said for poster in posters for said in poster.accepted]
    assert [said for said in accepted if said not in found] == []
    assert set(found.values()) == {1}


def commits_decided(folder: Path) -> int:
    """How many of them so far: each is a window, as are some minutes."""
    with DecisionLog(folder / "state" / "decisions.sqlite") as log:
        return sum(log.counts().values())


@pytest.mark.exhaustive
@pytest.mark.parametrize("kills", KILLS)
def test_each_file_of_each_commit_is_decided_once_whenever_the_watch_is_killed(
    tmp_path: Path, repository: Path, commit: Callable[..., str], kills: int
) -> None:
    commit("what is there at the first start is no event", {"a": "a"})
    settings = config(tmp_path, git=[str(repository)])
    number, expected = 0, Counter[str]()

    def write() -> None:
        nonlocal number
        if number % 50 == 0 and number - commits_decided(tmp_path) > COMMITS // 2:
            return  # beyond COMMITS at once the oldest are only counted
        files = {f"{name}.txt": str(number) for name in range(30)}
        commit(f"commit {number}", files)
        expected.update(f"commit {number} {name}" for name in files)
        number += 1

    with watching("--config", settings):
        pass
    with writing(write):
        kill_often(kills, settings, at_work)
    commit("the last commit", {"z": "z"})
    with watching("--config", settings) as running:
        while not running.line().endswith("the last commit"):
            pass
        running.end()
    found = decided(tmp_path, lambda event: f"{text(event)} {event.features['path']}")
    expected["the last commit z"] = 1
    assert (expected - found, found - expected) == (Counter(), Counter())


@pytest.mark.exhaustive
@pytest.mark.parametrize("kills", KILLS)
def test_each_new_file_of_a_folder_is_decided_once_whenever_the_watch_is_killed(
    tmp_path: Path, kills: int
) -> None:
    inbox, numbers = tmp_path / "inbox", count()
    inbox.mkdir()
    (inbox / "what is there at the first start is no event").touch()
    settings = config(tmp_path, directories=[str(inbox)])

    def write() -> None:
        for _ in range(5):
            (inbox / f"file {next(numbers)}").write_text("x", encoding="ascii")

    with watching("--config", settings):
        pass
    with writing(write):
        kill_often(kills, settings, at_work)
    (inbox / "the last file").touch()
    expected = Counter([f"file {number}" for number in range(next(numbers))] + ["the last file"])
    with watching("--config", settings) as running:
        while "the last file" not in running.line():
            pass
        while expected != decided(tmp_path, lambda event: Path(event.location).name):
            running.line()
        running.end()
    assert decided(tmp_path, lambda event: f"{event.delta_type} {Path(event.location).name}") == (
        Counter([f"created {name}" for name in expected])
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("kills", KILLS)
def test_each_notification_is_decided_once_whenever_the_watch_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kills: int
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    with github_site() as site:
        account = {"token_env": "GITHUB_TOKEN", "url": site.url, "every_s": 0.02}
        settings = config(tmp_path, github=account)
        site.per_page = 5_000
        numbers, asked = count(), 0

        def write() -> None:
            nonlocal asked
            if len(site.asked) > asked:
                asked = len(site.asked)
                time = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                site.add(*(thread(next(numbers), time) for _ in range(3)))

        with watching("--config", settings) as running:
            while len(site.asked) < 2:  # the first answer has been taken
                Event().wait(0.01)
            write()
            running.line()
        with writing(write):
            kill_often(kills, settings, at_work)
        last = next(numbers)
        site.add(thread(last, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")))
        with watching("--config", settings) as running:
            while not running.line().endswith(f"Issue {last}"):
                pass
            running.end()
    expected = Counter(f"Issue {number}" for number in range(next(numbers)))
    found = decided(tmp_path)
    assert (expected - found, found - expected) == (Counter(), Counter())


@pytest.mark.exhaustive
def test_each_message_of_dovecot_is_decided_once_whenever_the_watch_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with dovecot() as server:
        _kill_beside_mail(tmp_path, monkeypatch, server.address(), server.deliver, 50)


@pytest.mark.exhaustive
def test_each_message_is_decided_once_whenever_the_watch_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with imap_stand_in() as site:

        def deliver(text: str) -> None:
            site.messages.append(f"Subject: {text}\r\n\r\n".encode())

        _kill_beside_mail(tmp_path, monkeypatch, site.address(), deliver, 2)


def _kill_beside_mail(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    address: ImapAddress,
    deliver: Callable[[str], None],
    kills: int,
) -> None:
    monkeypatch.setenv("MAIL_PASSWORD", address.password)
    mailbox = {"host": address.host, "port": address.port, "user": address.user}
    mailbox |= {"password_env": "MAIL_PASSWORD", "tls": address.tls}
    mailbox |= {"ca_file": address.ca_file} if address.ca_file else {}
    settings = config(folder, mail=[mailbox])
    numbers = count()

    def write() -> None:
        for _ in range(3):
            deliver(f"message {next(numbers)}")

    with watching("--config", settings) as running:
        with DecisionLog(folder / "state" / "decisions.sqlite") as log:
            while not log.load_states("place mail"):  # it has been looked at
                Event().wait(0.01)
        write()
        running.line()
    with writing(write):
        kill_often(kills, settings, at_work)
    deliver("the last message")
    with watching("--config", settings) as running:
        while not running.line().endswith("the last message"):
            pass
        running.end()
    found = decided(folder)
    expected = Counter([f"message {number}" for number in range(next(numbers))])
    expected["the last message"] = 1
    assert (expected - found, found - expected) == (Counter(), Counter())


@pytest.mark.exhaustive
@pytest.mark.parametrize("kills", KILLS)
def test_each_event_of_a_calendar_is_decided_once_whenever_the_watch_is_killed(
    tmp_path: Path, kills: int
) -> None:
    pytest.importorskip("recurring_ical_events", reason="needs the extra calendar")
    path, written, ticks = tmp_path / "team.ics", list[str](), count()
    settings = config(tmp_path, calendar=[{"file": str(path), "every_s": 0.05}])

    def add() -> None:
        start = datetime.now(UTC) + timedelta(days=1)
        written.append(event(f"event {len(written)}", f":{start:%Y%m%dT%H%M%SZ}"))
        path.with_suffix(".new").write_bytes(calendar(*written))
        path.with_suffix(".new").rename(path)

    def write() -> None:
        if next(ticks) % 10 == 0:
            add()

    path.write_bytes(calendar())
    with watching("--config", settings) as running:
        with DecisionLog(tmp_path / "state" / "decisions.sqlite") as log:
            while not log.load_states("place calendar"):  # it has been looked at
                Event().wait(0.01)
        add()
        running.line()
    with writing(write):
        kill_often(kills, settings)
    add()
    with watching("--config", settings) as running:
        while not running.line().endswith(f"event {len(written) - 1}"):
            pass
        running.end()
    expected = Counter(f"event {number}" for number in range(len(written)))
    found = decided(tmp_path)
    assert (expected - found, found - expected) == (Counter(), Counter())
