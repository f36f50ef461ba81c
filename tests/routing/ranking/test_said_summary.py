from __future__ import annotations

from dataclasses import replace

import pytest

from prefrontal.routing.catalog.history import PastEvent
from prefrontal.routing.ranking.rivals import rivals
from prefrontal.routing.ranking.tool_ranker import ToolRanker, key_of
from prefrontal.routing.types import Candidate, Tool
from prefrontal.settings.routing import Ranker

from ..sample_tools import tool

SAVE = "domains/tables/save/save_csv.py"
TEXTS = {
    SAVE: "Write rows to a CSV file. Makes it anew.",
    "domains/tables/load/load_csv.py": "Load the rows of a CSV file.",
    "domains/tables/keep/filter_rows.py": "Keep the rows of a CSV file where a number is large.",
    "domains/tables/sort/sort_rows.py": "Sort the rows of a CSV file.",
    "domains/files/write/write_file.py": "Write a text to a file.",
    "domains/files/read/read_file.py": "Read a text file.",
    "domains/web/post/post_json.py": "Post JSON to a web address.",
    "domains/mail/send/send_email.py": "Send an email to somebody.",
}
REASON = "the prompt says its summary"


def tools() -> list[Tool]:
    """Tools whose names share more words with a prompt than the right one's does."""
    made = [(tool(place), doc) for place, doc in TEXTS.items()]
    return [replace(one, spec=replace(one.spec, doc=doc)) for one, doc in made]


def ranked(prompt: str, *events: PastEvent) -> list[Candidate]:
    return ToolRanker(tools(), {SAVE: list(events)}, Ranker(), 0.0).candidates(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "write the rows to a csv file",
        "Please write these rows to the CSV file out.csv!",
        "to a csv file, write my rows",
    ],
)
def test_a_tool_whose_summary_is_said_is_taken(prompt: str) -> None:
    candidates = ranked(prompt)
    assert key_of(candidates[0].tool) == SAVE and candidates[0].score >= 0.8
    assert REASON in candidates[0].flags and not rivals(candidates, Ranker())
    assert ToolRanker(tools(), {}, Ranker(), 0.0).by_name(prompt) == {SAVE}


@pytest.mark.parametrize(
    "prompt",
    [
        "don't write the rows to a csv file",
        "never write rows to a csv file",
        "write the rows of a csv file to a web address",
        "write the rows",
        "write a file",
        "sell the rows written to a csv file",
    ],
)
def test_a_part_of_it_a_denial_or_more_than_it_says_nothing(prompt: str) -> None:
    assert not any(REASON in one.flags for one in ranked(prompt) if key_of(one.tool) == SAVE)


def test_a_no_counts_all_the_same() -> None:
    prompt = "write the rows to a csv file"
    rejected = PastEvent("save_csv", "rejected", 0.0, "0" * 64, prompt)
    told = {key_of(one.tool): one for one in ranked(prompt, rejected)}
    assert told[SAVE].score < 0.55


def test_the_scores_of_others_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = "write the rows to a csv file"
    before = {key_of(one.tool): one.score for one in ranked(prompt)}
    monkeypatch.setattr("prefrontal.routing.ranking.tool_ranker.says_summary", lambda *_: False)
    plain = {key_of(one.tool): one.score for one in ranked(prompt)}
    assert plain.pop(SAVE) < before.pop(SAVE)
    assert plain == before
