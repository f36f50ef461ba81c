"""Mail against Debian's dovecot, and against a server that says odd things."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError, SourceError
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.sources import imap_session, mail
from prefrontal.pulse.sources.imap_session import ImapAddress, ImapSession, Tls, _quoted
from prefrontal.pulse.sources.mail import MailSource
from prefrontal.pulse.sources.mail_message import read_message
from prefrontal.settings.gate import GateSettings
from prefrontal.types import SignalEvent

from ...exhaustive import first
from ..test_positions import MODULE
from .dovecot import PASSWORD, USER, Dovecot, dovecot
from .imap_stand_in import ImapStandIn, imap_stand_in
from .receiver import PATIENCE_S, Receiver


@pytest.fixture
def server() -> Iterator[Dovecot]:
    with dovecot() as running:
        yield running


@pytest.fixture
def stand_in() -> Iterator[ImapStandIn]:
    with imap_stand_in() as served:
        yield served


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def begun() -> Iterator[Callable[[ImapAddress, Receiver], MailSource]]:
    """Starts sources, and ends them."""
    sources: list[MailSource] = []

    def begin(address: ImapAddress, receiver: Receiver) -> MailSource:
        source = MailSource(address, first_wait_s=0.01)
        sources.append(source)
        source.start(receiver)
        return source

    yield begin
    for source in sources:
        source.stop(PATIENCE_S)


def until(holds: Callable[[], object]) -> None:
    for _ in range(round(PATIENCE_S / 0.01)):
        if holds():
            return
        Event().wait(0.01)
    pytest.fail("it did not come to that")


def texts(events: list[SignalEvent]) -> list[str]:
    return [str(event.features["text"]) for event in events]


Begun = Callable[[ImapAddress, Receiver], MailSource]


@pytest.mark.parametrize("tls", first(1, ["implicit", "starttls", "none"]))
def test_new_mail_is_told_at_once_and_what_is_there_first_is_not(
    server: Dovecot, receiver: Receiver, begun: Begun, tls: Tls
) -> None:
    server.deliver("old")
    source = begun(server.address(tls), receiver)
    until(lambda: source.status()["connections"])
    server.deliver("=?utf-8?q?F=C3=BCr_Ada?=", "=?utf-8?b?TMO2d2U=?= <loewe@example.org>")
    (event,) = receiver.take(1)
    assert (event.source, event.location, event.delta_type) == ("mail", f"{USER}/INBOX", "received")
    assert event.features.pop("size_bytes") > 100
    assert event.features == {
        "actor": "Löwe <loewe@example.org>",
        "sender": "loewe@example.org",
        "text": "Für Ada",
        "to": USER,
    }
    with_flags = [path.name for path in (server.folder / "mail").glob("cur/*")]
    assert not [name for name in with_flags if name.endswith("S")]  # it stays unread


@pytest.mark.exhaustive
def test_it_connects_anew_and_tells_what_came_meanwhile_and_nothing_twice(
    server: Dovecot, receiver: Receiver, begun: Begun
) -> None:
    source = begun(server.address(), receiver)
    until(lambda: source.status()["connections"])
    server.deliver("one")
    assert texts(receiver.take(1)) == ["one"]
    server.end()
    server.deliver("two")
    until(lambda: source.status()["errors"])
    server.begin()
    server.deliver("three")
    assert texts(receiver.take(2)) == ["two", "three"]
    assert source.status()["connections"] == 2
    assert receiver.rest() == []


@pytest.mark.exhaustive
def test_numbers_that_begin_anew_lose_nothing_and_tell_nothing_twice(
    server: Dovecot, receiver: Receiver, begun: Begun
) -> None:
    server.deliver("old")
    source = begun(server.address(), receiver)
    until(lambda: source.status()["connections"])
    server.deliver("one")
    assert texts(receiver.take(1)) == ["one"]
    server.end()
    server.number_anew()
    server.deliver("two")
    server.begin()
    assert texts(receiver.take(1)) == ["two"]
    server.deliver("three")
    assert texts(receiver.take(1)) == ["three"]
    assert receiver.rest() == []


@pytest.mark.exhaustive
def test_a_later_start_goes_on_where_the_decisions_end(server: Dovecot, tmp_path: Path) -> None:
    def run(text: str, *others: str) -> list[str]:
        came = Event()

        def hear(decision: Decision) -> None:
            if decision.window[0].features["text"] == text:
                came.set()

        with DecisionLog(tmp_path / "decisions.sqlite") as log:
            source = MailSource(server.address(), first_wait_s=0.01)
            watch = Watch(GateSettings(audit_share=0.0), log, sources=[source])
            watch.add(MODULE)
            watch.on_wake(hear)
            watch.start()
            until(lambda: source.status()["connections"])
            for each in others:
                server.deliver(each)
            assert came.wait(PATIENCE_S)
            assert watch.stop(PATIENCE_S)
            return texts([each.window[0] for each in log.records()])

    assert run("one", "one") == ["one"]
    server.deliver("while nothing ran")
    assert run("two", "two") == ["one", "while nothing ran", "two"]


@pytest.mark.exhaustive
def test_a_certificate_that_nobody_vouches_for_is_refused(
    server: Dovecot, receiver: Receiver, begun: Begun
) -> None:
    for tls in ("implicit", "starttls"):
        with pytest.raises(SourceError, match="CERTIFICATE_VERIFY_FAILED"):
            ImapSession(replace(server.address(tls), ca_file=""))


@pytest.mark.exhaustive
def test_a_wrong_password_is_told_without_it_and_not_tried_again_soon(
    server: Dovecot, caplog: pytest.LogCaptureFixture
) -> None:
    source = MailSource(server.address(password="wrong one"), first_wait_s=0.01)
    waits: list[float | None] = []

    class Ending(Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.append(timeout)
            self.set()
            return True

    with caplog.at_level(logging.DEBUG):
        source._run(Ending())
    assert waits == [mail.LONGEST_WAIT_S]
    (record,) = caplog.records
    assert f"127.0.0.1 refuses {USER!r}" in record.getMessage()
    assert "wrong one" not in caplog.text + repr(source.status()) + repr(source._address)


def test_a_connection_that_ends_is_made_anew_and_numbers_that_begin_anew_are_known(
    stand_in: ImapStandIn, receiver: Receiver, begun: Begun
) -> None:
    stand_in.messages += [b"Subject: %d\r\nMessage-ID: <%d>\r\n\r\n" % (n, n) for n in range(3)]
    source = begun(stand_in.address(), receiver)
    assert stand_in.asked.acquire(timeout=PATIENCE_S)
    stand_in.messages.append(b"Subject: told\r\n\r\n")
    assert texts(receiver.take(1)) == ["told"]
    stand_in.examined = stand_in.examined.replace("UIDVALIDITY 7", "UIDVALIDITY 8")
    # Of the second of the newest that was there, none but that one is known.
    stand_in.messages[:2] = []
    stand_in.said["SEARCH"] = ""
    stand_in.messages.append(b"Subject: lost connection\r\n\r\n")
    until(lambda: source.status()["errors"])
    del stand_in.said["SEARCH"]
    assert texts(receiver.take(1)) == ["lost connection"]
    stand_in.messages.append(b"Subject: after\r\n\r\n")
    assert texts(receiver.take(1)) == ["after"]
    assert receiver.rest() == []


def test_a_server_without_idle_is_asked_now_and_then(
    stand_in: ImapStandIn, receiver: Receiver, begun: Begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "ASK_S", 0.01)
    stand_in.capabilities = "IMAP4rev1"
    begun(stand_in.address(), receiver)
    assert stand_in.asked.acquire(timeout=PATIENCE_S)
    stand_in.messages.append(b"Subject: one\r\n\r\n")
    assert texts(receiver.take(1)) == ["one"]
    assert not [command for command in stand_in.commands if command.startswith("IDLE")]


def test_nothing_but_headers_is_asked_for_and_nothing_is_changed(
    stand_in: ImapStandIn, receiver: Receiver, begun: Begun
) -> None:
    stand_in.messages.append(b"Subject: old\r\n\r\n")
    begun(stand_in.address(), receiver)
    assert stand_in.asked.acquire(timeout=PATIENCE_S)
    names = [command.removeprefix("UID ").partition(" ")[0] for command in stand_in.commands]
    assert set(names) == {"CAPABILITY", "LOGIN", "EXAMINE", "SEARCH", "FETCH", "IDLE"}
    (fetched,) = {each for each in stand_in.commands if "FETCH" in each}
    assert "BODY.PEEK[HEADER.FIELDS (FROM TO SUBJECT DATE MESSAGE-ID LIST-ID)]" in fetched


def test_messages_come_in_the_order_of_their_numbers_each_once_in_batches(
    stand_in: ImapStandIn, receiver: Receiver, begun: Begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "BATCH", 3)
    monkeypatch.setattr(mail, "ASK_S", 0.01)
    stand_in.capabilities = "IMAP4rev1"
    begun(stand_in.address(), receiver)
    assert stand_in.asked.acquire(timeout=PATIENCE_S)
    stand_in.messages += [b"Subject: %d\r\n\r\n" % number for number in range(10)]
    assert texts(receiver.take(10)) == [str(number) for number in range(10)]
    for _ in range(3):
        assert stand_in.asked.acquire(timeout=PATIENCE_S)
    assert receiver.rest() == []


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"LOGIN": "TAG NO [AUTHENTICATIONFAILED] not secret word\r\n"}, "refuses 'ada': [AUTH"),
        ({"EXAMINE": "TAG NO no such folder\r\n"}, "has no folder 'INBOX'"),
        ({"SEARCH": "TAG BAD what?\r\n"}, "cannot be read: UID command error: BAD [b'what?']"),
        ({"SEARCH": "* SEARCH x y\r\nTAG OK done\r\n"}, "cannot be read: invalid literal"),
        ({"SEARCH": ""}, "cannot be read: command: UID => socket error: EOF"),
        ({"IDLE": "TAG NO not now\r\n"}, "cannot be read: it ended the wait (NO not now)"),
        ({"IDLE": "+ yes\r\n* BYE going down\r\n"}, "it ended the wait (* BYE going down)"),
        ({"LOGINDISABLED": ""}, "127.0.0.1 takes no password without TLS"),
    ],
)
def test_what_a_server_refuses_is_told_in_a_sentence(
    stand_in: ImapStandIn, receiver: Receiver, begun: Begun, said: dict[str, str], words: str
) -> None:
    stand_in.capabilities += "".join(f" {each}" for each in said if each == "LOGINDISABLED")
    stand_in.said |= said
    source = begun(stand_in.address(), receiver)
    until(lambda: source.status()["errors"])
    assert words in str(source.status()["last_error"])
    assert "secret word" not in repr(source.status())


def test_a_server_that_falls_silent_is_left(
    stand_in: ImapStandIn, receiver: Receiver, begun: Begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap_session, "ANSWER_S", 0.05)
    stand_in.said["SEARCH"] = "* OK still here\r\n"
    source = begun(stand_in.address(), receiver)
    until(lambda: source.status()["errors"])
    assert "no answer in time" in str(source.status()["last_error"])


def test_a_message_without_a_number_is_counted_and_passed_over(
    stand_in: ImapStandIn, receiver: Receiver, begun: Begun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "ASK_S", 0.01)
    stand_in.capabilities = "IMAP4rev1"
    source = begun(stand_in.address(), receiver)
    assert stand_in.asked.acquire(timeout=PATIENCE_S)
    usual = stand_in.fetched
    stand_in.fetched = b"* %(number)d FETCH (BODY[] {%(size)d}\r\n%(headers)s)\r\n"
    stand_in.messages.append(b"Subject: nobody knows\r\n\r\n")
    until(lambda: source.status()["malformed"])
    # Some servers tell the number behind the headers.
    stand_in.fetched = b"* 1 FETCH (BODY[] {%(size)d}\r\n%(headers)s UID %(number)d)\r\n"
    stand_in.messages.append(b"Subject: behind\r\n\r\n")
    assert texts(receiver.take(1)) == ["behind"]
    stand_in.fetched = usual
    stand_in.messages.append(b"Subject: before\r\n\r\n")
    assert texts(receiver.take(1)) == ["before"]
    assert source.status()["malformed"] == 1


@pytest.mark.parametrize(
    ("headers", "actor", "text"),
    [
        (b"", None, None),
        (b"Subject: =?no-such-charset?q?x?=\r\n", None, "=?no-such-charset?q?x?="),
        (b"Subject: =?utf-8?b?!!!?=\r\n", None, ""),
        (b"Subject: \xff\xfe raw\r\n", None, "\ufffd\ufffd raw"),
        (b"Subject: a\x1b[31mb\r\n c\r\n", None, "a[31mb c"),
        (b'From: "Bob" <BOB@example.org>\r\n', "Bob <BOB@example.org>", None),
        (b"From: undisclosed\r\n", "undisclosed", None),
        (b"no colon at all\r\n", None, None),
        (b"From: " + 65_000 * b"," + b"\r\nSubject: commas\r\n", None, "commas"),
        (b"From: " + 65_000 * b"(" + b"\r\nSubject: brackets\r\n", None, "brackets"),
    ],
)
def test_headers_of_any_kind_are_read(headers: bytes, actor: str | None, text: str | None) -> None:
    message = read_message(b"1 (UID 5", headers + b"\r\n", "ada/INBOX", 7.0)
    assert message is not None
    features = message.event.features
    assert (features.get("actor"), features.get("text") or text) == (actor, text)
    assert message.came == 7.0


def test_names_of_folders_are_written_as_imap_wants() -> None:
    assert _quoted('Say "hi" \\ & bye') == '"Say \\"hi\\" \\\\ &- bye"'
    assert _quoted("台北/日本語") == '"&U,BTFw-/&ZeVnLIqe-"'  # from RFC 3501


def test_a_password_is_not_sent_in_the_clear_to_another_machine() -> None:
    with pytest.raises(InputError, match="tls must be implicit or starttls unless"):
        ImapAddress("mail.example.org", 143, "ada", PASSWORD, tls="none")


def test_a_place_that_cannot_be_read_is_told_and_the_next_is_a_first_start(
    caplog: pytest.LogCaptureFixture, stand_in: ImapStandIn
) -> None:
    source = MailSource(stand_in.address())

    content = json.dumps({"validity": 1}).encode()
    source._place.read = lambda: content  # type: ignore[method-assign]
    assert source._stored() is None
    assert "not known any more" in caplog.text
