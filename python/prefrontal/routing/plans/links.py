"""Checks the references of a plan: inputs, outputs of earlier steps, tools, arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ...errors import InputError
from .references import Reference, parse_reference

if TYPE_CHECKING:
    from ..types import Plan, PlanStep, Tool


def check_links(plan: Plan) -> None:
    """Refuse unknown and forward references, unused params and unknown returns.

    Raises InputError naming the place.
    """
    used: set[str] = set()
    for number, step in enumerate(plan.steps):
        for argument, reference in step_references(step, number):
            where = f"plan.steps[{number}].inputs.{argument}"
            if reference.step:
                _check_output(plan, number, reference, where)
            elif reference.name not in plan.params:
                known = f"refer to one of io.params ({', '.join(plan.params) or 'none'})"
                raise InputError(f"{where} must {known}, got {str(reference)!r}")
            else:
                used.add(reference.name)
    for name in plan.params:
        if name not in used:
            raise InputError(f"io.params must name inputs that a step uses, got {name!r}")
    for name in plan.returns:
        if not any(name in step.outputs for step in plan.steps):
            raise InputError(f"io.returns must name outputs of steps, got {name!r}")


def check_tools(plan: Plan, tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """The tool of each step, all of which can be called.

    Raises InputError for an unknown or ambiguous tool, one that cannot be run here, an unknown
    argument and a missing required one.
    """
    resolved = []
    for number, step in enumerate(plan.steps):
        where = f"plan.steps[{number}]"
        tool = resolve_tool(step.tool, tools, f"{where}.tool")
        _check_arguments(step, tool, f"{where}.inputs")
        resolved.append(tool)
    return tuple(resolved)


def tool_reference(tool: Tool, tools: Sequence[Tool]) -> str:
    """How a plan names the tool: by its file alone where that is unique among `tools`."""
    if tool.spec.name:  # one of many in the list of a server
        return f"{tool.spec.path.name}#{tool.spec.name}::{tool.spec.entry}"
    file = tool.relative.rpartition("/")[2]
    twins = {other.relative for other in tools if other.relative.rpartition("/")[2] == file}
    return f"{tool.relative if twins - {tool.relative} else file}::{tool.spec.entry}"


def resolve_tool(reference: str, tools: Sequence[Tool], where: str = "tool") -> Tool:
    """The tool that "file.py::run" or a path below workflows_root names. Raises InputError."""
    path, _, entry = reference.partition("::")
    named = [tool for tool in tools if path in (tool.relative, tool.relative.rpartition("/")[2])]
    places = sorted({tool.relative for tool in named})
    if not places:
        close = get_close_matches(path, sorted({tool.relative for tool in tools}), n=1, cutoff=0.5)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise InputError(f"{where} must name a tool that is there, got {reference!r}{hint}")
    if len(places) > 1 and path not in places:
        rule = f"say which of {', '.join(places)} is meant"
        raise InputError(f"{where} must {rule}, got {reference!r}")
    tool = next(tool for tool in named if tool.relative == (path if path in places else places[0]))
    if tool.spec.entry != entry:
        raise InputError(f"{where} must call {tool.spec.entry}(), got {reference!r}")
    if not tool.runnable:
        raise InputError(f"{where} must name a tool that can be run here, got {reference!r}")
    return tool


def step_references(step: PlanStep, number: int) -> Iterator[tuple[str, Reference]]:
    """(argument, reference) of each input that is a reference."""
    for argument, value in step.inputs.items():
        reference = parse_reference(value, f"plan.steps[{number}].inputs.{argument}")
        if reference is not None:
            yield argument, reference


def _check_output(plan: Plan, number: int, reference: Reference, where: str) -> None:
    ids = [step.id for step in plan.steps]
    if reference.step not in ids:
        raise InputError(f"{where} must refer to a step that is there, got {str(reference)!r}")
    target = ids.index(reference.step)
    if target >= number:
        circle = _way(plan, target, number)
        rule = "refer to an earlier step"
        if circle:
            rule = f"not close a circle ({' -> '.join([ids[number], *circle])})"
        raise InputError(f"{where} must {rule}, got {str(reference)!r}")
    outputs = plan.steps[target].outputs
    if reference.name not in outputs:
        known = f"refer to an output of {reference.step} ({', '.join(outputs) or 'it has none'})"
        raise InputError(f"{where} must {known}, got {str(reference)!r}")


def _way(plan: Plan, start: int, goal: int) -> list[str]:
    """Ids of steps from start to goal, each of which needs the next; empty when unreachable."""
    numbers = {step.id: number for number, step in enumerate(plan.steps)}
    pending, seen = [[start]], {start}
    while pending:
        path = pending.pop(0)
        if path[-1] == goal:
            return [plan.steps[number].id for number in path]
        for _, reference in step_references(plan.steps[path[-1]], path[-1]):
            number = numbers.get(reference.step, -1)
            if number >= 0 and number not in seen:
                seen.add(number)
                pending.append([*path, number])
    return []


def _check_arguments(step: PlanStep, tool: Tool, where: str) -> None:
    names = [arg.name for arg in tool.spec.args]
    for name in step.inputs:
        if name not in names and tool.spec.entry != "main":  # main(**kwargs) takes any
            close = get_close_matches(name, names, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            rule = f"name arguments of {step.tool} ({', '.join(names) or 'it has none'})"
            raise InputError(f"{where} must {rule}, got {name!r}{hint}")
    for arg in tool.spec.args:
        if arg.required and arg.name not in step.inputs:
            rule = f"give {step.tool} its required argument {arg.name}"
            raise InputError(f"{where} must {rule}, got {sorted(step.inputs)}")
