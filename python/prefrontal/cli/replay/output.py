"""What `prefrontal replay` prints and writes of its results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...replay.result import ReplayResult


@dataclass(frozen=True, slots=True)
class ReplayOutput:
    """The results in their forms. places: as they were named, one each. relevant: the preset that
    was asked for. has_report: whether a report is written beside it.
    """

    results: Sequence[ReplayResult]
    places: Sequence[str]
    relevant: str | None
    has_report: bool

    def written(self, report: str | None, png: str | None, save: str | None) -> Iterator[str]:
        """Write the files that were asked for; the path of each once it is there."""
        from ...storage.files import write_atomic

        if report is not None:
            from ...replay.report.report import render_html

            write_atomic(report, render_html(self.results, self.relevant))
            yield report
        if png is not None:
            from ...replay.report.picture import render_png

            write_atomic(png, render_png(self.results[0]))
            yield png
        if save is not None:
            write_atomic(save, json.dumps(self.plain(), indent=1) + "\n")
            yield save

    def plain(self) -> dict[str, Any]:
        """One result is its own object; several stand in a list."""
        from ...replay.report.document import document

        documents = [
            document(result, place, self.relevant, self.has_report)
            for result, place in zip(self.results, self.places, strict=True)
        ]
        return documents[0] if len(documents) == 1 else {"results": documents}

    def show(self) -> None:
        """Print a table."""
        from rich.console import Console

        from ...replay.report.table import print_many, print_result

        if len(self.results) == 1:
            [place] = self.places
            print_result(self.results[0], Console(), place, self.relevant, self.has_report)
        else:
            print_many(self.results, Console())
