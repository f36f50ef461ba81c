"""One connection of a sandboxed command to the proxy."""

from __future__ import annotations

import selectors
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from .client_hello import NoClientHelloError, hello_length, server_name
from .credentials import Mask, Placeholders
from .hosts import Hosts, host_and_port
from .request_head import MalformedRequestError, Reader, RequestHead, body_of, read_head

_IDLE_S = 30.0
_PART = 65_536
_HTTPS = 443


@dataclass(frozen=True, slots=True)
class Way:
    """What is let through, and with which secrets.

    opening: opens the TLS of hosts with secrets; upstream: checks the certificates of these hosts.
    """

    hosts: Hosts
    placeholders: Placeholders
    opening: ssl.SSLContext | None = None
    upstream: ssl.SSLContext | None = None


class _RefusedError(Exception):
    """What the command asked for is not let through: status and sentence."""

    def __init__(self, status: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Connection:
    """keep, forget: are told of each connection that must not outlive the run."""

    def __init__(
        self,
        client: socket.socket,
        way: Way,
        keep: Callable[[socket.socket], bool],
        forget: Callable[[socket.socket], None],
    ) -> None:
        self._client = client
        self._way = way
        self._keep = keep
        self._forget = forget

    def answer(self) -> str:
        """Let it through, or say no; returns the sentence of a refusal."""
        self._client.settimeout(_IDLE_S)
        reader = Reader(self._client)
        try:
            head = read_head(reader)
            if head.method == "CONNECT":
                self._tunnel(head, reader)
            else:
                self._forward(head, reader)
        except _RefusedError as error:
            self._say(error.status, str(error))
            return str(error)
        except MalformedRequestError as error:
            self._say("400 Bad Request", str(error))
        except OSError:  # one side is gone; ssl.SSLError is one, too
            pass
        return ""

    def _tunnel(self, head: RequestHead, reader: Reader) -> None:
        place = host_and_port(head.target)
        if place is None:
            raise MalformedRequestError("CONNECT must name HOST:PORT")
        host, port = self._allowed(place)
        if host in self._way.placeholders.hosts:
            self._say("200 OK")
            self._open_tunnel(host, port, reader.rest)
            return
        upstream = self._connect(host, port)
        try:
            self._say("200 OK")
            _splice(self._client, upstream, self._first_message(host, reader.rest))
        finally:
            self._forget(upstream)

    def _first_message(self, host: str, begin: bytes) -> bytes:
        """The client's hello, which must be for the host."""
        try:
            while len(begin) < 5 or len(begin) < hello_length(begin):
                part = self._client.recv(_PART)
                if not part:
                    raise NoClientHelloError("a tunnel must begin with TLS")
                begin += part
            name = server_name(begin)
        except NoClientHelloError as error:
            raise ConnectionError(str(error)) from None
        if name and name != host:
            raise ConnectionError(f"a tunnel to {host} must not be for {name}")
        return begin

    def _open_tunnel(self, host: str, port: int, begin: bytes) -> None:
        if self._way.opening is None or begin:  # TLS begins after our answer
            raise ConnectionError("the tunnel cannot be opened")
        with self._way.opening.wrap_socket(self._client.dup(), server_side=True) as client:
            reader = Reader(client)
            try:
                head = read_head(reader)
                if not head.target.startswith("/"):
                    raise MalformedRequestError("the target must be a path")
                self._exchange(client, head, reader, (host, port), tls=True)
            except MalformedRequestError as error:
                client.sendall(_answer("400 Bad Request", str(error)))

    def _forward(self, head: RequestHead, reader: Reader) -> None:
        try:
            url = urlsplit(head.target)
        except ValueError:
            raise MalformedRequestError("the target must be a URL") from None
        place = host_and_port(url.netloc, default=80)
        if url.scheme.lower() != "http" or place is None:
            raise MalformedRequestError("the target must be http://HOST/PATH, without a user")
        path = (url.path or "/") + (f"?{url.query}" if url.query else "")
        head = RequestHead(head.method, path, head.fields)
        self._exchange(self._client, head, reader, self._allowed(place), tls=False)

    def _exchange(
        self,
        client: socket.socket,
        head: RequestHead,
        reader: Reader,
        place: tuple[str, int],
        *,
        tls: bool,
    ) -> None:
        """One request and its answer. Secrets go over TLS alone."""
        host, port = place
        upstream = self._connect(host, port)
        try:
            mask = Mask([])
            name = f"[{host}]" if ":" in host else host
            head = head.for_host(
                name if port in (80, _HTTPS) else f"{name}:{port}", plain_answer=tls
            )
            if tls:
                context = self._way.upstream or ssl.create_default_context()
                raw, upstream = upstream, context.wrap_socket(upstream, server_hostname=host)
                self._keep(upstream)
                self._forget(raw)
                head = self._way.placeholders.fill(host, head)
                mask = self._way.placeholders.mask(host)
            body = body_of(head, reader)
            upstream.sendall(head.encode())
            for part in body:
                upstream.sendall(part)
            while part := upstream.recv(_PART):
                client.sendall(mask.feed(part))
            client.sendall(mask.end())
        finally:
            self._forget(upstream)

    def _allowed(self, place: tuple[str, int]) -> tuple[str, int]:
        if not self._way.hosts.allow(*place):
            sentence = f"{place[0]}:{place[1]} is not among the hosts that may be reached"
            raise _RefusedError("403 Forbidden", sentence)
        return place

    def _connect(self, host: str, port: int) -> socket.socket:
        try:
            upstream = self._way.hosts.connect(host, port)
        except OSError as error:
            sentence = f"{host}:{port} cannot be reached: {error}"
            raise _RefusedError("502 Bad Gateway", sentence) from None
        if not self._keep(upstream):
            upstream.close()
            raise ConnectionError("the run is over")
        upstream.settimeout(_IDLE_S)
        return upstream

    def _say(self, status: str, sentence: str = "") -> None:
        answer = (
            f"HTTP/1.1 {status}\r\n\r\n".encode() if not sentence else _answer(status, sentence)
        )
        with suppress(OSError):
            self._client.sendall(answer)


def _answer(status: str, sentence: str) -> bytes:
    body = f"{sentence}\n".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\n"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body


def _splice(one: socket.socket, other: socket.socket, begin: bytes) -> None:
    """Hand bytes on in both directions until both have ended, or neither says anything."""
    other.sendall(begin)
    aims = {one: other, other: one}
    with selectors.DefaultSelector() as selector:
        for place in aims:
            selector.register(place, selectors.EVENT_READ)
        while selector.get_map() and (ready := selector.select(_IDLE_S)):
            for key, _ in ready:
                source = key.fileobj
                assert isinstance(source, socket.socket)
                part = source.recv(_PART)
                if part:
                    aims[source].sendall(part)
                    continue
                selector.unregister(source)
                with suppress(OSError):
                    aims[source].shutdown(socket.SHUT_WR)
