"""`PostgresUrl`, and the file that names a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError, SourceError
from prefrontal.storage.postgres_sql import translated
from prefrontal.storage.postgres_url import PostgresUrl, read_link, write_link


def test_a_schema_is_no_matter_of_the_server() -> None:
    url = PostgresUrl.parse("postgres://ada@db.example:5433/agents?schema=home&sslmode=require")
    assert url == PostgresUrl("postgresql://ada@db.example:5433/agents?sslmode=require", "home")
    assert str(url.of_part("ledger")).endswith("?sslmode=require&schema=home_ledger")
    assert PostgresUrl.parse(str(url)) == url
    assert str(PostgresUrl.parse("postgresql://h/d")) == "postgresql://h/d?schema=prefrontal"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("mysql://h/d", "storage must be postgresql://"),
        ("postgresql://u:secret@h/d", "must hold no password"),
        ("postgresql://h/d?password=secret", "must hold no password"),
        ("postgresql://h/d?schema=A%22b", "schema must be at most 41 lowercase"),
        ("postgresql://h/d?schema=" + "a" * 42, "schema must be at most 41 lowercase"),
        ("postgresql://[h/d", "storage must be a URL"),
    ],
)
def test_what_is_no_url_of_a_store_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as refusal:
        PostgresUrl.parse(text)
    assert "secret" not in str(refusal.value)


def test_a_file_names_a_store_or_is_a_database(tmp_path: Path) -> None:
    path = tmp_path / "decisions.sqlite"
    assert read_link(path) is None
    assert read_link(tmp_path) is None
    with DecisionLog(path):
        assert read_link(path) is None
    link, url = tmp_path / "link", PostgresUrl.parse("postgresql://h/d?schema=home")
    write_link(link, url)
    assert read_link(link) == url
    assert link.stat().st_mode & 0o777 == 0o600
    link.write_text("postgresql://h/d?schema=;\n")
    with pytest.raises(SourceError, match="names no store: schema must be"):
        read_link(link)


def test_statements_get_the_names_of_the_other_database() -> None:
    assert translated("SELECT ?, ?2, ?1, ?") == "SELECT $1, $2, $1, $2"
    assert translated("CREATE TABLE t (a INTEGER, b ANY) STRICT, WITHOUT ROWID") == (
        'CREATE TABLE t (a bigint, b text COLLATE "C")'
    )
