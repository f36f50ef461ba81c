from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.sources.github_notifications import GitHubAccount, GitHubNotifications
from prefrontal.settings.gate import GateSettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

from ..test_positions import MODULE
from .github_site import TOKEN, GitHubSite, github_site, thread
from .receiver import PATIENCE_S, Receiver

T0, T1, T2, T3 = (f"2026-11-23T10:00:{second:02}Z" for second in range(4))
NOW = 1_795_428_000.0  # a little before T0


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHubSite]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with github_site() as served:
        yield served


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def source(site: GitHubSite, receiver: Receiver) -> GitHubNotifications:
    """A source that is asked by hand, so that nothing hangs on time."""
    made = GitHubNotifications(GitHubAccount(TOKEN, site.url), clock=ManualClock(NOW))
    made._poller.outlet.push = receiver
    return made


def ask(source: GitHubNotifications) -> None:
    source._poller.call()


def texts(events: list[SignalEvent]) -> list[str]:
    return [str(event.features["text"]) for event in events]


def test_what_is_there_first_is_no_event_and_what_comes_is_told_oldest_first(
    site: GitHubSite, source: GitHubNotifications, receiver: Receiver
) -> None:
    site.add(thread(1, T0))
    ask(source)
    assert receiver.rest() == []
    site.add(thread(2, T1), thread(3, T2))
    ask(source)
    ask(source)
    second, third = receiver.rest()
    assert texts([second, third]) == ["Issue 2", "Issue 3"]
    assert (second.source, second.delta_type) == ("github", "notification.mention")
    assert second.location == "https://github.com/ada/engine/issues/2"
    assert second.features == {
        "text": "Issue 2",
        "repository": "ada/engine",
        "reason": "mention",
        "kind": "Issue",
        "number": 2,
    }


def test_a_thread_that_goes_on_is_told_of_again_and_one_of_the_same_second_too(
    site: GitHubSite, source: GitHubNotifications, receiver: Receiver
) -> None:
    site.add(thread(1, T0))
    ask(source)
    site.add(thread(1, T1))
    ask(source)
    site.add(thread(2, T1))
    ask(source)
    assert texts(receiver.rest()) == ["Issue 1", "Issue 2"]


def test_the_first_that_ever_comes_is_told(
    site: GitHubSite, source: GitHubNotifications, receiver: Receiver
) -> None:
    ask(source)
    site.add(thread(1, "2026-11-23T09:59:59Z"))
    ask(source)
    assert texts(receiver.rest()) == ["Issue 1"]


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("pulls/7", "https://github.com/ada/engine/pull/7"),
        ("commits/6dcb09b", "https://github.com/ada/engine/commit/6dcb09b"),
        ("check-suites/7", "https://github.com/ada/engine"),
    ],
)
def test_the_location_is_an_address_that_a_person_can_open(
    site: GitHubSite, source: GitHubNotifications, receiver: Receiver, kind: str, address: str
) -> None:
    ask(source)
    api = f"https://api.github.com/repos/ada/engine/{kind}"
    subject = {"title": "x", "url": api, "type": "PullRequest"}
    site.add(thread(1, T1, subject=subject))
    ask(source)
    assert [event.location for event in receiver.rest()] == [address]


def test_what_did_not_change_is_asked_with_conditions_and_costs_nothing(
    site: GitHubSite, source: GitHubNotifications, receiver: Receiver
) -> None:
    site.extra = {"Last-Modified": "Mon, 23 Nov 2026 10:00:00 GMT"}
    site.add(thread(1, T0))
    ask(source)
    ask(source)
    ask(source)
    _, headers = site.asked[-1]
    assert headers["If-None-Match"]
    assert headers["If-Modified-Since"] == "Mon, 23 Nov 2026 10:00:00 GMT"
    assert headers["Authorization"] == f"Bearer {TOKEN}"
    site.add(thread(2, T1))
    ask(source)
    assert texts(receiver.rest()) == ["Issue 2"]


def test_all_pages_are_read(
    site: GitHubSite, source: GitHubNotifications, receiver: Receiver
) -> None:
    ask(source)
    site.per_page = 3
    site.add(*(thread(number, T1) for number in range(10)))
    ask(source)
    assert len(receiver.rest()) == 10
    pages = [path for path, _ in site.asked if "page=" in path.replace("per_page=", "")]
    assert len(pages) == 3


@pytest.mark.parametrize(
    ("headers", "delay_s"),
    [
        ({}, 60.0),
        ({"X-Poll-Interval": "120"}, 120.0),
        ({"X-Poll-Interval": "5"}, 60.0),
        ({"X-Poll-Interval": "a while"}, 60.0),
        ({"Retry-After": "300"}, 300.0),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": f"{NOW + 90:.0f}"}, 90.0),
        ({"X-RateLimit-Remaining": "7", "X-RateLimit-Reset": f"{NOW + 90:.0f}"}, 60.0),
        ({"X-Poll-Interval": "9999999"}, 3600.0),
    ],
)
def test_it_waits_as_long_as_github_asks(
    site: GitHubSite, source: GitHubNotifications, headers: dict[str, str], delay_s: float
) -> None:
    site.extra = headers
    ask(source)
    assert source._poller.delay_s() == delay_s


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "answered 401: the token is not valid"),
        (403, "answered 403: the token must be classic, with the scope notifications or repo"),
        (301, "answered 301"),
        (502, "answered 502"),
    ],
)
def test_a_refusal_is_told_once_without_the_token_and_asked_after_less_often(
    site: GitHubSite,
    source: GitHubNotifications,
    receiver: Receiver,
    caplog: pytest.LogCaptureFixture,
    status: int,
    words: str,
) -> None:
    site.etags = False
    site.add(thread(1, T0))
    ask(source)
    site.status, site.extra = status, {"Location": "http://127.0.0.1:9/elsewhere"}
    site.add(thread(2, T1))
    with caplog.at_level(logging.DEBUG):
        ask(source)
        ask(source)
    (record,) = caplog.records
    assert words in record.getMessage()
    assert TOKEN not in caplog.text + repr(source.status()) + repr(source._account)
    assert source._poller.delay_s() == 240.0
    site.status = 200
    ask(source)
    assert texts(receiver.rest()) == ["Issue 2"]


@pytest.mark.parametrize("body", [b"<html>", b"{}", b"[" * 100_000, b"\xff"])
def test_an_answer_that_is_no_list_is_told_and_what_comes_next_is_read(
    site: GitHubSite, source: GitHubNotifications, receiver: Receiver, body: bytes
) -> None:
    site.etags = False
    ask(source)
    site.body = body
    ask(source)
    assert "must answer with a JSON list" in str(source.status()["last_error"])
    site.body = None
    site.add(thread(1, T1))
    ask(source)
    assert texts(receiver.rest()) == ["Issue 1"]


def test_notifications_that_are_none_are_counted_and_passed_over(
    site: GitHubSite,
    source: GitHubNotifications,
    receiver: Receiver,
    caplog: pytest.LogCaptureFixture,
) -> None:
    ask(source)
    bare = {"id": "9", "updated_at": T3}
    odd = ["x", {"id": 7, "updated_at": T1}, {"id": "7", "updated_at": "soon"}]
    site.body = json.dumps([*odd, thread(2, T1, subject="?", repository=None), bare]).encode()
    ask(source)
    assert [event.location for event in receiver.rest()] == [source._account.host] * 2
    assert source.status()["malformed"] == 3
    assert "3 notifications without id or time" in caplog.text


def test_a_next_page_elsewhere_is_not_asked(
    site: GitHubSite, source: GitHubNotifications, receiver: Receiver
) -> None:
    site.extra = {"Link": '<http://example.org/next>; rel="next"'}
    ask(source)
    assert "must not point to another server" in str(source.status()["last_error"])
    assert receiver.rest() == []


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("http://example.org", "must be https, since a token goes along"),
        ("ftp://example.org", "must be an http or https address"),
        ("example.org", "must be an http or https address"),
        ("https://a:b@example.org", "must not hold a user name or password"),
    ],
)
def test_an_address_that_would_tell_the_token_is_refused(url: str, rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        GitHubAccount(TOKEN, url)
    with pytest.raises(InputError, match="token must be visible ASCII"):
        GitHubAccount("two words")


def test_a_later_start_goes_on_where_the_decisions_end(site: GitHubSite, tmp_path: Path) -> None:
    site.add(thread(1, T0))
    account = GitHubAccount(TOKEN, site.url)

    def run(number: int, time: str) -> None:
        came = Event()
        notifications = GitHubNotifications(account, 0.01, clock=ManualClock(NOW))
        with (
            DecisionLog(tmp_path / "decisions.sqlite") as log,
            woken_by(notifications, log, came, f"Issue {number}"),
        ):
            while len(site.asked) < 2:  # the first answer has been taken
                Event().wait(0.01)
            site.add(thread(number, time))
            assert came.wait(PATIENCE_S)

    run(2, T1)
    run(3, T2)
    with DecisionLog(tmp_path / "decisions.sqlite") as log:
        assert texts([each.window[0] for each in log.records()]) == ["Issue 2", "Issue 3"]


@contextmanager
def woken_by(
    source: GitHubNotifications, log: DecisionLog, came: Event, text: str
) -> Iterator[None]:
    """A watch that sets `came` when it wakes for the text."""

    def hear(decision: Decision) -> None:
        if decision.window[0].features["text"] == text:
            came.set()

    watch = Watch(GateSettings(audit_share=0.0), log, sources=[source])
    watch.add(MODULE)
    watch.on_wake(hear)
    watch.start()
    try:
        yield
    finally:
        assert watch.stop(PATIENCE_S)
