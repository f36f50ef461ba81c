"""Tools and candidates as discovery and ranking would make them, without files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefrontal.routing.ranking.coverage import Share
from prefrontal.routing.types import (
    ArgSpec,
    Candidate,
    Manifest,
    ParsedIntent,
    Plan,
    PlanStep,
    SideEffects,
    Tool,
    ToolSpec,
)

ROOT = Path("/project/workflows")


def arg(text: str) -> ArgSpec:
    """An argument from "name", "name: hint" or "name: hint = default"."""
    named, _, default = text.partition("=")
    name, _, hint = named.partition(":")
    told = default.strip() or None
    return ArgSpec(name.strip(), hint.strip() or None, told is None, told)


def tool(
    relative: str,
    args: Sequence[str] = (),
    returns: Sequence[str] = (),
    hint: str | None = None,
    *,
    root: Path = ROOT,
    entry: str = "run",
    **fields: Any,
) -> Tool:
    """A tool at a path below workflows_root; args as `arg` reads them."""
    parts = relative.split("/")
    shared = parts[0] == "shared_tools"
    name = parts[-1].removesuffix(".py")
    spec = ToolSpec(root / relative, entry, [arg(text) for text in args], f"{name}.", 0.0)
    known: dict[str, Any] = {
        "domain": None if shared or len(parts) < 4 else parts[1],
        "action": parts[-2] if len(parts) > 1 else None,
        "sha256": "0" * 64,
    }
    known |= fields
    return Tool(
        spec,
        name,
        shared=shared,
        relative=relative,
        returns=tuple(returns),
        return_hint=hint,
        **known,
    )


def candidate(
    relative: str, score: float, clauses: Sequence[float] = (), history: float = 0.5, **fields: Any
) -> Candidate:
    """A ranked tool with these scores."""
    features = {"name_similarity": score, "doc_keywords": score, "history_success": history}
    return Candidate(tool(relative, **fields), score, features, clauses=tuple(clauses))


def harm(effects: SideEffects) -> Manifest:
    """A manifest that tells the side effects."""
    return Manifest("x", ROOT / "tool.yaml", side_effects=effects)


def parsed(
    intent: str = "summarize a matrix",
    confidence: float = 0.7,
    domain: str | None = "analysis",
    action: str | None = "summarise",
) -> ParsedIntent:
    return ParsedIntent(domain, action, intent, confidence)


def a_plan(parts: Sequence[Share]) -> Plan:
    """A plan that calls the tools one after the other, with nothing."""
    steps = [
        PlanStep(f"s{number}", f"{tool.relative}::{tool.spec.entry}", {}, {})
        for number, tool in enumerate((share.candidate.tool for share in parts), 1)
    ]
    return Plan("test", tuple(steps), (), ())
