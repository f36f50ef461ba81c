"""Where everything stands in the text of a JSON file; comments and trailing commas may be there."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import InputError

Kind = Literal["object", "array", "scalar"]

_GAP = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_DOUBLE = re.compile(r'"(?:[^"\\\n]|\\.)*"', re.DOTALL)
_SINGLE = re.compile(r"'(?:[^'\\\n]|\\.)*'", re.DOTALL)
_WORD = re.compile(r"[^\s,:\[\]{}\"'/]+")
_KEY = re.compile(r"[A-Za-z_$][\w$]*")
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|Infinity|NaN)"
)
_CONSTANTS = {"true": True, "false": False, "null": None}
MOST_DEEP = 200


@dataclass(frozen=True, slots=True)
class JsonMember:
    """A value in its container. begin: of the key, or of the value in an array.

    comma: where the comma behind it stands, None without one.
    """

    name: str | None
    begin: int
    node: JsonNode
    comma: int | None


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value. begin, end: its span in the text. value: of Python, numbers of JSON5 as text."""

    kind: Kind
    begin: int
    end: int
    value: Any
    members: tuple[JsonMember, ...] = ()

    def member(self, name: str) -> JsonMember | None:
        """The last of that name, as every reader of JSON takes it."""
        return next((each for each in reversed(self.members) if each.name == name), None)


def read_json(text: str, place: str) -> JsonNode:
    """The value of the whole text; one that is blank is an empty object at its end.

    place: the file's name for a complaint. Raises InputError for what is no JSON, also with
    comments, trailing commas, keys without quotation marks and single quotation marks (JSON5).
    """
    reader = _JsonReader(text, place)
    at = reader.behind_gap(0)
    if at == len(text):
        if text.strip("\ufeff \t\r\n"):
            raise reader.refusal(at, "a value")
        return JsonNode("object", len(text), len(text), {})
    node = reader.value(at, 0)
    rest = reader.behind_gap(node.end)
    if rest != len(text):
        raise reader.refusal(rest, "its end")
    return node


class _JsonReader:
    def __init__(self, text: str, place: str) -> None:
        self._text, self._place = text, place

    def refusal(self, at: int, rule: str) -> InputError:
        line = self._text.count("\n", 0, at) + 1
        got = repr(self._text[at : at + 20]) if at < len(self._text) else "the end of the file"
        return InputError(f"{self._place} must be JSON with {rule} in line {line}, got {got}")

    def behind_gap(self, at: int) -> int:
        match = _GAP.match(self._text, at)
        return match.end() if match else at

    def value(self, at: int, depth: int) -> JsonNode:
        first = self._text[at : at + 1]
        if depth > MOST_DEEP:
            raise self.refusal(at, f"at most {MOST_DEEP} levels")
        if first == "{":
            return self._container(at, "object", "}", depth)
        if first == "[":
            return self._container(at, "array", "]", depth)
        if first in ('"', "'"):
            end, content = self._string(at)
            return JsonNode("scalar", at, end, content)
        return self._bare(at)

    def _container(self, begin: int, kind: Kind, closing: str, depth: int) -> JsonNode:
        members: list[JsonMember] = []
        at = self.behind_gap(begin + 1)
        while self._text[at : at + 1] != closing:
            if members and members[-1].comma is None:
                raise self.refusal(at, f"a comma or {closing!r}")
            start, name = at, None
            if kind == "object":
                at, name = self._key(at)
                at = self.behind_gap(at)
                if self._text[at : at + 1] != ":":
                    raise self.refusal(at, "a colon behind a key")
                at = self.behind_gap(at + 1)
            node = self.value(at, depth + 1)
            at = self.behind_gap(node.end)
            comma = at if self._text[at : at + 1] == "," else None
            members.append(JsonMember(name, start, node, comma))
            if comma is not None:
                at = self.behind_gap(comma + 1)
        value: Any = [each.node.value for each in members]
        if kind == "object":
            value = {each.name: each.node.value for each in members}
        return JsonNode(kind, begin, at + 1, value, tuple(members))

    def _key(self, at: int) -> tuple[int, str]:
        if self._text[at : at + 1] in ('"', "'"):
            return self._string(at)
        match = _KEY.match(self._text, at)
        if match is None:
            raise self.refusal(at, "a key")
        return match.end(), match[0]

    def _string(self, at: int) -> tuple[int, str]:
        double = self._text[at] == '"'
        match = (_DOUBLE if double else _SINGLE).match(self._text, at)
        if match is None:
            raise self.refusal(at, "the end of a string")
        quoted = match[0]
        if not double:
            inner = re.sub(r"\\'", "'", quoted[1:-1])
            quoted = '"' + re.sub(r'(?<!\\)((?:\\\\)*)"', r'\1\\"', inner) + '"'
        try:
            return match.end(), json.loads(quoted, strict=False)
        except ValueError:
            raise self.refusal(at, "a string") from None

    def _bare(self, at: int) -> JsonNode:
        match = _WORD.match(self._text, at)
        word = match[0] if match else ""
        if word in _CONSTANTS:
            return JsonNode("scalar", at, at + len(word), _CONSTANTS[word])
        if not _NUMBER.fullmatch(word):
            raise self.refusal(at, "a value")
        try:
            number = json.loads(word, parse_constant=str)
        except ValueError:
            number = word
        return JsonNode("scalar", at, at + len(word), number)
