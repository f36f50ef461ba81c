"""`prefrontal watch` with durable sinks: killed, restarted, told, looked at."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from prefrontal.cli import main
from prefrontal.cli.watch.sinks import configured_sinks
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError
from prefrontal.settings import parse_settings

from ...pulse.test_outbox_kill import Receiver
from ..running import Running, watching
from .test_watch import config

TOKEN = "OUTBOX_TEST_TOKEN"


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFRONTAL_STATE", raising=False)
    monkeypatch.setenv(TOKEN, "t-o-k-e-n")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def run(*words: str | Path) -> Any:
    return CliRunner().invoke(main, [*map(str, words)])


def posting(folder: Path, receiver: Receiver, **told: Any) -> Path:
    return config(folder, sinks=[{"post": receiver.url, "name": "agent"} | told])


@pytest.mark.exhaustive
def test_a_watch_that_is_killed_before_the_answer_delivers_after_the_restart(
    tmp_path: Path, inbox: Path, receiver: Receiver
) -> None:
    receiver.go.clear()
    with watching("--config", posting(tmp_path, receiver), "--json") as running:
        (inbox / "a.pdf").write_text("x")
        shown = json.loads(running.line())
        first = receiver.next()
        assert running.end(signal.SIGKILL)[0] == -signal.SIGKILL
    receiver.go.set()
    with watching("--config", posting(tmp_path, receiver), "--json") as running:
        second = receiver.next()
        code, rest, errors = running.end()
    assert first == second
    assert second[0] == second[1]["id"] == shown["id"]
    assert (code, rest) == (130, [])
    assert errors == ["Stopped: 0 events, 0 wakes, 0 slept, 0 audits."]
    page = run("explain", shown["id"], "--state", tmp_path / "state").stdout
    assert "agent: done after 1 try, HTTP 204" in page


def test_a_receiver_that_fails_twice_gets_the_question_in_the_end(
    tmp_path: Path, inbox: Path
) -> None:
    with Receiver(500, 503, 200) as receiver:
        path = posting(tmp_path, receiver)
        with watching("--config", path) as running:
            (inbox / "a.pdf").write_text("x")
            tries = [receiver.next() for _ in range(3)]
            assert running.until("answers again")[0] == (
                "Warning: agent is down, its questions wait: HTTP 500"
            )
            running.end()
    assert tries[0] == tries[1] == tries[2]


@pytest.mark.exhaustive
def test_what_nobody_took_is_told_at_the_end_and_by_decisions_and_taken_up_later(
    tmp_path: Path, inbox: Path, receiver: Receiver
) -> None:
    receiver.codes = [503]
    state = tmp_path / "state"
    with watching("--config", posting(tmp_path, receiver), "--json") as running:
        (inbox / "a.pdf").write_text("x")
        id_ = json.loads(running.line())["id"]
        receiver.next()
        assert "1 delivery pending; the next watch takes it up." in running.end()[2]
    listed = run("decisions", "--state", state)
    assert listed.stderr == "agent: 1 question is pending (HTTP 503)\n"
    assert id_[:8] in listed.stdout
    [told] = json.loads(run("explain", id_, "--json", "--state", state).stdout)["deliveries"]
    assert (told["sink"], told["state"], told["detail"]) == ("agent", "pending", "HTTP 503")
    while not receiver.got.empty():
        receiver.next()
    receiver.codes = [200]
    with watching("--config", posting(tmp_path, receiver)) as running:
        assert receiver.next()[0] == id_
        running.end()
    assert run("decisions", "--state", state).stderr == ""


@pytest.mark.exhaustive
def test_what_was_given_up_is_told_by_decisions(
    tmp_path: Path, inbox: Path, receiver: Receiver
) -> None:
    receiver.codes = [400]
    with watching("--config", posting(tmp_path, receiver, give_up_s=0)) as running:
        (inbox / "a.pdf").write_text("x")
        receiver.next()
        assert "is given up: HTTP 400" in running.until("Error: ")[-1]
        running.end()
    told = run("decisions", "--json", "--state", tmp_path / "state").stderr
    assert told == "agent: 1 question was given up within 7 days (HTTP 400)\n"


@pytest.mark.exhaustive
def test_the_wake_hook_of_openclaw_is_a_sink(
    tmp_path: Path, inbox: Path, receiver: Receiver
) -> None:
    claw = {"url": receiver.url.removesuffix("/wake"), "token_env": TOKEN, "mode": "next-heartbeat"}
    path = config(tmp_path, sinks=[{"openclaw": claw}])
    with watching("--config", path, "--json") as running:
        (inbox / "a.pdf").write_text("x")
        shown = json.loads(running.line())
        key, body = receiver.next()
        running.end()
    assert key == shown["id"]
    assert body["text"] == f"{shown['question']} [prefrontal invoices, id {key}]"
    assert body["mode"] == "next-heartbeat"


@pytest.mark.exhaustive
def test_lines_to_a_dash_are_json_lines_on_standard_output(tmp_path: Path, inbox: Path) -> None:
    with watching("--config", config(tmp_path, sinks=[{"lines": "-"}])) as running:
        (inbox / "a.pdf").write_text("x")
        assert json.loads(running.line())["subject"] == "invoices"
        code, rest, _ = running.end()
    assert (code, rest) == (130, [])
    assert not (tmp_path / "-").exists()


@pytest.mark.exhaustive
def test_a_command_may_be_durable_too(tmp_path: Path, inbox: Path) -> None:
    script = f"sh -c 'cat >> {tmp_path}/told; test -e {tmp_path}/ready'"
    path = config(tmp_path, sinks=[{"exec": script, "durable": True}])
    with watching("--config", path) as running:
        (inbox / "a.pdf").write_text("x")
        running.until("is tried again: exit code 1")
        running.end()
    (tmp_path / "ready").touch()
    with watching("--config", path) as running:
        running.end()
    question = f"A new invoice at {inbox / 'a.pdf'}?"
    assert set((tmp_path / "told").read_text().replace("?", "?\n").splitlines()) == {question}
    with DecisionLog(tmp_path / "state" / "decisions.sqlite") as log:
        [record] = log.recent()
        [handed] = log.deliveries().of(record.id)
    assert handed.sink.startswith("command ")
    assert handed.state == "done"


@pytest.mark.exhaustive
def test_a_file_on_a_full_disk_is_told(tmp_path: Path, inbox: Path) -> None:
    path = config(tmp_path, sinks=[{"lines": "/dev/full", "durable": True}])
    with watching("--config", path) as running:
        (inbox / "a.pdf").write_text("x")
        assert "No space left on device" in running.until("/dev/full is down")[-1]
        running.end()


def names(*sinks: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The names of the plain ones and the durable ones."""
    settings = parse_settings({"sinks": list(sinks)})
    with ExitStack() as held:
        found = configured_sinks(settings, settings.sinks, held)
    return [name for name, _ in found.plain], [key for key, *_ in found.durable]


def test_a_sink_keeps_its_name_and_shows_no_more_of_its_address_than_the_host() -> None:
    address = "https://hooks.example.org/services/geheim"
    plain, durable = names({"post": address}, {"exec": "true"}, {"post": "http://[::1]:8/x"})
    assert plain == ["command"]
    assert durable == ["post hooks.example.org 7f3149ec", "post ::1 2842835f"]
    assert names({"post": address, "durable": False})[0] == ["post"]
    assert names({"post": address, "name": "agent"})[1] == ["agent"]


def test_durable_sinks_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="must each have a name of their own, got 'post a "):
        names({"post": "http://a/"}, {"post": "http://a/"})
    assert names({"post": "http://a/"}, {"post": "http://a/", "name": "b"})[1][1] == "b"


@pytest.mark.parametrize(
    ("sink", "sentence"),
    [
        ({"lines": "-", "durable": True}, r"sinks\[0\] must not be durable beside lines"),
        ({"openclaw": {"url": "http://a"}}, "openclaw must have the key token_env"),
        ({"openclaw": {"url": "http://a", "token_env": "A", "mode": "soon"}}, "mode must be one"),
        ({"post": "http://a", "give_up_s": -1}, "give_up_s must be a number of seconds"),
        ({"post": "http://a", "durable": "often"}, "durable must be true or false"),
    ],
)
def test_a_slip_in_a_sink_is_one_sentence(sink: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        parse_settings({"sinks": [sink]})


@pytest.mark.exhaustive
def test_a_token_that_is_not_in_the_environment_is_told_before_anything_runs(
    tmp_path: Path, inbox: Path
) -> None:
    claw = {"url": "http://localhost:1", "token_env": "NO_SUCH_TOKEN"}
    running = Running("--config", config(tmp_path, sinks=[{"openclaw": claw}]), inbox)
    try:
        code, _, errors = running.ended()
    finally:
        running.close()
    assert code == 2
    assert "token_env must name a variable that is set, got 'NO_SUCH_TOKEN'" in errors[-1]
