"""Tools in files, for tests that discover them, and what else may point a parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from prefrontal.routing.layout import Layout
from prefrontal.routing.types import ParsedIntent

from .project import layout_of, write

SUMMARIZE = '''\
"""Summary statistics of a matrix.

Args:
    df: The table.
"""


def run(df: list[float], digits: int = 3) -> dict[str, float]:
    """Mean and size.

    Example:
        >>> run(df=[1.0, 2.0])
    """
    return {"mean": sum(df) / len(df), "size": len(df)}
'''


def tool(doc: str, arguments: str = "df") -> str:
    """The source of a small tool."""
    return f'"""{doc}"""\n\n\ndef run({arguments}):\n    return {{"done": True}}\n'


def analysis_and_ingest(folder: Path) -> Layout:
    """Two domains that both load, and one shared tool."""
    layout = layout_of(folder)
    domains = layout.domains
    write(domains / "analysis/summarise/summarize_matrix.py", SUMMARIZE)
    write(domains / "analysis/visualise/plot_matrix.py", tool("Draw a matrix as a picture."))
    write(domains / "analysis/load/load_frame.py", tool("Read a data frame.", "path"))
    write(domains / "ingest/load/load_csv.py", tool("Read a table from a CSV file.", "path"))
    write(domains / "ingest/clean/drop_duplicates.py", tool("Remove rows that stand twice."))
    write(layout.shared_tools / "export/save_csv.py", tool("Write a table to a CSV file."))
    return layout


def intent(domain: str | None, action: str | None, confidence: float = 0.8) -> ParsedIntent:
    return ParsedIntent(domain, action, "do it", confidence)


@dataclass(frozen=True)
class Vote:
    """A passage that speaks for a folder."""

    domain: str | None
    action: str | None
    score: float = 1.0


class Compass:
    """Embeds a text as whether it holds each of some words."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(word in text) for word in self.words] for text in texts]
