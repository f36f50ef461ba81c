"""What `--sweep` reads: lists of settings, each of which is tried on each history or stream."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BeforeValidator, ValidationError, model_validator

from ..errors import InputError
from ..home_folder import expanded
from ..storage.documents import read_document
from .agent_file import folder_of
from .cortex import Count
from .gate import BudgetText
from .refusal import refusal
from .rules import Recall, Seed, SettingsGroup, Switch, Text, broken, check

MOST_RUNS = 100_000
SAMPLE = "sample"
"""In place of a path: the recorded history that comes along."""

_Item = TypeVar("_Item")
_Sweep = TypeVar("_Sweep", bound=SettingsGroup)


def _path_alone(value: Any) -> Any:
    return {"path": value} if isinstance(value, str) else value


def _many(value: Any) -> Any:
    """A list of different values, with at least one."""
    if not isinstance(value, list):
        raise broken("be a list")
    if not value:
        raise broken("have at least one entry")
    if any(each in value[:place] for place, each in enumerate(value)):
        raise broken("have each entry once")
    return value


Several = Annotated[tuple[_Item, ...], BeforeValidator(_many)]
Cap = Annotated[int, check("be a whole number from 0", lambda value: 0 <= value <= 1_000_000_000)]
Minutes = Annotated[float, check("be minutes from 0, at most a year", lambda v: 0 <= v <= 525_600)]


class SweepHistory(SettingsGroup):
    """A history: a path alone, or with what `prefrontal replay` takes for it.

    path: a repository, a file of recorded windows, the sessions of an agent, or `sample`; relative
    to the folder of the settings. relevant, since, until, max, all_commits: as its options.
    """

    path: Text
    relevant: Text | None = None
    since: Text | None = None
    until: Text | None = None
    max: Count | None = None
    all_commits: Switch = False


class HistorySweep(SettingsGroup):
    """Each recall and each budget with each of features, labels and seeds, on each history.

    labels: as the history has them where it is not given. seeds: of what audits, and of the policy
    that wakes by chance.
    """

    histories: Several[Annotated[SweepHistory, BeforeValidator(_path_alone)]]
    recalls: Several[Recall] | None = None
    budgets: Several[BudgetText] | None = None
    features: Several[Literal["all", "paths"]] = ("all",)
    labels: Several[Literal["all", "asked"]] | None = None
    seeds: Several[Seed] = (0,)

    @model_validator(mode="after")
    def _aimed(self) -> Self:
        if self.recalls is None and self.budgets is None:
            raise broken("have recalls or budgets")
        return self

    def settings(self) -> list[dict[str, Any]]:
        """Each setting once: recalls before budgets, and the seeds change first."""
        aims: list[dict[str, Any]] = [
            {"recall": each, "budget": None} for each in self.recalls or ()
        ]
        aims += [{"recall": None, "budget": each} for each in self.budgets or ()]
        axes = product(aims, self.features, self.labels or (None,), self.seeds)
        return [
            {**aim, "features": features, "labels": labels, "seed": seed}
            for aim, features, labels, seed in axes
        ]


class SweepStream(SettingsGroup):
    """A stream of ratings, and who of the rated was a fraud; relative to the folder of the
    settings."""

    ratings: Text
    labels: Text | None = None


class TrustSweep(SettingsGroup):
    """Each combination of what `cortex backtest` takes, on each stream.

    hourly_caps: 0 for none. timers: minutes, 0 for none.
    """

    streams: Several[SweepStream]
    clamps: Several[Count] = (3,)
    hourly_caps: Several[Cap] = (9,)
    policies: Several[Literal["plain", "confirm", "asymmetric", "corroborate"]] = ("corroborate",)
    batches: Several[Count] = (5,)
    timers: Several[Minutes] = (30.0,)
    reflectors: Several[Literal["mean", "rules"]] = ("rules",)

    def settings(self) -> list[dict[str, Any]]:
        """Each setting once; the last list changes first."""
        names = ("clamp", "hourly_cap", "policy", "batch", "timer", "reflector")
        axes = product(
            self.clamps, self.hourly_caps, self.policies, self.batches, self.timers, self.reflectors
        )
        return [dict(zip(names, each, strict=True)) for each in axes]


def read_sweep(path: str | os.PathLike[str], kind: type[_Sweep]) -> _Sweep:
    """The sweep of a file. Raises InputError naming the file, the key and the rule, SourceError
    when the file cannot be read."""
    document = read_document(path)
    name = os.fspath(path)
    if not isinstance(document, dict) or not document:
        raise InputError(f"{name} must be a mapping with {', '.join(kind.model_fields)}, got none")
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        raise InputError(f"{name}: {refusal(error, kind, 'sweep')}") from None


def beside(settings: str | os.PathLike[str], path: str) -> Path:
    """A path of the settings, relative to their folder."""
    return folder_of(settings) / expanded(path)
