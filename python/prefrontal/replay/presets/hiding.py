"""Take features out of windows before the gate sees them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

from ...types import SignalEvent, Window


def without(windows: Iterable[Window], names: Collection[str]) -> Iterator[Window]:
    """The windows without these features of their events; text and actor stay for reports."""
    for window in windows:
        yield replace(window, events=events_without(window.events, names))


def paths_only(windows: Iterable[Window]) -> Iterator[Window]:
    """The windows without who did it and what it says."""
    return without(windows, ("actor", "text"))


def events_without(
    events: tuple[SignalEvent, ...], names: Collection[str]
) -> tuple[SignalEvent, ...]:
    """New events without these features; the ones handed in stay, shared features stay shared."""
    edited: dict[int, dict[str, Any]] = {}
    events_left = []
    for event in events:
        features = edited.get(id(event.features))
        if features is None:
            features = {k: v for k, v in event.features.items() if k not in names}
            edited[id(event.features)] = features
        events_left.append(
            SignalEvent(
                event.source,
                event.location,
                event.delta_type,
                event.magnitude,
                event.timestamp,
                features,
            )
        )
    return tuple(events_left)
