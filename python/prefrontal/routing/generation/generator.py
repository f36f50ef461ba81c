"""Has a module written when no tool fits, and keeps everything about it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ...errors import PrefrontalError
from ...storage.files import write_atomic
from ..layout import Layout, slug
from ..prompt.sub_intents import sub_intents
from ..prompt.verbs import STOP_WORDS
from .code_prompt import module_in, prompt_for
from .guardrails import inspect_code

if TYPE_CHECKING:
    from ...protocols import CodeModel
    from ...settings.routing import Routing
    from ..types import Candidate, Finding, ParsedIntent

_NEAREST = 5
_NAME_WORDS = 4


@dataclass(frozen=True, slots=True)
class GeneratedModule:
    """A module that may be tried out. path: below the route's folder. sha256: of its bytes.

    artifacts: the prompt and the reply.
    """

    name: str
    path: Path
    source: str
    sha256: str
    provider: str
    model: str
    artifacts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class GenerationRefusal:
    """Why there is no module. cause: "none": no model is configured; "model": it failed;
    "guardrails": what it wrote breaks rules, one reason each.

    artifacts: what was kept to look at: prompt, reply, module, reasons.
    """

    cause: Literal["none", "model", "guardrails"]
    summary: str
    reasons: tuple[Finding, ...] = ()
    artifacts: tuple[Path, ...] = ()


def generate(
    model: CodeModel | None,
    parsed: ParsedIntent,
    layout: Layout,
    route_id: str,
    settings: Routing,
    *,
    nearest: Sequence[Candidate] = (),
) -> GeneratedModule | GenerationRefusal:
    """Ask the model once, keep prompt, reply and module in the route's folder, check the module.

    nearest: tools that almost fit. Raises SourceError when the folder cannot be written.
    """
    if model is None:
        return GenerationRefusal("none", _no_model(nearest))
    folder = layout.route_tmp(route_id)
    folder.mkdir(parents=True, exist_ok=True)
    rules = settings.generator
    summaries = [_line(candidate) for candidate in nearest[:_NEAREST]]
    prompt = prompt_for(parsed, rules.allowed_imports, rules.allow_writes, summaries)
    artifacts = [_keep(folder / "prompt.txt", prompt)]
    try:
        reply = model.complete(prompt)
    except PrefrontalError as error:
        return GenerationRefusal(
            "model", f"The model gave no module: {error}.", artifacts=tuple(artifacts)
        )
    artifacts.append(_keep(folder / "reply.txt", reply))
    source, name = module_in(reply), module_name(parsed)
    path = _keep(folder / f"{name}.py", source)
    reasons = inspect_code(source, rules.allowed_imports, rules.allow_writes, path=path)
    if reasons:
        return _refused(reasons, path, artifacts)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return GeneratedModule(name, path, source, digest, model.provider, model.name, tuple(artifacts))


def module_name(parsed: ParsedIntent) -> str:
    """A file name for what is asked for: its first telling words, as a slug."""
    first = next(iter(sub_intents(parsed.intent[:2000])), None)
    words = slug(first.text if first else parsed.intent[:200], "tool").split("_")
    telling = [word for word in words if word not in STOP_WORDS.split()]
    return slug("_".join(telling[:_NAME_WORDS]) or parsed.action or "tool", "tool")


def _refused(reasons: Sequence[Finding], path: Path, artifacts: list[Path]) -> GenerationRefusal:
    listed = "".join(f"{path.name}:{reason.line}: {reason.text}\n" for reason in reasons)
    report = _keep(path.with_name("refusal.txt"), listed)
    first = reasons[0]
    more = f" and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    summary = f"The guardrails refuse the module: line {first.line}: {first.text}{more}."
    return GenerationRefusal("guardrails", summary, tuple(reasons), (*artifacts, path, report))


def _keep(path: Path, text: str) -> Path:
    write_atomic(path, text.encode(errors="replace"))
    return path


def _no_model(nearest: Sequence[Candidate]) -> str:
    named = ", ".join(f"{one.tool.name} {one.score:.2f}" for one in nearest[:_NEAREST])
    hint = f" Nearest: {named}." if named else ""
    return f"No tool fits, and no model is configured to write one.{hint}"


def _line(candidate: Candidate) -> str:
    spec = candidate.tool.spec
    arguments = ", ".join(arg.name for arg in spec.args)
    summary = " ".join(spec.doc.split("\n\n", 1)[0].split())[:200]
    return f"{candidate.tool.name}({arguments}): {summary}"
