"""Servers of this machine that say what they were asked."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(slots=True)
class Echo:
    """port: it listens at. requests: that it got, each its line, headers and body."""

    port: int
    requests: list[dict[str, object]] = field(default_factory=list)


@contextmanager
def echo(context: ssl.SSLContext | None = None) -> Iterator[Echo]:
    """Answers each request with it, in JSON; over TLS with a context."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = self.rfile.read(length).decode()
            seen: dict[str, object] = {
                "line": self.requestline,
                "headers": dict(self.headers),
                "body": body,
            }
            made.requests.append(seen)
            answer = json.dumps(seen).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def get_request(self) -> tuple[socket.socket, object]:
            client, place = self.socket.accept()
            return (
                client
                if context is None
                else context.wrap_socket(client, server_side=True, do_handshake_on_connect=False)
            ), place

        def handle_error(self, request: object, client_address: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    made = Echo(server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def silent() -> Iterator[int]:
    """The port of a listener that takes connections and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken: list[socket.socket] = []

        def take() -> None:
            with suppress(OSError):
                while True:
                    taken.append(server.accept()[0])

        thread = threading.Thread(target=take)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            for each in taken:
                each.close()
