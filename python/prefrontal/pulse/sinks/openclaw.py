"""Escalations to the wake hook of an OpenClaw gateway."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from ...errors import InputError
from ...types import Reason
from .http import HttpSink

if TYPE_CHECKING:
    from ...clock import Clock
    from ...decisions.decision import Decision

WAKE_PATH = "/hooks/wake"
"""Where the hook is, unless the gateway was told another `hooks.path`."""
LONGEST_TEXT = 8000
"""Characters; the gateway takes 256 KiB by default, its agent far less."""

Mode = Literal["now", "next-heartbeat"]


class OpenClawSink(HttpSink):
    """Queues each question as a system line of the gateway's main session.

    url: of the gateway (http://127.0.0.1:18789) or, with a path, of the hook itself. token: its
        `hooks.token`, sent as bearer token. mode: wake the agent now, or let the line wait for its
        next heartbeat. timeout_s, retries, clock: as for `HttpSink`.

    The hook does not tell a repetition by its key, so the line ends with the decision's id. Raises
    InputError for an invalid address, token or mode; the token is never repeated.
    """

    def __init__(
        self,
        url: str,
        token: str,
        mode: Mode = "now",
        timeout_s: float = 30.0,
        retries: int = 4,
        clock: Clock | None = None,
    ) -> None:
        if mode not in ("now", "next-heartbeat"):
            raise InputError(f"mode must be now or next-heartbeat, got {mode!r}")
        headers = {"Authorization": f"Bearer {token}"}
        super().__init__(url, timeout_s, retries, headers, clock=clock)
        self._mode = mode
        parts = urlsplit(url)
        if parts.query or parts.fragment:
            raise InputError("address must end with its path: the gateway takes no token in it")
        if parts.path in ("", "/"):
            self._url = url.rstrip("/") + WAKE_PATH

    def _body(self, decision: Decision) -> str:
        audit = ", audit" if decision.reason == Reason.AUDIT else ""
        name = f" [prefrontal {decision.subject}{audit}, id {decision.id}]"
        question = (decision.question or "")[: LONGEST_TEXT - len(name)]
        return json.dumps({"text": question + name, "mode": self._mode})
