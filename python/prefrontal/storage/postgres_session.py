"""A connection to PostgreSQL, and sentences for what can go wrong with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import InputError, SourceError
from .postgres_url import PostgresUrl

if TYPE_CHECKING:
    import psycopg

    Connection: TypeAlias = psycopg.Connection[Any]

CONNECT_TIMEOUT_S = 10
SILENCE_S = 10
"""Of the network, after which a connection counts as lost, on both sides."""
IDLE_S = 5
"""Within a transaction, after which the server ends it: a frozen writer must not keep others."""
_KEEPALIVE = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}
HOW_TO_START = (
    "start the server (`systemctl start postgresql`), or name another: `prefrontal storage"
    " migrate`, with partitions storage.url"
)
_HINTS = (
    (r'database ".*" does not exist', "`createdb --encoding UTF8 --template template0` makes it"),
    (
        r"password authentication failed|no password supplied",
        "the password is read from PGPASSWORD or ~/.pgpass (HOST:PORT:DATABASE:USER:PASSWORD, chmod"
        " 600)",
    ),
    (r"no pg_hba.conf entry", "pg_hba.conf of the server must let this machine and user in"),
    (r'role ".*" does not exist', "`createuser` makes it, or name one in the URL"),
)
"""What a server that runs says before it lets one in, as a pattern; an error has no code then."""


def connect(url: PostgresUrl, *, busy_timeout_s: float, synchronous: bool) -> Connection:
    """A connection that commits each statement by itself. Raises psycopg.Error, SourceError."""
    psycopg = library()
    settings = {
        "search_path": url.schema,
        "synchronous_commit": "on" if synchronous else "off",
        "lock_timeout": f"{round(busy_timeout_s * 1000)}",
        "idle_in_transaction_session_timeout": f"{IDLE_S}s",
        "tcp_keepalives_idle": "5",
        "tcp_keepalives_interval": "2",
        "tcp_keepalives_count": "3",
        "tcp_user_timeout": f"{SILENCE_S}s",
        "client_min_messages": "error",
    }
    connection: Connection = psycopg.connect(
        url.server,
        autocommit=True,
        cursor_factory=psycopg.RawCursor,
        connect_timeout=CONNECT_TIMEOUT_S,
        client_encoding="utf8",
        application_name="prefrontal",
        options=" ".join(f"-c {name}={value}" for name, value in settings.items()),
        tcp_user_timeout=SILENCE_S * 1000,
        **_KEEPALIVE,
    )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        connection.close()
        raise SourceError(
            f"{url.server} must hold text as UTF8, got {encoding}: `createdb --encoding UTF8"
            " --template template0 NAME` makes such a database"
        )
    return connection


def library() -> Any:
    """psycopg. Raises InputError that names the extra."""
    try:
        import psycopg
    except ImportError as error:
        raise InputError(
            f"PostgreSQL needs the extra [postgres]: pip install 'prefrontal[postgres]' ({error})"
        ) from None
    return psycopg


def what_failed(error: Exception, url: PostgresUrl) -> str:
    """What an error of the library means for a person, without the name of the store."""
    psycopg = library()
    reason = " ".join(str(error).split())
    if isinstance(error, psycopg.errors.LockNotAvailable):
        return "is locked by another process"
    if isinstance(error, psycopg.errors.DiskFull):
        return f"cannot be written: the disk of {url.server} is full"
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return f"may not be used at {url.server}: {reason}"
    if isinstance(error, psycopg.OperationalError) and (hint := _refusal_hint(reason)):
        return f"cannot be opened at {url.server}: {reason:.300}; {hint}"
    if isinstance(error, psycopg.OperationalError):
        return f"cannot reach PostgreSQL at {url.server}: {reason:.300}; {HOW_TO_START}"
    return f"cannot be used at {url.server}: {reason:.300}"


def _refusal_hint(reason: str) -> str | None:
    """What to do about a server that runs and let nobody in; None for any other reason."""
    return next((hint for pattern, hint in _HINTS if re.search(pattern, reason)), None)
