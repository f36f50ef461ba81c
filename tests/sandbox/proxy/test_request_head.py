from __future__ import annotations

import pytest

from prefrontal.sandbox.proxy.request_head import (
    MalformedRequestError,
    Reader,
    RequestHead,
    body_of,
    read_head,
)


class Parts:
    """Hands out bytes so many at a time."""

    def __init__(self, text: bytes, size: int = 3) -> None:
        self._text = text
        self._size = size

    def recv(self, _: int) -> bytes:
        part, self._text = self._text[: self._size], self._text[self._size :]
        return part


def read(text: bytes, size: int = 3) -> tuple[RequestHead, bytes]:
    reader = Reader(Parts(text, size))
    head = read_head(reader)
    return head, b"".join(body_of(head, reader))


GOOD = b"POST http://a.org/x HTTP/1.1\r\nHost: b\r\nContent-Length: 4\r\n\r\nbody"


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_request_is_read_however_it_arrives(size: int) -> None:
    head, body = read(GOOD, size)
    assert (head.method, head.target, body) == ("POST", "http://a.org/x", b"body")
    assert head.fields == (("Host", "b"), ("Content-Length", "4"))


def test_what_follows_the_body_is_not_taken_for_it() -> None:
    reader = Reader(Parts(GOOD + b"GET /smuggled HTTP/1.1\r\n\r\n", 1000))
    head = read_head(reader)
    assert b"".join(body_of(head, reader)) == b"body"
    chunked = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nGET"
    assert read(chunked)[1] == b"3\r\nabc\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"GET / HTTP/1.1\r\n",
        b"GET / HTTP/2\r\n\r\n",
        b"GET  / HTTP/1.1\r\n\r\n",
        b"GET /a b HTTP/1.1\r\n\r\n",
        b"G(T / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: b\nB: c\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: b\rc\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: \0\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: " + b"x" * 70_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: xxxxxxxxxxxx\r\n" * 7_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
        b"GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: +1\r\n\r\nx",
        b"GET / HTTP/1.1\r\nContent-Length: 2\r\n\r\nx",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;a\r\nx\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n",
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(text: bytes) -> None:
    with pytest.raises(MalformedRequestError):
        read(text, 1000)


def test_the_head_that_goes_on_is_for_the_host_and_ends_its_connection() -> None:
    head = RequestHead(
        "GET", "/", (("Host", "other"), ("Connection", "X-A, keep-alive, content-length"),
                     ("X-A", "1"), ("Upgrade", "h2c"), ("Proxy-Authorization", "p"),
                     ("Expect", "100-continue"), ("Accept-Encoding", "gzip"),
                     ("Content-Length", "0"), ("Cookie", "c")),
    )  # fmt: skip
    assert head.for_host("a.org").encode() == (
        b"GET / HTTP/1.1\r\nHost: a.org\r\nConnection: close\r\n"
        b"Accept-Encoding: gzip\r\nContent-Length: 0\r\nCookie: c\r\n\r\n"
    )
    assert b"identity" in head.for_host("a.org", plain_answer=True).encode()
    assert b"gzip" not in head.for_host("a.org", plain_answer=True).encode()
