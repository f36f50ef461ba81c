"""Backtests on histories, and their reports."""

from ..notebook import NotebookView, offer_view


def _result_view() -> NotebookView:
    from .report.notebook import VIEW

    return VIEW


offer_view(f"{__name__}.result.ReplayResult", _result_view)
