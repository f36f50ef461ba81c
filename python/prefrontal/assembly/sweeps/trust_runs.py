"""Runs of the cortex's backtest on streams of ratings, in a worker."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...cortex.backtest.ratings import Rating, read_labels, read_ratings
from ...cortex.backtest.replay import BacktestOptions
from ...cortex.backtest.result import run_backtest
from ...ledger import Ledger

FILES = ("ratings", "labels")


def read(folder: Path, number: int, stream: dict[str, Any]) -> dict[str, Any]:
    """Read a stream once to see that it can be, and take its hash."""
    _ratings(stream["ratings"])
    _labels(stream["labels"])
    files = [each for each in (stream["ratings"], stream["labels"]) if each is not None]
    hashes = [sha256(Path(each).read_bytes()).hexdigest() for each in files]
    name = Path(stream["ratings"]).name
    return {"name": name, "digest": " ".join(hashes), **stream}


def run(folder: Path, stream: dict[str, Any], setting: dict[str, Any]) -> dict[str, Any]:
    """The figures of one setting on one stream."""
    options = BacktestOptions(
        clamp=setting["clamp"],
        per_hour=setting["hourly_cap"] or None,
        policy=setting["policy"],
        batch=setting["batch"],
        timer=setting["timer"] > 0,
        schedule_minutes=setting["timer"] or 30.0,
        reflector=setting["reflector"],
    )
    ratings, labels = _ratings(stream["ratings"]), _labels(stream["labels"])
    result = run_backtest(
        ratings, labels, options, lambda clock: Ledger(clock=clock), untrusted=False
    )
    lies = result.lies
    return {
        **setting,
        "auc": result.separation.value if result.separation else None,
        "cycles": result.turncoats.cycles,
        "days": result.turncoats.days,
        "missed": result.turncoats.missed,
        "turncoats": result.turncoats.peers,
        "drop": lies.drop if lies else None,
        "flipped": lies.flipped if lies else None,
        "benign": lies.peers if lies else None,
    }


@lru_cache(maxsize=1)
def _ratings(path: str) -> list[Rating]:
    return read_ratings(path)


@lru_cache(maxsize=1)
def _labels(path: str | None) -> dict[str, int]:
    return {} if path is None else read_labels(path)
