"""Who may ask, from where, and what a browser may do with the answer."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import socket
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from ..http_door import LOOPBACK, Door

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "prefrontal-dash"
KEY_HEADER = b"x-prefrontal-key"
MONTH_S = 30 * 86_400
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
NEEDS_TOKEN = (
    "This page needs a token: open the link that `prefrontal dash` printed, or send it as"
    " Authorization: Bearer."
)
_LET_IN = """\
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Prefrontal</title>
<link rel="icon" href="data:,"><meta http-equiv="refresh" content="0;url=/"></head>
<body><p><a href="/">Go on</a></p></body></html>
"""


class Guard:
    """Lets through what may pass, and puts the headers on every answer.

    door: where is listened; its token, if any, must be carried as bearer or as the cookie that a
    link with the token sets. key: what every change must carry in the header X-Prefrontal-Key.
    names: by which the page may be opened, besides those of this machine.
    """

    def __init__(self, app: ASGIApp, door: Door, key: str, names: Iterable[str] = ()) -> None:
        self._app = app
        self._token = door.token.encode()
        self._key = key.encode()
        self._session = hmac.new(self._token, b"prefrontal dash", hashlib.sha256).hexdigest()
        own = socket.gethostname().lower()
        others = (each.lower() for each in (door.host, *names))
        self._hosts = {*LOOPBACK, own, f"{own}.local", *others}
        self._loopback_only = door.host in LOOPBACK

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await _answer(send_with_headers, *refusal)
        elif self._brings_token(scope):
            await self._let_in(send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and sentence of a request that must not pass."""
        if not self._is_host_ours(_header(scope, b"host")):
            return 403, "Host must be a name of this machine"
        if not _is_from_here(scope):
            return 403, "another site must not ask for this"
        if self._token and not (self._is_known(scope) or self._brings_token(scope)):
            return 401, NEEDS_TOKEN
        if scope["method"] not in ("GET", "HEAD"):
            return self._refused_change(scope)
        return None

    def _refused_change(self, scope: Scope) -> tuple[int, str] | None:
        key = _header(scope, KEY_HEADER)
        if key is None or not hmac.compare_digest(key, self._key):
            return 403, "the page is from an earlier start of the server: load it again"
        origin = _header(scope, b"origin")
        if origin is not None and not _is_same(origin, _header(scope, b"host") or b""):
            return 403, "Origin must be this page"
        return None

    def _is_host_ours(self, header: bytes | None) -> bool:
        """An address, or a name of this machine: no name that somebody else points here."""
        try:
            name = urlsplit(f"//{(header or b'').decode('ascii')}").hostname
        except ValueError:
            return False
        if not name:
            return False
        if name in self._hosts:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self._loopback_only

    def _is_known(self, scope: Scope) -> bool:
        bearer = _header(scope, b"authorization") or b""
        if hmac.compare_digest(bearer, b"Bearer " + self._token):
            return True
        session = _cookie(_header(scope, b"cookie") or b"")
        return hmac.compare_digest(session.encode(), self._session.encode())

    def _brings_token(self, scope: Scope) -> bool:
        """Whether this is the link with the token in it."""
        if not self._token or scope["method"] != "GET" or scope["path"] != "/":
            return False
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return hmac.compare_digest(token.encode(), self._token)

    async def _let_in(self, send: Send) -> None:
        """Set the cookie and lead on to the page: a page of ours, as a redirect from another site's
        link would not carry a cookie that is strict.
        """
        attributes = f"Path=/; Max-Age={MONTH_S}; HttpOnly; SameSite=Strict"
        cookie = f"{COOKIE}={self._session}; {attributes}".encode()
        await _answer(send, 200, _LET_IN, "text/html", [(b"set-cookie", cookie)])


def _is_from_here(scope: Scope) -> bool:
    """Whether a browser says that a page of ours asks, or a person who opens the page."""
    site = _header(scope, b"sec-fetch-site")
    if site in (None, b"same-origin", b"none"):
        return True
    opens = _header(scope, b"sec-fetch-mode") == b"navigate"
    return opens and scope["method"] == "GET" and scope["path"] == "/"


def _is_same(origin: bytes, host: bytes) -> bool:
    scheme, _, place = origin.partition(b"://")
    return scheme in (b"http", b"https") and place.lower() == host.lower()


def _header(scope: Scope, name: bytes) -> bytes | None:
    """The header's value; empty where it came twice, which no browser does."""
    values = [value for key, value in scope["headers"] if key == name]
    return None if not values else values[0] if len(values) == 1 else b""


def _cookie(header: bytes) -> str:
    """Our cookie, whatever other programs of this machine put beside it."""
    pairs = (each.strip().partition("=") for each in header.decode("latin-1").split(";"))
    return next((value for name, _, value in pairs if name == COOKIE), "")


async def _answer(
    send: Send,
    status: int,
    text: str,
    kind: str = "text/plain",
    more: Iterable[tuple[bytes, bytes]] = (),
) -> None:
    body = text.encode()
    headers = [
        (b"content-type", f"{kind}; charset=utf-8".encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *more,
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
