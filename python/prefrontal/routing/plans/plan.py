"""Plans: read from a document, checked, written back.

A plan is `{"plan": {"description", "steps": [{"id", "tool", "inputs", "outputs"}]}, "io":
{"params": [...], "returns": [...]}}`.
"""

from __future__ import annotations

import keyword
import math
import re
import reprlib
from collections.abc import Iterable, Mapping
from typing import Any

from ...errors import InputError
from ...nearest import unknown_key
from ..types import Plan, PlanStep
from .links import check_links
from .references import parse_reference

MOST_STEPS = 50
MOST_LETTERS = 200
"""Of a description: what a prompt has beyond them is left out."""
WHOLE = "*"
"""The key of an output that is the whole return value."""

_TOOL = re.compile(r"(?:[\w.-]+/)*[\w-][\w.-]*\.py::(?:run|main)\Z", re.ASCII)
_DEEPEST = 20
_MOST_VALUES = 10_000


def parse_plan(document: object) -> Plan:
    """The plan of a document. Raises InputError naming the place, the rule and the value."""
    top = _mapping(document, "a plan", ("plan", "io"))
    plan = _mapping(top["plan"], "plan", ("description", "steps"))
    io = _mapping(top["io"], "io", ("params", "returns"))
    steps = _list(plan["steps"], "plan.steps")
    if not 1 <= len(steps) <= MOST_STEPS:
        raise InputError(f"plan.steps must have 1 to {MOST_STEPS} steps, got {len(steps)}")
    result = Plan(
        _text(plan["description"], "plan.description"),
        tuple(_step(step, number) for number, step in enumerate(steps, 1)),
        _names(io["params"], "io.params"),
        _names(io["returns"], "io.returns"),
    )
    check_links(result)
    return result


def plan_document(plan: Plan) -> dict[str, Any]:
    """The plan as plain values, in the documented order."""
    steps = [
        {
            "id": step.id,
            "tool": step.tool,
            "inputs": dict(step.inputs),
            "outputs": dict(step.outputs),
        }
        for step in plan.steps
    ]
    return {
        "plan": {"description": plan.description, "steps": steps},
        "io": {"params": list(plan.params), "returns": list(plan.returns)},
    }


def document_yaml(document: Mapping[str, Any]) -> str:
    """The document of a plan as YAML, ending with a newline."""
    import yaml  # type: ignore[import-untyped]

    text: str = yaml.safe_dump(
        dict(document), sort_keys=False, allow_unicode=True, width=100, default_flow_style=None
    )
    return text


def _step(value: object, number: int) -> PlanStep:
    where = f"plan.steps[{number - 1}]"
    step = _mapping(value, where, ("id", "tool", "inputs", "outputs"))
    if step["id"] != f"s{number}":
        raise InputError(f"{where}.id must be 's{number}', got {step['id']!r}")
    inputs = _any_mapping(step["inputs"], f"{where}.inputs")
    outputs = _any_mapping(step["outputs"], f"{where}.outputs")
    return PlanStep(
        step["id"],
        _tool(step["tool"], f"{where}.tool"),
        {
            _name(key, f"{where}.inputs"): _input(inputs[key], f"{where}.inputs.{key}")
            for key in inputs
        },
        {
            _name(key, f"{where}.outputs"): _text(outputs[key], f"{where}.outputs.{key}")
            for key in outputs
        },
    )


def _tool(value: object, where: str) -> str:
    text = _text(value, where)
    parts = text.partition("::")[0].split("/")
    if _TOOL.match(text) is None or any(part.strip(".") == "" for part in parts):
        rule = "be 'file.py::run', 'file.py::main', or with the path below workflows_root in front"
        raise InputError(f"{where} must {rule}, got {text!r}")
    return text


def _input(value: object, where: str) -> Any:
    """A whole reference, written the one way, or a value that JSON can hold."""
    reference = parse_reference(value, where)
    return str(reference) if reference else _plain(value, where, _DEEPEST, [_MOST_VALUES])


def _plain(value: object, where: str, depth: int, room: list[int]) -> Any:
    """room: how many values may follow; one alias in YAML can stand for very many."""
    room[0] -= 1
    if room[0] < 0:
        raise InputError(f"{where} must hold at most {_MOST_VALUES} values, got more")
    if isinstance(value, str) and parse_reference(value, where) is not None:
        raise InputError(f"{where} must be a plain value inside another one, got {value!r}")
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if depth and isinstance(value, list):
        return [_plain(item, f"{where}[{i}]", depth - 1, room) for i, item in enumerate(value)]
    if depth and isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _plain(item, f"{where}.{key}", depth - 1, room) for key, item in value.items()}
    rule = f"be a value that JSON can hold, at most {_DEEPEST} deep"
    raise InputError(f"{where} must {rule}, got {_shown(value)}")


def _shown(value: object) -> str:
    return reprlib.repr(value)


def _mapping(value: object, where: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    mapping = _any_mapping(value, where)
    for key in keys:
        if key not in mapping:
            raise InputError(f"{where} must have the key {key!r}, got {sorted(map(str, mapping))}")
    for key in mapping:
        if key not in keys:
            raise InputError(unknown_key(where, key, keys))
    return mapping


def _any_mapping(value: object, where: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{where} must be a mapping, got {_shown(value)}")
    return value


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{where} must be a list, got {_shown(value)}")
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where} must be text that is not blank, got {_shown(value)}")
    return value


def _name(value: object, where: str) -> str:
    if not isinstance(value, str) or not is_argument_name(value):
        rule = "have names that Python can give to an argument"
        raise InputError(f"{where} must {rule}, got {_shown(value)}")
    return value


def is_argument_name(text: str) -> bool:
    """Whether the text is a name of ASCII characters, a letter first, and no keyword of Python."""
    return (
        text[:1].isalpha()
        and text.isascii()
        and text.isidentifier()
        and not keyword.iskeyword(text)
    )


def as_argument_name(text: str, kind: str) -> str:
    """The text as such a name: other characters become "_"; `kind` comes first where it must."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII)
    return name if is_argument_name(name) else f"{kind}_{name}"


def free_name(base: str, taken: Iterable[str]) -> str:
    """The base, or the base with the first number from 2 on that makes it one of its own."""
    names, name, number = set(taken), base, 2
    while name in names:
        name, number = f"{base}_{number}", number + 1
    return name


def _names(value: object, where: str) -> tuple[str, ...]:
    names = tuple(_name(item, where) for item in _list(value, where))
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{where} must name each value once, got {name!r} twice")
    return names
