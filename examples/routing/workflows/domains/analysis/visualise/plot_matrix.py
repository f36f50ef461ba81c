"""Plot the column means of a matrix summary as a bar chart in an SVG file.

Example:
    run(summary={"column_means": [2.0, 4.0]})
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

WIDTH, HEIGHT = 320, 160


def run(summary: dict[str, Any], figure: str = "matrix.svg") -> dict[str, str]:
    """Draw the chart.

    Args:
        summary: what summarize_matrix returns; its column_means are drawn.
        figure: the file to write, in the current folder.

    Returns:
        figure_path: where the chart is.
    """
    means = [float(mean) for mean in summary["column_means"]]
    tallest = max((abs(mean) for mean in means), default=0.0) or 1.0
    step = WIDTH / max(1, len(means))
    bars = []
    for place, mean in enumerate(means):
        height = HEIGHT * abs(mean) / tallest
        bars.append(
            f'<rect x="{place * step:.1f}" y="{HEIGHT - height:.1f}"'
            f' width="{0.8 * step:.1f}" height="{height:.1f}" fill="steelblue"/>'
        )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
    path = Path(figure)
    path.write_text(head + "".join(bars) + "</svg>\n", encoding="utf-8")
    return {"figure_path": str(path.resolve())}
