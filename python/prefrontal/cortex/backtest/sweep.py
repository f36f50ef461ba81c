"""One stream under several clamps and policies: cost and benefit of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from .result import BacktestResult, run_backtest

if TYPE_CHECKING:
    from rich.console import Console

    from ..clamp import TrustPolicy
    from .ratings import Rating
    from .replay import BacktestOptions, Progress, RatingLedger, StreamClock

CLAMPS = (1, 2, 3, 5, 20)
POLICIES: tuple[TrustPolicy, ...] = ("confirm", "asymmetric", "corroborate")
FEW = 5


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One setting, in cycles of one rating unless said; clamp 20 is as good as none.

    auc_of_five: in cycles of five ratings. cycles, days: medians until a turncoat is distrusted.
    """

    clamp: int
    policy: str
    auc_of_five: float | None
    auc: float | None
    cycles: float | None
    days: float | None
    missed: int
    turncoats: int
    drop: float
    flipped: int
    benign: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def sweep(
    ratings: Sequence[Rating],
    labels: Mapping[str, int],
    options: BacktestOptions,
    open_ledger: Callable[[StreamClock], RatingLedger],
    progress: Progress | None = None,
) -> list[SweepRow]:
    """Each clamp without an hourly cap, then each other policy with clamp and cap of `options`."""
    settings = [
        *(replace(options, clamp=clamp, policy="plain", per_hour=None) for clamp in CLAMPS),
        *(replace(options, policy=policy) for policy in POLICIES),
    ]
    rows: list[SweepRow] = []
    for number, setting in enumerate(settings, start=1):
        one, five = (
            run_backtest(
                ratings,
                labels,
                replace(setting, batch=batch, timer=False, farming=False),
                open_ledger,
                _named(progress, f"setting {number} of {len(settings)}"),
                untrusted=False,
            )
            for batch in (1, FEW)
        )
        rows.append(_row(setting, one, five))
    return rows


def _named(progress: Progress | None, name: str) -> Progress | None:
    if progress is None:
        return None
    tell = progress
    return lambda _, done, total: tell(name, done, total)


def _row(setting: BacktestOptions, one: BacktestResult, five: BacktestResult) -> SweepRow:
    lies = one.lies
    return SweepRow(
        clamp=setting.clamp,
        policy=setting.policy,
        auc_of_five=five.separation.value if five.separation else None,
        auc=one.separation.value if one.separation else None,
        cycles=one.turncoats.cycles,
        days=one.turncoats.days,
        missed=one.turncoats.missed,
        turncoats=one.turncoats.peers,
        drop=lies.drop if lies else 0.0,
        flipped=lies.flipped if lies else 0,
        benign=lies.peers if lies else 0,
    )


def print_sweep(rows: Sequence[SweepRow], console: Console) -> None:
    """One line a setting."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("clamp", "policy", "AUC of 5", "AUC of 1", "cycles", "days", "missed",
                 "lie costs", "flips"):  # fmt: skip
        table.add_column(name, justify="left" if name == "policy" else "right")
    for row in rows:
        table.add_row(
            "none" if row.clamp >= 2 * 10 else str(row.clamp),
            row.policy,
            _figure(row.auc_of_five, ".3f"),
            _figure(row.auc, ".3f"),
            _figure(row.cycles, "g"),
            _figure(row.days, ".1f"),
            f"{row.missed}/{row.turncoats}",
            f"{row.drop:.1f}",
            f"{row.flipped}/{row.benign}",
        )
    console.print(table)


def _figure(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
