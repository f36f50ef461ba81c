"""Which of two tools that convert both ways is meant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prefrontal.routing.ranking.directions import goes_back, says_conversion
from prefrontal.routing.ranking.rivals import rivals
from prefrontal.routing.ranking.tool_ranker import ToolRanker
from prefrontal.settings.routing import Ranker

from ..sample_tools import tool


@pytest.mark.parametrize(
    ("prompt", "name", "is_back"),
    [
        ("convert people.csv to json", "json_to_csv", True),
        ("convert people.csv to json", "csv_to_json", False),
        ("turn the JSON file a.json into a csv file", "convert_csv_to_json", True),
        ("save my speech as text", "textToSpeech", True),
        ("save my speech as text", "speech2text", False),
        ("convert json", "csv_to_json", False),
        ("convert json to yaml", "csv_to_json", False),
        ("convert csv to json and json to csv", "json_to_csv", False),
        ("go to the csv and turn it to json", "csv_to_json", False),
        ("add the cart to it", "add_to_cart", False),
        ("make a list of json", "to_json", False),
        ("", "csv_to_json", False),
    ],
)
def test_a_tool_that_converts_the_other_way_is_not_meant(
    prompt: str, name: str, is_back: bool
) -> None:
    assert bool(goes_back(prompt, tool(f"domains/a/b/{name}.py"))) == is_back


@pytest.mark.parametrize(
    ("prompt", "name", "says"),
    [
        ("please convert people.csv to json", "csv_to_json", True),
        ("turn the csv file into JSON and mail it", "csv2json", True),
        ("convert people.csv to json", "json_to_csv", False),
        ("convert people.csv to json", "convert_csv_to_json_lines", False),
        ("compare people.csv to b.json", "csv_to_json", False),
        ("convert people.csv", "csv_to_json", False),
        ("convert a.csv to json and b.json to csv", "csv_to_json", False),
        ("convert it", "find_todos", False),
    ],
)
def test_from_what_to_what_is_the_whole_name(prompt: str, name: str, says: bool) -> None:
    assert says_conversion(prompt, tool(f"domains/a/b/{name}.py")) == says


def test_one_of_a_pair_is_meant_alone() -> None:
    docs = {"csv_to_json": "Convert CSV to JSON.", "json_to_csv": "Convert JSON to CSV."}
    tools = [
        replace(one, spec=replace(one.spec, doc=doc))
        for name, doc in docs.items()
        for one in [tool(f"domains/data/convert/{name}.py")]
    ]
    ranker = ToolRanker(tools, {}, Ranker(), 0.0)
    for prompt, name in (
        ("convert people.csv to json", "csv_to_json"),
        ("convert people.json to csv", "json_to_csv"),
    ):
        candidates = ranker.candidates(prompt)
        assert candidates[0].tool.name == name and candidates[0].score >= 0.6
        assert not rivals(candidates, Ranker())
