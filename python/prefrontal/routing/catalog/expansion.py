"""Phrasings of a tool that a model suggests, and the manifest that keeps them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..._core import routing as core
from ...errors import InputError
from ..types import ArgSpec, Manifest, Tool
from .manifest import SUFFIXES
from .mcp_tools import with_intents

MOST_PHRASINGS = 10
LONGEST = 200
"""Characters of a phrasing."""

_MARK = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
_QUOTES = " \t\"'*_`“”"
"""What a model puts around a phrasing."""
_TEMPLATE = """\
A tool of a software agent is described below. Write {most} short requests, one a line and nothing
else, by which people would ask for it: in everyday words, with synonyms that the description does
not use, without names of people, files or places.

<tool>
{name}({arguments})
{doc}
</tool>
"""


def expansion_prompt(tool: Tool) -> str:
    """What the model is asked for."""
    arguments = ", ".join(one.name for one in tool.spec.args)
    doc = tool.spec.doc[:5000]
    return _TEMPLATE.format(most=MOST_PHRASINGS, name=tool.name, arguments=arguments, doc=doc)


def phrasings_in(reply: str, tool: Tool) -> tuple[str, ...]:
    """The phrasings in a model's reply, less those the tool has; at most MOST_PHRASINGS.

    A line that is no phrasing is left out: too long, without a word, a fence, not printable, what
    ends in a colon, and of a list what is said in front of it and behind.
    """
    known = {_words(text) for text in (tool.name, *intents_of(tool))}
    phrasings: list[str] = []
    lines = [line for line in reply.splitlines() if not line.rstrip(_QUOTES).endswith(":")]
    listed = [line for line in lines if _MARK.match(line)]
    for line in listed if len(listed) > 1 else lines:
        text = _MARK.sub("", line).strip(_QUOTES)
        words = _words(text)
        plain = text.isprintable() and len(text) <= LONGEST and not text.startswith(("```", "<"))
        if words and plain and words not in known:
            known.add(words)
            phrasings.append(text)
    return tuple(phrasings[:MOST_PHRASINGS])


def intents_of(tool: Tool) -> tuple[str, ...]:
    """The phrasings of the tool's manifest."""
    return tool.manifest.intents if tool.manifest else ()


def expanded_manifest(tool: Tool, phrasings: Sequence[str]) -> tuple[Path, str]:
    """The tool's own manifest with the phrasings added: its path and its text.

    It takes the place of the tool's entry in the folder's. Of a server's tool it is the list that
    was imported. Raises InputError where the tool has a manifest of its own with comments or as
    TOML, which would be lost.
    """
    if not tool.runnable:
        return tool.spec.path, with_intents(tool.spec.path, tool.name, phrasings)
    path = tool.spec.path.with_name(f"{tool.name}.tool.yaml")
    _check_own(tool)
    intents = [*intents_of(tool), *phrasings]
    import yaml  # type: ignore[import-untyped]

    document = {"name": tool.name, "intents": intents, **_rest(tool.manifest)}
    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)
    return path, text


def _check_own(tool: Tool) -> None:
    for suffix in SUFFIXES:
        own = tool.spec.path.with_name(f"{tool.name}.tool{suffix}")
        if not own.exists():
            continue
        if suffix != ".yaml" or "#" in own.read_text("utf-8", errors="replace"):
            rule = "be YAML without comments to be written anew; add the phrasings by hand"
            raise InputError(f"manifest must {rule}, got {own}")


def _rest(manifest: Manifest | None) -> dict[str, Any]:
    """What a manifest holds beside name and intents."""
    if manifest is None:
        return {}
    hints = {
        "domain": manifest.domain,
        "action": manifest.action,
        "anti_intents": list(manifest.anti_intents),
    }
    fields: Mapping[str, Any] = {
        "args": [_argument(one) for one in manifest.args],
        "returns": list(manifest.returns),
        "hints": {key: value for key, value in hints.items() if value},
        "side_effects": manifest.side_effects,
        "example": dict(manifest.example or {}),
        "files": list(manifest.files),
    }
    rest = {key: value for key, value in fields.items() if value}
    return rest if manifest.hosts is None else {**rest, "hosts": list(manifest.hosts)}


def _argument(argument: ArgSpec) -> dict[str, Any]:
    row = {"name": argument.name, "type": argument.type_hint, "required": argument.required}
    if argument.default is not None:
        with suppress(ValueError, SyntaxError):
            row["default"] = ast.literal_eval(argument.default)
    return {key: value for key, value in row.items() if value is not None or key == "default"}


def _words(text: str) -> tuple[str, ...]:
    return tuple(core.tokens(text))
