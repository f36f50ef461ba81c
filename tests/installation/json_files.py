"""Random texts of JSON files as people and programs write them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

KEYS = st.sampled_from(["a", "hooks", "mcpServers", "Stop", "permissions", "b c", 'q"', "ü", "own"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-9, 9999),
    st.sampled_from(
        ["", "x", "// no comment", "/* none */", "a\\b", 'say "hi"', "tab\t", "{", "],"]
    ),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@dataclass(frozen=True)
class Layout:
    """How a file is laid out. unit: of a level, "" for one line."""

    unit: str
    newline: str
    comments: bool
    trailing_comma: bool
    ending: str

    def text(self, value: Any) -> str:
        return self._value(value, self.newline) + self.ending.replace("\n", self.newline)

    def _value(self, value: Any, newline: str) -> str:
        if not isinstance(value, dict | list) or not value:
            return json.dumps(value, ensure_ascii=False)
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        below = newline + self.unit if self.unit else ""
        parts = []
        items = value.items() if isinstance(value, dict) else ((None, each) for each in value)
        for number, (key, each) in enumerate(items):
            shown = self._value(each, below or newline)
            if key is not None:
                shown = f"{json.dumps(key)}: {shown}"
            last = number == len(value) - 1
            comma = "" if last and not self.trailing_comma else ","
            parts.append(shown + comma + self._comment(number))
        return opening + below + (below or " ").join(parts) + (newline if below else "") + closing

    def _comment(self, number: int) -> str:
        if not self.comments:
            return ""
        if self.unit and number % 2:
            return " // a note, [not] a {value}"
        return " /* note */"


LAYOUTS = st.builds(
    Layout,
    unit=st.sampled_from(["", "  ", "    ", "\t"]),
    newline=st.sampled_from(["\n", "\r\n"]),
    comments=st.booleans(),
    trailing_comma=st.booleans(),
    ending=st.sampled_from(["", "\n", "\n\n", "\n// the end\n"]),
)
