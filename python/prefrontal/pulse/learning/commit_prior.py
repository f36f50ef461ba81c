"""What is known of commits before anything was learned: what public histories say of their words.

`commit_prior.json` holds log-odds of single features of the linear scorer: words of the subject,
which kinds of files were changed together, and how many. A logistic regression was fitted to
the histories that it names (benchmarks/bench_commit_prior.py); each had a base rate of its own, and
no feature of less than eight of them is in it. A third of what was fitted ships, since a
history is unlike the others; how often commits matter is left to the labels, which move these
weights like any other.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .seed import Seed

NAME = "commit_prior.json"


@cache
def commit_prior() -> tuple[Seed, ...]:
    """What features of a commit add to its log-odds before any label."""
    prior = json.loads((files(__package__) / NAME).read_text("utf-8"))
    return tuple(
        (kind, value, odds)
        for kind, weights in prior["weights"].items()
        for value, odds in weights.items()
    )
