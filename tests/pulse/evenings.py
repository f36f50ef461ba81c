"""Files that fall into a folder: homework is a PDF on a weekday evening, 1 label in 20 is wrong."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from prefrontal.types import SignalEvent

from .sample_modules import DOWNLOADS, MONDAY_EVENING

MIDNIGHT = MONDAY_EVENING - 19.5 * 3600
OTHER_KINDS = (".tmp", ".log", ".txt", ".docx", ".png", "")
TOPICS = ("report", "invoice", "notes", "scan", "homework", "draft", "final", "photo", "lecture")
NOISE = 0.05


class Evening(NamedTuple):
    """A window, whether it is homework, and the label somebody gave it."""

    window: list[SignalEvent]
    matters: bool
    label: bool


def is_weekday_evening(day: int, hour: int) -> bool:
    return day % 7 < 5 and 18 <= hour <= 22


def evenings(seed: int, windows: int) -> list[Evening]:
    """Half the files are PDFs and half come on weekday evenings, so a quarter is homework."""
    rng = random.Random(seed)
    found: list[Evening] = []
    while len(found) < windows:
        evening = rng.random() < 0.5
        day, hour = rng.randrange(28), rng.randrange(24)
        while is_weekday_evening(day, hour) != evening:
            day, hour = rng.randrange(28), rng.randrange(24)
        kind = ".pdf" if rng.random() < 0.5 else rng.choice(OTHER_KINDS)
        name = f"{rng.choice(TOPICS)}-{rng.choice(TOPICS)}{rng.randrange(100)}{kind}"
        event = SignalEvent(
            source="filesystem",
            location=f"{DOWNLOADS}/{name}",
            delta_type=rng.choice(("created", "modified")),
            magnitude=1.0,
            timestamp=MIDNIGHT + 86_400 * day + 3_600 * hour + rng.randrange(3_600),
            features={"extension": kind},
        )
        matters = kind == ".pdf" and evening
        found.append(Evening([event], matters, matters ^ (rng.random() < NOISE)))
    return found


def area_under_roc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """From the ranks of the scores; equal scores share their mean rank."""
    import numpy as np

    values, positive = np.asarray(scores), np.asarray(labels)
    below = np.searchsorted(np.sort(values), values, side="left")
    up_to = np.searchsorted(np.sort(values), values, side="right")
    ranks = (below + up_to + 1) / 2
    good = int(positive.sum())
    over = ranks[positive].sum() - good * (good + 1) / 2
    return float(over / (good * (len(positive) - good)))
