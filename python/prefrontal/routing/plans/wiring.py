"""Wires tools into a plan: which step's output each argument takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ..._core import routing
from ..types import ArgSpec, Candidate, Plan, PlanStep, Tool
from .links import tool_reference
from .plan import MOST_STEPS, WHOLE, as_argument_name, is_argument_name
from .references import Reference
from .type_hints import contradicts, is_mapping, same_type, says_much, value_type

_ANY_VALUE = ("result", "output", "value", "data", "out")
_AMOUNTS = (
    "count number total sum size length limit top days hours minutes seconds width height max min"
)
_PLACES = ("path", "file", "filename", "folder", "directory", "dir", "url", "uri", "location")


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
class _Step:
    """A step whose arguments are being wired."""

    number: int
    tool: Tool
    args: list[ArgSpec]
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
    tools: Sequence[Tool] = (),
    hints: Sequence[str] = (),
    servers: bool = False,
) -> Plan | None:
    """A plan that calls the tools of the candidates in their order.

    An argument takes the output of an earlier step, the latest first, that has its name, but for an
    optional amount (`count: int = 2` sets something, where an output `count` measures); else, if it
    is required, one of its type, then one whose name shares its words; else it becomes a
    parameter of the plan, which arguments of one name and type have in common. A type like str
    that says little links only neighbours, and only where one argument can be meant: the only one
    that fits, or the one that has the name of what the step before was given, so that what was
    made of it goes on. Outputs that are equally good are ordered by `hints`: words of related
    documents.

    tools: all that were discovered, so that short names of files are unique. None when fewer than
    two tools, too many, or one that cannot be called here are asked for; servers: those of servers
    may be steps, too, which only whoever calls these can carry out.
    """
    chosen = [candidate.tool for candidate in candidates]
    able = all((servers or tool.runnable) and _callable(tool) for tool in chosen)
    if not 2 <= len(chosen) <= MOST_STEPS or not able:
        return None
    params: dict[str, str | None] = {}
    wired = _wired(chosen, _tokens(*hints), params)
    known = [*chosen, *tools]
    steps = tuple(step.plan_step(tool_reference(step.tool, known)) for step in wired)
    text = " ".join(description.split()) or "composition"
    return Plan(text, steps, tuple(params), _returns(wired))


def _wired(
    chosen: Sequence[Tool], hinted: frozenset[str], params: dict[str, str | None]
) -> list[_Step]:
    """The steps with their inputs; adds unfilled arguments to params."""
    wired: list[_Step] = []
    for number, tool in enumerate(chosen, 1):
        sources = [source for step in reversed(wired) for source in step.outputs]
        sources.sort(key=lambda one: (-one.number, not _tokens(one.name) & hinted))
        args = [_with_hint(arg, tool) for arg in tool.spec.args if _is_fillable(arg, tool)]
        step = _Step(number, tool, args)
        _link(step, sources, {name for one in wired[-1:] for name in one.inputs})
        _ask(step, params)
        step.outputs += _outputs(tool, number, {source.name for source in sources})
        wired.append(step)
    return wired


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


def _link(step: _Step, sources: Sequence[_Source], inputs: set[str]) -> None:
    """Link arguments to outputs of earlier steps; sources are the latest first.

    inputs: names of the arguments of the previous step.
    """
    for arg in step.args:
        named = [one for one in sources if arg.name in (one.key, one.name)]
        if named and _takes_by_name(arg) and not contradicts(named[0].hint, arg.type_hint):
            step.take(arg, named[0])
    for fits in (_by_type, _by_words):
        for arg in step.open_args():
            matches = [one for one in sources if one not in step.used and fits(one, arg)]
            if matches:
                step.take(arg, matches[0])
    if not step.used:
        _link_neighbour(step, [one for one in sources if one.number == step.number - 1], inputs)


def _takes_by_name(arg: ArgSpec) -> bool:
    return arg.required or not set(routing.tokens(arg.name)) <= _tokens(_AMOUNTS)


def _by_type(source: _Source, arg: ArgSpec) -> bool:
    return says_much(arg.type_hint) and same_type(source.hint, arg.type_hint)


def _by_words(source: _Source, arg: ArgSpec) -> bool:
    """Whether both names end in one word, and the words of one are among those of the other."""
    one, other = routing.tokens(source.name), routing.tokens(arg.name)
    if not one or not other or one[-1] != other[-1] or one[-1] in _tokens(*_ANY_VALUE):
        return False
    nested = set(one) <= set(other) or set(other) <= set(one)
    return nested and not contradicts(source.hint, arg.type_hint)


def _link_neighbour(step: _Step, before: Sequence[_Source], inputs: set[str]) -> None:
    """Link the only output of the previous step to the argument that it must be meant for."""
    if len(before) != 1:
        return
    fitting = [
        arg
        for arg in step.open_args()
        if same_type(before[0].hint, arg.type_hint) and not _tokens(arg.name) & _tokens(*_PLACES)
    ]
    if len(fitting) > 1:
        fitting = [arg for arg in fitting if arg.name in inputs]
    if len(fitting) == 1:
        step.take(fitting[0], before[0])


def _ask(step: _Step, params: dict[str, str | None]) -> None:
    """Make parameters of unfilled required arguments."""
    for arg in step.open_args():
        name = as_argument_name(arg.name, "input")
        while str(Reference("", name)) in step.inputs.values() or (
            name in params and _differ(params[name], arg.type_hint)
        ):
            name = f"s{step.number}_{name}"
        params.setdefault(name, arg.type_hint)
        step.inputs[arg.name] = str(Reference("", name))


def _differ(one: str | None, other: str | None) -> bool:
    return contradicts(one, other) or contradicts(other, one)


def _returns(wired: Sequence[_Step]) -> tuple[str, ...]:
    """Outputs of the steps whose outputs no other step uses."""
    used = {source.number for step in wired for source in step.used}
    return tuple(one.name for step in wired if step.number not in used for one in step.outputs)


@lru_cache(1024)
def _tokens(*texts: str) -> frozenset[str]:
    return frozenset(token for text in texts for token in routing.tokens(text))
