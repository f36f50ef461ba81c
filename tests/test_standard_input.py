"""A process that was started without standard input: a sentence, or nobody to ask."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from prefrontal.errors import SourceError
from prefrontal.pulse.sources.lines import LinesSource
from prefrontal.replay.histories.event_files import spool_stdin
from prefrontal.standard_input import input_bytes, is_terminal


@pytest.mark.parametrize(
    "read",
    [input_bytes, LinesSource, lambda: spool_stdin().__enter__()],
    ids=["any reader", "a source", "recorded windows"],
)
def test_reading_a_closed_input_is_refused_in_a_sentence(
    read: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SourceError, match="standard input must be open, it is closed"):
        read()


def test_nobody_can_be_asked_at_a_closed_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert is_terminal() is False
