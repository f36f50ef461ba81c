"""A writer of tools: promotions that were told are there, with their records and notes, once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from writers import Say, new_name

if TYPE_CHECKING:
    from prefrontal.routing.layout import Layout
    from prefrontal.routing.promotion.promotion import Promoter

TOOL = '"""Plots."""\n\n\ndef run(a, b=1):\n    """Plot."""\n    return a\n'


def _lay(source: Path, text: str) -> None:
    """What made the tool, which is not tried out here, says so when it cannot."""
    from prefrontal.errors import SourceError

    try:
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SourceError(f"{source} cannot be laid down: {error.strerror}") from error


class PromotionWriter:
    """Versions of one tool."""

    name = "promotion"

    def prepare(self, folder: Path) -> None:
        (folder / "workflows").mkdir()

    def work(self, folder: Path, say: Say) -> None:
        from prefrontal.routing.promotion.promotion_draft import PromotionRequest
        from prefrontal.routing.types import Approval

        layout = self._layout(folder)
        for _ in range(2):
            source = layout.route_tmp(f"route-{new_name()}") / "made.py"
            text = f"{TOOL}# {new_name()}\n"
            _lay(source, text)
            digest = sha256(text.encode()).hexdigest()
            approval = Approval("me", "2025-10-31T11:59:00+04:00", digest)
            request = PromotionRequest(
                source, "analysis", "visualise", "plot_matrix", "Plots", "run-20251031-1200-abc",
                "route-001", approval,
            )  # fmt: skip
            say(f"{self._promoter(layout).promote(request).version} {digest}")

    def check(self, folder: Path, said: Sequence[str]) -> None:
        from prefrontal.routing.promotion.metadata import read_revisions

        layout = self._layout(folder)
        self._promoter(layout).recover()
        tools = layout.action("analysis", "visualise")
        if not tools.exists():
            assert not said, "the tool is lost"
            return
        revisions = read_revisions(tools)
        assert revisions.findings == (), f"a record is torn: {revisions.findings}"
        records = [(each.version, each.sha256) for each in revisions.all]
        for line in said:
            version, digest = line.split()
            assert records.count((version, digest)) == 1, f"the record of {version} is lost"
        assert len({version for version, _ in records}) == len(records), "a version stands twice"
        target = tools / "plot_matrix.py"
        if records:
            digest = sha256(target.read_bytes()).hexdigest()
            assert digest == records[-1][1], "the tool is not that of its last record"
            notes = (layout.domains / "analysis" / "CHANGELOG.md").read_text(encoding="utf-8")
            assert notes.count("\n- ") == len(records), "a note is lost or stands twice"

    def _layout(self, folder: Path) -> Layout:
        from prefrontal.routing.layout import Layout

        return Layout.of(folder / "workflows")

    def _promoter(self, layout: Layout) -> Promoter:
        from datetime import UTC

        from prefrontal.clock import SystemClock
        from prefrontal.routing.identity import Identities
        from prefrontal.routing.promotion.promotion import Promoter

        clock = SystemClock()
        identities = Identities(layout, clock, os.urandom, UTC)
        return Promoter(layout, clock, identities, "prefrontal_v0.1.0", UTC)
