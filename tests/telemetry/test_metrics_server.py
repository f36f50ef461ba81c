"""GET /metrics over a real connection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse

import pytest
from prometheus_client.parser import text_string_to_metric_families

from prefrontal.errors import InputError, SourceError
from prefrontal.telemetry import MetricsDoor, MetricsServer

from .gates import Mute, gate, run

TOKEN = "sixteen characters"


def ask(
    server: MetricsServer, path: str, method: str = "GET", **headers: str
) -> tuple[HTTPResponse, str]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer, answer.read().decode()
    finally:
        connection.close()


@pytest.fixture
def server() -> Iterator[MetricsServer]:
    registry = gate()
    run(registry)
    with MetricsServer(registry, MetricsDoor(port=0)) as listening:
        yield listening


def test_the_page_is_text_in_prometheus_format(server: MetricsServer) -> None:
    answer, page = ask(server, "/metrics")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert int(answer.headers["Content-Length"]) == len(page.encode())
    events = next(each for each in text_string_to_metric_families(page))
    assert [(each.name, each.value) for each in events.samples] == [("prefrontal_events_total", 5)]


def test_anything_else_is_refused_with_json(server: MetricsServer) -> None:
    for method, path, status in (("GET", "/", 404), ("POST", "/metrics", 405)):
        answer, document = ask(server, path, method)
        assert answer.status == status
        assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
        assert list(json.loads(document)) == ["error"]
    assert json.loads(ask(server, "/health")[1]) == {"status": "ok"}


def test_figures_that_cannot_be_read_are_an_error_that_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with MetricsServer(gate(sources=[Mute()]), MetricsDoor(port=0)) as server:
        answer, document = ask(server, "/metrics")
    assert answer.status == 500
    assert json.loads(document) == {"error": "the figures could not be read; the log says why"}
    assert "no status" in caplog.text


def test_no_web_page_reads_it_through_somebodys_browser(server: MetricsServer) -> None:
    assert ask(server, "/metrics", Origin="https://example.org")[0].status == 403
    assert ask(server, "/metrics", Host="example.org")[0].status == 403


def test_with_a_token_only_who_has_it_reads_the_page() -> None:
    with MetricsServer(gate(), MetricsDoor(port=0, token=TOKEN)) as server:
        assert ask(server, "/metrics")[0].status == 401
        assert ask(server, "/metrics", Authorization=f"Bearer {TOKEN}")[0].status == 200


def test_it_starts_and_stops_as_often_as_one_likes(server: MetricsServer) -> None:
    port = server.port
    server.start()
    assert server.port == port
    server.stop()
    server.stop()
    with pytest.raises(ConnectionRefusedError):
        HTTPConnection("127.0.0.1", port, timeout=5).connect()
    server.start()
    assert ask(server, "/metrics")[0].status == 200


def test_a_port_that_is_taken_is_one_sentence(server: MetricsServer) -> None:
    second = MetricsServer(gate(), MetricsDoor(port=server.port))
    with pytest.raises(
        SourceError, match=r"cannot listen on 127\.0\.0\.1:\d+: port \d+ is in use; `--metrics 0`"
    ):
        second.start()


def test_beyond_this_machine_it_needs_a_token() -> None:
    with pytest.raises(
        InputError,
        match=r"token must be set unless .*; telemetry\.metrics\.token_env names the env",
    ):
        MetricsDoor(host="0.0.0.0")
