"""A change of a history that goes on, and what its history says of those before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...types import Window
    from .owed_labels import Due


@dataclass(frozen=True, slots=True)
class Labelled:
    """A change as the gate sees it. window: None when the preset hides all of it; its `relevant` is
    set when it is known at once. due: labels of earlier windows, to be learned before it."""

    window: Window | None
    due: tuple[Due, ...] = ()
