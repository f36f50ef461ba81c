"""What one transaction is to keep of what a gate decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..sources.source_batch import Post

if TYPE_CHECKING:
    from ...decisions.log import Decision


@dataclass(slots=True)
class Unstored:
    """What one transaction is to keep: decisions, and the places of the sources behind them."""

    records: list[Decision] = field(default_factory=list)
    places: dict[str, bytes] = field(default_factory=dict)
    posts: list[Post] = field(default_factory=list)

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits until a place is stored."""
        return any(post.places for post in self.posts)

    def settle(self, stored: bool) -> None:
        """Tell those who wait."""
        for post in self.posts:
            post.settle(stored)

    def states(self) -> list[tuple[str, bytes, int]]:
        return [(name, content, 0) for name, content in self.places.items()]
