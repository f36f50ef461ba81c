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
    from ...settings import Settings
    from ...settings import Sink as SinkSettings

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
    settings: Settings, given: Iterable[SinkSettings], held: ExitStack
) -> ConfiguredSinks:
    """Make the sinks; `held` closes them. Raises InputError for one that cannot be used."""
    found = ConfiguredSinks()
    for each in given:
        if each.lines == STANDARD_OUTPUT:
            found.output = each.format
            continue
        name, sink = _sink(settings, each)
        held.callback(sink.close)
        if not each.lasting:
            found.plain.append((each.name or name, sink))
            continue
        key = each.name or name if each.lines else each.name or f"{name} {_mark(each)}"
        if any(key == other for other, _, _ in found.durable):
            raise InputError(f"sinks must each have a name of their own, got {key!r} twice")
        found.durable.append((key, sink, each.give_up_s))
    return found


def _sink(settings: Settings, given: SinkSettings) -> tuple[str, Sink]:
    if given.exec is not None:
        # Its output goes where ours does not: standard output may carry JSON lines.
        return "command", CommandSink(
            given.exec, given.timeout_s, output=STANDARD_ERROR, shape=given.format
        )
    retries = 0 if given.lasting else given.retries  # the outbox waits better
    if given.post is not None:
        secret = environment_secret("secret_env", given.secret_env)
        return "post", HttpSink(
            given.post, given.timeout_s, retries, given.headers, secret, shape=given.format
        )
    if given.openclaw is not None:
        claw = given.openclaw
        token = environment_secret("openclaw.token_env", claw.token_env)
        assert token is not None
        return "openclaw", OpenClawSink(claw.url, token, claw.mode, given.timeout_s, retries)
    assert given.lines is not None
    path = settings.path(given.lines)
    return os.fspath(path), LinesFileSink(path, given.format)


def _mark(given: SinkSettings) -> str:
    """Tells sinks of a kind apart and stays the same; an address may hold secrets in its path."""
    address = given.post or (given.openclaw.url if given.openclaw else "")
    target = address or given.exec or ""
    mark = f"{crc32(target.encode('utf-8', 'surrogatepass')):08x}"
    return f"{urlsplit(address).hostname} {mark}" if address else mark
