from __future__ import annotations

import copy
import json
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.routing.plans.links import check_tools, resolve_tool, tool_reference
from prefrontal.routing.plans.plan import document_yaml, parse_plan, plan_document
from prefrontal.routing.types import Plan, PlanStep

from ..sample_tools import tool

DOCUMENT: dict[str, Any] = {
    "plan": {
        "description": "Summarize a matrix then plot it",
        "steps": [
            {
                "id": "s1",
                "tool": "summarize_matrix.py::run",
                "inputs": {"df": "{{input.df}}"},
                "outputs": {"summary": "summary"},
            },
            {
                "id": "s2",
                "tool": "plot_matrix.py::run",
                "inputs": {"summary": "{{steps.s1.outputs.summary}}"},
                "outputs": {"figure_path": "figure_path"},
            },
        ],
    },
    "io": {"params": ["df"], "returns": ["figure_path"]},
}


def changed(place: str, value: object) -> dict[str, Any]:
    """The document with the value at a dotted place replaced; ... takes it out."""
    result: Any = copy.deepcopy(DOCUMENT)
    inner = result
    *path, last = [int(part) if part.isdigit() else part for part in place.split(".")]
    for part in path:
        inner = inner[part]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return dict(result)


S1, S2 = "plan.steps.0", "plan.steps.1"
BROKEN = [
    ("plan", ..., "a plan must have the key 'plan'"),
    ("plan", [], "plan must be a mapping, got []"),
    ("more", 1, "a plan must have only known keys, got 'more'; known are plan, io"),
    ("io", {"params": []}, "io must have the key 'returns'"),
    ("plan.description", " ", "plan.description must be text that is not blank, got ' '"),
    ("plan.steps", [], "plan.steps must have 1 to 50 steps, got 0"),
    ("plan.steps", {}, "plan.steps must be a list"),
    (f"{S1}.id", "s2", "plan.steps[0].id must be 's1', got 's2'"),
    (f"{S2}.id", "S2", "plan.steps[1].id must be 's2', got 'S2'"),
    (f"{S2}.id", 2, "plan.steps[1].id must be 's2', got 2"),
    (f"{S1}.inputs", [], "plan.steps[0].inputs must be a mapping"),
    (f"{S1}.when", "now", "plan.steps[0] must have only known keys, got 'when'"),
    (f"{S1}.tool", "x.py", "plan.steps[0].tool must be 'file.py::run'"),
    (f"{S1}.tool", "x.py::start", "plan.steps[0].tool must be"),
    (f"{S1}.tool", "/etc/x.py::run", "plan.steps[0].tool must be"),
    (f"{S1}.tool", "../x.py::run", "plan.steps[0].tool must be"),
    (f"{S1}.tool", "a/../x.py::run", "plan.steps[0].tool must be"),
    (f"{S1}.tool", "a//x.py::run", "plan.steps[0].tool must be"),
    (f"{S1}.tool", "x.py::run\n", "plan.steps[0].tool must be"),
    (f"{S1}.inputs.df", "{{input.other}}", "must refer to one of io.params (df)"),
    (f"{S1}.inputs.df", "x{{input.df}}", "must be one whole reference"),
    (f"{S1}.inputs.df", "{{input.df}}x", "must be one whole reference"),
    (f"{S1}.inputs.df", "{{inputs.df}}", "must be one whole reference"),
    (f"{S1}.inputs.df", ["{{input.df}}"], "must be a plain value inside another one"),
    (f"{S1}.inputs.df", float("nan"), "must be a value that JSON can hold"),
    (f"{S1}.inputs.df", {1: 2}, "must be a value that JSON can hold"),
    (f"{S1}.inputs.df", b"x", "must be a value that JSON can hold"),
    (f"{S1}.inputs.df", [[0] * 200] * 200, "must hold at most 10000 values"),
    (f"{S1}.inputs", {"a b": 1}, "must have names that Python can give to an argument"),
    (f"{S1}.inputs", {"class": 1}, "must have names that Python can give"),
    (f"{S1}.inputs", {"_x": 1}, "must have names that Python can give"),
    (f"{S1}.outputs", {"x-y": "a"}, "plan.steps[0].outputs must have names"),
    (f"{S1}.outputs.summary", "", "plan.steps[0].outputs.summary must be text"),
    (f"{S2}.inputs.summary", "{{steps.s3.outputs.x}}", "must refer to a step that is there"),
    (f"{S2}.inputs.summary", "{{steps.s0.outputs.x}}", "must be one whole reference"),
    (f"{S2}.inputs.summary", "{{steps.s1.outputs.x}}", "refer to an output of s1 (summary)"),
    (f"{S1}.inputs.df", "{{steps.s1.outputs.summary}}", "not close a circle (s1 -> s1)"),
    (f"{S1}.inputs.df", "{{steps.s2.outputs.figure_path}}", "close a circle (s1 -> s2 -> s1)"),
    ("io.params", ["df", "df"], "io.params must name each value once, got 'df' twice"),
    ("io.params", ["df", "width"], "io.params must name inputs that a step uses, got 'width'"),
    ("io.params", "df", "io.params must be a list"),
    ("io.returns", ["figure"], "io.returns must name outputs of steps, got 'figure'"),
]


@pytest.mark.parametrize(("place", "value", "sentence"), BROKEN)
def test_a_broken_plan_is_refused_by_its_place(place: str, value: object, sentence: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse_plan(changed(place, value))
    assert sentence in str(refusal.value)


@pytest.mark.parametrize("document", [None, [], "plan", 3])
def test_what_is_no_mapping_is_no_plan(document: object) -> None:
    with pytest.raises(InputError, match="a plan must be a mapping"):
        parse_plan(document)


def test_a_later_step_that_closes_no_circle_is_refused_too() -> None:
    document = changed(f"{S1}.inputs.df", "{{steps.s2.outputs.figure_path}}")
    document["plan"]["steps"][1]["inputs"] = {}
    with pytest.raises(InputError, match=r"inputs\.df must refer to an earlier step, got"):
        parse_plan(document)


def test_the_documented_plan_comes_back_in_the_documented_order() -> None:
    plan = parse_plan(DOCUMENT)
    assert plan_document(plan) == DOCUMENT
    assert list(plan_document(plan)["plan"]["steps"][0]) == ["id", "tool", "inputs", "outputs"]
    assert parse_plan(json.loads(json.dumps(plan_document(plan)))) == plan
    assert parse_plan(yaml.safe_load(document_yaml(plan_document(plan)))) == plan


def test_a_reference_may_have_spaces_and_is_written_without() -> None:
    plan = parse_plan(changed(f"{S1}.inputs.df", "{{ input.df }}"))
    assert plan.steps[0].inputs["df"] == "{{input.df}}"


NAMES = st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True).filter(
    lambda name: (
        name not in ("as", "if", "in", "is", "or", "and", "not", "def", "del", "for", "try")
    )
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text().filter(lambda text: "{{" not in text),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Plans whose steps use what was there before."""
    known: list[str] = []
    steps, used = [], set()
    for number in range(1, draw(st.integers(1, 4)) + 1):
        inputs: dict[str, Any] = {}
        for name in draw(st.lists(NAMES, max_size=3, unique=True)):
            kind = draw(st.sampled_from(["value", "input", "output"]))
            if kind == "input":
                used.add(name)
                inputs[name] = f"{{{{input.{name}}}}}"
            elif kind == "output" and known:
                inputs[name] = f"{{{{{draw(st.sampled_from(known))}}}}}"
            else:
                inputs[name] = draw(VALUES)
        outputs = dict.fromkeys(draw(st.lists(NAMES, max_size=2, unique=True)), "*")
        known += [f"steps.s{number}.outputs.{name}" for name in outputs]
        steps.append(PlanStep(f"s{number}", "a/b.py::run", inputs, outputs))
    returns = sorted({name for step in steps for name in step.outputs})
    return Plan("a plan", tuple(steps), tuple(sorted(used)), tuple(returns))


@given(plans())
def test_every_good_plan_comes_back_the_same(plan: Plan) -> None:
    assert parse_plan(plan_document(plan)) == plan
    assert parse_plan(json.loads(json.dumps(plan_document(plan)))) == plan


TOOLS = [
    tool("domains/analysis/summarise/summarize_matrix.py", ["df", "n: int = 3"]),
    tool("domains/analysis/visualise/plot_matrix.py", ["summary"]),
]


def test_a_plan_that_fits_its_tools_names_them() -> None:
    assert check_tools(parse_plan(DOCUMENT), TOOLS) == tuple(TOOLS)


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        (f"{S1}.tool", "summarise_matrix.py::run", "did you mean"),
        (f"{S1}.tool", "zzz.py::run", "plan.steps[0].tool must name a tool that is there"),
        (f"{S1}.tool", "summarize_matrix.py::main", "must call run(), got"),
        (f"{S1}.inputs", {"dff": 1}, "name arguments of summarize_matrix.py::run (df, n)"),
        (f"{S1}.inputs", {"n": 1}, "give summarize_matrix.py::run its required argument df"),
    ],
)
def test_a_plan_that_does_not_fit_its_tools_is_refused(
    place: str, value: object, sentence: str
) -> None:
    document = changed(place, value)
    document["io"]["params"] = ["df"] if "{{input.df}}" in str(document) else []
    with pytest.raises(InputError) as refusal:
        check_tools(parse_plan(document), TOOLS)
    assert sentence in str(refusal.value)


def test_a_file_name_in_two_folders_must_come_with_its_path() -> None:
    twins = [tool("domains/a/x/t.py"), tool("shared_tools/x/t.py")]
    with pytest.raises(InputError, match=r"say which of domains/a/x/t\.py, shared_tools/x/t\.py"):
        resolve_tool("t.py::run", twins)
    for twin in twins:
        assert resolve_tool(tool_reference(twin, twins), twins) is twin
        assert tool_reference(twin, twins) == f"{twin.relative}::run"
    assert tool_reference(TOOLS[0], [*TOOLS, *twins]) == "summarize_matrix.py::run"


def test_a_tool_that_cannot_be_run_is_no_step() -> None:
    with pytest.raises(InputError, match="can be run here"):
        resolve_tool("t.py::run", [tool("domains/a/x/t.py", runnable=False)])


def test_main_takes_arguments_nobody_told_of() -> None:
    plan = Plan("d", (PlanStep("s1", "t.py::main", {"any": 1}, {}),), (), ())
    assert check_tools(plan, [tool("domains/a/x/t.py", entry="main")])
