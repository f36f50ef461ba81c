from __future__ import annotations

import json
from pathlib import Path

import pytest

from prefrontal.errors import InputError, SourceError
from prefrontal.routing.plans.files import read_plan
from prefrontal.routing.plans.plan import parse_plan, plan_json, plan_yaml

from .test_plan import DOCUMENT

TEXT = """\
plan:
  description: Summarize a matrix then plot it
  steps:
    - id: s1
      tool: summarize_matrix.py::run
      inputs: {df: "{{input.df}}"}
      outputs: {summary: summary}
    - id: s2
      tool: plot_matrix.py::run
      inputs:
        summary: "{{steps.s1.outputs.summary}}"
      outputs: {figure_path: figure_path}
io:
  params: [df]
  returns: [figure_path]
"""


@pytest.mark.parametrize("name", ["plan.yaml", "plan.json"])
def test_a_plan_is_read_from_yaml_and_json(tmp_path: Path, name: str) -> None:
    plan = parse_plan(DOCUMENT)
    text = plan_json(plan) if name.endswith("json") else plan_yaml(plan)
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_plan(tmp_path / name) == plan


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("s1.outputs.summary", "s9.outputs.summary", 11, "plan.steps[1].inputs.summary must refer"),
        ("id: s2", "id: s3", 8, "plan.steps[1].id must be 's2', got 's3'"),
        ("  params: [df]\n", "", 13, "io must have the key 'params'"),
        ("[df]", "[df, x]", 14, "io.params must name inputs that a step uses"),
        ("plot_matrix.py::run", "plot_matrix.py", 9, "plan.steps[1].tool must be"),
        ("plan:", "plans:", 1, "a plan must have the key 'plan'"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, sentence: str
) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as refusal:
        read_plan(path)
    assert str(refusal.value).startswith(f"{path}:{line}: {sentence}")


def test_json_has_lines_too(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({**DOCUMENT, "io": []}, indent=2), encoding="utf-8")
    with pytest.raises(InputError, match=r"plan\.json:\d+: io must be a mapping"):
        read_plan(path)


@pytest.mark.parametrize("text", ["", "3", "plan: [", "plan: 1\nplan: 2\n", "&a [*a]"])
def test_other_text_is_refused_with_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"plan\.yaml"):
        read_plan(path)


def test_aliases_that_grow_without_end_are_refused(tmp_path: Path) -> None:
    rows = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    bomb = "a0: &a0 [1]\n" + "\n".join(rows)
    inputs = "      inputs:\n" + "".join(f"        {row}\n" for row in bomb.split("\n"))
    text = TEXT.replace('      inputs: {df: "{{input.df}}"}\n', inputs)
    path = tmp_path / "plan.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="must hold at most 30,000 values"):
        read_plan(path)


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        read_plan(tmp_path / "none.yaml")
