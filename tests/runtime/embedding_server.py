"""A server with the OpenAI embeddings API that knows a few words, in place of a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOPICS = (
    ("boat", "ship", "aurora", "vessel", "船"),
    ("home", "lisbon", "city", "live", "settled", "ghent"),
    ("dog", "rex", "puppy", "bark"),
    ("money", "budget", "cost", "euro"),
)
"""Words that mean about the same: a number each in the vectors, and one for anything else."""


def vector(text: str) -> list[float]:
    """How many words of each topic the text has."""
    words = text.casefold().replace("?", " ").replace(".", " ").split()
    counts = [float(sum(word in topic for word in words)) for topic in TOPICS]
    return [*counts, 0.0 if any(counts) else 1.0]


def vectors(texts: Sequence[str]) -> list[list[float]]:
    """For the provider `function`."""
    return [vector(text) for text in texts]


@dataclass
class EmbeddingServer:
    """requests: (headers, body) of what came. refused: a word whose texts get a 400.

    status: of each answer; 200 for vectors.
    """

    url: str = ""
    requests: list[tuple[dict[str, str], Any]] = field(default_factory=list)
    refused: str = ""
    status: int = 200

    @property
    def texts(self) -> list[str]:
        """All that came."""
        return [text for _, body in self.requests for text in body["input"]]

    def answer(self, headers: dict[str, str], body: Any) -> tuple[int, Any]:
        self.requests.append((headers, body))
        if self.status != 200:
            return self.status, {"error": {"message": "no, with sk-abcdefghijklmnop"}}
        if self.refused and any(self.refused in text for text in body["input"]):
            return 400, {"error": {"message": "too long"}}
        rows = [
            {"index": index, "embedding": vector(text)} for index, text in enumerate(body["input"])
        ]
        return 200, {"data": rows[::-1], "model": body["model"]}


@contextmanager
def serving() -> Iterator[EmbeddingServer]:
    """The server, on a free port of this machine."""
    state = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            assert self.path == "/v1/embeddings"
            status, answer = state.answer(headers, body)
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            self.send_header("location", "/elsewhere")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Nothing on standard error."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
