from __future__ import annotations

import json
import shutil
from pathlib import Path

from .served_samples import answer, asking, refusal

EXAMPLE = Path(__file__).parents[2] / "examples" / "routing" / "workflows"

FETCH = {
    "name": "fetch_page",
    "description": "Fetch a web page and return its text.",
    "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}},
    "outputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
}


async def test_a_prompt_is_planned_and_nothing_is_run(tmp_path: Path) -> None:
    workflows = tmp_path / "workflows"
    shutil.copytree(EXAMPLE, workflows, ignore=shutil.ignore_patterns("_tmp", "__pycache__"))
    before = set(workflows.rglob("*.py"))
    routing = {"workflows_root": str(workflows)}
    async with asking(tmp_path, routing=routing) as client:
        one = answer(await client.call_tool("route_tool", {"prompt": "summarize this matrix"}))
        two = answer(
            await client.call_tool("route_tool", {"prompt": "Summarize a matrix then plot it"})
        )
        none = answer(await client.call_tool("route_tool", {"prompt": "book a flight to Oslo"}))
    assert one["policy"] == "select"
    assert Path(one["selected"][0]["path"]).is_file()
    assert one["selected"][0]["score"] == one["nearest"][0]["score"]
    assert two["policy"] == "compose"
    assert len(two["selected"]) == 2
    assert [each["id"] for each in two["plan"]["plan"]["steps"]] == ["s1", "s2"]
    assert (none["policy"], none["selected"]) == ("generate", [])
    assert set(workflows.rglob("*.py")) == before
    assert not (workflows / "_tmp" / "runs").exists()


async def test_the_chosen_tool_of_a_server_is_named(tmp_path: Path) -> None:
    listed = [{"name": "search_flights"}, {"name": "book_hotel"}]
    path = tmp_path / "workflows/mcp/travel.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(listed))
    routing = {"workflows_root": str(tmp_path / "workflows")}
    async with asking(tmp_path, routing=routing) as client:
        one = answer(await client.call_tool("route_tool", {"prompt": "use book_hotel"}))
    [chosen] = one["selected"]
    assert (chosen["name"], chosen["tool"]) == ("book_hotel", "mcp/travel.json#book_hotel")
    assert chosen["path"] == str(path)


async def test_what_is_the_agents_to_call_on_a_server_is_said(tmp_path: Path) -> None:
    workflows = tmp_path / "workflows"
    shutil.copytree(EXAMPLE, workflows, ignore=shutil.ignore_patterns("_tmp", "__pycache__"))
    (workflows / "mcp").mkdir()
    (workflows / "mcp/web.json").write_text(json.dumps([FETCH]))
    routing = {"workflows_root": str(workflows)}
    both = "fetch the page with fetch_page and then count the words of the text"
    apart = "fetch the page with fetch_page and then plot a matrix"
    async with asking(tmp_path, routing=routing) as client:
        mixed = answer(await client.call_tool("route_tool", {"prompt": both}))
        loose = answer(await client.call_tool("route_tool", {"prompt": apart}))
        one = answer(await client.call_tool("route_tool", {"prompt": "use fetch_page"}))
        own = answer(await client.call_tool("route_tool", {"prompt": "summarize this matrix"}))
        denies = {"prompt": "summarize this matrix, no plotting"}
        less = answer(await client.call_tool("route_tool", denies))
    there = "s1 fetch_page of the server web: you call it there, it does not run here"
    assert mixed["notes"] == [there]
    assert [(each["server"], each["entry"]) for each in mixed["selected"]] == [
        ("web", ""),
        (None, "run"),
    ]
    assert loose["notes"] == [there, "s1 hands nothing on to another step"]
    assert one["notes"] == [there]
    assert (own["notes"], own["selected"][0]["server"]) == ([], None)
    assert less["notes"] == ["left out, since it is not to be done: no plotting"]


async def test_a_project_without_tools_is_a_sentence(tmp_path: Path) -> None:
    routing = {"workflows_root": str(tmp_path / "none")}
    async with asking(tmp_path, routing=routing) as client:
        said = refusal(await client.call_tool("route_tool", {"prompt": "plot it"}))
    assert said.startswith("workflows must be a folder of tools")
