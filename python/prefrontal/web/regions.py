"""The page in regions of keyed pieces, and what changed between two looks at it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .markup import Html

Pieces = Mapping[str, Html]
"""Id on the page -> markup of that element, in the order in which they stand."""

Regions = Mapping[str, Pieces]
"""Name of the region -> its pieces."""


@dataclass(slots=True)
class PageChange:
    """From one number of the page's state to the next.

    regions: for each that changed, {"order": ids} and "pieces" with the markup of those that are
    new or other than before.
    """

    start: int
    end: int
    regions: dict[str, dict[str, Any]] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """As it goes to the browser."""
        return {"from": self.start, "to": self.end, "regions": self.regions}


def whole(regions: Regions) -> dict[str, dict[str, Any]]:
    """Everything, for a page that missed something."""
    return {
        name: {"order": list(pieces), "pieces": dict(pieces)} for name, pieces in regions.items()
    }


def difference(before: Regions, after: Regions) -> dict[str, dict[str, Any]]:
    """What a page that shows `before` needs to show `after`."""
    return dict(_changed(before, after))


def _changed(before: Regions, after: Regions) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, pieces in after.items():
        known = before.get(name, {})
        if pieces == known:
            continue
        new = {key: piece for key, piece in pieces.items() if known.get(key) != piece}
        change: dict[str, Any] = {"pieces": new}
        if list(pieces) != list(known):
            change["order"] = list(pieces)
        yield name, change
