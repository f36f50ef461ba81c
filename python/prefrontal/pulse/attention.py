"""Whether anybody is there to take a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..types import Reason


class Attention(Protocol):
    """Knows whether a decision of a module could be taken now."""

    def refuses(self, module_id: str) -> Reason | None:
        """Why not, if so."""
        ...


class Free:
    """The role Attention where nobody is ever busy."""

    def refuses(self, module_id: str) -> Reason | None:
        return None
