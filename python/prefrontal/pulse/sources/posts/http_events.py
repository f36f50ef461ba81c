"""Signals that other programs post: JSON events, CloudEvents, GitHub webhooks."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from ....clock import Clock, SystemClock
from ....errors import InputError
from ....http_server import Door, JsonRequest, LimitedServer, RequestError, TextAnswer
from ..event_lines import event_from_object
from ..running import Outlet, Push
from .cloud_events import cloud_events
from .github_events import github_event, is_signed
from .mapped_json import (
    HookPath,
    discord_pong,
    is_signed_by_discord,
    is_signed_by_slack,
    mapped_events,
    slack_challenge,
)
from .seen_deliveries import SeenDeliveries

if TYPE_CHECKING:
    from ....types import SignalEvent
    from ..source_batch import Post

ACCEPT_S = 5.0
"""How long a request waits until its events are stored."""
RETRY_AFTER_S = 2
"""When a sender may try again."""
COMPLAIN_EVERY_S = 1.0
"""Refusals are logged so often at most: whoever may connect can cause them."""

log = logging.getLogger("prefrontal.pulse")


@dataclass(frozen=True, slots=True)
class HttpDoor(Door):
    """A door, github_secret: what deliveries to /github are signed with, and hooks: what is posted
    to /hooks.
    """

    free_port: ClassVar[str] = "sources.http.port: 0 takes a free one"
    token_place: ClassVar[str] = (
        "sources.http.token_env names the environment variable that holds it"
    )

    port: int = 8766
    max_bytes: int = 1 << 20
    github_secret: str = field(default="", repr=False)
    hooks: tuple[HookPath, ...] = ()


class HttpEventsSource:
    """Listens for POST requests; each answered 202 once its events are decided and stored.

    /events takes one event or a list, as on the socket; /cloudevents CloudEvents 1.0 (structured,
    batch, binary); /github webhooks, when there is a secret, checked by their signature instead
    of the token; /hooks/NAME JSON of any shape, by a mapping, signed by Slack where the hook has a
    secret. A delivery that was seen before (by the id of a CloudEvent or a hook, or by the
    signature, since GitHub signs no name of a delivery) is answered 200, told of once: the newest
    10,000 are remembered, and as many signed ones, by a gate over restarts, too. A request with a
    mistake is refused whole; one whose events nobody takes now, or that cannot be stored within
    ACCEPT_S, is answered 503 with Retry-After and may be sent again.
    GET /health says that it listens.
    """

    def __init__(self, door: HttpDoor | None = None, clock: Clock | None = None) -> None:
        self.door = HttpDoor() if door is None else door
        self.clock = SystemClock() if clock is None else clock
        self._outlet = Outlet()
        self._lock = Lock()
        self._seen = SeenDeliveries()
        self._repeated = 0
        self._refused = 0
        self._complained_at = -math.inf
        self._server: _Server | None = None

    @property
    def port(self) -> int:
        """Where it listens, once it is started."""
        return self.door.port if self._server is None else self._server.port

    def start(self, push: Push) -> None:
        """Begin to listen. Raises SourceError when that cannot be."""
        with self._lock:
            if self._server is not None:
                return
            self._outlet.push = push
            if (intake := self._outlet.intake) is not None:
                self._seen.restore(intake)
            self._server = _Server(self)
            self._server.begin("prefrontal-http")

    def stop(self, timeout_s: float = 5.0) -> None:
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.end(timeout_s)

    def status(self) -> dict[str, object]:
        """address, requests refused and deliveries repeated, and what became of the events."""
        facts: dict[str, object] = {
            "running": self._server is not None,
            "address": self.door.address(self.port),
            "refused_requests": self._refused,
            "repeated": self._repeated,
        }
        return facts | self._outlet.counts()

    def take(self, events: Iterable[tuple[str, SignalEvent]], *, signed: bool = False) -> int:
        """Hand on what is new; how many that was. A mark of "" is never a repetition.

        signed: nobody else can have sent them. Raises RequestError when an event is not taken: it
        is no repetition when it comes again.
        """
        fresh, post = self._fresh(list(events), signed)
        if not fresh or self._is_accepted(post):
            return len(fresh)
        if post.settled.is_set():
            with self._lock:
                self._seen.forget(fresh)
        what = f"{len(fresh)} of {len(fresh)} events could not be taken"
        raise _refusal(f"{what}: send them again")

    def _fresh(
        self, marked: list[tuple[str, SignalEvent]], signed: bool
    ) -> tuple[list[bytes], Post]:
        """The marks of what is new, and its events."""
        with self._lock:
            new = self._seen.post(marked, signed=signed)
            if new is None:
                raise _refusal("the same delivery is being stored: send it again")
            self._repeated += len(marked) - len(new[0])
        return new

    def _is_accepted(self, post: Post) -> bool:
        """Whether its events are stored, or taken by whoever does not say."""
        intake = self._outlet.intake
        if intake is None:
            post.settle(sum(map(self._outlet, post.events)) == len(post.events))
            return post.stored
        if not intake.accept(post, ACCEPT_S):
            self._outlet.refused += len(post.events)
            return False
        self._outlet.pushed += len(post.events)
        return True

    def complain(self, sentence: str) -> None:
        """A request was refused."""
        with self._lock:
            self._refused += 1
            now = self.clock.monotonic()
            if now - self._complained_at < COMPLAIN_EVERY_S:
                return
            self._complained_at = now
        log.warning("prefrontal-http: %s", sentence)


class _Request(JsonRequest):
    server: _Server

    def done(self, method: str) -> tuple[HTTPStatus, dict[str, Any] | TextAnswer]:
        path = urlsplit(self.path).path
        if method == "GET" and path == "/health":
            return HTTPStatus.OK, {"status": "ok"}
        try:
            return self._taken(method, path)
        except RequestError as error:
            self.server.source.complain(str(error))
            raise

    def _taken(self, method: str, path: str) -> tuple[HTTPStatus, dict[str, Any] | TextAnswer]:
        door = self.server.source.door
        hook = next((each for each in door.hooks if path == f"/hooks/{each.name}"), None)
        takers = {"/events": self._events, "/cloudevents": self._cloud, "/github": self._github}
        if path != "/github" and not (hook and hook.is_signed):
            self.check_sender()
        if (hook is None and path not in takers) or (path == "/github" and not door.github_secret):
            known = ", ".join([*sorted(takers), *(f"/hooks/{each.name}" for each in door.hooks)])
            raise RequestError(HTTPStatus.NOT_FOUND, f"there are only {known} and /health")
        if method != "POST":
            raise RequestError(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} takes POST only")
        try:
            if hook is not None:
                return self._hook(hook)
            return self._accepted(takers[path](), signed=path == "/github")
        except InputError as error:
            raise RequestError(HTTPStatus.BAD_REQUEST, str(error)) from None

    def _accepted(
        self, events: Iterable[tuple[str, SignalEvent]], *, signed: bool = False
    ) -> tuple[HTTPStatus, dict[str, Any] | TextAnswer]:
        count = self.server.source.take(events, signed=signed)
        return HTTPStatus.ACCEPTED if count else HTTPStatus.OK, {"accepted": count}

    def _hook(self, hook: HookPath) -> tuple[HTTPStatus, dict[str, Any] | TextAnswer]:
        self.check_kind("application/json")
        body, now = self.body(), self.server.source.clock.now()
        events = mapped_events(hook.name, hook.mapping, body, now)
        if hook.slack_secret:
            headers = self._headers()
            if not is_signed_by_slack(hook.slack_secret, headers, body, now):
                sentence = "X-Slack-Signature must be the signature of the body, made just now"
                raise RequestError(HTTPStatus.UNAUTHORIZED, sentence)
            if (challenge := slack_challenge(body)) is not None:
                return HTTPStatus.OK, {"challenge": challenge}
            return self._accepted(
                _marked(f"slack\n{headers['x-slack-signature']}", events), signed=True
            )
        if hook.discord_key:
            return self._discord(hook, events, body, now)
        return self._accepted(events)

    def _discord(
        self, hook: HookPath, events: Iterable[tuple[str, SignalEvent]], body: bytes, now: float
    ) -> tuple[HTTPStatus, dict[str, Any] | TextAnswer]:
        """Discord wants 204 and nothing else; it has no ids, so its signatures tell repetitions."""
        headers = self._headers()
        if not is_signed_by_discord(hook.discord_key, headers, body, now):
            sentence = "X-Signature-Ed25519 must be the signature of the body, made just now"
            raise RequestError(HTTPStatus.UNAUTHORIZED, sentence)
        if pong := discord_pong(body):
            return HTTPStatus.OK, TextAnswer(pong, "application/json")
        if pong is None:
            mark = f"hooks\n{hook.name}\n{headers['x-signature-ed25519']}"
            self.server.source.take(_marked(mark, events), signed=True)
        return HTTPStatus.NO_CONTENT, TextAnswer("", "application/json")

    def _headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _events(self) -> list[tuple[str, SignalEvent]]:
        document = self.json_body("event")
        now = self.server.source.clock.now()
        each = document if isinstance(document, list) else [document]
        return [("", event_from_object(item, now)) for item in each]

    def _cloud(self) -> list[tuple[str, SignalEvent]]:
        kind = self.headers.get_content_type()
        now = self.server.source.clock.now()
        return list(cloud_events(kind, self._headers(), self.body(), now))

    def _github(self) -> list[tuple[str, SignalEvent]]:
        source = self.server.source
        body = self.body()
        signature = self.headers.get("X-Hub-Signature-256")
        if not is_signed(source.door.github_secret, signature, body):
            sentence = "X-Hub-Signature-256 must be the signature of the body"
            raise RequestError(HTTPStatus.UNAUTHORIZED, sentence)
        kind = self.headers.get("X-GitHub-Event") or ""
        if kind == "ping":
            return []
        if not kind.replace("_", "").isalnum():
            raise InputError(f"X-GitHub-Event must name an event, got {kind!r:.80}")
        try:
            document = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise InputError(f"delivery must be JSON ({error})") from None
        return [(f"github\n{signature}", github_event(kind, document, source.clock.now()))]


def _marked(
    mark: str, events: Iterable[tuple[str, SignalEvent]]
) -> Iterator[tuple[str, SignalEvent]]:
    """What has no id of its own is known by the signature and its place in the request."""
    for place, (own, event) in enumerate(events):
        yield own or f"{mark} {place}", event


def _refusal(sentence: str) -> RequestError:
    status = HTTPStatus.SERVICE_UNAVAILABLE
    return RequestError(status, sentence, retry_after_s=RETRY_AFTER_S)


class _Server(LimitedServer):
    def __init__(self, source: HttpEventsSource) -> None:
        self.source = source
        super().__init__(source.door, _Request)
