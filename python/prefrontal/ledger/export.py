"""The whole ledger as JSON lines: for other programs, and to keep beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from .store import Ledger


def export_lines(ledger: Ledger) -> Iterator[str]:
    """A JSON object a line, all of one moment: peers, then interactions, then assessments.

    "kind" says which; the other keys are the fields of `models`. Previews hold no secrets: they
    were taken out when the message was recorded.
    """
    with ledger.reading():
        for standing in ledger.standings():
            yield _line("peer", standing.peer, info_score=standing.info_score)
        for interaction in ledger.interactions():
            yield _line("interaction", interaction)
        for assessment in ledger.assessments():
            yield _line("assessment", assessment)


def _line(kind: str, fields: Any, **more: Any) -> str:
    return json.dumps({"kind": kind, **asdict(fields), **more})
