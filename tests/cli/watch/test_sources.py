"""MCP servers and calendars among the sources that prefrontal.yml names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prefrontal.cli.watch.session import build_watch
from prefrontal.cli.watch.sources import configured_sources
from prefrontal.errors import InputError, SourceError
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.sources import calendar_source
from prefrontal.pulse.sources.github_notifications import GitHubNotifications
from prefrontal.settings import parse_settings
from prefrontal.storage.state_folder import StateFolder
from prefrontal.types import SignalEvent

HERE: dict[str, Any] = {"command": ["tickets-mcp", "--all"], "experimental": True}
THERE: dict[str, Any] = {"url": "https://example.org:8443/mcp", "experimental": True}


def sources(folder: Path, *servers: dict[str, Any]) -> list[dict[str, object]]:
    """What the sources say of themselves, none of them started."""
    settings = parse_settings({"sources": {"mcp": list(servers)}})
    return [each.status() for each in configured_sources(settings, StateFolder(folder))]


def refusal(server: dict[str, Any]) -> str:
    with pytest.raises(InputError) as told:
        parse_settings({"sources": {"mcp": [server]}})
    return str(told.value)


def test_each_server_is_a_source_with_a_name(tmp_path: Path) -> None:
    found = sources(tmp_path, HERE, THERE, THERE | {"name": "work"})
    assert [each["server"] for each in found] == ["tickets-mcp", "example.org:8443", "work"]
    assert not any(each["running"] or each["connected"] for each in found)


def test_a_server_alone_is_something_to_watch(tmp_path: Path) -> None:
    settings = parse_settings({"sources": {"mcp": [HERE]}, "state": str(tmp_path / "state")})
    built = build_watch(settings)
    try:
        assert [each.module_id for each in built.modules] == ["tickets-mcp"]
        kinds = [each["kind"] for each in built.watch.status()["sources"]]
    finally:
        built.stop()
    assert "McpEventsSource" in kinds


def test_secrets_are_read_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TICKETS_KEY", "a-key")
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    assert sources(tmp_path, HERE | {"env": ["TICKETS_KEY"]}, THERE | {"token_env": "TICKETS_KEY"})
    with pytest.raises(InputError, match="^sources.mcp.env must name a variable that is set, got"):
        sources(tmp_path, HERE | {"env": ["NO_SUCH_KEY"]})
    with pytest.raises(InputError, match="^sources.mcp.token_env must name a variable that is set"):
        sources(tmp_path, THERE | {"token_env": "NO_SUCH_KEY"})


@pytest.mark.parametrize(
    ("server", "sentence"),
    [
        ({"experimental": True}, "have exactly one of command, url"),
        (HERE | THERE, "have exactly one of command, url"),
        ({"url": "http://h"}, "have experimental: true, since this may change"),
        (THERE | {"env": ["KEY"]}, "have env only beside command"),
        (HERE | {"token_env": "KEY"}, "have a token_env only beside url"),
    ],
)
def test_a_server_that_is_none_is_refused(server: dict[str, Any], sentence: str) -> None:
    assert refusal(server).startswith(f"sources.mcp[0] must {sentence}, got ")


def test_a_key_that_is_misspelt_is_told_with_the_right_one() -> None:
    assert "did you mean 'command'?" in refusal({"comand": ["x"], "experimental": True})


def with_calendars(folder: Path, *calendars: dict[str, Any]) -> dict[str, Any]:
    """Settings with these calendars, and a door for other programs."""
    named = {"calendar": list(calendars), "http": {"port": 0}}
    return {"sources": named, "state": str(folder / "state")}


def test_a_calendar_gets_a_module_of_its_own_and_no_other_hears_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calendar_source, "find_spec", lambda name: name)  # also without the extra
    settings = parse_settings(with_calendars(tmp_path, {"file": "team.ics", "name": "team"}))
    built = build_watch(settings)
    try:
        modules = {each.module_id: each for each in built.modules}
    finally:
        built.stop()
    assert modules.keys() == {"calendar", "programs"}
    begins = SignalEvent("calendar", "team", "begins", 1.0, 0.0)
    limbic = LimbicLayer()
    for name, module in modules.items():
        limbic.register(name, module)
    assert limbic.score_routed([begins]).keys() == {"calendar"}


def test_two_calendars_of_one_name_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calendar_source, "find_spec", lambda name: name)
    settings = parse_settings(with_calendars(tmp_path, {"file": "a.ics"}, {"file": "b.ics"}))
    with pytest.raises(InputError, match="must name each calendar differently, got 'calendar'"):
        list(configured_sources(settings, StateFolder(tmp_path)))


def test_without_the_extra_a_calendar_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calendar_source, "find_spec", lambda name: None)
    settings = parse_settings(with_calendars(tmp_path, {"file": "a.ics"}))
    with pytest.raises(SourceError, match=r"pip install 'prefrontal\[calendar\]'"):
        list(configured_sources(settings, StateFolder(tmp_path)))


def test_the_token_for_github_is_read_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = parse_settings({"sources": {"github": {"token_env": "GITHUB_KEY"}}})
    monkeypatch.delenv("GITHUB_KEY", raising=False)
    with pytest.raises(InputError, match="^sources.github.token_env must name a variable that is"):
        list(configured_sources(settings, StateFolder(tmp_path)))
    monkeypatch.setenv("GITHUB_KEY", "a-token")
    [source] = configured_sources(settings, StateFolder(tmp_path))
    assert isinstance(source, GitHubNotifications)


@pytest.mark.parametrize(
    ("place", "url"), [("redis", "redis://127.0.0.1:1"), ("nats", "nats://127.0.0.1:1")]
)
def test_a_stream_is_a_source_and_is_named_once(tmp_path: Path, place: str, url: str) -> None:
    stream = {"url": url, "stream": "work"}
    settings = parse_settings({"sources": {place: [stream]}})
    [source] = configured_sources(settings, StateFolder(tmp_path))
    assert source.status()["stream"] == "work"
    assert source.status()["unreadable"] == 0
    source.stop()
    twice = parse_settings({"sources": {place: [stream, stream]}})
    with pytest.raises(
        InputError, match=f"^sources.{place} must name each stream once, got 'work'"
    ):
        list(configured_sources(twice, StateFolder(tmp_path)))


@pytest.mark.parametrize("place", ["redis", "nats"])
def test_a_stream_brings_no_module_besides_that_for_what_programs_send(
    tmp_path: Path, place: str
) -> None:
    told = {place: [{"url": f"{place}://127.0.0.1:1", "stream": "work"}]}
    settings = parse_settings({"sources": told, "state": str(tmp_path / "alone")})
    session = build_watch(settings)
    assert session.watch.modules() == ["everything"]
    session.stop()
    beside = parse_settings(
        {"sources": told | {"git": [str(tmp_path)]}, "state": str(tmp_path / "beside")}
    )
    session = build_watch(beside)
    assert session.watch.modules() == ["programs", tmp_path.name]
    session.stop()


def test_the_address_of_a_stream_may_lie_in_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_SUCH_URL", raising=False)
    settings = parse_settings({"sources": {"nats": [{"url_env": "NO_SUCH_URL", "stream": "a"}]}})
    with pytest.raises(InputError, match=r"^sources.nats.url_env must name a variable that is set"):
        list(configured_sources(settings, StateFolder(tmp_path)))
