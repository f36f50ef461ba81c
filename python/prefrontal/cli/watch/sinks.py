"""The sinks that prefrontal.yml and the command line name, and which of them are durable."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from zlib import crc32

from ...errors import InputError
from ...pulse.sinks import CommandSink, HttpSink, LinesFileSink, OpenClawSink, Shape, Sink
from ...settings.secrets import environment_secret

if TYPE_CHECKING:
    from ...settings import Settings, SinkSettings

STANDARD_ERROR = 2
STANDARD_OUTPUT = "-"


@dataclass(slots=True)
class ConfiguredSinks:
    """What a question goes to.

    plain: (name for people, sink): told once. durable: (key in the log, sink, seconds until a
    question is given up): told until they have it. output: of the JSON lines on standard output.
    """

    plain: list[tuple[str, Sink]] = field(default_factory=list)
    durable: list[tuple[str, Sink, float]] = field(default_factory=list)
    output: Shape | None = None


def configured_sinks(
    settings: Settings, sinks: Iterable[SinkSettings], held: ExitStack
) -> ConfiguredSinks:
    """Make the sinks; `held` closes them. Raises InputError for one that cannot be used."""
    configured = ConfiguredSinks()
    for each in sinks:
        if each.lines == STANDARD_OUTPUT:
            configured.output = each.format
            continue
        name, sink = _sink(settings, each)
        held.callback(sink.close)
        if not each.lasting:
            configured.plain.append((each.name or name, sink))
            continue
        key = each.name or name if each.lines else each.name or f"{name} {_mark(each)}"
        if any(key == other for other, _, _ in configured.durable):
            raise InputError(f"sinks must each have a name of their own, got {key!r} twice")
        configured.durable.append((key, sink, each.give_up_s))
    return configured


def _sink(settings: Settings, entry: SinkSettings) -> tuple[str, Sink]:
    if entry.exec is not None:
        # Its output goes where ours does not: standard output may carry JSON lines.
        return "command", CommandSink(
            entry.exec, entry.timeout_s, output=STANDARD_ERROR, shape=entry.format
        )
    retries = 0 if entry.lasting else entry.retries  # the outbox waits better
    if entry.post is not None:
        secret = environment_secret("secret_env", entry.secret_env)
        return "post", HttpSink(
            entry.post, entry.timeout_s, retries, entry.headers, secret, shape=entry.format
        )
    if entry.openclaw is not None:
        claw = entry.openclaw
        token = environment_secret("openclaw.token_env", claw.token_env)
        assert token is not None
        return "openclaw", OpenClawSink(claw.url, token, claw.mode, entry.timeout_s, retries)
    assert entry.lines is not None
    path = settings.path(entry.lines)
    return os.fspath(path), LinesFileSink(path, entry.format, synced=entry.lasting)


def _mark(entry: SinkSettings) -> str:
    """Tells sinks of a kind apart and stays the same; an address may hold secrets in its path."""
    address = entry.post or (entry.openclaw.url if entry.openclaw else "")
    target = address or entry.exec or ""
    mark = f"{crc32(target.encode('utf-8', 'surrogatepass')):08x}"
    return f"{urlsplit(address).hostname} {mark}" if address else mark
