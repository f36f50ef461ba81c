"""Backtests on histories, and their reports. `prefrontal.replay(path)` runs one:

    replay(path=".", *, events=None, sample=False, recall=0.9, relevant=None, labels=None,
           since=None, until=None, limit=None, prices=None) -> ReplayResult

What a gate that learns as it goes would have cost on a history, and what it would have
caught.

path: a git repository or a folder in one, or the sessions that OpenClaw or Claude Code kept.
events: recorded windows instead, one JSON object a line. sample: the recorded history that
ships with the package instead. recall: share of what mattered that is to be caught, above 0
and at most 1. relevant: what mattered, as `prefrontal replay --relevant` takes it; None finds
it. labels: "all", or "asked" for those that a live gate gets; None takes "all" where the
history labels itself. since, until: dates as git takes them. limit: only the newest so many
windows. prices: of a wake-up's tokens. Raises InputError and SourceError in one sentence.
"""

import sys
from types import ModuleType

from ..notebook import NotebookView, offer_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .result import ReplayResult


class _ReplayPackage(ModuleType):
    """Can be called, since the package and the call share their name."""

    def __call__(self, *args: "Any", **options: "Any") -> "ReplayResult":
        from ..assembly.replay_path import replay

        return replay(*args, **options)


def _result_view() -> NotebookView:
    from .report.notebook import VIEW

    return VIEW


sys.modules[__name__].__class__ = _ReplayPackage
offer_view(f"{__name__}.result.ReplayResult", _result_view)
