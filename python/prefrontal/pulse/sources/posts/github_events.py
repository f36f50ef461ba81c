"""What a GitHub webhook tells, as one signal."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

from ....errors import InputError
from ....types import SignalEvent

SUBJECTS = (
    "pull_request",
    "issue",
    "discussion",
    "release",
    "workflow_run",
    "check_run",
    "alert",
)
"""What an event may be about, each with its own title, number and address."""
TEXT_LIMIT = 2_000


def is_signed(secret: str, header: str | None, body: bytes) -> bool:
    """Whether X-Hub-Signature-256 is the HMAC of the body, compared in constant time."""
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return header is not None and hmac.compare_digest(
        header.encode("utf-8", "replace"), expected.encode()
    )


def github_event(kind: str, document: object, now: float) -> SignalEvent:
    """A delivery as a signal of the source "github".

    kind: of X-GitHub-Event. The location is the address of what it is about, the delta type the
    kind with the action behind a point ("pull_request.opened"). Features: actor, text (a title, a
    comment or the newest commit's message), repository, and number and extension-free ref where
    there are any. Raises InputError for what no delivery is.
    """
    if not isinstance(document, dict):
        raise InputError(f"delivery must be a JSON object, got {type(document).__name__}")
    repository = _mapping(document, "repository")
    subject = _subject(document)
    action = _text(document, "action")
    features: dict[str, Any] = {
        "actor": _text(_mapping(document, "sender"), "login"),
        "text": _said(document, subject)[:TEXT_LIMIT],
        "repository": _text(repository, "full_name"),
        "ref": _text(document, "ref"),
        "number": subject.get("number"),
    }
    place = _text(subject, "html_url") or _text(document, "compare")
    return SignalEvent(
        "github",
        place or _text(repository, "html_url") or "github",
        f"{kind}.{action}" if action else kind,
        1.0,
        now,
        {name: value for name, value in features.items() if value not in ("", None)},
    )


def _subject(document: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((subject for name in SUBJECTS if (subject := _mapping(document, name))), {})


def _said(document: Mapping[str, Any], subject: Mapping[str, Any]) -> str:
    for holder, name in (
        (_mapping(document, "comment"), "body"),
        (_mapping(document, "review"), "body"),
        (subject, "title"),
        (subject, "name"),
        (_mapping(document, "head_commit"), "message"),
    ):
        if text := _text(holder, name):
            return text
    return ""


def _mapping(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = document.get(name)
    return value if isinstance(value, dict) else {}


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    return value if isinstance(value, str) else ""
