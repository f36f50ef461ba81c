"""GitHub's notifications, played on the loopback address as its documentation describes them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "ghp_0123456789abcdef"


def thread(number: int, updated_at: str, **more: Any) -> dict[str, Any]:
    """An unread notification about an issue."""
    api = f"https://api.github.com/repos/ada/engine/issues/{number}"
    return {
        "id": str(number),
        "updated_at": updated_at,
        "unread": True,
        "reason": "mention",
        "subject": {"title": f"Issue {number}", "url": api, "type": "Issue"},
        "repository": {"full_name": "ada/engine", "html_url": "https://github.com/ada/engine"},
        **more,
    }


class GitHubSite(ThreadingHTTPServer):
    """Lists `threads`, newest first, per_page of them a page; 304 when nothing changed since.

    status: answers that instead of a list. extra: headers of every answer.
    """

    daemon_threads = False
    block_on_close = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Listing)
        self.threads: list[Any] = []
        self.status = 200
        self.body: bytes | None = None
        self.per_page = 50
        self.extra: dict[str, str] = {}
        self.etags = True
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.guard = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def add(self, *threads: dict[str, Any]) -> None:
        with self.guard:
            names = {each["id"] for each in threads}
            rest = [each for each in self.threads if each["id"] not in names]
            self.threads = [*reversed(threads), *rest]


class _Listing(BaseHTTPRequestHandler):
    server: GitHubSite

    def do_GET(self) -> None:
        site = self.server
        site.asked.append((self.path, dict(self.headers)))
        query = parse_qs(urlsplit(self.path).query)
        page = int(query.get("page", ["1"])[0])
        with site.guard:
            threads = list(site.threads)
        since = query.get("since", [""])[0]
        recent = [t for t in threads if not isinstance(t, dict) or t["updated_at"] > since]
        listed = recent[(page - 1) * site.per_page : page * site.per_page]
        body = json.dumps(listed).encode() if site.body is None else site.body
        etag = f'"{hash(json.dumps(recent))}"'
        known = site.etags and self.headers.get("If-None-Match") == etag
        self.send_response(304 if known else site.status)
        if site.etags:
            self.send_header("ETag", etag)
        if len(recent) > page * site.per_page:
            link = f"{site.url}/notifications?since={since}&page={page + 1}"
            self.send_header("Link", f'<{link}>; rel="next", <{link}>; rel="last"')
        for name, value in site.extra.items():
            self.send_header(name, value)
        body = b"" if known else body
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def date_time_string(self, timestamp: float | None = None) -> str:
        """A moment before all notifications of the tests, whenever they run."""
        return "Mon, 23 Nov 2026 09:59:00 GMT"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silence."""


@contextmanager
def github_site() -> Iterator[GitHubSite]:
    served = GitHubSite()
    thread = threading.Thread(target=served.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield served
    finally:
        served.shutdown()
        thread.join()
        served.server_close()
