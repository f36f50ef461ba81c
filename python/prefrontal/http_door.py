"""Where a server listens, and who may ask."""

from __future__ import annotations

import errno
from dataclasses import dataclass, field
from typing import ClassVar

from .errors import InputError, SourceError

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Door:
    """Where to listen, and who may ask.

    host, port: 0 for any free port. token: what a request must carry as "Authorization: Bearer
    ..."; needed unless host is this machine alone. max_bytes: of a request, 64 to 2^24.
    A subclass says how a person changes them: free_port, token_place. Raises InputError naming the
    field.
    """

    free_port: ClassVar[str] = "port 0 takes a free one"
    token_place: ClassVar[str] = "it comes from the environment, named by token_env"

    host: str = "127.0.0.1"
    port: int = 8765
    token: str = field(default="", repr=False)
    max_bytes: int = 1 << 16

    def __post_init__(self) -> None:
        require(isinstance(self.host, str) and bool(self.host), "host", "be a name", self.host)
        require(is_int(self.port, 0, 65535), "port", "be 0..65535", self.port)
        require(is_int(self.max_bytes, 64, 1 << 24), "max_bytes", "be 64..2^24", self.max_bytes)
        if self.token:
            long_enough = isinstance(self.token, str) and len(self.token) >= SHORTEST_TOKEN
            rule = f"have at least {SHORTEST_TOKEN} characters"
            require(long_enough, "token", rule, "a shorter one")
        elif self.host not in LOOPBACK:
            rule = "must be set unless the host is this machine alone (127.0.0.1)"
            raise InputError(f"token {rule}, got none for {self.host!r}; {self.token_place}")

    def address(self, port: int) -> str:
        """Where it listens, as "http://host:port". port: the one that was taken."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{port}"

    def refusal(self, error: OSError | UnicodeError) -> SourceError:
        """Why nobody can listen there, and what to do."""
        reason = getattr(error, "strerror", None) or error
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            reason = f"port {self.port} is in use; {self.free_port}"
        return SourceError(f"cannot listen on {self.host}:{self.port}: {reason}")


class CommandDoor(Door):
    """A door whose command has the options --port and --token-env."""

    free_port = "--port 0 takes a free one"
    token_place = "--token-env NAME names the environment variable that holds it"


def require(holds: bool, name: str, rule: str, value: object) -> None:
    """InputError "`name` must `rule`, got ..." where it does not hold."""
    if not holds:
        raise InputError(f"{name} must {rule}, got {value!r:.80}")


def is_int(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
