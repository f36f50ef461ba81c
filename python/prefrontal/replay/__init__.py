"""Backtests on histories, and their reports."""

import sys
from types import ModuleType

from ..notebook import NotebookView, offer_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .result import ReplayResult

_SUMMARY = __doc__ or ""


class _ReplayPackage(ModuleType):
    """Can be called, since the package and the call share their name."""

    def __call__(self, *args: "Any", **options: "Any") -> "ReplayResult":
        return _call()(*args, **options)

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        """That of the call, so that `help` shows its arguments."""
        from inspect import Parameter, Signature, getdoc, signature
        from textwrap import fill

        whole = signature(_call())
        plain = [each.replace(annotation=Parameter.empty) for each in whole.parameters.values()]
        call = f"replay{Signature(plain)} -> {whole.return_annotation}"
        lines = fill(call, 96, initial_indent=" " * 4, subsequent_indent=" " * 11)
        title = f"{_SUMMARY} `prefrontal.replay(path)` runs one:"
        return f"{title}\n\n{lines}\n\n{getdoc(_call()) or ''}\n"


def _call() -> "Callable[..., ReplayResult]":
    from ..assembly.replay_path import replay

    return replay


def _result_view() -> NotebookView:
    from .report.notebook import VIEW

    return VIEW


sys.modules[__name__].__class__ = _ReplayPackage
offer_view(f"{__name__}.result.ReplayResult", _result_view)
