"""Secrets that a command uses and never sees."""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from ...errors import InputError
from .request_head import RequestHead

_SHORTEST = 8


@dataclass(frozen=True, slots=True)
class Credential:
    """A secret for some hosts.

    name: the variable of the command's environment that holds a placeholder. value: the secret.
    hosts: that get it, over TLS. Raises InputError.
    """

    name: str
    value: str = field(repr=False)
    hosts: tuple[str, ...]

    def __post_init__(self) -> None:
        fine = self.value.isascii() and self.value.isprintable() and " " not in self.value
        if len(self.value) < _SHORTEST or not fine:
            rule = f"be at least {_SHORTEST} printable ASCII characters without spaces"
            raise InputError(f"the value of credential {self.name!r} must {rule}")
        if not self.hosts:
            raise InputError(f"credential {self.name!r} must name a host, got none")


class Placeholders:
    """Credentials and the texts that stand for them in one run, as long as the secrets."""

    def __init__(self, credentials: Sequence[Credential]) -> None:
        self._pairs = [(each, _placeholder(len(each.value))) for each in credentials]

    @property
    def variables(self) -> dict[str, str]:
        """The variables for the command: name -> placeholder."""
        return {credential.name: text for credential, text in self._pairs}

    @property
    def hosts(self) -> list[str]:
        """Hosts that get a secret."""
        return sorted({host for credential, _ in self._pairs for host in credential.hosts})

    def fill(self, host: str, head: RequestHead) -> RequestHead:
        """The request with the secrets of the host in its target and headers."""
        target, fields = head.target, list(head.fields)
        for credential, text in self._pairs:
            if host not in credential.hosts:
                continue
            target = target.replace(text, quote(credential.value, safe=""))
            fields = [(name, _filled(value, text, credential.value)) for name, value in fields]
        return RequestHead(head.method, target, tuple(fields))

    def mask(self, host: str) -> Mask:
        """What hides the secrets of the host in its answers."""
        pairs = [(each.value, text) for each, text in self._pairs if host in each.hosts]
        return Mask([(value.encode(), text.encode()) for value, text in pairs])


class Mask:
    """Replaces secrets in a stream of bytes, also where one spans two parts."""

    def __init__(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        self._pairs = pairs
        self._hold = max((len(value) - 1 for value, _ in pairs), default=0)
        self._rest = b""

    def feed(self, part: bytes) -> bytes:
        """What can be handed on; holds back what may be the begin of a secret."""
        text = self._masked(self._rest + part)
        cut = max(0, len(text) - self._hold)
        self._rest = text[cut:]
        return text[:cut]

    def end(self) -> bytes:
        """What was held back."""
        rest, self._rest = self._rest, b""
        return rest

    def _masked(self, text: bytes) -> bytes:
        for value, placeholder in self._pairs:
            text = text.replace(value, placeholder)
        return text


def _placeholder(length: int) -> str:
    return secrets.token_urlsafe(length)[:length].replace("-", "x").replace("_", "y")


def _filled(value: str, text: str, secret: str) -> str:
    """A header's value with the secret, also within the base64 of Basic."""
    scheme, space, word = value.partition(" ")
    if scheme.lower() == "basic" and space:
        try:
            plain = base64.b64decode(word, validate=True).decode("latin-1")
        except (binascii.Error, ValueError):
            return value
        if text in plain:
            inner = plain.replace(text, secret).encode("latin-1")
            return f"{scheme} {base64.b64encode(inner).decode()}"
    return value.replace(text, secret)
