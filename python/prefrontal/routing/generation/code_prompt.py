"""The prompt for a model, and the module in its reply."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..catalog.signature import entry_of
from .forbidden_imports import STANDARD

if TYPE_CHECKING:
    from ..types import ParsedIntent

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[ \t]*(\w*)[^\n]*$", re.MULTILINE)
_MOST_BLOCKS = 20
_LONGEST_INTENT = 20_000

_TEMPLATE = """\
Write one Python 3.11 module that does what is asked for below.

What is asked for (domain: {domain}, action: {action}):
<request>
{intent}
</request>

Rules. A module that breaks one is refused.
- It begins with a docstring: a summary of one line, then the sections "Args:" (each argument),
  "Returns:" (each key of the result) and "Side effects:".
- It defines run() at the top, with a type for each argument and for the result, without * and **,
  and returns a dict with plain values under string keys.
- It imports nothing but: {imports}.
- Nothing of: network, processes, {writes}eval, exec, compile, __import__, getattr with a computed
  name, names with two underscores in front.
- Chance only after random.seed() with a constant.
- It passes ruff with its default rules and mypy --strict.
- The docstring has a section "Example:" with a line ">>> run(...)" that has a value for each
  argument and runs in a few seconds.
{nearest}
Reply with the module in one block that begins with ```python and ends with ```.
"""


def prompt_for(
    parsed: ParsedIntent,
    allowed_imports: Sequence[str] = (),
    allow_writes: bool = False,
    nearest: Sequence[str] = (),
) -> str:
    """The prompt; deterministic. nearest: tools that almost fit, a line each."""
    listed = "".join(f"- {' '.join(line.split())}\n" for line in nearest)
    return _TEMPLATE.format(
        domain=parsed.domain or "unknown",
        action=parsed.action or "unknown",
        intent=parsed.intent[:_LONGEST_INTENT].replace("</request>", "< /request>"),
        imports=", ".join([*STANDARD[1:], *allowed_imports]),
        writes="" if allow_writes else "writing, moving or deleting files, ",
        nearest=f"\nTools that are there and do not quite fit:\n{listed}" if listed else "",
    )


def module_in(reply: str) -> str:
    """The module of a reply, ending with one newline and with \\n between lines.

    Of fenced blocks the first that parses and defines run() or main(), else the first one;
    without a fence the whole reply.
    """
    text = reply.replace("\r\n", "\n").replace("\r", "\n")
    blocks = list(_blocks(text))
    chosen = next((block for block in blocks if _is_module(block)), (blocks or [text])[0])
    return chosen.strip("\n") + "\n"


def _blocks(text: str) -> Iterator[str]:
    """The text between fences, also where a block contains fences."""
    fences = list(_FENCE.finditer(text))[: 2 * _MOST_BLOCKS]
    for place, opening in enumerate(fences):
        closings = [one for one in fences[place + 1 :] if one[1] == opening[1] and not one[2]]
        for closing in closings[:_MOST_BLOCKS]:
            yield text[opening.end() : closing.start()]
        if not closings:
            yield text[opening.end() :]


def _is_module(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return entry_of(ast.parse(text)) is not None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
