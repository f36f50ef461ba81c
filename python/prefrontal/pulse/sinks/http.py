"""Escalations to an address, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from http.client import HTTPException
from threading import Event
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.request import Request

from ...clock import Clock, SystemClock
from ...errors import InputError, shown
from ...http_client import http_parts, opener
from .outcome import DeliveryOutcome, Shape, as_line, checked_shape
from .signing import Signer

if TYPE_CHECKING:
    from ...decisions.decision import Decision

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers after which the same request may well succeed."""


class HttpSink:
    """Posts each escalation as JSON, and again when the first try did not get through.

    The header `Idempotency-Key` is the activation's id, the same on every try, so that a
    receiver can tell a repetition. Tried again `retries` times: after no answer, and after
    answers that mean "later" (408, 425, 429, 5xx); waits double from half a second, at most 30 s,
    or as long as `Retry-After` asks. A redirect is not followed: it would lose the body. The proxy
    that the environment names is used, but not for this machine.

    timeout_s: for each try. secret: each try is signed as Standard Webhooks say; see `Signer`.
    shape: v2, the document of a decision, or v1, the one of before. Raises InputError for an
    address that is not http or https, and for an invalid secret.
    """

    def __init__(
        self,
        url: str,
        timeout_s: float = 30.0,
        retries: int = 4,
        headers: Mapping[str, str] | None = None,
        secret: str | None = None,
        clock: Clock | None = None,
        shape: Shape = "v2",
    ) -> None:
        self._shape = checked_shape(shape)
        self._signer = None if secret is None else Signer(secret)
        self._clock = SystemClock() if clock is None else clock
        self._url = _checked_url(url)
        self._timeout_s = timeout_s
        self._retries = retries
        self._headers = _checked_headers(headers or {})
        self._opener = opener(self._url, follows=False)
        self._closed = Event()

    def deliver(self, decision: Decision) -> DeliveryOutcome:
        request = Request(
            self._url,
            data=self._body(decision).encode(),
            headers={
                "Content-Type": "application/json",
                "User-Agent": "prefrontal",
                **self._headers,
                "Idempotency-Key": decision.id,
            },
            method="POST",
        )
        wait_s = FIRST_WAIT_S
        for attempt in range(1, self._retries + 2):
            self._sign(request)
            answer, asked_s = self._once(request)
            if answer.ok or asked_s is None or attempt > self._retries:
                break
            if self._closed.wait(min(max(wait_s, asked_s), LONGEST_WAIT_S)):
                return DeliveryOutcome(False, f"{answer.detail}; given up: closed", attempt)
            wait_s *= 2
        return DeliveryOutcome(answer.ok, answer.detail, attempt, asked_s)

    def _body(self, decision: Decision) -> str:
        """The JSON of a decision, the same each time."""
        return as_line(decision, self._shape)

    def close(self) -> None:
        """Wait for no further try."""
        self._closed.set()

    def _sign(self, request: Request) -> None:
        if self._signer is None:
            return
        assert isinstance(request.data, bytes)
        id_, seconds = request.get_header("Idempotency-key", ""), int(self._clock.now())
        for name, value in self._signer.headers(id_, seconds, request.data).items():
            request.add_header(name, value)

    def _once(self, request: Request) -> tuple[DeliveryOutcome, float | None]:
        """One try, and how many seconds to wait at least before the next; None: no next."""
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                return DeliveryOutcome(True, f"HTTP {response.status}"), None
        except HTTPError as error:
            with error:
                later = _retry_after(error.headers.get("Retry-After"))
                return DeliveryOutcome(
                    False, f"HTTP {error.code}"
                ), later if error.code in RETRIED else None
        except URLError as error:
            return DeliveryOutcome(False, f"no answer: {error.reason}"), 0.0
        except (OSError, HTTPException) as error:
            return DeliveryOutcome(False, f"no answer: {str(error) or type(error).__name__}"), 0.0


def _retry_after(value: str | None) -> float:
    """Seconds; a date counts as none: our own waits are as long as we would wait for one."""
    return float(value) if value is not None and value.isascii() and value.isdigit() else 0.0


def _checked_url(url: str) -> str:
    rule = "start with http:// or https:// and name a host"
    parts = http_parts(url)
    if parts is None or not url.isascii():
        raise InputError(f"address must {rule}, got {shown(url)}")
    if parts.username is not None:
        raise InputError("address must hold no user name: send one in a header, Authorization")
    return url


def _checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            raise InputError(f"header must have a name of letters, digits and -, got {shown(name)}")
        if not value.isascii() or not value.isprintable():
            raise InputError(f"header {name} must be printable ASCII")  # its value may be a secret
    return dict(headers)
