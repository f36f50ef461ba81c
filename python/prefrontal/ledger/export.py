"""The whole ledger as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .ledger import Ledger


def export_lines(ledger: Ledger) -> Iterator[str]:
    """A JSON object a line, of one snapshot: peers, then interactions, then assessments.

    "kind" names the type; the other keys are the fields of `models`. Previews were redacted when
    they were recorded.
    """
    with ledger.reading():
        for scored in ledger.standings():
            yield _line("peer", scored.peer, info_score=scored.info_score)
        for interaction in ledger.interactions():
            yield _line("interaction", interaction)
        for assessment in ledger.assessments():
            yield _line("assessment", assessment)


def _line(kind: str, fields: Any, **more: Any) -> str:
    return json.dumps({"kind": kind, **asdict(fields), **more})
