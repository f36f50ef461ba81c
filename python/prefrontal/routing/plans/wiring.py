"""Wires tools into a plan: which step's output each argument takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..._core import routing
from ..place_names import places_in
from ..stems import stems
from ..types import ArgSpec, Candidate, Plan, PlanStep, Tool
from .links import tool_reference
from .own_objects import has_own_object
from .places import (
    PLACES,
    is_of_several,
    is_place,
    is_written_elsewhere,
    kinds_in,
    kinds_of,
    leads_to_a_place,
    leaves_no_text,
    makes,
    places_of,
    same_kind,
    writes,
)
from .plan import MOST_STEPS, WHOLE, as_argument_name, free_name, is_argument_name
from .references import Reference
from .type_hints import contradicts, is_mapping, same_type, says_much, value_type
from .values import folders_of, holds_content, subject_of, values_of

_ANY_VALUE = ("result", "output", "value", "data", "out")
_PERSONS = (
    "customer client guest user username recipient receiver addressee sender person author owner "
    "contact name email phone channel who whom to"
)
"""What names whom something is done for."""
_POINTER = re.compile(r"\b(?:it|them|this|that|these|those)\b", re.IGNORECASE)
_AMOUNTS = (
    "count number total sum size length limit top days hours minutes seconds width height max min"
)


@dataclass(frozen=True, slots=True)
class _Source:
    """An output of an earlier step. name: in the plan; key: in what the tool returns."""

    number: int
    name: str
    key: str
    hint: str | None

    def reference(self) -> str:
        return str(Reference(f"s{self.number}", self.name))


@dataclass(slots=True)
class _Param:
    """A parameter of the plan. of: the argument that it was made for. value: that the prompt names
    for it, perhaps empty. first: the step that it was made for.
    """

    name: str
    of: str
    hint: str | None
    value: str
    first: _Step

    def reference(self) -> str:
        return str(Reference("", self.name))


@dataclass(slots=True)
class _Step:
    """A step whose arguments are being wired. text: what the prompt asks it to do. values: places
    and others that the text names, by argument. own: arguments of which the text names a thing that
    no earlier step is about.
    """

    number: int
    tool: Tool
    args: list[ArgSpec]
    text: str
    values: dict[str, str]
    own: frozenset[str] = frozenset()
    inputs: dict[str, str] = field(default_factory=dict)
    used: list[_Source] = field(default_factory=list)
    outputs: list[_Source] = field(default_factory=list)

    def open_args(self) -> list[ArgSpec]:
        return [arg for arg in self.args if arg.required and arg.name not in self.inputs]

    def take(self, arg: ArgSpec, source: _Source) -> None:
        self.inputs[arg.name] = source.reference()
        self.used.append(source)

    def plan_step(self, reference: str) -> PlanStep:
        inputs = {arg.name: self.inputs[arg.name] for arg in self.args if arg.name in self.inputs}
        outputs = {source.name: source.key for source in self.outputs}
        return PlanStep(f"s{self.number}", reference, inputs, outputs)


def wire(
    candidates: Sequence[Candidate],
    description: str,
    *,
    texts: Sequence[str] = (),
    tools: Sequence[Tool] = (),
    hints: Sequence[str] = (),
    servers: bool = False,
) -> Plan | None:
    """A plan that calls the tools of the candidates in their order.

    An argument takes the output of an earlier step, the latest first, that has its name, but for an
    optional amount (`count: int = 2` sets something, where an output `count` measures); else, if it
    is required, one of its type, then one whose name shares its words; else it becomes a
    parameter of the plan, which arguments of one name and type have in common. They have not where
    `texts`, what the prompt asks of each step, names different values for them ("column",
    "column_2"), or where they are places of which the one is read and the other written; and a
    place that the prompt names is taken from no step whose text does not name it. A type like str
    that says little links only neighbours, and only where one argument can be meant: the only one
    that fits, or the one that has the name of what the step before was given, so that what was
    made of it goes on; a text for a thing of its own (`has_own_object`) takes none. Outputs that
    are equally good are ordered by `hints`: words of related
    documents.

    tools: all that were discovered, so that short names of files are unique. None when fewer than
    two tools, too many, or one that cannot be called here are asked for; servers: those of servers
    may be steps, too, which only whoever calls these can carry out.
    """
    chosen = [candidate.tool for candidate in candidates]
    able = all((servers or tool.runnable) and _callable(tool) for tool in chosen)
    if not 2 <= len(chosen) <= MOST_STEPS or not able:
        return None
    params: list[_Param] = []
    wired = _wired(chosen, texts or [""] * len(chosen), stems(*hints), params)
    known = [*chosen, *tools]
    steps = tuple(step.plan_step(tool_reference(step.tool, known)) for step in wired)
    text = " ".join(description.split()) or "composition"
    return Plan(text, steps, tuple(param.name for param in params), _returns(wired))


def _wired(
    chosen: Sequence[Tool], texts: Sequence[str], hinted: frozenset[str], params: list[_Param]
) -> list[_Step]:
    """The steps with their inputs; adds unfilled arguments to params."""
    wired: list[_Step] = []
    for number, (tool, text) in enumerate(zip(chosen, texts, strict=True), 1):
        sources = [source for step in reversed(wired) for source in step.outputs]
        sources.sort(key=lambda one: (-one.number, not stems(one.name) & hinted))
        args = [_with_hint(arg, tool) for arg in tool.spec.args if _is_fillable(arg, tool)]
        values = folders_of(args, text) | values_of(args, text) | places_of(args, text)
        step = _Step(number, tool, args, text, values, _own(args, text, tool, wired))
        _link(step, sources, wired)
        _ask(step, params, wired)
        step.outputs += _outputs(tool, number, {source.name for source in sources})
        wired.append(step)
    return wired


def _own(args: Sequence[ArgSpec], text: str, tool: Tool, wired: Sequence[_Step]) -> frozenset[str]:
    before = [(step.text, step.tool) for step in wired]
    able = (arg for arg in args if not is_place(arg))
    return frozenset(arg.name for arg in able if has_own_object(arg, text, tool, before))


def _callable(tool: Tool) -> bool:
    return all(_is_fillable(arg, tool) for arg in tool.spec.args if arg.required)


def _is_fillable(arg: ArgSpec, tool: Tool) -> bool:
    """Whether a plan can fill the argument: of a server's tool any that must be given."""
    return is_argument_name(arg.name) or (arg.required and not tool.runnable)


def _with_hint(arg: ArgSpec, tool: Tool) -> ArgSpec:
    """The argument, with the manifest's type where the signature has none."""
    if arg.type_hint is not None or tool.manifest is None:
        return arg
    hint = next((one.type_hint for one in tool.manifest.args if one.name == arg.name), None)
    return ArgSpec(arg.name, hint, arg.required, arg.default)


def _outputs(tool: Tool, number: int, names: set[str]) -> Iterator[_Source]:
    keys = list(dict.fromkeys(tool.returns))
    if not keys and tool.return_hint != "None":
        keys = [WHOLE]
    hint = tool.return_hint if len(keys) == 1 else None
    if keys != [WHOLE] and is_mapping(tool.return_hint):
        hint = value_type(tool.return_hint)
    own: set[str] = set()
    for key in keys:
        name = "result" if key == WHOLE else as_argument_name(key, "output")
        while name in names or name in own:
            name += f"_s{number}"
        own.add(name)
        yield _Source(number, name, key, hint)


def _link(step: _Step, sources: Sequence[_Source], before: Sequence[_Step]) -> None:
    """Link arguments to outputs of earlier steps; sources are the latest first."""
    able = {arg.name: _within_reach(step, arg, sources, before) for arg in step.args}
    for arg in step.args:
        named = [one for one in able[arg.name] if arg.name in (one.key, one.name)]
        if named and _takes_by_name(arg) and not contradicts(named[0].hint, arg.type_hint):
            step.take(arg, _latest_form(named[0], arg, able[arg.name], before))
    for fits in (_by_type, _by_words):
        for arg in step.open_args():
            matches = [one for one in able[arg.name] if one not in step.used and fits(one, arg)]
            if matches:
                step.take(arg, matches[0])
    if not step.used:
        _link_neighbour(step, [one for one in sources if one.number == step.number - 1], before)


def _latest_form(
    source: _Source, arg: ArgSpec, able: Sequence[_Source], before: Sequence[_Step]
) -> _Source:
    """What later steps have made of the place, where that fits, too; else the source."""
    for step in before if is_place(arg) else ():
        if source in step.used:
            made = (one for one in step.outputs if one in able and _by_words(one, arg))
            source = next(made, source)
    return source


def _within_reach(
    step: _Step, arg: ArgSpec, sources: Sequence[_Source], before: Sequence[_Step]
) -> list[_Source]:
    """The outputs that the argument may take: of a place that is named, of steps that name it, and
    none that are of another kind than what the text acts on. None for a thing of its own.
    """
    if arg.name in step.own:
        return []
    place = step.values.get(arg.name)
    if not is_place(arg):
        return list(sources)
    if place is None:
        own = kinds_in(step.text)
        return [one for one in sources if not _kinds_differ(kinds_of(one.name), own)]
    naming = {one.number for one in before if _names(one.text, place)}
    return [one for one in sources if one.number in naming]


def _names(text: str, place: str) -> bool:
    """Whether the text names the place, or the bare name of a folder."""
    return place in places_in(text) or place in text.split()


def _takes_by_name(arg: ArgSpec) -> bool:
    return arg.required or not set(routing.tokens(arg.name)) <= stems(_AMOUNTS)


def _by_type(source: _Source, arg: ArgSpec) -> bool:
    return says_much(arg.type_hint) and same_type(source.hint, arg.type_hint)


def _by_words(source: _Source, arg: ArgSpec) -> bool:
    """Whether both names end in one word, and the words of one are among those of the other, or
    both in a word for a file. Several things are not one, unless the types are the same.
    """
    several = is_of_several(source.key) and not is_of_several(arg.name)
    if several and not same_type(source.hint, arg.type_hint):
        return False
    if same_kind(source.name, arg.name):
        return not contradicts(source.hint, arg.type_hint)
    one, other = routing.tokens(source.name), routing.tokens(arg.name)
    if not one or not other or one[-1] != other[-1] or one[-1] in stems(*_ANY_VALUE):
        return False
    nested = set(one) <= set(other) or set(other) <= set(one)
    return nested and not contradicts(source.hint, arg.type_hint)


def _link_neighbour(step: _Step, sources: Sequence[_Source], before: Sequence[_Step]) -> None:
    """Link the only output of the previous step to the argument that it must be meant for.

    Of a tool that reads a file a plain argument says how or to whom, unless its name says content.
    Where a file lies is no content, an image that was made no text. Nor is a person: "make a
    password and remind bob".
    """
    if len(sources) != 1 or leads_to_a_place(sources[0].name):
        return
    if leaves_no_text(before[-1].tool, before[-1].text) and any(map(holds_content, step.args)):
        return
    reads_file = any(arg.required and is_place(arg) for arg in step.args)
    fitting = [
        arg
        for arg in step.open_args()
        if same_type(sources[0].hint, arg.type_hint)
        and arg.name not in step.own
        and not stems(arg.name) & stems(PLACES)
        and (holds_content(arg) or not reads_file)
    ]
    others = [arg for arg in fitting if subject_of(arg) not in stems(_PERSONS)]
    if others or (step.text and not _POINTER.search(step.text)):
        fitting = others
    if len(fitting) > 1:
        fitting = [arg for arg in fitting if arg.name in before[-1].inputs]
    if len(fitting) == 1:
        step.take(fitting[0], sources[0])


def _ask(step: _Step, params: list[_Param], before: Sequence[_Step]) -> None:
    """Make parameters of unfilled required arguments."""
    for arg in step.open_args():
        free = [one for one in params if one.reference() not in step.inputs.values()]
        param = _shared(step, arg, free, before)
        if param is None:
            param = _added(step, arg, params)
        param.value = param.value or step.values.get(arg.name, "")
        step.inputs[arg.name] = param.reference()


def _shared(
    step: _Step, arg: ArgSpec, params: Sequence[_Param], before: Sequence[_Step]
) -> _Param | None:
    """The latest parameter that is meant for the argument, too: of its place, else of its name."""
    alike = [one for one in reversed(params) if not _differ(one.hint, arg.type_hint)]
    place = step.values.get(arg.name) if is_place(arg) else None
    of_place = [one for one in alike if place and one.value == place]
    name = as_argument_name(arg.name, "input")
    of_name = [one for one in alike if one.of == name and not _apart(one, step, arg, before)]
    return next(iter(of_place + of_name), None)


def _apart(param: _Param, step: _Step, arg: ArgSpec, before: Sequence[_Step]) -> bool:
    """Whether the parameter is not the argument's: the prompt names two values, or what was read
    there would be overwritten, is of another kind, or has been made into something since; or its
    part of the prompt is about another thing.
    """
    if arg.name in step.own:
        return True
    value = step.values.get(arg.name)
    if value and param.value:
        return value != param.value
    if not is_place(arg):
        return False
    if writes(step.tool) and not writes(param.first.tool):
        return True
    if is_written_elsewhere(param.first.tool, param.first.text, step.text):
        return True
    kinds, own = kinds_in(param.first.text), kinds_in(step.text)
    if kinds and own:
        return not kinds & own
    takers = (one for one in before if param.reference() in one.inputs.values())
    return any(makes(one.tool, arg.name) for one in takers)


def _added(step: _Step, arg: ArgSpec, params: list[_Param]) -> _Param:
    base = as_argument_name(arg.name, "input")
    name = free_name(base, (one.name for one in params))
    params.append(_Param(name, base, arg.type_hint, "", step))
    return params[-1]


def _kinds_differ(one: frozenset[int], other: frozenset[int]) -> bool:
    return bool(one and other) and not one & other


def _differ(one: str | None, other: str | None) -> bool:
    return contradicts(one, other) or contradicts(other, one)


def _returns(wired: Sequence[_Step]) -> tuple[str, ...]:
    """Outputs of the steps whose outputs no other step uses."""
    used = {source.number for step in wired for source in step.used}
    return tuple(one.name for step in wired if step.number not in used for one in step.outputs)
