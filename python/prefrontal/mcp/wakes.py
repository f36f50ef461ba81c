"""The wakes as a resource: what was asked, in the order in which it was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from ..decisions.document import document
from .documents import DecisionDocument
from .offered import ToolAnswer

if TYPE_CHECKING:
    from .served import Served

AFTER = "after/"
PAGE = 100
"""Wakes in one reading."""


class WakesAnswer(ToolAnswer):
    wakes: list[DecisionDocument] = Field(description="in the order in which they were kept")
    last: str | None = Field(description="read on at prefrontal://wakes/after/ and this")
    more: bool = Field(description="whether there is more to read on")


def wakes(served: Served, name: str) -> WakesAnswer:
    """The newest wakes, or those after the decision that the name says ("after/ID").

    Raises InputError for a decision that was not kept.
    """
    served.log.flush()
    after = name.removeprefix(AFTER) if name else None
    records = list(served.log.wakes_after(after, PAGE if after is None else PAGE + 1))
    page = records[:PAGE]
    return WakesAnswer(
        wakes=[DecisionDocument.model_validate(document(each)) for each in page],
        last=page[-1].id if page else after,
        more=len(records) > PAGE,
    )
