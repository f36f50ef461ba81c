"""The table of hooks in docs/plugins.md, from `prefrontal.plugin.hookspecs`."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import get_type_hints, is_typeddict

from prefrontal.plugin.hooks import hooks, is_chain
from prefrontal.plugin.hookspecs import Ids

BEGIN = "<!-- From prefrontal/plugin/hookspecs.py by scripts/make_references.py; do not edit. -->\n"
END = "<!-- The end of the table. -->\n"
HEAD = "| hook | context | returns | when |\n| --- | --- | --- | --- |\n"


def page(text: str) -> str:
    """The page with a new table."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    rows = [
        f"| `{name}` | {_context(hook)} | {_result(hook)} | {inspect.getdoc(hook)} |\n"
        for name, hook in hooks().items()
    ]
    return "".join([head, BEGIN, "\n", HEAD, *rows, "\n", END, tail])


def _context(hook: FunctionType) -> str:
    kind = get_type_hints(hook).get("ctx")
    if kind is None:
        return "no argument"
    if kind is Ids:
        return "the ids"
    if is_typeddict(kind):
        ids = Ids.__annotations__ if is_chain(hook) else ()
        return ", ".join(key for key in kind.__annotations__ if key not in ids)
    return "a dict" if isinstance(kind, type(dict[str, int])) else f"an `{kind.__name__}`"


def _result(hook: FunctionType) -> str:
    if is_chain(hook):
        return "changed keys"
    kind = hook.__annotations__["return"]
    return "" if kind == "None" else f"`{kind}`".replace("|", "\\|")
