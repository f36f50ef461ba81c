"""Summarize a matrix: shape, smallest and largest value, and the mean of each column.

Example:
    run(df=[[1.0, 2.0], [3.0, 6.0]])
"""

from __future__ import annotations

from typing import Any


def run(df: list[list[float]]) -> dict[str, dict[str, Any]]:
    """Summarize the rows of a matrix.

    Args:
        df: rows of numbers, all of one length.

    Returns:
        summary: rows, columns, smallest, largest and column_means.
    """
    widths = {len(row) for row in df}
    if len(widths) != 1 or 0 in widths:
        raise ValueError(f"df must be rows of one length, at least 1, got lengths {sorted(widths)}")
    values = [value for row in df for value in row]
    means = [sum(column) / len(df) for column in zip(*df, strict=True)]
    summary: dict[str, Any] = {
        "rows": len(df),
        "columns": widths.pop(),
        "smallest": min(values),
        "largest": max(values),
        "column_means": means,
    }
    return {"summary": summary}
