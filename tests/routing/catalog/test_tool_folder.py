from __future__ import annotations

import os
from pathlib import Path

import pytest

from prefrontal.routing.catalog.discovery import discover_all
from prefrontal.routing.layout import Layout
from prefrontal.routing.types import ArgSpec, Discovery

from ..project import layout_of, write
from ..tool_files import SUMMARIZE


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


def slips(discovery: Discovery, layout: Layout) -> list[str]:
    """Each finding, its path below the root."""
    return [str(each).replace(f"{layout.root}/", "") for each in discovery.findings]


def put(layout: Layout, text: str, name: str = "a.py") -> Path:
    """A file in the folder of the domain d and the action a."""
    return write(layout.domains / "d/a" / name, text)


def test_a_link_out_of_the_tools_is_refused(layout: Layout, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside/a.py", SUMMARIZE)
    unapproved = write(layout.tmp / "route-001/b.py", SUMMARIZE)
    folder = put(layout, SUMMARIZE, "good.py").parent
    (folder / "out.py").symlink_to(outside)
    (folder / "tmp.py").symlink_to(unapproved)
    (folder / "inside.py").symlink_to("good.py")
    (layout.domains / "d/linked").symlink_to(outside.parent, target_is_directory=True)
    (layout.domains / "other").symlink_to(outside.parent, target_is_directory=True)
    found = discover_all(layout)
    assert [each.name for each in found.tools] == ["good", "inside"]
    rule = "link must not lead out of domains/ and shared_tools/"
    paths = ["domains/other", "domains/d/a/out.py", "domains/d/a/tmp.py", "domains/d/linked"]
    assert slips(found, layout) == [f"{path}: {rule}" for path in paths]


def test_links_that_lead_nowhere_or_to_themselves_are_findings(layout: Layout) -> None:
    folder = put(layout, SUMMARIZE, "good.py").parent
    (folder / "gone.py").symlink_to("nowhere.py")
    (folder / "loop.py").symlink_to("loop.py")
    (layout.domains / "loop").symlink_to("loop")
    found = discover_all(layout)
    assert [each.name for each in found.tools] == ["good"]
    assert slips(found, layout) == [
        "domains/d/a/gone.py: tool must be a plain file",
        "domains/d/a/loop.py: tool must be a plain file",
    ]


def test_a_pipe_or_a_folder_named_like_a_tool_is_a_finding(layout: Layout) -> None:
    folder = put(layout, SUMMARIZE, "good.py").parent
    os.mkfifo(folder / "pipe.py")
    (folder / "folder.py").mkdir()
    found = discover_all(layout)
    assert [each.name for each in found.tools] == ["good"]
    assert len(found.findings) == 2


def test_tools_and_folders_in_the_wrong_place_are_findings(layout: Layout) -> None:
    write(layout.domains / "lost.py", SUMMARIZE)
    write(layout.domains / "d/lost.py", SUMMARIZE)
    write(layout.shared_tools / "lost.py", SUMMARIZE)
    write(layout.domains / "Big Data/a/b.py", SUMMARIZE)
    found = discover_all(layout)
    rule = "must be lower-case letters, digits and underscores, at most 64, a letter first"
    assert found.tools == ()
    assert slips(found, layout) == [
        f"domains: name of the folder of a domain {rule}, got 'Big Data'",
        "domains/lost.py: tool must lie in the folder of an action",
        "domains/d/lost.py: tool must lie in the folder of an action",
        "shared_tools/lost.py: tool must lie in the folder of an action",
    ]


def test_a_manifest_adds_hints_and_the_file_stays_the_truth(layout: Layout) -> None:
    put(layout, SUMMARIZE, "a.py")
    put(
        layout,
        "name: a\nintents: [sum up]\nreturns: [mean, median]\nexample: {df: [3], dgits: 1}\n"
        "args: [{name: digits}, {name: extra}]\nside_effects: write\n",
        "tool.yaml",
    )
    found = discover_all(layout)
    [read] = found.tools
    assert [each.name for each in read.spec.args] == ["df", "digits"]
    assert (read.returns, read.example) == (("mean", "size"), {"df": [3], "dgits": 1})
    assert read.manifest is not None and read.manifest.side_effects == "write"
    assert [slip.split(": ", 1)[1] for slip in slips(found, layout)] == [
        "a: args must name arguments of run(), got 'extra'",
        "a: example must name arguments of run(), got 'dgits'",
        "a: args must name 'df', which run() requires",
        "a: returns must be among the keys run() returns (mean, size), got 'median'",
    ]


def test_main_with_any_name_takes_its_arguments_from_the_manifest(layout: Layout) -> None:
    put(layout, '"""Do it.\n\nReturns:\n    told: x\n"""\ndef main(a, **more):\n    return f(a)\n')
    put(
        layout,
        "name: a\nargs: [{name: a}, {name: b, type: int, required: false}]\n"
        "returns: [c]\nexample: {a: 1, z: 2}\n",
        "tool.yaml",
    )
    found = discover_all(layout)
    [read] = found.tools
    assert read.spec.args == [ArgSpec("a", None, True, None), ArgSpec("b", "int", False, "None")]
    assert (read.spec.entry, read.returns, found.findings) == ("main", ("c",), ())


def test_a_tools_own_manifest_wins_and_a_second_one_is_a_finding(layout: Layout) -> None:
    put(layout, SUMMARIZE, "a.py")
    put(layout, SUMMARIZE, "b.py")
    put(layout, "intents: [own]\n", "a.tool.yaml")
    put(layout, "- {name: a, intents: [x]}\n- {name: b}\n- {name: c}\n", "tool.yaml")
    put(layout, 'name = "b"\n', "tool.toml")
    found = discover_all(layout)
    first = found.tools[0].manifest
    assert first is not None and first.intents == ("own",)
    assert [str(each).rpartition("/")[2] for each in found.findings] == [
        "tool.yaml: name must be described once in a folder, got 'b' again",
        "tool.yaml: name must be that of a tool in this folder, got 'c'",
    ]


def test_a_broken_manifest_leaves_its_tool(layout: Layout) -> None:
    put(layout, SUMMARIZE, "a.py")
    put(layout, "name: [\n", "tool.yaml")
    found = discover_all(layout)
    assert len(found.tools) == 1 and len(found.findings) == 1
    assert found.findings[0].line == 2
