from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.routing.catalog.tool_facts import read_facts, tool_of
from prefrontal.routing.layout import Layout
from prefrontal.routing.plans.plan import parse_plan
from prefrontal.routing.plans.render import render
from prefrontal.routing.plans.wiring import wire
from prefrontal.routing.types import Candidate, Plan, PlanStep, Tool

from ..project import layout_of, write
from ..sample_tools import tool
from .test_plan import DOCUMENT

SUMMARIZE = '''\
"""Summarize a matrix.

Args:
    df: Rows of "numbers".

Returns:
    summary: What is in it.

Example:
    >>> run(df=[[1, 2], [3, 4]])
"""


def run(df: list[list[float]]) -> dict[str, str]:
    return {"summary": f"{len(df)} rows"}
'''
PLOT = '''\
"""Plot a summary."""


def run(summary: str, width: int = 3) -> dict[str, str]:
    return {"figure_path": summary + ".png"}
'''


def read_tool(layout: Layout, relative: str, source: str) -> Tool:
    """The tool of a file that is written at a path below the root."""
    path = write(layout.root / relative, source)
    parts = relative.split("/")
    facts = read_facts(path.read_bytes(), path.stem)
    return tool_of(
        facts,
        "0" * 64,
        {"path": path, "relative": relative, "domain": parts[1], "action": parts[2]},
        None,
    )


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


@pytest.fixture
def tools(layout: Layout) -> list[Tool]:
    return [
        read_tool(layout, "domains/analysis/summarise/summarize_matrix.py", SUMMARIZE),
        read_tool(layout, "domains/analysis/visualise/plot_matrix.py", PLOT),
    ]


def loaded(path: Path) -> ModuleType:
    """The module as it is imported on its own."""
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)
    return module


def ran(layout: Layout, source: str, place: str = "_tmp/route-001/both.py", **inputs: Any) -> Any:
    return loaded(write(layout.root / place, source)).run(**inputs)


def plan_of(*tools: Tool, description: str = "one then two") -> Plan:
    plan = wire([Candidate(one, 0.7, {}) for one in tools], description)
    assert plan is not None
    return plan


def test_the_documented_plan_runs(layout: Layout, tools: list[Tool]) -> None:
    source = render(parse_plan(DOCUMENT), tools, layout, "both")
    assert ran(layout, source, df=[[1, 2]]) == {"figure_path": "1 rows.png"}


def test_it_runs_where_it_is_promoted_to_and_when_the_project_is_moved(
    layout: Layout, tools: list[Tool]
) -> None:
    source = render(parse_plan(DOCUMENT), tools, layout, "both")
    promoted = "domains/analysis/visualise/both.py"
    assert ran(layout, source, promoted, df=[]) == {"figure_path": "0 rows.png"}
    moved = layout.root.parent / "elsewhere" / "flows"
    shutil.copytree(layout.root, moved)
    shutil.rmtree(layout.root)
    assert loaded(moved / promoted).run(df=[]) == {"figure_path": "0 rows.png"}


def test_it_is_a_tool_itself(layout: Layout, tools: list[Tool]) -> None:
    source = render(parse_plan(DOCUMENT), tools, layout, "both")
    own = read_tool(layout, "domains/analysis/visualise/both.py", source)
    assert own.spec.entry == "run"
    assert [(one.name, one.type_hint) for one in own.spec.args] == [("df", "list[list[float]]")]
    assert own.spec.doc.startswith("Summarize a matrix then plot it\n")
    assert own.returns == ("figure_path",)
    assert own.arg_docs == {"df": 'Rows of "numbers".'}
    assert own.example == {"df": [[1, 2], [3, 4]]}


def test_a_composition_may_be_a_step_of_another(layout: Layout, tools: list[Tool]) -> None:
    inner = render(parse_plan(DOCUMENT), tools, layout, "both")
    composed = read_tool(layout, "domains/analysis/visualise/both.py", inner)
    count = 'def run(figure_path: str) -> int:\n    """Count."""\n    return len(figure_path)\n'
    last = read_tool(layout, "domains/analysis/count/count.py", count)
    source = render(plan_of(composed, last), [composed, last], layout, "outer")
    assert ran(layout, source, df=[]) == {"result": len("0 rows.png")}


def test_tools_with_one_file_name_are_kept_apart(layout: Layout) -> None:
    code = '"""{0}."""\nfrom dataclasses import dataclass\n@dataclass\nclass Box:\n    n: int\n'
    code += "def run({1}: int) -> dict[str, int]:\n    return {{'{2}': Box({1}).n {0}}}\n"
    one = read_tool(layout, "domains/a/x/t.py", code.format("+ 1", "n", "m"))
    two = read_tool(layout, "domains/b/x/t.py", code.format("* 10", "m", "k"))
    assert ran(layout, render(plan_of(one, two), [one, two], layout, "both"), n=1) == {"k": 20}


def test_one_tool_twice_is_loaded_once(layout: Layout) -> None:
    code = '"""D."""\nclass Box: ...\ndef run(box: Box | None) -> Box:\n'
    code += "    assert box is None or isinstance(box, Box)\n    return Box()\n"
    one = read_tool(layout, "domains/a/x/t.py", code)
    result = ran(layout, render(plan_of(one, one), [one], layout, "both"), box=None)
    assert list(result) == ["result_s2"]


@pytest.mark.parametrize(
    ("body", "outputs", "returned"),
    [
        ("return {'a': 1, 'b': 2}", {"x": "a"}, {"x": 1}),
        ("return {'a': 1, 'b': 2}", {"x": "a", "y": "b"}, {"x": 1, "y": 2}),
        ("return {'a': 1}", {"x": "*"}, {"x": {"a": 1}}),
        ("return 5", {"x": "a"}, {"x": 5}),
        ("return None", {"x": "a"}, {"x": None}),
        ("return None", {}, {}),
        ("return 5", {"x": "a", "y": "*"}, "must return a mapping with 'a', got int"),
        ("return {'b': 1}", {"x": "a"}, "must return the key 'a', got ['b']"),
        ("raise ValueError('no rows')", {"x": "a"}, "failed: ValueError: no rows"),
        ("import nowhere", {"x": "a"}, "failed: ModuleNotFoundError"),
    ],
)
def test_outputs_are_keys_or_everything(
    layout: Layout, body: str, outputs: dict[str, str], returned: object
) -> None:
    one = read_tool(layout, "domains/a/x/t.py", f'def run():\n    """D."""\n    {body}\n')
    plan = Plan("d", (PlanStep("s1", "t.py::run", {}, outputs),), (), tuple(outputs))
    source = render(plan, [one], layout, "both")
    if isinstance(returned, str):
        with pytest.raises(RuntimeError) as failure:
            ran(layout, source)
        assert str(failure.value).startswith("step s1 (domains/a/x/t.py::run) ")
        assert returned in str(failure.value)
    else:
        assert ran(layout, source) == returned


def test_a_tool_that_went_away_is_named(layout: Layout, tools: list[Tool]) -> None:
    source = render(parse_plan(DOCUMENT), tools, layout, "both")
    tools[1].spec.path.unlink()
    with pytest.raises(RuntimeError, match=r"step s1 .*FileNotFoundError: no folder above"):
        ran(layout, source, df=[])


def test_main_is_called_with_whatever_the_plan_says(layout: Layout) -> None:
    one = read_tool(layout, "domains/a/x/t.py", 'def main(**kw):\n    """D."""\n    return kw\n')
    step = PlanStep("s1", "t.py::main", {"a": [1, {"b": None}], "c": "{{input.s1}}"}, {"r": "*"})
    source = render(Plan("d", (step,), ("s1",), ("r",)), [one], layout, "both")
    assert ran(layout, source, s1=2) == {"r": {"a": [1, {"b": None}], "c": 2}}


HINTS = [
    ("str", "str"),
    ("list", "list[Any]"),
    ("dict", "dict[Any, Any]"),
    ("tuple", "tuple[Any, ...]"),
    ("list[float] | None", "list[float] | None"),
    ("pd.DataFrame", "Any"),
    ("dict[str, DataFrame]", "Any"),
    ("dict[str]", "Any"),
    ("list[", "Any"),
    ("os.system('x')", "Any"),
    (None, "Any"),
]


@pytest.mark.parametrize(("hint", "rendered"), HINTS)
def test_a_param_has_its_type_where_that_needs_no_import(
    layout: Layout, hint: str | None, rendered: str
) -> None:
    one = tool("domains/a/x/t.py", [f"x: {hint}" if hint else "x"], root=layout.root)
    step = PlanStep("s1", "t.py::run", {"x": "{{input.x}}"}, {})
    source = render(Plan("d", (step,), ("x",), ()), [one], layout, "both")
    assert f"def run(x: {rendered}) -> dict[str, Any]:" in source


@pytest.mark.parametrize("name", ["", "Both", "a b", "../x", "x.py"])
def test_a_name_that_is_no_slug_is_refused(layout: Layout, tools: list[Tool], name: str) -> None:
    with pytest.raises(InputError, match="name must be lower-case letters"):
        render(parse_plan(DOCUMENT), tools, layout, name)


def test_a_tool_outside_the_root_is_refused(layout: Layout, tools: list[Tool]) -> None:
    path = tools[0].spec.path
    outside = write(layout.root.parent / "outside.py", SUMMARIZE)
    path.unlink()
    path.symlink_to(outside)
    with pytest.raises(InputError, match="must lie below"):
        render(parse_plan(DOCUMENT), tools, layout, "both")


TEXT = st.text(max_size=30) | st.text("\"'\\\n{}#\0\u202e\ud800Nu", max_size=20)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(TEXT, TEXT, TEXT, st.lists(TEXT, max_size=2))
def test_no_text_gets_out_of_its_place(
    layout: Layout, description: str, key: str, value: str, listed: list[str]
) -> None:
    one = tool(
        "domains/a/x/t.py",
        ["x"],
        root=layout.root,
        arg_docs={"x": value},
        example={"x": [value, *listed]},
    )
    steps = (
        PlanStep("s1", "t.py::run", {"x": "{{input.l}}"}, {"k": key}),
        PlanStep("s2", "t.py::run", {"x": [key, *listed]}, {}),
    )
    source = render(Plan(description, steps, ("l",), ("k",)), [one], layout, "both")
    tree = ast.parse(source)
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert names == ["run", "_step", "_output", "_load", "_root"]
    table = next(node for node in tree.body if isinstance(node, ast.AnnAssign))
    assert table.value is not None
    assert ast.literal_eval(table.value)["s1"] == ("domains/a/x/t.py", "run", {"k": key})
    source.encode()


@pytest.mark.exhaustive
def test_ruff_and_mypy_have_nothing_to_say(layout: Layout, tools: list[Tool]) -> None:
    awkward = tool("domains/a/x/t.py", ["l", "dict: dict"], ["x" * 60], root=layout.root)
    write(awkward.spec.path, "")
    many = [*tools, awkward]
    source = render(plan_of(*many, description='say """ \\N{x} ' + "w" * 300), many, layout, "both")
    path = write(layout.root / "_tmp" / "both.py", source)
    for command in (["ruff", "check", "--isolated", "--no-cache"], ["mypy", "--strict"]):
        call = [sys.executable, "-m", *command, str(path)]
        call += ["--cache-dir", str(layout.root / ".mypy")] if "mypy" in command else []
        found = subprocess.run(call, capture_output=True, text=True, cwd=layout.root, check=False)
        assert found.returncode == 0, found.stdout + found.stderr
