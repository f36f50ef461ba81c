"""A call of the gate looks at mailboxes, at most once a minute."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator

import pytest

from prefrontal.cli.gate.call import GateCall
from prefrontal.cli.gate.plan import GatePlan
from prefrontal.cli.gate.turn import take_turn

from ...pulse.sources.dovecot import PASSWORD, USER, dovecot
from ...pulse.sources.imap_stand_in import ImapStandIn, imap_stand_in
from .turns import Listener, Place

HELLO = b"Subject: hello\r\nFrom: bob@example.org\r\n\r\n"


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which a test moves on."""
    times = [time.time()]
    monkeypatch.setattr("time.time", lambda: times[0])
    return times


@pytest.fixture
def mail(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[ImapStandIn]:
    monkeypatch.setenv("MAIL_PASSWORD", "secret word")
    with imap_stand_in() as site:
        look_at(place, site.server_address[1])
        yield site


def look_at(place: Place, port: int) -> None:
    box = f"{{host: 127.0.0.1, port: {port}, user: ada, password_env: MAIL_PASSWORD, tls: none}}"
    place.settings(f"sources: {{mail: [{box}]}}\nstate: state\n")


def test_what_came_between_two_calls_is_one_question(
    place: Place, mail: ImapStandIn, now: list[float]
) -> None:
    mail.messages.append(b"Subject: there before\r\n\r\n")
    assert place.questions() == []
    mail.messages += [HELLO, b"Subject: again\r\n\r\n"]
    now[0] += 61
    assert not GatePlan(place.call().key()).nothing_new()
    [question] = place.questions()
    assert "hello" in str(question) or "again" in str(question)
    assert "there before" not in str(question)
    now[0] += 61
    assert place.questions() == []


def test_within_a_minute_nobody_asks_again(
    place: Place, mail: ImapStandIn, now: list[float]
) -> None:
    place.take()
    asked = len(mail.commands)
    mail.messages.append(HELLO)
    now[0] += 30
    assert GatePlan(place.call().key()).nothing_new()
    assert place.questions() == []  # although all the others are looked at
    assert len(mail.commands) == asked
    now[0] += 31
    assert len(place.questions()) == 1


def test_a_refusal_wakes_once_and_what_came_meanwhile_is_told_later(
    place: Place, mail: ImapStandIn, now: list[float]
) -> None:
    place.take()
    mail.said["LOGIN"] = "TAG NO not now\r\n"
    mail.messages.append(HELLO)
    now[0] += 61
    answer = json.loads(place.take("json").output)
    assert (answer["wake"], answer["questions"]) == (True, [])
    assert "refuses 'ada'" in answer["fault"]
    now[0] += 61
    assert json.loads(place.take("json").output)["wake"] is False
    del mail.said["LOGIN"]
    now[0] += 61
    assert len(place.questions()) == 1


def test_a_server_that_says_nothing_is_waited_for_and_named(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIL_PASSWORD", "secret word")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        look_at(place, silent.getsockname()[1])
        caller = Listener()
        take_turn(GateCall(workspace=str(place.folder), form="json", limit_s=0.2), caller)
    [report] = caller.reports
    answer = json.loads(report.output)
    assert answer["wake"] is True
    assert answer["fault"] == "ada/INBOX did not answer in time"
    assert caller.steps > 8  # so that who waits for the answer knows that somebody lives


def test_what_failed_at_once_is_not_waited_for_again(place: Place, mail: ImapStandIn) -> None:
    mail.said["LOGIN"] = "TAG NO not now\r\n"
    caller = Listener()
    take_turn(place.call("json"), caller)
    assert "refuses 'ada'" in json.loads(caller.reports[0].output)["fault"]
    assert caller.steps < 8


def test_without_its_password_a_mailbox_is_named_and_all_else_is_looked_at(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.take()
    monkeypatch.delenv("MAIL_PASSWORD", raising=False)
    box = "{host: imap.example.org, user: ada, password_env: MAIL_PASSWORD}"
    place.settings(f"sources: {{logs: [app.log], mail: [{box}]}}\nstate: state\n")
    place.write("ERROR the database is gone")
    answer = json.loads(place.take("json").output)
    unset = "sources.mail.password_env must name a variable that is set, got 'MAIL_PASSWORD'"
    assert answer["fault"] == unset
    [question] = answer["questions"]
    assert "the database is gone" in question["question"]


@pytest.mark.exhaustive
def test_a_mailbox_of_dovecot_is_looked_at(
    place: Place, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIL_PASSWORD", PASSWORD)
    with dovecot() as server:
        address = server.address("implicit")
        where = f"host: {address.host}, port: {address.port}, ca_file: {address.ca_file}"
        box = f"{{{where}, user: {USER}, password_env: MAIL_PASSWORD}}"
        place.settings(f"sources: {{mail: [{box}]}}\nstate: state\n")
        assert place.questions() == []
        server.deliver("The build is red")
        now[0] += 61
        [question] = place.questions()
        assert "The build is red" in str(question)
        now[0] += 61
        assert place.questions() == []
