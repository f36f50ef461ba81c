"""From a plan to a Python module that carries it out."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import InputError
from ..layout import Layout, is_slug
from ..types import ArgSpec, Plan, PlanStep, Tool
from .composed_module import IMPORTS, MACHINERY
from .links import check_links, check_tools, step_references
from .references import parse_reference

_WIDTH = 100
_LONGEST_TEXT = 500
_ARITY = {"list": 1, "set": 1, "frozenset": 1, "dict": 2}
_SCALARS = frozenset(("str", "int", "float", "bool", "bytes", "complex", "object", "Any", "Path"))


def render(plan: Plan, tools: Sequence[Tool], layout: Layout, name: str) -> str:
    """The source of a module whose run() calls the tools of the plan, and which is a tool itself.

    run() takes the plan's params by name and returns a dict of its returns. An output is the key
    of what a tool returns when that is a mapping, everything for the key "*" or for the only
    output. A failing step raises RuntimeError that names the step and the tool. tools: all the
    plan may name. name: of the module. Raises InputError when the plan does not fit the tools, or
    a tool lies outside workflows_root.
    """
    if not is_slug(name):
        raise InputError(f"name must be lower-case letters, digits and underscores, got {name!r}")
    check_links(plan)
    used = check_tools(plan, tools)
    for tool in used:
        if not layout.holds(tool.spec.path):
            raise InputError(f"{tool.relative} must lie below {layout.root}, got a link out of it")
    parts = [_docstring(plan, used, name), IMPORTS, _table(plan, used), "", _run(plan, used), ""]
    return "\n".join(parts) + "\n" + MACHINERY


def _docstring(plan: Plan, used: Sequence[Tool], name: str) -> str:
    args = [f"    {param}: {_about(plan, used, param)}" for param in plan.params]
    returns = [f"    {output}: {_origin(plan, output)}" for output in plan.returns]
    lines = [
        f'"""{_text(plan.description) or name}',
        *("", f"{name} calls {len(used)} tools, one after the other:", ""),
        *(
            f"    {step.id}: {_tool_name(tool)}"
            for step, tool in zip(plan.steps, used, strict=True)
        ),
        *(["", "Args:", *args] if args else ()),
        *("", "Returns:", *(returns or ["    An empty dict."])),
        *("", "Side effects:", "    Those of the tools."),
        *_example(plan, used),
        '"""',
        "",
    ]
    return "\n".join(lines)


def _about(plan: Plan, used: Sequence[Tool], param: str) -> str:
    """What the tools say of the argument that the param is given to."""
    for number, tool, arg in _takers(plan, used, param):
        text = _text(tool.arg_docs.get(arg.name, ""))
        if text:
            return text if arg.name == param else f"{text.rstrip('.')} (s{number + 1})."
        return f"Argument {arg.name} of s{number + 1}."
    return "Of the first step that takes it."


def _origin(plan: Plan, output: str) -> str:
    step = _giver(plan, output)
    key = step.outputs[output]
    return f"What {step.id} returns{'' if key == '*' else f' as {_text(key)}'}."


def _giver(plan: Plan, output: str) -> PlanStep:
    """The last step with an output of that name."""
    return next(step for step in reversed(plan.steps) if output in step.outputs)


def _example(plan: Plan, used: Sequence[Tool]) -> list[str]:
    """A call with values from the tools' own examples, when there is one for every param."""
    values: dict[str, str] = {}
    for param in plan.params:
        for _, tool, arg in _takers(plan, used, param):
            if tool.example is not None and arg.name in tool.example:
                values.setdefault(param, repr(tool.example[arg.name]))
    if len(values) < len(plan.params):
        return []
    call = ", ".join(f"{param}={values[param]}" for param in plan.params)
    return ["", "Example:", f"    >>> run({_escaped(call)})"] if len(call) < 2000 else []


def _takers(plan: Plan, used: Sequence[Tool], param: str) -> list[tuple[int, Tool, ArgSpec]]:
    """(number of the step, its tool, argument) for each argument that gets the param."""
    users = []
    for number, (step, tool) in enumerate(zip(plan.steps, used, strict=True)):
        specs = {arg.name: arg for arg in tool.spec.args}
        for argument, reference in step_references(step, number):
            if not reference.step and reference.name == param:
                spec = specs.get(argument, ArgSpec(argument, None, True, None))
                users.append((number, tool, spec))
    return users


def _table(plan: Plan, used: Sequence[Tool]) -> str:
    rows = [
        f"    {step.id!r}: ({tool.relative!r}, {tool.spec.entry!r}, {dict(step.outputs)!r}),"
        for step, tool in zip(plan.steps, used, strict=True)
    ]
    return "\n".join(["_STEPS: dict[str, tuple[str, str, dict[str, str]]] = {", *rows, "}", ""])


def _run(plan: Plan, used: Sequence[Tool]) -> str:
    hints = {param: _hint(plan, used, param) for param in plan.params}
    listed = ", ".join(f"{param}: {hint}" for param, hint in hints.items())
    lines = [f"def run({listed}) -> dict[str, Any]:"]
    needed = {
        reference.step
        for number, step in enumerate(plan.steps)
        for _, reference in step_references(step, number)
    } | {_giver(plan, output).id for output in plan.returns}
    local = {step.id: _local(step.id, plan.params) for step in plan.steps}
    for step in plan.steps:
        target = f"{local[step.id]} = " if step.id in needed else ""
        inputs = [f"{name!r}: {_value(value, local)}" for name, value in step.inputs.items()]
        lines += _call(f"    {target}_step({step.id!r}, {{", inputs, "})")
    returned = [f"{name!r}: {local[_giver(plan, name).id]}[{name!r}]" for name in plan.returns]
    lines += _call("    return {", returned, "}")
    return "\n".join(lines) + "\n"


def _local(step_id: str, params: Sequence[str]) -> str:
    while step_id in params:
        step_id += "_"
    return step_id


def _call(head: str, items: Sequence[str], tail: str) -> list[str]:
    """One line, or one line an item where that is too long."""
    short = f"{head}{', '.join(items)}{tail}"
    if len(short) <= _WIDTH:
        return [short]
    return [head, *(f"        {item}," for item in items), f"    {tail}"]


def _value(value: Any, local: Mapping[str, str]) -> str:
    reference = parse_reference(value, "an input")
    if reference is None:
        return repr(value)
    return f"{local[reference.step]}[{reference.name!r}]" if reference.step else reference.name


def _hint(plan: Plan, used: Sequence[Tool], param: str) -> str:
    hints = {_plain_hint(arg.type_hint) for _, _, arg in _takers(plan, used, param)}
    return hints.pop() if len(hints) == 1 else "Any"


def _plain_hint(hint: str | None) -> str:
    """The hint when it needs no import and mypy takes it, else Any."""
    try:
        return _plain(ast.parse((hint or "").strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError, KeyError):
        return "Any"


def _plain(node: ast.expr) -> str:
    """Raises KeyError for what needs an import."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return f"{_plain(node.left)} | {_plain(node.right)}"
    if isinstance(node, ast.Constant) and node.value is None:
        return "None"
    if isinstance(node, ast.Name):
        if node.id in _ARITY:
            return f"{node.id}[{', '.join(['Any'] * _ARITY[node.id])}]"
        if node.id in _SCALARS:
            return node.id
        return {"tuple": "tuple[Any, ...]"}[node.id]
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(inner) == _ARITY[node.value.id]:
            return f"{node.value.id}[{', '.join(_plain(item) for item in inner)}]"
    raise KeyError(ast.unparse(node))


def _tool_name(tool: Tool) -> str:
    return f"{_text(tool.relative)}::{tool.spec.entry}"


def _text(text: str) -> str:
    """One line that can stand in a docstring."""
    line = " ".join(text.split())[:_LONGEST_TEXT]
    return _escaped("".join(letter for letter in line if letter.isprintable()))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
