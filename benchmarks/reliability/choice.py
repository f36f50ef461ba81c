"""Which writers a harness tries out."""

from __future__ import annotations

import argparse

from commands import HABITS, CommandWriter
from promotions import PromotionWriter
from trials import import_all
from writers import CarelessWriter, LedgerWriter, LogWriter, MemoryWriter, Writer


def all_writers() -> list[Writer]:
    """Every writer there is."""
    callers: list[Writer] = [LedgerWriter(), LogWriter(), MemoryWriter(), PromotionWriter()]
    return [*callers, *map(CommandWriter, HABITS)]


def chosen_writers(options: argparse.Namespace) -> list[Writer]:
    """Those of the command line, or all; what they need is imported."""
    if options.planted:
        return [CarelessWriter()]
    known = {each.name: each for each in all_writers()}
    writers = [known[name] for name in options.writer or known]
    if any(isinstance(each, CommandWriter) for each in writers):
        import_all()
    return writers
