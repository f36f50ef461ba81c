"""Tables and frames for a notebook: escaped, short, without a script; a sentence without pandas."""

from __future__ import annotations

import math
import sys
from html.parser import HTMLParser

import pytest

from prefrontal.errors import SourceError
from prefrontal.notebook import frame, share, table

HOSTILE = "<script>alert(1)</script>\n&\u202eab\"c'"


class Seen(HTMLParser):
    """The elements and texts of a piece of HTML; what is left open is an error."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_all_text_is_shown_and_none_of_it_obeyed() -> None:
    seen = Seen(table(HOSTILE, [HOSTILE, "b"], [[HOSTILE, ""], ["1", "2"]]))
    assert set(seen.tags) == {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert seen.tags.count("tr") == 3
    shown = "<script>alert(1)</script> &ab\"c'"
    assert seen.texts == [shown, shown, "b", shown, "1", "2"]


def test_a_cell_is_short() -> None:
    [_, _, cell] = Seen(table("c", ["h"], [["x" * 100_000]])).texts
    assert len(cell) == 200


def test_a_share_has_two_places_and_nothing_is_a_dash() -> None:
    assert [share(each) for each in (0.5, 1.0, None, math.nan)] == ["0.50", "1.00", "–", "–"]


def test_a_frame_has_the_rows_under_their_names_and_moments_in_utc() -> None:
    made = frame([(1.5, "a"), (None, "b")], ("at", "name"), times=("at",))
    assert list(made.columns) == ["at", "name"]
    assert str(made["at"][0]) == "1970-01-01 00:00:01.500000+00:00"
    assert made["at"].isna().tolist() == [False, True]
    assert made["name"].tolist() == ["a", "b"]


def test_no_rows_make_an_empty_frame_with_its_columns() -> None:
    made = frame([], ("at", "name"), times=("at",))
    assert (len(made), list(made.columns)) == (0, ["at", "name"])


def test_without_pandas_a_frame_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SourceError, match=r"^a data frame needs pandas: pip install pandas$"):
        frame([], ())
