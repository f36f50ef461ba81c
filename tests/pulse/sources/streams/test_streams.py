"""A stream is read in its order, on from where the last decision was stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError
from prefrontal.protocols import Source
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.shells.watch import Watch
from prefrontal.pulse.sources.streams.nats_stream import NatsStreamSource
from prefrontal.pulse.sources.streams.redis_stream import RedisStreamSource
from prefrontal.settings.gate import GateSettings

from ..receiver import Intake
from .stream_servers import PATIENCE_S, STREAM, StreamServer, stream_server

pytestmark = pytest.mark.exhaustive
MODULE = parse_fingerprint(
    {
        "module_id": "everything",
        "cluster": "test",
        "version": "1",
        "question_template": "{location} says something",
        "default_threshold": 0.0,
        "signal_priors": {},
    }
)


def event(text: str) -> str:
    document = {"source": "app", "location": "here", "delta_type": "said"}
    return json.dumps(document | {"features": {"text": text}})


def cloud_event(text: str) -> str:
    document = {"specversion": "1.0", "id": text, "source": "app", "type": "said"}
    return json.dumps(document | {"data": text})


class Reading:
    """A gate that reads the stream, and what it was told."""

    def __init__(self, kind: str, server: StreamServer, folder: Path) -> None:
        self._kind, self._server = kind, server
        self.log = DecisionLog(folder / "decisions.sqlite")
        self.watch: Watch | None = None

    def source(self) -> Source:
        if self._kind == "redis":
            return RedisStreamSource(self._server.url, STREAM)
        return NatsStreamSource(self._server.url, STREAM)

    def begin(self) -> None:
        source = self.source()
        self.watch = Watch(GateSettings(audit_share=0.0), self.log, sources=[source])
        self.watch.add(MODULE)
        self.watch.start()
        assert self.watch.caught_up(PATIENCE_S)

    def end(self) -> None:
        if self.watch is not None:
            assert self.watch.stop(PATIENCE_S)
            self.watch = None

    def texts(self) -> list[str]:
        return [str(each.window[0].features["text"]) for each in self.log.records()]

    def wait_for(self, last: str) -> list[str]:
        """The texts once that one is decided about."""
        for _ in range(int(PATIENCE_S / 0.05)):
            if last in (texts := self.texts()):
                return texts
            Event().wait(0.05)
        raise AssertionError(f"{last} did not come, only {self.texts()}")


@pytest.fixture(params=["redis", "nats"])
def reading(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reading]:
    (tmp_path / "server").mkdir()
    with ExitStack() as held:
        server = held.enter_context(stream_server(request.param, tmp_path / "server"))
        reading = Reading(request.param, server, tmp_path)
        held.callback(reading.log.close)
        held.callback(reading.end)
        yield reading


def test_a_stream_is_read_on_from_where_its_decisions_end(reading: Reading) -> None:
    server = reading._server
    server.add(event("before the first start"))
    reading.begin()
    server.add(event("one"), "no event", cloud_event("two"))
    assert reading.wait_for("two") == ["one", "two"]
    reading.end()
    server.add(event("while nothing ran"))
    reading.begin()
    server.add(event("last"))
    assert reading.wait_for("last") == ["one", "two", "while nothing ran", "last"]


def test_a_place_that_was_not_stored_is_read_again(reading: Reading) -> None:
    reading.begin()
    reading._server.add(event("one"))
    reading.wait_for("one")
    reading.end()
    [name] = reading.log.load_states("place ")
    before = reading.log.load_state(name)
    assert before is not None
    reading._server.add(event("two"), event("three"))
    reading.begin()
    reading.wait_for("three")
    reading.end()
    reading.log.save_state(name, before[0], 0)  # as if the commit had been lost
    reading.begin()
    reading._server.add(event("four"))
    assert reading.wait_for("four") == ["one", "two", "three", "two", "three", "four"]


def test_what_is_handed_on_and_not_yet_decided_is_not_read_again_after_a_fault(
    reading: Reading,
) -> None:
    source, server, intake = reading.source(), reading._server, Intake(is_behind=True)
    assert isinstance(source, RedisStreamSource | NatsStreamSource)
    source._poller.outlet.push = intake
    source._poller.call()
    server.add(event("one"))
    source._poller.call()
    server.fail(source)
    assert source.status()["errors"] == 1
    server.add(event("two"))
    source._poller.call()
    source.stop(PATIENCE_S)
    assert [each.features["text"] for each in intake.rest()] == ["one", "two"]


def test_what_was_removed_unread_is_told_and_a_stream_made_anew_is_read_whole(
    reading: Reading, caplog: pytest.LogCaptureFixture
) -> None:
    reading.begin()
    reading._server.add(event("one"))
    reading.wait_for("one")
    reading.end()
    reading._server.add(event("two"), event("three"))
    reading._server.trim(1)
    reading.begin()
    assert reading.wait_for("three") == ["one", "three"]
    reading.end()
    assert "that were not read" in caplog.text
    reading._server.empty()
    reading._server.add(event("anew"))
    reading.begin()
    reading.wait_for("anew")


def test_another_url_is_refused() -> None:
    pytest.importorskip("redis")
    with pytest.raises(InputError, match=r"sources.redis.url must be redis://HOST"):
        RedisStreamSource("http://localhost", STREAM)
