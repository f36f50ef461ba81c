"""Signatures of posted questions, by the Standard Webhooks specification (scheme v1)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence

from ...errors import InputError

PREFIX = "whsec_"
SHORTEST, LONGEST = 24, 64
"""Bytes of a key, as the specification bounds them."""


class Signer:
    """Signs with every key of `secret`: HMAC-SHA256 of "id.seconds.body".

    secret: `whsec_` and 24 to 64 bytes in base64; several, separated by spaces, while keys are
    changed: a receiver needs to know one of them. Raises InputError, which does not repeat it.
    """

    def __init__(self, secret: str) -> None:
        self._keys = _keys(secret.split())

    def headers(self, id_: str, seconds: int, body: bytes) -> dict[str, str]:
        """webhook-id, webhook-timestamp and webhook-signature of one try at Unix second `seconds`.

        id_: the same on every try, so that a receiver can tell a repetition.
        """
        signed = f"{id_}.{seconds}.".encode() + body
        signatures = [hmac.new(key, signed, hashlib.sha256).digest() for key in self._keys]
        return {
            "webhook-id": id_,
            "webhook-timestamp": str(seconds),
            "webhook-signature": " ".join(
                f"v1,{base64.b64encode(signature).decode()}" for signature in signatures
            ),
        }


def _keys(secrets: Sequence[str]) -> list[bytes]:
    if not secrets:
        raise InputError(f"secret must be {PREFIX} and a key in base64, got nothing")
    keys = [_key(secret) for secret in secrets]
    for key in keys:
        if not SHORTEST <= len(key) <= LONGEST:
            rule = f"hold {SHORTEST} to {LONGEST} bytes"
            raise InputError(f"secret must {rule}, got {len(key)}")
    return keys


def _key(secret: str) -> bytes:
    try:
        if not secret.startswith(PREFIX):
            raise ValueError
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise InputError(f"secret must be {PREFIX} and a key in base64") from None
