"""A folder of files that somebody made to break whoever reads them."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from prefrontal.routing.catalog.discovery import discover_all, open_cache
from prefrontal.routing.run.request import Mode

from ..project import layout_of
from ..routes import event, example_project, routed
from ..tool_files import SUMMARIZE

LARGE = "0x" + "f" * 6000
EXPRESSIONS = (
    *(LARGE, f"-{LARGE}", f"[{LARGE}]", f"Literal[{LARGE}]", f"'Literal[{LARGE}]'", "1e999"),
    *("(" * 150 + "1" + ")" * 150, "[" * 90 + "]" * 90, "-" * 3000 + "1", "not " * 3000 + "1"),
    *("+".join(["1"] * 5000), "x" + ".a" * 4000, "f" + "()" * 1000, "1 if 1 else " * 900 + "1"),
    *("'\\ud800'", "b'\\xff'", "...", "lambda: 0", "f'{1!r}'", "int | None", "list[int]", "{}"),
    *("dict[str, " * 60 + "int" + "]" * 60, "'" + "list[" * 150 + "]" * 150 + "'", "[*(), **{}]"),
)


def hostile_file(chance: random.Random) -> bytes:
    """A file that is nearly a tool; one in five with some bytes changed."""
    hint, default, result = (chance.choice(EXPRESSIONS) for _ in range(3))
    text = f'''"""Plot a matrix.

Example:
    >>> run({result})
    >>> run(x={default})
"""
def run(x: {hint} = {default}, *, y: {default}) -> {result}:
    return {{"a": {default}, "\\ud800": 1}}
'''
    data = bytearray(text.encode())
    for _ in range(chance.randrange(1, 4) if chance.random() < 0.2 else 0):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


@pytest.mark.parametrize(
    "count", [100, pytest.param(10_000, marks=pytest.mark.exhaustive)], ids=["some", "all"]
)
def test_a_folder_of_hostile_files_costs_warnings_only(tmp_path: Path, count: int) -> None:
    layout, chance = layout_of(tmp_path), random.Random(20)
    folder = layout.action("analysis", "visualise")
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"tool_{number}.py").write_bytes(hostile_file(chance))
    (folder / "good.py").write_text(SUMMARIZE, encoding="utf-8")
    cache = open_cache(layout)
    found = discover_all(layout, cache=cache)
    assert not cache.note
    tools, refused = {tool.name for tool in found.tools}, {one.path.stem for one in found.findings}
    assert "good" in tools and tools.isdisjoint(refused)
    assert min(len(tools), len(refused)) > count / 10
    silent = {path.stem for path in folder.iterdir()} - tools - refused
    assert not any(b"def run(" in (folder / f"{name}.py").read_bytes() for name in silent)
    assert discover_all(layout, cache=open_cache(layout)) == found


def test_a_prompt_is_routed_beside_hostile_files(tmp_path: Path) -> None:
    layout, chance = example_project(tmp_path), random.Random(21)
    for number in range(60):
        path = layout.action("analysis", "visualise") / f"odd_{number}.py"
        path.write_bytes(hostile_file(chance))
    route = routed(layout, "summarize this matrix for me", Mode(plan_only=True))
    assert route.exit_code == 0


@pytest.mark.parametrize("name", ["history.jsonl", "metadata.jsonl"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "loop", "endless", "huge"])
def test_records_that_cannot_be_read_stop_no_route(tmp_path: Path, name: str, kind: str) -> None:
    layout = example_project(tmp_path)
    path = layout.action("analysis", "visualise") / name
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path.name)
        case "endless":
            path.symlink_to("/dev/zero")
        case _:
            path.touch()
            os.truncate(path, 1 << 40)
    route = routed(layout, "summarize this matrix for me", Mode(plan_only=True))
    assert route.exit_code == 0
    notes = event(route, "rank")["detail"]["findings"]
    assert [text for text in notes if str(path) in text and "cannot be read" in text]


@pytest.mark.parametrize("kind", ["pipe", "folder"])
@pytest.mark.parametrize(
    ("name", "phase", "said"),
    [
        ("_tmp/.counters.json", "rank", "is no file; what is counted is kept in"),
        ("_tmp/.cache/facts.json", "end", ""),
        (
            "domains/analysis/CHANGELOG.md",
            "promote",
            "not noted there: 1.0.0 summarise/summarize_matrix.py: ",
        ),
    ],
)
def test_what_is_no_file_in_the_place_of_one_of_its_own_is_told_and_stops_no_route(
    tmp_path: Path, kind: str, name: str, phase: str, said: str
) -> None:
    layout = example_project(tmp_path)
    path = layout.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path) if kind == "pipe" else path.mkdir()
    mode = Mode(interactive=False)
    first, second = (routed(layout, "summarize this matrix for me", mode) for _ in range(2))
    assert first.exit_code == second.exit_code == 0
    assert [event(one, "end")["route_id"] for one in (first, second)] == ["route-001", "route-002"]
    told = event(first, phase)["detail"].get("findings", [])
    assert not said or any(str(path) in one and said in one for one in told)
    assert not path.is_file()
