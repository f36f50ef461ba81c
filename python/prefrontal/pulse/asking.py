"""The question that a module asks about a window."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ..errors import InputError
from .modules.template import QuestionTemplate

if TYPE_CHECKING:
    from ..types import SignalEvent


def question(text: object, module_id: str, window: Sequence[SignalEvent]) -> str | None:
    """The template `text` filled in from the window's last event.

    None, without an error, for a template that is missing, blank or broken, and for a question
    that comes out blank (an empty window has the location "").
    """
    template = _parsed(text) if isinstance(text, str) else None
    asked = template.render(window, module_id) if template else ""
    return asked if asked.strip() else None


@lru_cache(maxsize=1024)
def _parsed(text: str) -> QuestionTemplate | None:
    try:
        return QuestionTemplate.parse(text)
    except InputError:
        return None
