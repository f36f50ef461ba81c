"""Where a store lies on a PostgreSQL server, and the file that names it."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ..errors import InputError, SourceError

SCHEMES = ("postgresql://", "postgres://")
LONGEST = 500
"""Bytes of a file that names a store; that of an SQLite database has more, or none."""
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,40}")


@dataclass(frozen=True, slots=True)
class PostgresUrl:
    """server: a connection URI of libpq. schema: the namespace that holds the tables."""

    server: str
    schema: str = "prefrontal"

    @classmethod
    def parse(cls, text: str) -> PostgresUrl:
        """From `postgresql://[USER@]HOST[:PORT]/DATABASE[?schema=NAME]`. Raises InputError."""
        if not text.startswith(SCHEMES) or len(text.encode()) > LONGEST - 100 or "\n" in text:
            rule = "be postgresql://[USER@]HOST[:PORT]/DATABASE[?schema=NAME]"
            raise InputError(f"storage must {rule}, got {text!r:.120}")
        try:
            parts = urlsplit(text)
            password = parts.password
        except ValueError as error:
            raise InputError(f"storage must be a URL, got {text!r:.120}: {error}") from None
        options = parse_qsl(parts.query, keep_blank_values=True)
        if password is not None or "password" in dict(options):
            raise InputError("storage must hold no password: ~/.pgpass or PGPASSWORD holds it")
        schema = dict(options).get("schema", "prefrontal")
        if not _SCHEMA.fullmatch(schema):
            rule = "be at most 41 lowercase letters, digits and underscores"
            raise InputError(f"schema must {rule}, got {schema!r:.80}")
        query = urlencode([each for each in options if each[0] != "schema"], safe="/")
        return cls(urlunsplit(("postgresql", parts.netloc, parts.path, query, "")), schema)

    def of_part(self, part: str) -> PostgresUrl:
        """The store of one part of an installation, such as its decisions."""
        return PostgresUrl(self.server, f"{self.schema}_{part}")

    def __str__(self) -> str:
        mark = "&" if "?" in self.server else "?"
        return f"{self.server}{mark}schema={self.schema}"


def read_link(path: str | os.PathLike[str]) -> PostgresUrl | None:
    """The store that the file names; None for what is no such file, an SQLite database say.

    A database is never opened here: closing it would drop the locks this process has on it.
    """
    try:
        status = Path(path).stat()
        if not stat.S_ISREG(status.st_mode) or not 0 < status.st_size <= LONGEST:
            return None
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError):  # whoever opens it says what is wrong
        return None
    if not text.startswith(SCHEMES):
        return None
    try:
        return PostgresUrl.parse(text.strip())
    except InputError as error:
        raise SourceError(f"{os.fspath(path)} names no store: {error}") from None


def write_link(path: Path, url: PostgresUrl) -> None:
    """Let the file name that store, and nothing else, from now on. Raises SourceError."""
    from .files import write_atomic

    write_atomic(path, f"{url}\n")
    path.chmod(0o600)
