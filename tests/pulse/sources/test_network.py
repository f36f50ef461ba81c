from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from prefrontal.errors import InputError
from prefrontal.pulse.sources.network import NetworkSource

from .receiver import PATIENCE_S, Intake, Receiver


class Site(ThreadingHTTPServer):
    """A page on the loopback address that says what the test tells it to."""

    daemon_threads = False
    block_on_close = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Page)
        self.status, self.body, self.etag, self.target = 200, b"one", "", ""
        self.asked: list[dict[str, str]] = []
        self.answered = threading.Semaphore(0)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/page"


class Page(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        site = self.server
        site.asked.append(dict(self.headers))
        known = bool(site.etag) and self.headers.get("If-None-Match") == site.etag
        self.send_response(304 if known else site.status)
        if site.etag:
            self.send_header("ETag", site.etag)
        if site.target:
            self.send_header("Location", site.target)
        body = b"" if known else site.body
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        site.answered.release()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silence."""


@pytest.fixture
def site(no_thread_left: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    served = Site()
    thread = threading.Thread(target=served.serve_forever, args=(0.01,))
    thread.start()
    yield served
    served.shutdown()
    thread.join()
    served.server_close()


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def source(site: Site, receiver: Receiver) -> NetworkSource:
    """A source that is asked by hand, so that nothing hangs on time."""
    made = NetworkSource(site.url)
    made._poller.outlet.push = receiver
    return made


def ask(source: NetworkSource) -> None:
    source._poller.call()


def test_changed_content_is_an_event_and_the_first_answer_is_none(
    site: Site, source: NetworkSource, receiver: Receiver
) -> None:
    ask(source)
    ask(source)
    assert receiver.rest() == []
    site.body = b"second"
    ask(source)
    ask(source)
    [event] = receiver.rest()
    assert (event.source, event.location, event.delta_type) == ("network", site.url, "modified")
    hashes = [event.features.pop(name) for name in ("previous_hash", "content_hash")]
    assert len(set(hashes)) == 2
    assert event.features == {"endpoint": site.url, "status_code": 200, "size_bytes": 6}


def test_what_an_earlier_start_knew_is_compared_with_though_it_cannot_be_read_at_once(
    site: Site,
) -> None:
    intake = Intake()
    for _ in range(2):
        source = NetworkSource(site.url)
        source.start(intake)
        assert source.caught_up(PATIENCE_S) == (not source.status()["errors"])
        source.stop(PATIENCE_S)
        ask(source)
        site.body, intake.unreadable = b"second", True
    [event] = intake.rest()
    assert event.delta_type == "modified"


def test_a_page_with_an_etag_is_not_sent_twice(
    site: Site, source: NetworkSource, receiver: Receiver
) -> None:
    site.etag = '"v1"'
    ask(source)
    ask(source)
    assert [each.get("If-None-Match") for each in site.asked] == [None, '"v1"']
    site.etag, site.body = '"v2"', b"two"
    ask(source)
    ask(source)
    assert [event.delta_type for event in receiver.rest()] == ["modified"]
    assert site.asked[-1]["If-None-Match"] == '"v2"'


def test_a_page_that_goes_and_comes_back_is_deleted_and_created(
    site: Site, source: NetworkSource, receiver: Receiver
) -> None:
    ask(source)
    site.status = 404
    ask(source)
    ask(source)
    site.status = 200
    ask(source)
    gone, back = receiver.rest()
    assert (gone.delta_type, gone.features["status_code"]) == ("deleted", 404)
    assert gone.features["content_hash"] == ""
    assert (back.delta_type, back.features["previous_hash"]) == ("created", "")


def test_a_server_in_trouble_is_no_event_and_is_counted(
    site: Site, source: NetworkSource, receiver: Receiver
) -> None:
    ask(source)
    site.status = 503
    ask(source)
    site.status = 200
    ask(source)
    assert receiver.rest() == []
    assert source.status()["errors"] == 1
    assert source.status()["last_error"] == f"{site.url} answered with status 503"


def test_only_the_first_bytes_of_a_long_page_count(site: Site, receiver: Receiver) -> None:
    source = NetworkSource(site.url, max_bytes=10)
    source._poller.outlet.push = receiver
    site.body = b"x" * 100_000
    ask(source)
    site.body = b"x" * 10 + b"y"
    ask(source)
    assert receiver.rest() == []
    site.body = b"y" + b"x" * 100
    ask(source)
    assert len(receiver.rest()) == 1


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x"])
def test_a_redirect_to_anything_but_http_is_refused(
    site: Site, source: NetworkSource, target: str
) -> None:
    site.status, site.target = 302, target
    ask(source)
    assert source.status()["errors"] == 1


def test_it_polls_on_its_own_thread_until_it_is_stopped(site: Site, receiver: Receiver) -> None:
    source = NetworkSource(site.url, interval_s=0.01)
    source.start(receiver)
    assert site.answered.acquire(timeout=PATIENCE_S)
    site.body = b"two"
    [event] = receiver.take()
    assert event.delta_type == "modified"
    source.stop(PATIENCE_S)
    assert source.status()["running"] is False


def test_nobody_there_is_an_error_with_the_address_in_it(source: NetworkSource) -> None:
    lonely = NetworkSource("http://127.0.0.1:9/", timeout_s=5)
    ask(lonely)
    assert str(lonely.status()["last_error"]).startswith("http://127.0.0.1:9/ cannot be read")


@pytest.mark.parametrize(
    "url", ["", "x", "file:///etc/passwd", "http://", "http://a b/", "http://h:x/", "http://h/\n"]
)
def test_what_is_no_http_address_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="url must be an http or https address, got"):
        NetworkSource(url)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(InputError, match="url must not hold a user name or password") as refusal:
        NetworkSource("https://me:secret@example.org/")
    assert "secret" not in str(refusal.value)
