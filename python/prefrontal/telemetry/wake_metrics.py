"""The figures as OpenTelemetry metrics, read when a reader asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from opentelemetry.metrics import Observation as Point

from .figures import FIGURES, Figure, Snapshot

if TYPE_CHECKING:
    from opentelemetry.metrics import CallbackOptions, Meter

    Callback = Callable[[CallbackOptions], Iterable[Point]]


def register_figures(meter: Meter, look: Callable[[], Snapshot | None]) -> None:
    """Make an instrument for each figure. look: what is to be told now, None for nothing."""
    for figure in FIGURES:
        make = (
            meter.create_observable_counter
            if figure.kind == "counter"
            else meter.create_observable_gauge
        )
        make(figure.name, [_callback(figure, look)], figure.unit, figure.meaning)


def _callback(figure: Figure, look: Callable[[], Snapshot | None]) -> Callback:
    def points(_: CallbackOptions) -> Iterable[Point]:
        snapshot = look()
        if snapshot is None:
            return
        for labels, value in figure.read(snapshot):
            exact = int(value) if figure.kind == "counter" else value
            yield Point(exact, {f"prefrontal.{name}": text for name, text in labels.items()})

    return points
