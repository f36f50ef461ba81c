"""When a convention was in use: the spans of a history in which its entries kept coming."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

FADED = 1 / 8
"""A convention is out of use where entries come this much more rarely than at its best."""

TAIL = 100
"""Changes in a row, at least, that must have come without entries before a convention is dead."""

_BRIDGED = 0.15  # a pause shorter than this part of the history, or than TAIL, is no end
_LEAST_ENTRIES = 10


@dataclass(frozen=True, slots=True)
class Span:
    """Changes from `begin` up to before `end`, with so many entries among them."""

    begin: int
    end: int
    entries: int

    @property
    def rate(self) -> float:
        return self.entries / (self.end - self.begin)


def spans_in_use(entries: Sequence[int], total: int, least: float) -> list[Span]:
    """The spans, in order, in which a series of entries was a habit.

    entries: the places of the changes that wrote one, rising, each from 0 to below `total`. The
    history is cut where the rate of entries changes (binary segmentation by likelihood, at the
    price of 2 ln `total` a cut). A piece is in use when its rate is at least `least` and FADED of
    the best; pieces are joined across short pauses. A span that ends less than TAIL changes before
    the end of the history reaches it.
    """
    if len(entries) < _LEAST_ENTRIES:
        return []
    pieces = _pieces(entries, Span(0, total, len(entries)), 0, 2 * math.log(total))
    best = max((piece.rate for piece in pieces if piece.entries >= _LEAST_ENTRIES), default=0.0)
    spans: list[Span] = []
    for piece in pieces:
        if piece.rate < max(least, FADED * best):
            continue
        if spans and piece.begin - spans[-1].end <= max(TAIL, _BRIDGED * total):
            spans.append(_joined(spans.pop(), piece, entries))
        else:
            spans.append(piece)
    spans = [span for span in spans if span.entries >= _LEAST_ENTRIES]
    if spans and total - spans[-1].end < TAIL:
        last = spans.pop()
        spans.append(_joined(last, Span(total, total, 0), entries))
    return spans


def _joined(one: Span, other: Span, entries: Sequence[int]) -> Span:
    within = sum(one.begin <= place < other.end for place in entries)
    return Span(one.begin, other.end, within)


def _pieces(entries: Sequence[int], whole: Span, first: int, price: float) -> list[Span]:
    """`whole` cut where that explains it better; its entries are entries[first:]."""
    if whole.entries == 0:
        return [whole]
    least = _surprise(whole.entries, whole.end - whole.begin) - price
    cut: tuple[int, int] | None = None
    for count in range(whole.entries):
        place = entries[first + count]
        for at, before in ((place, count), (place + 1, count + 1)):
            if not whole.begin < at < whole.end:
                continue
            cost = _surprise(before, at - whole.begin)
            cost += _surprise(whole.entries - before, whole.end - at)
            if cost < least:
                least, cut = cost, (at, before)
    if cut is None:
        return [whole]
    at, before = cut
    left = _pieces(entries, Span(whole.begin, at, before), first, price)
    rest = Span(at, whole.end, whole.entries - before)
    return left + _pieces(entries, rest, first + before, price)


def _surprise(entries: int, changes: int) -> float:
    """Nats that it takes to say which of the changes wrote an entry."""
    if entries in (0, changes):
        return 0.0
    rest = changes - entries
    return -entries * math.log(entries / changes) - rest * math.log(rest / changes)
