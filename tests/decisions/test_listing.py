"""Decisions listed in a notebook."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from prefrontal.decisions.listing import SHOWN, DecisionList
from prefrontal.decisions.log import DecisionLog

from .decision_samples import slept, woke

HOSTILE = "</td><script>alert(1)</script>\u202e\n"


def test_what_the_log_lists_is_shown_as_a_table_and_is_a_list() -> None:
    records = [woke(time=10.0), slept(time=20.0)]
    with DecisionLog() as log:
        log.append_many(records)
        found = log.recent()
    assert found == records[::-1]
    html = found._repr_html_()
    assert "<caption>2 decisions</caption>" in html
    assert html.count("<tr>") == 3
    assert "<td>1970-01-01 00:00:20</td>" in html
    assert html.index(records[1].id[:8]) < html.index(records[0].id[:8])


def test_what_a_decision_says_is_escaped_and_there_is_no_script() -> None:
    html = DecisionList([woke(question=HOSTILE, subject=HOSTILE)])._repr_html_()
    assert html.count("&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;") == 2
    assert "<script" not in html
    assert "\u202e" not in html


def test_only_the_first_of_many_are_shown_and_the_caption_says_so() -> None:
    html = DecisionList(woke() for _ in range(SHOWN + 1))._repr_html_()
    assert "<caption>51 decisions, the first 50</caption>" in html
    assert html.count("<tr>") == 1 + SHOWN


def test_numbers_and_times_that_are_none_are_dashes() -> None:
    [odd] = [woke(time=1e300, score=math.nan)]
    html = DecisionList([odd])._repr_html_()
    assert "<td>–</td><td>" in html
    assert "nan" not in html


def test_a_frame_has_a_row_for_each_with_times_in_utc_and_without_events() -> None:
    record = woke(time=1_700_000_000.5, label=1.0, labelled_at=1_700_000_060.0)
    frame = DecisionList([record, slept()]).to_pandas()
    first = frame.iloc[0]
    assert first["time"].to_pydatetime() == datetime(2023, 11, 14, 22, 13, 20, 500_000, UTC)
    assert first["labelled_at"].timestamp() == 1_700_000_060.0
    assert (first["id"], first["score"], first["label"]) == (record.id, record.score, 1.0)
    assert (first["events"], first["location"]) == (
        len(record.window),
        record.window[-1].location,
    )
    assert frame["labelled_at"].isna().tolist() == [False, True]
    assert not {"window", "why"} & set(frame.columns)


def test_no_decision_at_all_is_an_empty_table_and_frame() -> None:
    assert "<caption>0 decisions</caption>" in DecisionList()._repr_html_()
    assert len(DecisionList().to_pandas()) == 0
