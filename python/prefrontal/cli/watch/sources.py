"""The sources that prefrontal.yml names besides folders; a kind is imported when it is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError
from ...settings.secrets import environment_secret
from ..paths import check_utf8

if TYPE_CHECKING:
    from ...protocols import Source
    from ...pulse.sources.mcp.connection import McpAddress
    from ...settings import Settings
    from ...settings.calendar_entry import CalendarEntry
    from ...settings.github_source import GitHubAccountEntry
    from ...settings.mail_source import Mailbox
    from ...settings.mcp_source import McpServer
    from ...settings.models import HttpEvents
    from ...storage.state_folder import StateFolder


def configured_sources(settings: Settings, state: StateFolder) -> Iterator[Source]:
    """One source for each thing that is named, none of them started."""
    sources = settings.sources
    yield from _followed(settings, state)
    if sources.network:
        from ...pulse.sources.network import NetworkSource

        for endpoint in sources.network:
            yield NetworkSource(endpoint.url, endpoint.every_s)
    if sources.github is not None:
        yield _notified(sources.github)
    for mailbox in sources.mail:
        yield _received(mailbox, settings)
    yield from _planned(settings)
    if sources.http is not None:
        yield listening(sources.http)
    yield from map(_heard, sources.mcp)
    yield from streams(settings)
    if sources.stdin or sources.socket is not None:
        from ...pulse.sources.lines import LinesSource, SocketSource

        if sources.stdin:
            yield LinesSource()
        if sources.socket is not None:
            yield SocketSource(settings.path(sources.socket))


def streams(settings: Settings) -> Iterator[Source]:
    """Those of Redis and NATS."""
    for place, entries in (("redis", settings.sources.redis), ("nats", settings.sources.nats)):
        for entry in entries:
            url = entry.url or environment_secret(f"sources.{place}.url_env", entry.url_env) or ""
            if [each.stream for each in entries].count(entry.stream) > 1:
                rule = "name each stream once"
                raise InputError(f"sources.{place} must {rule}, got {entry.stream!r} twice")
            yield _stream(place, url, entry.stream)


def _stream(place: str, url: str, stream: str) -> Source:
    if place == "redis":
        from ...pulse.sources.streams.redis_stream import RedisStreamSource

        return RedisStreamSource(url, stream)
    from ...pulse.sources.streams.nats_stream import NatsStreamSource

    return NatsStreamSource(url, stream)


def _followed(settings: Settings, state: StateFolder) -> Iterator[Source]:
    """What grows on this machine: repositories and log files."""
    sources = settings.sources
    if repositories := unadopted(settings):
        from ...pulse.sources.git import GitSource

        for repository in repositories:
            yield GitSource(repository, state_path=state.seen_commits(repository))
    if sources.logs:
        from ...pulse.sources.log_file import LogFileSource

        for path in map(settings.path, sources.logs):
            yield LogFileSource(path, state_path=state.read_log(path))


def unadopted(settings: Settings) -> list[Path]:
    """The repositories of the sources, less those that are adopted, which are followed as such."""
    adopted = {settings.path(each.git).resolve() for each in settings.adopted if each.git}
    named = [_plain_path(settings.path(each)) for each in settings.sources.git]
    for each in named:
        check_utf8("repository to watch", each.resolve())
    return [each for each in named if each.resolve() not in adopted]


def _plain_path(path: Path) -> Path:
    return path.resolve() if ".." in path.parts else path


def _notified(entry: GitHubAccountEntry) -> Source:
    from ...pulse.sources.github_notifications import GitHubAccount, GitHubNotifications

    token = environment_secret("sources.github.token_env", entry.token_env) or ""
    account = GitHubAccount(token, entry.url, entry.participating)
    return GitHubNotifications(account, entry.every_s)


def _received(entry: Mailbox, settings: Settings) -> Source:
    from ...pulse.sources.imap_session import ImapAddress
    from ...pulse.sources.mail import MailSource

    password = environment_secret("sources.mail.password_env", entry.password_env) or ""
    trusted = "" if entry.ca_file is None else str(settings.path(entry.ca_file))
    where = (entry.host, entry.real_port, entry.user, password)
    return MailSource(ImapAddress(*where, entry.folder, entry.tls, trusted))


def _planned(settings: Settings) -> Iterator[Source]:
    names = [each.name for each in settings.sources.calendar]
    for entry in settings.sources.calendar:
        if names.count(entry.name) > 1:
            rule = "name each calendar differently"
            raise InputError(f"sources.calendar must {rule}, got {entry.name!r} more than once")
        yield _calendar(entry, settings)


def _calendar(entry: CalendarEntry, settings: Settings) -> Source:
    from ...pulse.sources.calendar_source import CalendarAddress, CalendarSource

    file = "" if entry.file is None else str(settings.path(entry.file))
    url = entry.url or environment_secret("sources.calendar.url_env", entry.url_env) or ""
    address = CalendarAddress(entry.name, file, url, entry.zone or "")
    return CalendarSource(address, entry.every_s, before_s=entry.before_s)


def listening(entry: HttpEvents) -> Source:
    """The door for what other programs post."""
    from ...pulse.sources.posts.http_events import HttpDoor, HttpEventsSource
    from ...pulse.sources.posts.mapped_json import HookPath

    token = environment_secret("token_env", entry.token_env) or ""
    secret = environment_secret("github_secret_env", entry.github_secret_env) or ""
    hooks = tuple(
        HookPath(
            name,
            mapping,
            environment_secret("slack_secret_env", mapping.slack_secret_env) or "",
            bytes.fromhex(mapping.discord_key or ""),
        )
        for name, mapping in entry.hooks.items()
    )
    door = HttpDoor(entry.host, entry.port, token, entry.max_bytes, secret, hooks)
    return HttpEventsSource(door)


def mcp_address(entry: McpServer) -> McpAddress:
    """Where the server is, without secrets."""
    from ...pulse.sources.mcp.connection import McpAddress

    return McpAddress(entry.command, entry.url or "", name=entry.name or "")


def _heard(entry: McpServer) -> Source:
    from ...pulse.sources.mcp.events import McpEventsSource

    handed = {name: environment_secret("sources.mcp.env", name) or "" for name in entry.env}
    token = environment_secret("sources.mcp.token_env", entry.token_env) or ""
    address = replace(mcp_address(entry), token=token, env=handed)
    return McpEventsSource(address, reads=entry.read)
