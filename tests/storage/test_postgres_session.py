"""What a person is told where a server cannot be used."""

from __future__ import annotations

import pytest

from prefrontal.storage.postgres_session import what_failed
from prefrontal.storage.postgres_url import PostgresUrl

psycopg = pytest.importorskip("psycopg", reason="needs the extra [postgres]")
URL = PostgresUrl.parse("postgresql://ada@db/facts")


@pytest.mark.parametrize(
    ("reason", "hint"),
    [
        ('FATAL:  database "facts" does not exist', "`createdb --encoding UTF8"),
        ('FATAL:  password authentication failed for user "ada"', "PGPASSWORD or ~/.pgpass"),
        ("fe_sendauth: no password supplied", "PGPASSWORD or ~/.pgpass"),
        ('FATAL:  role "ada" does not exist', "`createuser` makes it"),
        ('FATAL:  no pg_hba.conf entry for host "10.0.0.7"', "must let this machine and user in"),
    ],
)
def test_a_server_that_lets_nobody_in_is_not_to_be_started(reason: str, hint: str) -> None:
    sentence = what_failed(psycopg.OperationalError(f"connection failed: {reason}"), URL)
    assert hint in sentence
    assert "cannot be opened at postgresql://ada@db/facts: connection failed" in sentence
    assert "start the server" not in sentence


def test_a_server_that_is_not_there_is_to_be_started() -> None:
    sentence = what_failed(psycopg.OperationalError("Connection refused"), URL)
    assert "cannot reach PostgreSQL" in sentence
    assert "start the server (`systemctl start postgresql`)" in sentence
