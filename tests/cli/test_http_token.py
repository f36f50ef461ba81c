"""On a machine with other accounts the page and MCP over HTTP ask for a token by default."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.cli import dash, http_token, mcp
from prefrontal.errors import InputError
from prefrontal.storage.state_folder import StateFolder

OTHERS = "prefrontal.settings.accounts.other_accounts"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StateFolder:
    monkeypatch.setattr(OTHERS, lambda: ["bob", "carl", "dora", "eve"])
    return StateFolder(tmp_path / "state")


def test_where_others_have_accounts_there_is_a_token_and_it_stays(folder: StateFolder) -> None:
    token = http_token.http_token(None, None, "127.0.0.1", folder)
    assert len(token.secret) >= 32
    assert folder.http_token.read_text().strip() == token.secret
    where, why = token.sentences()
    assert where.startswith(f"The token is in {folder.http_token}; ")
    assert why == "bob, carl, dora and others can log in here, too; --no-token serves without one."
    assert http_token.http_token(None, None, "::1", folder).secret == token.secret


def test_alone_or_when_told_so_there_is_none(
    folder: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert http_token.http_token(None, False, "127.0.0.1", folder).secret == ""
    monkeypatch.setattr(OTHERS, list)
    assert http_token.http_token(None, None, "127.0.0.1", folder).sentences() == []
    assert not folder.path.exists()
    asked_for = http_token.http_token(None, True, "127.0.0.1", folder)
    assert asked_for.secret
    assert len(asked_for.sentences()) == 1


def test_a_token_of_ones_own_takes_its_place(
    folder: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_TOKEN", "a-token-of-my-own")
    token = http_token.http_token("OWN_TOKEN", None, "127.0.0.1", folder)
    assert (token.secret, token.file) == ("a-token-of-my-own", None)
    with pytest.raises(InputError, match="--no-token must stand without --token-env, got both"):
        http_token.http_token("OWN_TOKEN", False, "127.0.0.1", folder)
    assert not folder.path.exists()


def test_the_browser_is_started_without_the_token_in_its_words(
    folder: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    words: list[str] = []
    monkeypatch.setattr("webbrowser.open", words.append)
    token = http_token.HttpToken("a-token-that-is-long", folder.http_token)
    address = "http://127.0.0.1:1/?token=a-token-that-is-long"
    dash._ready(token, address, opens=True, folder=folder)
    assert words == [(folder.path / "open-page.html").as_uri()]
    page = folder.path / "open-page.html"
    assert page.stat().st_mode & 0o777 == 0o600
    assert f'url={address}"' in page.read_text()
    dash._ready(http_token.HttpToken(""), "http://127.0.0.1:1/", opens=True, folder=folder)
    assert words[1:] == ["http://127.0.0.1:1/"]


def test_mcp_over_http_takes_it(folder: StateFolder) -> None:
    options = {"host": "127.0.0.1", "port": 0, "token_env": None, "token": None}
    token, door = mcp._door(options, folder)
    assert door.token == token.secret == folder.http_token.read_text().strip()
    assert mcp._door({**options, "token": False}, folder)[1].token == ""
