"""What the harnesses of writers are told: which writers, how often, from which seed."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import MappingProxyType

from commands import HABITS, CommandWriter
from promotions import PromotionWriter
from sources import SOURCES
from trials import warm_up
from writers import CarelessWriter, LedgerWriter, LogWriter, MemoryWriter, Writer


def read_options(
    description: str,
    amount: str,
    usual: int | None,
    meaning: str,
    planted: str,
    switches: Mapping[str, str] = MappingProxyType({}),
) -> argparse.Namespace:
    """The options of a command line; `amount` is the name of the number, without dashes.

    planted: what the writer with a fault does. switches: others, without dashes, and their meaning.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--writer", action="append", help="only this one; may be repeated")
    parser.add_argument(f"--{amount}", type=int, default=usual, help=meaning)
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--planted", action="store_true", help=f"the writer that {planted}")
    for name, what in switches.items():
        parser.add_argument(f"--{name}", action="store_true", help=what)
    return parser.parse_args()


def all_writers() -> list[Writer]:
    """Every writer there is."""
    callers: list[Writer] = [LedgerWriter(), LogWriter(), MemoryWriter(), PromotionWriter()]
    return [*callers, *map(CommandWriter, (*HABITS, *SOURCES))]


def chosen_writers(options: argparse.Namespace) -> list[Writer]:
    """Those of the command line, or all; what they need is imported."""
    if options.planted:
        return [CarelessWriter()]
    known = {each.name: each for each in all_writers()}
    if unknown := set(options.writer or ()) - known.keys():
        names = ", ".join(known)
        raise SystemExit(f"--writer must be one of {names}, got {unknown.pop()!r}")
    writers = [known[name] for name in options.writer or known]
    warm_up(writers)
    return writers
