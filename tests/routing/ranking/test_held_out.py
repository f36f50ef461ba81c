"""What a threshold is worth on phrasings that the index was not told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prefrontal.errors import InputError
from prefrontal.routing.catalog.history import PastEvent
from prefrontal.routing.ranking.held_out import ENOUGH, HeldOut, TauRow, held_out, suggested
from prefrontal.routing.ranking.held_out import tau_rows as rows_of
from prefrontal.routing.ranking.tool_ranker import ToolRanker, key_of
from prefrontal.routing.types import Manifest, Tool
from prefrontal.settings.routing import Ranker

from ..sample_tools import ROOT, tool

NOW = 1_761_897_600.0


def told(relative: str, *intents: str) -> Tool:
    return tool(relative, manifest=Manifest("x", ROOT / "tool.yaml", intents=intents))


def accepted(*prompts: str) -> list[PastEvent]:
    return [PastEvent("any", "accepted", NOW, "0" * 64, prompt) for prompt in prompts]


MAIL = told("domains/office/letters/send_mail.py", "write to my boss")
PLOT = told("domains/analysis/visualise/plot_matrix.py", "draw the numbers", "paint the numbers")
TOOLS = (MAIL, PLOT)


def test_a_phrasing_is_ranked_by_an_index_without_it() -> None:
    histories = {key_of(MAIL): accepted("tell grandmother everything", "drop my boss a line")}
    results = {one.phrasing: one for one in held_out(TOOLS, histories, Ranker(), NOW)}
    assert list(results) == [
        "draw the numbers",
        "drop my boss a line",
        "paint the numbers",
        "tell grandmother everything",
        "write to my boss",
    ]
    alone = results["tell grandmother everything"]
    known = ToolRanker(TOOLS, histories, Ranker(), NOW).candidates(alone.phrasing)[0]
    assert alone.score < 0.2 < 0.5 < known.score
    assert results["paint the numbers"] == replace(
        results["paint the numbers"], chosen=key_of(PLOT), right=True
    )


def test_the_same_words_are_one_phrasing_and_may_mean_several_tools() -> None:
    histories = {key_of(PLOT): accepted("Write to my BOSS!")}
    results = held_out(TOOLS, histories, Ranker(), NOW)
    assert len(results) == 3
    assert [one.right for one in results if "boss" in one.phrasing.lower()] == [True]


def test_prompts_that_differ_by_a_file_are_one_phrasing() -> None:
    histories = {key_of(MAIL): accepted("drop my boss a.txt", "drop my boss src/b.txt")}
    assert len(held_out(TOOLS, histories, Ranker(), NOW)) == 4


def test_what_was_taken_back_and_what_has_no_words_is_no_phrasing() -> None:
    refused = [*accepted("sing a song"), replace(accepted("sing a song")[0], event="rejected")]
    results = held_out([told("a.py", "!?")], {"a.py": refused}, Ranker(), NOW)
    assert results == []


def test_without_tools_there_is_nothing() -> None:
    assert held_out([], {}, Ranker(), NOW) == []
    assert rows_of([], [0.6]) == [TauRow(0.6, 0, 0, 0)]
    assert (TauRow(0.6, 0, 0, 0).precision, TauRow(0.6, 0, 0, 0).coverage) == (None, 0.0)


def test_a_row_counts_what_reaches_it_and_what_is_right_of_that() -> None:
    scores = [(0.3, False), (0.6, True), (0.5999999, False), (0.9, True), (0.9, False)]
    results = [HeldOut(str(i), "a", score, right) for i, (score, right) in enumerate(scores)]
    low, high = rows_of(results, [0.9, 0.6, 0.9])
    assert low == TauRow(0.6, 4, 2, 5)  # scores count in whole millionths
    assert high == TauRow(0.9, 2, 1, 5)
    assert (high.precision, high.coverage) == (0.5, 0.4)


def test_the_lowest_threshold_above_which_all_are_good_enough_is_suggested() -> None:
    rows = [
        TauRow(0.3, 100, 95, 100),  # good by chance: 0.4 is not
        TauRow(0.4, 80, 60, 100),
        TauRow(0.5, 60, 54, 100),
        TauRow(0.6, 40, 38, 100),
        TauRow(0.9, ENOUGH - 1, 0, 100),  # too few to say anything
    ]
    assert suggested(rows, 0.9) == 0.5
    assert suggested(rows, 0.95) == 0.6
    assert suggested(rows, 0.96) is None
    assert suggested(rows[-1:], 0.1) is None
    assert suggested([], 0.9) is None


@pytest.mark.parametrize("share", [0.0, -1.0, 1.01, float("nan")])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(InputError, match="precision must be above 0 and at most 1"):
        suggested([], share)
