from __future__ import annotations

from dataclasses import replace

import pytest

from prefrontal.routing.ranking.opposites import undoes
from prefrontal.routing.ranking.tool_ranker import ToolRanker
from prefrontal.routing.types import Tool
from prefrontal.settings.routing import Ranker

from ..sample_tools import tool


def told(name: str, doc: str) -> Tool:
    one = tool(f"domains/d/x/{name}.py")
    return replace(one, spec=replace(one.spec, doc=doc))


ZIP = told("zip_folder", "zip a folder")
UNZIP = told("unzip", "Unpack a zip.")
BOTH = told("zip_tool", "Zip a folder, or extract one.")


@pytest.mark.parametrize(
    ("prompt", "one", "why"),
    [
        ("extract photos.zip into a folder", ZIP, "it does the opposite of extract"),
        ("please unzip the folder", ZIP, "it does the opposite of unzip"),
        ("extract the zip to a folder", ZIP, "it does the opposite of extract"),
        ("archive the folder", told("extract", "Open it."), "it does the opposite of archive"),
        ("zip the folder", UNZIP, ""),  # "a zip" may be what it makes
        ("extract the archive", UNZIP, ""),
        ("extract photos into a folder", BOTH, ""),
        ("extract it and zip the folder", ZIP, ""),
        ("count the folders", ZIP, ""),
        ("", ZIP, ""),
        ("save the table", told("load_table", "Load a table."), "it does the opposite of save"),
        ("stop the server", told("start_server", "Start it."), "it does the opposite of stop"),
        ("restore the data", told("dump_data", "Dump it."), "it does the opposite of restore"),
        ("undo the deploy", told("deploy_app", "Deploy it."), "it does the opposite of undo"),
    ],
)
def test_a_tool_that_does_the_opposite_is_not_meant(prompt: str, one: Tool, why: str) -> None:
    assert undoes(prompt, one) == why


def test_the_opposite_is_not_taken_for_the_objects_it_shares() -> None:
    others = [told(f"tool_{number}", "Does something else.") for number in range(8)]
    ranker = ToolRanker([ZIP, UNZIP, *others], {}, Ranker(), 0.0)
    scores = {one.tool.name: one.score for one in ranker.candidates("extract a.zip into a folder")}
    assert scores["zip_folder"] < 0.55
    assert next(iter(ranker.candidates("zip_folder"))).score > 0.6
