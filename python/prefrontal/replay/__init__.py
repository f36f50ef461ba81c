"""Backtests on histories, and their reports. `prefrontal.replay(path)` runs one."""

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
