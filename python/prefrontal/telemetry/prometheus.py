"""The figures in Prometheus' text format, version 0.0.4."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from .figures import FIGURES, TOKENS_PER_WAKE, Figure, Sample, Snapshot, check_tokens_per_wake

if TYPE_CHECKING:
    from ..pulse.shells.watch import Watch

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def prometheus_text(registry: Watch, tokens_per_wake: int = TOKENS_PER_WAKE) -> str:
    """All figures of the registry, each with its HELP and TYPE line.

    tokens_per_wake: 0 or more. Raises InputError for another.
    """
    check_tokens_per_wake(tokens_per_wake)
    snapshot = Snapshot(registry, tokens_per_wake)
    return prometheus_page((each, each.read(snapshot)) for each in FIGURES)


def prometheus_page(families: Iterable[tuple[Figure, Iterable[Sample]]]) -> str:
    """Each figure with its samples."""
    return "".join(_family(figure, samples) for figure, samples in families)


def _family(figure: Figure, samples: Iterable[Sample]) -> str:
    """HELP and TYPE stand there even when nothing can be told yet."""
    name = figure.name.replace(".", "_") + ("_total" if figure.kind == "counter" else "")
    lines = [f"# HELP {name} {_escaped(figure.meaning)}", f"# TYPE {name} {figure.kind}"]
    lines += [f"{name}{_labels(labels)} {_number(value)}" for labels, value in samples]
    return "\n".join(lines) + "\n"


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    pairs = (f'{name}="{_escaped(value, quoted=True)}"' for name, value in labels.items())
    return f"{{{','.join(pairs)}}}"


def _escaped(text: str, *, quoted: bool = False) -> str:
    """Backslash, line feed and, between quotes, the quote; the format knows no other escapes."""
    plain = text.replace("\\", "\\\\").replace("\n", "\\n")
    return plain.replace('"', '\\"') if quoted else plain


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
