"""The head of an HTTP/1.1 request, read strictly: what two readers may understand in two ways is
refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_LINE = re.compile(rf"({_TOKEN}) ([\x21-\x7e]+) HTTP/1\.[01]\Z")
_FIELD = re.compile(rf"({_TOKEN}):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*\Z")
_LONGEST_HEAD = 65_536
_LONGEST_LINE = 1_000
_PART = 65_536
# Of one connection only, or of the proxy: never handed on.
_OF_CONNECTION = frozenset(
    {
        *("connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer"),
        *("upgrade", "expect", "http2-settings"),
    }
)


class MalformedRequestError(Exception):
    """A request that is not understood in one way alone."""


class ByteSource(Protocol):
    """What bytes are received from."""

    def recv(self, size: int, /) -> bytes: ...


class Reader:
    """Lines and bytes from a connection."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self.rest = b""

    def line(self, longest: int) -> bytes:
        """Up to a CR LF, without it."""
        while b"\r\n" not in self.rest:
            if len(self.rest) > longest or not self._more():
                raise MalformedRequestError("a line must end with CR LF")
        line, _, self.rest = self.rest.partition(b"\r\n")
        return line

    def exactly(self, length: int) -> Iterator[bytes]:
        """So many bytes, in parts."""
        while length > 0:
            if not self.rest and not self._more():
                raise MalformedRequestError("the body must be as long as it says")
            part, self.rest = self.rest[:length], self.rest[length:]
            length -= len(part)
            yield part

    def _more(self) -> bool:
        part = self._source.recv(_PART)
        self.rest += part
        return bool(part)


@dataclass(frozen=True, slots=True)
class RequestHead:
    """method, target and header fields; texts are Latin-1."""

    method: str
    target: str
    fields: tuple[tuple[str, str], ...]

    def values(self, name: str) -> list[str]:
        """The values of a header field, whose name is in lower case."""
        return [value for each, value in self.fields if each.lower() == name]

    def for_host(self, host: str, *, plain_answer: bool = False) -> RequestHead:
        """The head to hand on: for this host, on a connection that ends with the answer.

        plain_answer: the answer must not be compressed.
        """
        words = ",".join(self.values("connection")).split(",")
        listed = {word.strip().lower() for word in words} - {"content-length", "transfer-encoding"}
        dropped = {*_OF_CONNECTION, *listed, "host", *(["accept-encoding"] if plain_answer else [])}
        fields = [(name, value) for name, value in self.fields if name.lower() not in dropped]
        own = [("Host", host), ("Connection", "close")]
        own += [("Accept-Encoding", "identity")] if plain_answer else []
        return RequestHead(self.method, self.target, (*own, *fields))

    def encode(self) -> bytes:
        lines = [f"{self.method} {self.target} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in self.fields]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


def read_head(reader: Reader) -> RequestHead:
    """Raises MalformedRequestError."""
    first = reader.line(_LONGEST_HEAD).decode("latin-1")
    match = _LINE.match(first)
    if match is None:
        raise MalformedRequestError("the first line must be METHOD TARGET HTTP/1.1")
    fields: list[tuple[str, str]] = []
    room = _LONGEST_HEAD
    while line := reader.line(_LONGEST_HEAD).decode("latin-1"):
        room -= len(line)
        field = _FIELD.match(line)
        if field is None or room < 0:
            raise MalformedRequestError("a header must be NAME: VALUE, all of them 64 KB at most")
        fields.append((field[1], field[2]))
    return RequestHead(match[1], match[2], tuple(fields))


def body_of(head: RequestHead, reader: Reader) -> Iterator[bytes]:
    """The body as it came, chunks included. Raises MalformedRequestError."""
    lengths, codings = head.values("content-length"), head.values("transfer-encoding")
    if len(lengths) + len(codings) > 1:
        raise MalformedRequestError("a request must say once how long it is")
    if codings:
        if codings[0].lower() != "chunked":
            raise MalformedRequestError("Transfer-Encoding must be chunked")
        yield from _chunks(reader)
    elif lengths:
        if not re.fullmatch(r"[0-9]{1,15}", lengths[0]):
            raise MalformedRequestError("Content-Length must be a whole number")
        yield from reader.exactly(int(lengths[0]))


def _chunks(reader: Reader) -> Iterator[bytes]:
    while True:
        line = reader.line(_LONGEST_LINE)
        if not re.fullmatch(rb"[0-9A-Fa-f]{1,8}", line):
            raise MalformedRequestError("a chunk must begin with its length")
        yield line + b"\r\n"
        length = int(line, 16)
        yield from reader.exactly(length)
        end = b"".join(reader.exactly(2))
        if end != b"\r\n":
            raise MalformedRequestError(
                "a chunk must end with CR LF, the last one without trailers"
            )
        yield end
        if length == 0:
            return
