"""What people are told of a plan's steps: which run on a server, what they take and hand on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..place_names import places_in
from .places import is_of_files
from .plan import MOST_LETTERS
from .references import parse_reference

if TYPE_CHECKING:
    from ..types import Tool

SERVER = "server"
"""The key of such a step: the name of its server."""


def mark_servers(document: Mapping[str, Any], tools: Iterable[Tool]) -> None:
    """Name the server of each step that runs on one. tools: those of the steps."""
    for step, tool in zip(document["plan"]["steps"], tools, strict=True):
        if not tool.runnable:
            step[SERVER] = tool.spec.path.stem


def server_notes(
    document: Mapping[str, Any] | None, *, caller: str = "your agent calls"
) -> list[str]:
    """A sentence for each step of a plan that runs on a server. caller: who calls it."""
    steps = document["plan"]["steps"] if document else []
    return [
        f"{step['id']} {step_name(step)}: {caller} it there, it does not run here"
        for step in steps
        if SERVER in step
    ]


def loose_steps(document: Mapping[str, Any]) -> list[str]:
    """The ids of the steps, all but the last, of which no other one uses what they give."""
    steps = document["plan"]["steps"]
    values = (value for step in steps for value in step["inputs"].values())
    used = {source.step for value in values if (source := parse_reference(value, "an input"))}
    return [step["id"] for step in steps[:-1] if step["id"] not in used]


def loose_notes(document: Mapping[str, Any]) -> list[str]:
    """A sentence for each of the `loose_steps` of a plan."""
    return [f"{one} hands nothing on to another step" for one in loose_steps(document)]


def input_notes(document: Mapping[str, Any]) -> list[str]:
    """A sentence for each argument that not all steps take from one parameter of the plan.

    It says so where the prompt names fewer files and addresses than the plan asks for.
    """
    takers: dict[str, dict[str, str]] = {}
    for step in document["plan"]["steps"]:
        for argument, value in step["inputs"].items():
            source = parse_reference(value, "an input")
            if source is not None and not source.step:
                params = takers.setdefault(argument, {})
                steps = f"{params[source.name]} and " if source.name in params else ""
                params[source.name] = steps + step["id"]
    count = _named_of(document["plan"]["description"], takers)
    return [
        f"{argument}: {', '.join(f'{param} for {steps}' for param, steps in params.items())}"
        + count * is_of_files(argument)
        for argument, params in takers.items()
        if len(params) > 1
    ]


def _named_of(prompt: str, takers: Mapping[str, Mapping[str, str]]) -> str:
    params = {param for argument in takers if is_of_files(argument) for param in takers[argument]}
    named = len(places_in(prompt))
    whole = len(prompt) < MOST_LETTERS
    return f"; the prompt names {named} of {len(params)}" if whole and named < len(params) else ""


def wiring_notes(document: Mapping[str, Any]) -> list[str]:
    """What a plan's wiring leaves to be looked at: the `loose_notes` and `input_notes`."""
    return [*loose_notes(document), *input_notes(document)]


def denial_notes(denied: Iterable[str]) -> list[str]:
    """A sentence for each part of a prompt that says what is not to be done."""
    return [f"left out, since it is not to be done: {part}" for part in denied]


def plan_notes(
    document: Mapping[str, Any] | None,
    uncovered: Iterable[str] = (),
    denied: Iterable[str] = (),
    *,
    caller: str = "your agent calls",
) -> list[str]:
    """What a plan leaves to whoever reads it: what the prompt denies, calls on servers, loose ends,
    inputs of one name, clauses of the prompt that no step serves.
    """
    if document is None:
        return []
    missing = [f"nothing covers {clause!r}" for clause in uncovered]
    calls = server_notes(document, caller=caller)
    return [*denial_notes(denied), *calls, *wiring_notes(document), *missing]


def step_name(step: Mapping[str, Any]) -> str:
    """How people read a step's tool: "plot.py::run", "fetch_page of the server web"."""
    if SERVER not in step:
        return str(step["tool"])
    name = step["tool"].partition("#")[2].removesuffix("::run")
    return f"{name} of the server {step[SERVER]}"
