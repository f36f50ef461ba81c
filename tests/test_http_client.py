from __future__ import annotations

import pytest

from prefrontal.errors import SourceError
from prefrontal.http_client import PageReader, http_parts

from .pulse.sources.conftest import no_thread_left
from .pulse.sources.test_network import Site, site

__all__ = ["no_thread_left", "site"]


def test_a_page_that_is_too_long_is_refused_or_ends_at_the_bound(site: Site) -> None:
    site.body = b"x" * 11
    with pytest.raises(SourceError, match="the page has more than 10 bytes"):
        PageReader(5.0, 10, follows=False).read(site.url, {}, "the page")
    page = PageReader(5.0, 10, follows=False, cuts=True).read(site.url, {}, "the page")
    assert (page.status, page.body) == (200, b"x" * 10)
    site.body = b"x" * 10
    assert PageReader(5.0, 10, follows=False).read(site.url, {}, "the page").body == site.body


def test_what_is_asked_of_this_machine_goes_through_no_proxy(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert PageReader(5.0, 10, follows=False).read(site.url, {}, "it").body == b"one"


def test_a_redirect_is_an_answer_where_it_is_not_followed(site: Site) -> None:
    site.status, site.target = 302, "http://127.0.0.1:9/"
    assert PageReader(5.0, 10, follows=False).read(site.url, {}, "it").status == 302
    with pytest.raises(SourceError, match="it cannot be read"):
        PageReader(5.0, 10, follows=True).read(site.url, {}, "it")


@pytest.mark.parametrize(
    "url",
    ["", "x", "file:///etc/passwd", "http://", "http://a b/", "http://h:x/", "http://h:0/"]
    + ["http://h/\n", "http://[::1/", f"http://{'a' * 70}.org/", "webcal://h/c.ics"],
)
def test_what_names_no_host_to_ask_is_no_address(url: str) -> None:
    assert http_parts(url) is None


def test_the_parts_of_an_address_are_those_it_names() -> None:
    parts = http_parts("https://me@example.org:8443/path?q=1")
    assert parts is not None
    assert (parts.username, parts.hostname, parts.port) == ("me", "example.org", 8443)
    assert http_parts("webcal://h/c.ics", "webcal") is not None
