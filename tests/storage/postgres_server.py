"""Debian's PostgreSQL for tests; they are skipped where it is not installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from postgres_server import PostgresServer, programs, server_in

__all__ = ["PostgresServer", "running_server"]


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """A server for as long as that; skips where none, or no psycopg, is installed."""
    folder = programs()
    if os.environ.get("PREFRONTAL_REQUIRE_POSTGRES"):
        assert folder is not None, "PostgreSQL must be installed"
    else:
        pytest.importorskip("psycopg", reason="needs the extra [postgres]")
    if folder is None:
        pytest.skip("needs PostgreSQL's server (Debian: postgresql)")
    with server_in(folder) as server:
        yield server
