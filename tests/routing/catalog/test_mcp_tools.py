from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.errors import InputError, SourceError
from prefrontal.routing.catalog.cache import FactCache
from prefrontal.routing.catalog.discovery import discover, discover_all
from prefrontal.routing.catalog.mcp_schema import read_tool
from prefrontal.routing.catalog.mcp_tools import import_mcp
from prefrontal.routing.layout import Layout
from prefrontal.routing.types import ArgSpec

from ..project import layout_of, write
from ..tool_files import analysis_and_ingest, intent

SEARCH: dict[str, Any] = {
    "name": "search/repositories",
    "title": "Search",
    "description": "Find repositories by a query.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "default": 30},
            "labels": {"type": "array", "items": {"type": "string"}},
            "since": {"type": ["string", "null"]},
            "sort": {"anyOf": [{"type": "string"}, {"type": "number"}]},
            "any": {},
        },
        "required": ["query"],
    },
    "outputSchema": {"type": "object", "properties": {"items": {"type": "array"}}},
    "annotations": {"readOnlyHint": True},
}
DELETE: dict[str, Any] = {"name": "delete_file", "annotations": {"destructiveHint": True}}


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


def listed(tmp_path: Path, document: object, name: str = "git-hub.json") -> Path:
    return write(tmp_path / name, json.dumps(document))


def test_a_tool_keeps_its_name_its_text_and_its_arguments(layout: Layout, tmp_path: Path) -> None:
    [tool, other], findings = import_mcp(layout, listed(tmp_path, {"tools": [SEARCH, DELETE]}))
    assert findings == []
    assert tool.name == "search/repositories"
    told, arguments = tool.spec.doc.rsplit("\n\n", 1)
    assert told == "Search\n\nFind repositories by a query."
    assert arguments == "query: What to look for.\nlimit\nlabels\nsince\nsort\nany"
    assert tool.spec.args == [
        ArgSpec("query", "str", True, None),
        ArgSpec("limit", "int", False, "30"),
        ArgSpec("labels", "list[str]", False, "None"),
        ArgSpec("since", "str | None", False, "None"),
        ArgSpec("sort", "str | float", False, "None"),
        ArgSpec("any", None, False, "None"),
    ]
    assert tool.arg_docs == {"query": "What to look for."}
    assert (tool.returns, tool.return_hint) == (("items",), "dict")
    assert (tool.domain, tool.action, tool.shared, tool.runnable) == (None, None, True, False)
    assert tool.spec.path == layout.root / "mcp/git_hub.json"
    assert tool.relative == "mcp/git_hub.json#search/repositories"
    assert tool.manifest is not None and tool.manifest.side_effects == "none"
    assert other.manifest is not None and other.manifest.side_effects == "delete"
    assert (other.spec.doc, other.spec.args) == ("", [])


@pytest.mark.parametrize(
    ("about", "line"),
    [
        ({"description": "Where to.\nRequired. A folder."}, "to: Where to."),
        ({"description": " A place\n  with spaces "}, "to: A place with spaces"),
        ({"description": "e" * 300}, f"to: {'e' * 240}"),
        ({"description": 3, "enum": ["add", 3, "drop", "add"]}, "to: add, drop"),
        ({"items": {"enum": ["one", "two"]}}, "to: one, two"),
        ({"anyOf": [{"enum": ["one"]}, {"type": "null"}, 3]}, "to: one"),
        ({"enum": [str(number) for number in range(33)]}, "to"),
        ({"enum": 3}, "to"),
        (True, "to"),
    ],
)
def test_a_tool_is_known_by_what_its_arguments_are_for(about: object, line: str) -> None:
    schema = {"type": "object", "properties": {"to": about}}
    assert read_tool({"name": "move", "inputSchema": schema})["doc"] == line


def test_the_title_may_stand_among_the_annotations() -> None:
    tool = {"name": "issue_write", "annotations": {"title": "Create or update issue"}}
    assert read_tool(tool)["doc"] == "Create or update issue"
    assert read_tool({**tool, "title": "Write"})["doc"] == "Write"
    assert read_tool({**tool, "annotations": {"title": 3}})["doc"] == ""


@pytest.mark.parametrize(
    "document",
    [
        {"tools": [SEARCH, DELETE]},
        {"tools": [SEARCH, DELETE], "nextCursor": None},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [SEARCH, DELETE]}},
        [SEARCH, DELETE],
        [{"tools": [SEARCH]}, {"jsonrpc": "2.0", "id": 2, "result": {"tools": [DELETE]}}],
    ],
)
def test_every_wrapping_of_a_list_is_understood(
    layout: Layout, tmp_path: Path, document: object
) -> None:
    tools, findings = import_mcp(layout, listed(tmp_path, document))
    assert [tool.name for tool in tools] == ["search/repositories", "delete_file"]
    assert findings == []


def test_imported_tools_are_found_in_every_search(tmp_path: Path) -> None:
    layout = analysis_and_ingest(tmp_path)
    tools, _ = import_mcp(layout, listed(tmp_path, [SEARCH]), "hub")
    for cache in (FactCache(None), FactCache(tmp_path / "cache"), FactCache(tmp_path / "cache")):
        assert discover_all(layout, cache=cache).tools[-1:] == tuple(tools)
        assert discover(layout, intent("analysis", "load"), cache=cache).tools[-1:] == tuple(tools)


def test_a_second_import_under_the_same_name_replaces_the_first(
    layout: Layout, tmp_path: Path
) -> None:
    import_mcp(layout, listed(tmp_path, [SEARCH]), "hub")
    import_mcp(layout, listed(tmp_path, [DELETE]), "hub")
    import_mcp(layout, listed(tmp_path, [DELETE]), "another")
    relatives = [tool.relative for tool in discover_all(layout).tools]
    assert relatives == ["mcp/another.json#delete_file", "mcp/hub.json#delete_file"]


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (3, "tool 1 must be a mapping, got int"),
        ({}, "tool 1 must have a name, got None"),
        ({"name": " "}, "tool 1 must have a name, got ' '"),
        ({"name": "a\x1b[31m"}, "must have a printable name of at most 256 characters"),
        ({"name": "x" * 257}, "must have a printable name of at most 256 characters"),
        ({"name": "a::b"}, "must have a printable name of at most 256 characters, without ::"),
        ({"name": "a", "inputSchema": []}, "must have a mapping as its inputSchema, got list"),
        ({"name": "a", "inputSchema": {"properties": 3}}, "must have a mapping as its properties"),
        ({"name": "a", "inputSchema": {"required": "x"}}, "must have a list as its required"),
        ({"name": "a", "description": "\ud800"}, "must hold text that UTF-8 can hold"),
        ({"name": "a", "x": float("nan")}, "must hold no NaN and no infinity"),
        ({"name": "a", "x": 1 << 64}, "must hold whole numbers of at most 64 bits"),
        ({"name": "delete_file"}, "tool 2 must have a name of its own, got 'delete_file' again"),
    ],
)
def test_a_bad_tool_is_a_finding_and_the_others_are_kept(
    layout: Layout, tmp_path: Path, raw: object, sentence: str
) -> None:
    tools = [DELETE, raw] if "again" in sentence else [raw, DELETE]
    kept, [finding] = import_mcp(layout, listed(tmp_path, tools))
    assert [tool.name for tool in kept] == ["delete_file"]
    assert sentence in finding.text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "must be JSON (Expecting property name"),
        ("[" * 100_000, "must be JSON (maximum recursion depth exceeded"),
        ("\udcff", "must be JSON ('utf-8' codec can't decode"),
        ("3", "must hold a list of tools"),
        ('{"tool": []}', "must hold a list of tools"),
        ('{"error": {"code": 1, "message": "no"}}', "got the server's error 'no'"),
        ('[{"error": {"message": "no"}}]', "got the server's error 'no'"),
        ('{"tools": []}', "must list a tool that can be used, got none"),
        ("[]", "must list a tool that can be used, got none"),
        ('{"tools": [{}]}', "must list a tool that can be used, got none"),
    ],
)
def test_a_file_that_is_no_list_is_refused(
    layout: Layout, tmp_path: Path, text: str, sentence: str
) -> None:
    path = tmp_path / "list.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as caught:
        import_mcp(layout, path)
    assert str(caught.value).startswith(f"{path} must ") and sentence in str(caught.value)
    assert not (layout.root / "mcp").exists()


def test_a_file_that_cannot_be_read_or_is_too_large_is_refused(
    layout: Layout, tmp_path: Path
) -> None:
    with pytest.raises(SourceError, match="cannot be read: No such file"):
        import_mcp(layout, tmp_path / "gone.json")
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate((16 << 20) + 1)
    with pytest.raises(SourceError, match="cannot be read: it has more than 16777216 bytes"):
        import_mcp(layout, large)


@pytest.mark.parametrize("server", ["../evil", "", "A", "a/b"])
def test_a_server_is_named_by_a_slug(layout: Layout, tmp_path: Path, server: str) -> None:
    with pytest.raises(InputError, match="server must be lower-case letters"):
        import_mcp(layout, listed(tmp_path, [SEARCH]), server)


def test_nothing_is_written_through_a_link_out_of_the_root(layout: Layout, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (layout.root / "mcp").symlink_to(tmp_path / "outside", target_is_directory=True)
    with pytest.raises(InputError, match="path must lie below"):
        import_mcp(layout, listed(tmp_path, [SEARCH]))
    assert list((tmp_path / "outside").iterdir()) == []


def test_stored_lists_that_were_damaged_are_findings(layout: Layout, tmp_path: Path) -> None:
    import_mcp(layout, listed(tmp_path, [DELETE]), "good")
    write(layout.root / "mcp/bad.json", "{")
    write(layout.root / "mcp/Not A Slug.json", "[]")
    (layout.root / "mcp/link.json").symlink_to(listed(tmp_path, [SEARCH], "outside.json"))
    (layout.root / "mcp/folder.json").mkdir()
    found = discover_all(layout)
    assert [tool.name for tool in found.tools] == ["delete_file"]
    assert len(found.findings) == 4
    assert found.findings[1].text.startswith("must be JSON (")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
SCHEMAS = st.dictionaries(
    st.sampled_from(["type", "properties", "required", "anyOf", "items"]), JSON
)
TOOLS = st.fixed_dictionaries(
    {"name": st.just("a") | JSON},
    optional={
        "inputSchema": SCHEMAS | JSON,
        "outputSchema": SCHEMAS | JSON,
        "description": JSON,
        "annotations": JSON,
    },
)


@pytest.mark.parametrize(
    ("annotations", "side_effects"),
    [
        ({}, None),
        ({"title": "x", "readOnlyHint": False}, None),
        ({"readOnlyHint": True, "destructiveHint": True}, "none"),
        ({"destructiveHint": True}, "delete"),
        ({"destructiveHint": False}, "write"),
        ({"destructiveHint": "no"}, None),
    ],
)
def test_what_a_server_says_of_side_effects_counts_and_nothing_else(
    annotations: dict[str, object], side_effects: str | None
) -> None:
    assert read_tool({"name": "a", "annotations": annotations})["side_effects"] == side_effects


@settings(deadline=None)
@given(TOOLS | JSON)
def test_any_tool_is_read_or_refused_with_a_rule(raw: object) -> None:
    try:
        row = read_tool(raw)
    except ValueError as error:
        assert str(error)
    else:
        assert json.loads(json.dumps(row, allow_nan=False)) == row
