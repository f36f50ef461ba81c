"""A document signed with a secret that both sides know (HMAC-SHA256)."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from ...errors import InputError

SHORTEST_KEY = 16
LARGEST_DOCUMENT = 256 * 1024


def sign(document: Mapping[str, Any], key: str) -> str:
    """The document as JSON with its signature; the same document gives the same text."""
    body = dict(document)
    return json.dumps({**body, "signature": _signature(body, key)}, sort_keys=True, indent=1)


def verified(text: str, key: str) -> dict[str, Any]:
    """The document without its signature. Raises InputError for a wrong signature."""
    if len(text) > LARGEST_DOCUMENT:
        raise InputError(f"a shared file must have at most {LARGEST_DOCUMENT} characters")
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("a shared file must be JSON") from None
    if not isinstance(raw, dict) or not isinstance(raw.get("signature"), str):
        raise InputError("a shared file must have a signature")
    signature = raw.pop("signature")
    if not hmac.compare_digest(signature.encode(errors="replace"), _signature(raw, key).encode()):
        raise InputError(
            "the signature must fit the shared key; the file was changed or is foreign"
        )
    return raw


def _signature(body: Mapping[str, Any], key: str) -> str:
    if len(key) < SHORTEST_KEY:
        raise InputError(f"the sharing key must have at least {SHORTEST_KEY} characters")
    try:
        text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    except RecursionError:
        raise InputError("a shared file must be nested less deep") from None
    return hmac.new(key.encode(errors="surrogateescape"), text.encode(), sha256).hexdigest()
