"""What the command line says to the gate: the same options for watch, run and mcp."""

from __future__ import annotations

from typing import Any

import click

from ..option_group import option_group

gate_options = option_group(
    click.option(
        "--recall",
        type=float,
        metavar="R",
        help="Share of what matters to catch; every threshold follows it.",
    ),
    click.option(
        "--threshold", type=float, metavar="T", help="Least score that wakes, for every module."
    ),
    click.option("--log-refusals", is_flag=True, help="Keep what woke nobody, too, for `explain`."),
)
partition_options = option_group(
    click.option(
        "--partitions",
        metavar="auto|0-15",
        help="Decide for these partitions of storage.url, beside other machines.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(1, 64),
        metavar="N",
        help="Processes that decide, with --partitions. [default: one a processor; with --ray, one"
        " a partition]",
    ),
    click.option(
        "--ray",
        metavar="ADDRESS",
        help="With --partitions: decide on the machines of a Ray cluster: auto, local, HOST:PORT or"
        " ray://HOST:PORT.",
    ),
)
telemetry_options = option_group(
    click.option("--metrics", metavar="[HOST:]PORT", help="Serve figures for Prometheus there."),
    click.option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        help="How standard error reads: sentences, or one JSON object a line.",
    ),
)


def gate_overrides(
    recall: float | None, threshold: float | None, log_refusals: bool
) -> dict[str, Any]:
    """What the settings are to say instead.

    A recall on the command line takes the place of a threshold in the file, and the other way.
    """
    overrides: dict[str, Any] = {"log_refusals": True} if log_refusals else {}
    if recall is None and threshold is None:
        return overrides
    return overrides | {"recall": recall, "threshold": threshold}
