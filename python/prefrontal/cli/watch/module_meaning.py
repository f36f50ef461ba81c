"""What a fingerprint means before anything was learned, as sentences with scores."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...pulse.learning.limbic import LimbicLayer
from ...pulse.modules.source_priors import SourcePrior, source_interests
from ...types import SignalEvent
from ..paths import home_short

if TYPE_CHECKING:
    from ...pulse.modules.fingerprint import ModuleFingerprint
    from ...pulse.modules.priors import FilesystemPrior, TimePrior

A_MONDAY = 1
"""Of January 2024."""
OTHER_KIND = ".other"
ANY_NAME = "any"
WORDS = {
    "git": "a commit that it declares",
    "log": "a line of a log file that it declares",
    "mcp": "news of an MCP server that it declares",
    "github": "a delivery of GitHub that it declares",
    "calendar": "an event of a calendar that it declares",
    "mail": "a message that it declares",
    "network": "a page that it declares and that changed",
}
"""By the source of an event."""


def sentences(fingerprint: ModuleFingerprint) -> Iterator[str]:
    """One sentence for each kind of signal the module speaks of, with its score."""
    meaning = _Meaning(fingerprint)
    if fingerprint.filesystem is not None:
        yield from meaning.files(fingerprint.filesystem)
    if fingerprint.memory is not None:
        for namespace in fingerprint.memory.watch_namespaces:
            for key in fingerprint.memory.high_relevance_keys:
                yield meaning.memory(f"the key {key!r} written in {namespace}", namespace, key)
            yield meaning.memory(f"any other key written in {namespace}", namespace, "other")
    for prior in fingerprint.source_priors():
        yield from meaning.others(prior)
    declared = fingerprint.filesystem or fingerprint.memory or fingerprint.source_priors()
    if fingerprint.time is not None and not declared:
        hours = fingerprint.time.typical_interval_hours
        yield meaning.tick(f"a minute's tick {hours:g} hours after the last wake", hours * 60)
        yield meaning.tick("a minute's tick right after a wake", 0.0)
    if fingerprint.declares_nothing:
        yield meaning.of("any signal", _file("/anywhere/file", ".txt", meaning.busy))


class _Meaning:
    """Scores made-up signals with a fresh scorer."""

    def __init__(self, fingerprint: ModuleFingerprint) -> None:
        self._id = fingerprint.module_id
        self._threshold = fingerprint.default_threshold
        self._limbic = LimbicLayer()
        self._limbic.register(self._id, fingerprint)
        self.busy, self.idle = _moments(fingerprint.time)

    def files(self, prior: FilesystemPrior) -> Iterator[str]:
        first, *more = prior.watch_directories
        place = home_short(first) + (f" (and {len(more)} more)" if more else "")
        for extension in prior.relevant_extensions:
            yield self.of(f"a {extension} created in {place}", _file(first, extension, self.busy))
        other = "any other file" if prior.relevant_extensions else "any file"
        yield self.of(f"{other} created in {place}", _file(first, OTHER_KIND, self.busy))
        for extension in prior.irrelevant_extensions:
            yield self.of(f"a {extension} created in {place}", _file(first, extension, self.busy))
        if self.idle is not None:
            extension = (prior.relevant_extensions or [OTHER_KIND])[0]
            what = f"a {extension}" if prior.relevant_extensions else other
            event = _file(first, extension, self.idle)
            yield self.of(f"{what} created outside the active hours or days", event)

    def memory(self, what: str, namespace: str, key: str) -> str:
        features = {"namespace": namespace, "key": key, "value_length": 100}
        return self.of(what, SignalEvent("memory", namespace, "modified", 1.0, self.busy, features))

    def others(self, prior: SourcePrior) -> Iterator[str]:
        """A sentence for each kind of signal that another source gives."""
        for interest in source_interests(prior):
            source = interest.source or ANY_NAME
            what = WORDS.get(source) or f"news of {interest.source or 'a program with any name'}"
            yield self.of(what, SignalEvent(source, "example", "modified", 1.0, self.busy))
            if self.idle is not None:
                event = SignalEvent(source, "example", "modified", 1.0, self.idle)
                yield self.of(f"{what}, outside the active hours or days", event)

    def tick(self, what: str, minutes: float) -> str:
        local = time.localtime(self.busy)
        hour, day = 2 * math.pi * local.tm_hour / 24, 2 * math.pi * local.tm_wday / 7
        features = {
            "hour_sin": math.sin(hour),
            "hour_cos": math.cos(hour),
            "dow_sin": math.sin(day),
            "dow_cos": math.cos(day),
            "minutes_since_last_activation": minutes,
        }
        return self.of(what, SignalEvent("time", "tick", "tick", 0.1, self.busy, features))

    def of(self, what: str, event: SignalEvent) -> str:
        score = self._limbic.score(self._id, [event])
        if self._threshold is None:
            return f"{what} scores {score:.2f}"
        verdict = "wakes the agent" if score >= self._threshold else "does not wake"
        return f"{what} scores {score:.2f}: {verdict} (from {self._threshold:.2f})"


def _file(folder: str, extension: str, moment: float) -> SignalEvent:
    location = f"{folder.rstrip('/')}/example{extension}"
    features: dict[str, Any] = {
        "path": location,
        "extension": extension,
        "size_bytes": 20_000,
        "directory_depth": location.count("/") - 1,
    }
    return SignalEvent("filesystem", location, "created", 1.0, moment, features)


def _moments(prior: TimePrior | None) -> tuple[float, float | None]:
    """A moment inside the active hours and days, and one outside; None when there is none."""
    busy, idle = None, None
    for day in range(7):
        for hour in range(24):
            active = prior is None or (prior.covers(hour) and day in prior.active_days)
            moment = time.mktime((2024, 1, A_MONDAY + day, hour, 30, 0, 0, 0, -1))
            if active and busy is None:
                busy = moment
            elif not active and idle is None:
                idle = moment
    assert busy is not None, "a time prior has at least one active hour and day"
    return busy, idle
