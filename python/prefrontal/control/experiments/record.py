"""The result of an experiment: measurements against targets, a verdict, and raw numbers.

A seed passes when each of its measurements meets its target, and is void when the run says nothing
(labels out of balance). An experiment passes when at least four fifths of its seeds do, fails when
that could not be reached even if every void seed had passed, and is void in between.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from .bootstrap import bootstrap_interval

Verdict = Literal["pass", "fail", "void"]
Direction = Literal["at least", "at most", "above", "below", "equal to"]
Interval = tuple[float, float]

SHARE = 0.8
"""Of the seeds, how many must pass: four of five."""
_MEETS = {
    "at least": lambda value, target: value >= target,
    "at most": lambda value, target: value <= target,
    "above": lambda value, target: value > target,
    "below": lambda value, target: value < target,
    "equal to": lambda value, target: value == target,
}
_FIELDS = ("name", "title", "profile", "criterion", "measured", "interval", "verdict", "seeds")


@dataclass(frozen=True, slots=True)
class Measurement:
    """One number of one seed, and its target. `measure` computes `passed`."""

    name: str
    value: float
    target: float
    direction: Direction
    interval: Interval | None
    passed: bool


def measure(
    name: str,
    value: float,
    direction: Direction,
    target: float,
    interval: Interval | None = None,
) -> Measurement:
    """A measurement; NaN never passes.

    interval: a 95 % bootstrap interval of the value within this seed, if there is one.
    Raises ValueError for an unknown direction.
    """
    if direction not in _MEETS:
        raise ValueError(f"direction must be one of {', '.join(_MEETS)}, got {direction!r}")
    value, target = float(value), float(target)
    passed = bool(_MEETS[direction](value, target))
    if interval is not None:
        interval = (float(interval[0]), float(interval[1]))
    return Measurement(name, value, target, direction, interval, passed)


@dataclass(frozen=True, slots=True)
class SeedResult:
    """The result of one seed. reason: why it is void."""

    seed: int
    verdict: Verdict
    measurements: tuple[Measurement, ...]
    reason: str = ""


def seed_result(seed: int, measurements: Sequence[Measurement], *, void: str = "") -> SeedResult:
    """Pass if all measurements passed, else fail; void, with its reason, if `void` is not empty."""
    if void:
        return SeedResult(seed, "void", tuple(measurements), void)
    passed = bool(measurements) and all(it.passed for it in measurements)
    return SeedResult(seed, "pass" if passed else "fail", tuple(measurements))


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict of all seeds together; no seed at all is void."""
    needed = math.ceil(SHARE * len(verdicts) - 1e-9)
    passed, void = verdicts.count("pass"), verdicts.count("void")
    if verdicts and passed >= needed:
        return "pass"
    return "void" if passed + void >= needed else "fail"


@dataclass(frozen=True, slots=True)
class ExperimentRecord:
    """The whole result of an experiment; its figure is drawn from this alone.

    measured, interval: by measurement, the mean over the seeds that are not void, and its 95 %
    bootstrap interval over seeds (of a single seed, the interval within it). raw: the numbers
    behind, and what the figure shows; plain JSON values. extra: more keys at the top of the JSON.
    """

    name: str
    title: str
    profile: str
    criterion: str
    measured: dict[str, float]
    interval: dict[str, Interval | None]
    verdict: Verdict
    seeds: tuple[SeedResult, ...]
    raw: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """One JSON object, indented; a number that is not finite becomes null."""
        fields = {name: getattr(self, name) for name in _FIELDS} | {"raw": self.raw}
        fields["seeds"] = [asdict(it) for it in self.seeds]
        if twins := sorted(fields.keys() & self.extra.keys()):
            raise ValueError(f"extra must not name a field of the record, got {twins!r}")
        return json.dumps(_plain(fields | self.extra), indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> ExperimentRecord:
        """The record that `to_json` wrote; null among the numbers is NaN again."""
        fields = json.loads(text)
        known = {name: fields.pop(name) for name in (*_FIELDS, "raw")}
        known["measured"] = {k: _number(v) for k, v in known["measured"].items()}
        known["interval"] = {k: _pair(v) for k, v in known["interval"].items()}
        known["seeds"] = tuple(_seed_from(it) for it in known["seeds"])
        return cls(**known, extra=fields)


def summarise(
    name: str,
    title: str,
    profile: str,
    criterion: str,
    seeds: Sequence[SeedResult],
    *,
    raw: Mapping[str, Any] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> ExperimentRecord:
    """The record of an experiment from its seeds: means, intervals and the overall verdict."""
    values: dict[str, list[Measurement]] = {}
    for result in seeds:
        for it in result.measurements if result.verdict != "void" else ():
            values.setdefault(it.name, []).append(it)
    return ExperimentRecord(
        name,
        title,
        profile,
        criterion,
        {key: _mean([it.value for it in ms]) for key, ms in values.items()},
        {key: _interval(ms) for key, ms in values.items()},
        overall([it.verdict for it in seeds]),
        tuple(seeds),
        dict(raw or {}),
        dict(extra or {}),
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _interval(measurements: Sequence[Measurement]) -> Interval | None:
    if len(measurements) == 1:
        return measurements[0].interval
    return bootstrap_interval([it.value for it in measurements])


def _plain(value: Any) -> Any:
    """JSON values from dicts, sequences, NumPy and torch numbers and arrays."""
    if isinstance(value, Mapping):
        return {str(key): _plain(it) for key, it in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(it) for it in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _pair(value: Sequence[float | None] | None) -> Interval | None:
    return None if value is None else (_number(value[0]), _number(value[1]))


def _seed_from(fields: dict[str, Any]) -> SeedResult:
    measurements = tuple(
        Measurement(
            it["name"], _number(it["value"]), _number(it["target"]), it["direction"],
            _pair(it["interval"]), it["passed"],
        )
        for it in fields["measurements"]
    )  # fmt: skip
    return SeedResult(fields["seed"], fields["verdict"], measurements, fields["reason"])
