"""The page that Prometheus reads: GET /metrics."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Self
from urllib.parse import urlsplit

from ..http_server import Door, JsonRequest, LimitedServer, RequestError, TextAnswer
from .figures import TOKENS_PER_WAKE, check_tokens_per_wake
from .prometheus import CONTENT_TYPE, prometheus_text

if TYPE_CHECKING:
    from ..pulse.shells.watch import Watch

log = logging.getLogger("prefrontal.telemetry")


@dataclass(frozen=True, slots=True)
class MetricsDoor(Door):
    """A door on the port where Prometheus looks for OpenTelemetry's figures."""

    free_port: ClassVar[str] = "`--metrics 0` (telemetry.metrics.port: 0) takes a free one"
    token_place: ClassVar[str] = (
        "telemetry.metrics.token_env names the environment variable that holds it"
    )

    port: int = 9464


class MetricsServer:
    """Serves the figures of a registry, or a page that is made otherwise, on threads of its own.

    GET /metrics is for who may ask (see `Door`); GET /health says that it listens. Anything else
    is refused with JSON. tokens_per_wake: what a spared wake would have cost, 0 or more. Use it
    as a context or call `start` and `stop`. Raises InputError for another tokens_per_wake.
    """

    def __init__(
        self,
        registry: Watch | Callable[[], str],
        door: MetricsDoor | None = None,
        tokens_per_wake: int = TOKENS_PER_WAKE,
    ) -> None:
        check_tokens_per_wake(tokens_per_wake)
        self.door = MetricsDoor() if door is None else door
        self._page: Callable[[], str] = (
            registry if callable(registry) else lambda: prometheus_text(registry, tokens_per_wake)
        )
        self._lock = Lock()
        self._server: _MetricsServer | None = None

    @property
    def port(self) -> int:
        """Where it listens, once it is started."""
        return self.door.port if self._server is None else self._server.port

    def start(self) -> None:
        """Begin to listen; a second call does nothing. Raises SourceError when it cannot be."""
        with self._lock:
            if self._server is not None:
                return
            self._server = _MetricsServer(self.door, self._page)
            self._server.begin("prefrontal-metrics")

    def stop(self, timeout_s: float = 5.0) -> None:
        """End, and wait for its threads; a second call does nothing."""
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.end(timeout_s)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class _MetricsRequest(JsonRequest):
    server: _MetricsServer

    def done(self, method: str) -> tuple[HTTPStatus, dict[str, Any] | TextAnswer]:
        path = urlsplit(self.path).path
        if method == "GET" and path == "/health":
            return HTTPStatus.OK, {"status": "ok"}
        self.check_sender()
        if path != "/metrics":
            raise RequestError(HTTPStatus.NOT_FOUND, "there are only /metrics and /health")
        if method != "GET":
            raise RequestError(HTTPStatus.METHOD_NOT_ALLOWED, "/metrics takes GET only")
        try:
            return HTTPStatus.OK, TextAnswer(self.server.page(), CONTENT_TYPE)
        except Exception:  # a source may be unable to tell how it is
            log.exception("the figures could not be read")
            sentence = "the figures could not be read; the log says why"
            raise RequestError(HTTPStatus.INTERNAL_SERVER_ERROR, sentence) from None


class _MetricsServer(LimitedServer):
    def __init__(self, door: Door, page: Callable[[], str]) -> None:
        self.page = page
        super().__init__(door, _MetricsRequest)
