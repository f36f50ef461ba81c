"""The shared types of routing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Policy = Literal["select", "compose", "generate"]
SideEffects = Literal["none", "write", "delete"]


@dataclass(frozen=True, slots=True)
class ParsedIntent:
    """What a prompt asks for.

    domain, action: slugs, or None when nothing points to one. intent: the prompt as it was typed.
    confidence: 0..1, how sure the parser is of both.
    """

    domain: str | None
    action: str | None
    intent: str
    confidence: float


@dataclass(frozen=True, slots=True)
class ArgSpec:
    """One argument of a tool, as its signature states it; default is source text."""

    name: str
    type_hint: str | None
    required: bool
    default: str | None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that can be called. path: absolute. score: 0..1, 0 before it was ranked.

    name: in the list of a server, whose tools share a path; None for a file that is a tool.
    """

    path: Path
    entry: str
    args: list[ArgSpec]
    doc: str
    score: float
    name: str | None = None

    @property
    def place(self) -> tuple[Path, str | None]:
        """What tells it from every other tool."""
        return self.path, self.name


@dataclass(frozen=True, slots=True)
class RouteDecision:
    """What the router chose. `selected` is empty if and only if policy is "generate"."""

    route_id: str
    policy: Policy
    selected: list[ToolSpec]
    plan: dict[str, Any] | None
    reason: str


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """What trying a module out found. steps: "ruff: ok (12 ms)", in the order they were taken.

    artifacts: one log a step, under logs/validation/YYYY-MM-DD/. duration_ms: all steps together.
    lacks_check: nothing is wrong but that checks are not installed here.
    """

    ok: bool
    steps: list[str]
    duration_ms: int
    artifacts: list[Path]
    summary: str
    lacks_check: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a file and stops only that file. line: 0 when unknown."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a tool.yaml or tool.toml says of one tool: hints for ranking, never the truth.

    anti_intents: words of prompts that the tool is not for. example: arguments for a dry run.
    files: patterns of the names of files it is for, as "*.py"; empty for any. hosts: that it
    reaches, of those that the settings let through; None for all of these.
    """

    name: str
    path: Path
    intents: tuple[str, ...] = ()
    args: tuple[ArgSpec, ...] = ()
    returns: tuple[str, ...] = ()
    domain: str | None = None
    action: str | None = None
    anti_intents: tuple[str, ...] = ()
    side_effects: SideEffects | None = None
    example: Mapping[str, Any] | None = None
    files: tuple[str, ...] = ()
    hosts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A discovered tool, read without importing it.

    name: the file's stem (for an MCP tool its name). relative: path below workflows_root, with
    forward slashes. shared: below shared_tools/. sha256: of the file's bytes, hexadecimal.
    returns: names of the outputs, from the manifest, the docstring or a returned dict's keys.
    return_hint: the annotation. arg_docs: descriptions from the docstring. example: arguments for
    a dry run, from the manifest or the docstring. runnable: whether it can be run on this machine.
    """

    spec: ToolSpec
    name: str
    domain: str | None
    action: str | None
    shared: bool
    relative: str
    sha256: str
    returns: tuple[str, ...] = ()
    return_hint: str | None = None
    arg_docs: Mapping[str, str] = field(default_factory=dict)
    example: Mapping[str, Any] | None = None
    manifest: Manifest | None = None
    runnable: bool = True


@dataclass(frozen=True, slots=True)
class Discovery:
    """What lies below workflows_root for a parsed intent.

    search: "exact" ({domain}/{action} and shared), "widened" when one of both was unknown,
    "everywhere" when no one folder was looked for.
    """

    tools: tuple[Tool, ...]
    findings: tuple[Finding, ...]
    search: Literal["exact", "widened", "everywhere"]


@dataclass(frozen=True, slots=True)
class SubIntent:
    """One clause of a prompt. verb: the stemmed word that names its action, or empty."""

    text: str
    verb: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ranked tool. score and features 0..1; clauses: a score for each sub-intent of the prompt.

    features: name_similarity, doc_keywords, history_success and, when enabled,
    embedding_similarity. matched: words of the intent that the tool's texts hold. flags: what
    ranking did besides ("history prior", "anti-intent plot", ...). by_name: whether the prompt
    calls the tool by its whole name. familiar: whether the prompt is like one that it was accepted
    for.
    """

    tool: Tool
    score: float
    features: Mapping[str, float]
    matched: tuple[str, ...] = ()
    clauses: tuple[float, ...] = ()
    flags: tuple[str, ...] = ()
    by_name: bool = False
    familiar: bool = False


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One call. tool: "file.py::run", or the path below workflows_root when that is ambiguous.

    inputs: argument -> a plain value or "{{input.X}}" or "{{steps.sN.outputs.Y}}". outputs: name
    in the plan -> key of what the tool returns.
    """

    id: str
    tool: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """A composition. params: what it is called with; returns: names of the outputs it gives."""

    description: str
    steps: tuple[PlanStep, ...]
    params: tuple[str, ...]
    returns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Approval:
    """Who approved what. sha256: of the file that was validated; promotion refuses another."""

    by: str
    at: str
    sha256: str
