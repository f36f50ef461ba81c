"""Puts an entry into the text of a JSON file and takes it out; all the rest stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from .json_text import JsonMember, JsonNode, read_json

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JsonEntry:
    """A value that belongs to us.

    path: the keys down to its container. name: its key there; None where it is an item of a list,
    and then `is_ours` knows it. value: None where it is not to be there any more. inner: the key of
    a list within the item, whose items `is_ours` knows; one that others put in there stays.
    """

    path: Keys
    name: str | None
    value: Any
    is_ours: Callable[[Any], bool] = lambda _: False
    inner: str | None = None


@dataclass(frozen=True, slots=True)
class JsonEntries:
    """A format of `OwnPart`: entries in a JSON file. place: the file's name for a complaint."""

    place: str
    entries: Sequence[JsonEntry]

    def meaning(self, text: str) -> Any:
        return read_json(text, self.place).value

    def with_own(self, text: str) -> str:
        """Raises InputError for what is no JSON, or has something else where we must write."""
        for entry in self.entries:
            if entry.value is not None:
                text = _with_entry(text, entry, self.place)
        return text

    def has_own(self, text: str) -> bool:
        root = read_json(text, self.place)
        return any(_first_own(root, entry) is not None for entry in self.entries)

    def without_own(self, text: str, before: str | None) -> str | None:
        """before: as it was found; containers that were not in there go when they are empty."""
        for entry in self.entries:
            while own := _first_own(read_json(text, self.place), entry):
                text = _cut(text, *own)
            text = self._without_empty(text, entry.path, before)
        return text

    def _without_empty(self, text: str, path: Keys, before: str | None) -> str:
        known = None if before is None else read_json(before, self.place)
        for length in range(len(path), 0, -1):
            here = path[:length]
            container = _at(read_json(text, self.place), here[:-1])
            member = container.member(here[-1]) if container is not None else None
            if container is None or member is None or member.node.value not in ({}, []):
                continue
            if known is None or _at(known, here) is None:
                text = _cut(text, container, container.members.index(member))
        return text


def _at(node: JsonNode, path: Keys) -> JsonNode | None:
    for name in path:
        member = node.member(name) if node.kind == "object" else None
        if member is None:
            return None
        node = member.node
    return node


Own = tuple[JsonNode, int]
"""A container and the place of a member in it."""


def _first_own(root: JsonNode, entry: JsonEntry) -> Own | None:
    container = _at(root, entry.path)
    if container is None or container.kind == "scalar":
        return None
    for index, member in enumerate(container.members):
        if entry.name is not None:
            if member.name == entry.name:
                return container, index
        elif container.kind == "array" and (own := _own_item(container, index, entry)):
            return own
    return None


def _own_item(container: JsonNode, index: int, entry: JsonEntry) -> Own | None:
    node = container.members[index].node
    if entry.inner is None:
        return (container, index) if entry.is_ours(node.value) else None
    within = node.member(entry.inner) if node.kind == "object" else None
    if within is None or within.node.kind != "array":
        return None
    places = [n for n, each in enumerate(within.node.members) if entry.is_ours(each.node.value)]
    if not places:
        return None
    if len(places) == len(within.node.members):
        return container, index
    return within.node, places[0]


def _cut(text: str, container: JsonNode, index: int) -> str:
    """Without that member and the comma that is then too many; comments of others stay."""
    members = container.members
    member = members[index]
    begin = _content_end(text, container.begin + 1, member.begin)
    if member.comma is not None:
        return text[:begin] + text[member.comma + 1 :]
    text = text[:begin] + text[member.node.end :]
    comma = members[index - 1].comma if index else None
    return text if comma is None else text[:comma] + text[comma + 1 :]


def _content_end(text: str, begin: int, end: int) -> int:
    """Behind the last of what is no space between two places."""
    return begin + len(text[begin:end].rstrip())


def _with_entry(text: str, entry: JsonEntry, place: str) -> str:
    root = read_json(text, place)
    if not root.begin < root.end:
        content = json.dumps(_nested(entry.path, entry), indent=2, ensure_ascii=False)
        return f"{text}{content}\n"
    container, path = root, entry.path
    for depth, name in enumerate(path):
        if container.kind != "object":
            raise _unfit(path[:depth], place, "an object", container)
        member = container.member(name)
        if member is None:
            below = JsonEntry((), name, _nested(path[depth + 1 :], entry))
            return _inserted(text, container, below)
        container = member.node
    wanted = "object" if entry.name is not None else "array"
    if container.kind != wanted:
        rule = "an object" if wanted == "object" else "a list"
        raise _unfit(path, place, rule, container)
    return _inserted(text, container, entry)


def _unfit(path: Keys, place: str, rule: str, got: JsonNode) -> InputError:
    where = ".".join(path) or "it"
    content = json.dumps(got.value, ensure_ascii=False)[:60]
    return InputError(f"{place} must have {rule} at {where} to be extended, got {content}")


def _nested(path: Keys, entry: JsonEntry) -> Any:
    value = [entry.value] if entry.name is None else {entry.name: entry.value}
    for name in reversed(path):
        value = {name: value}
    return value


def _inserted(text: str, container: JsonNode, entry: JsonEntry) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    closing = container.end - 1
    last = container.members[-1] if container.members else None
    inside = container.begin + 1 if last is None else _tail(last)
    at = _content_end(text, container.begin + 1, closing)
    if last is not None and "\n" not in text[inside:closing]:
        return _on_the_line(text, last, at, entry)
    outer = _indentation(text, container.begin)
    inner = _indentation(text, last.begin) if last is not None else outer + _unit(text)
    member = newline + inner + _member(entry, inner, _unit(text), newline)
    end = "" if "\n" in text[at:closing] else newline + outer
    if last is None:
        return text[:at] + member + end + text[at:]
    if last.comma is not None:
        return text[:at] + member + "," + text[at:]
    return f"{text[: last.node.end]},{text[last.node.end : at]}{member}{end}{text[at:]}"


def _on_the_line(text: str, last: JsonMember, at: int, entry: JsonEntry) -> str:
    member = " " + _member(entry, "", None, "\n")
    if last.comma is not None:
        return f"{text[:at]}{member},{text[at:]}"
    return f"{text[: last.node.end]},{text[last.node.end : at]}{member}{text[at:]}"


def _tail(member: JsonMember) -> int:
    return member.node.end if member.comma is None else member.comma + 1


def _member(entry: JsonEntry, indentation: str, unit: str | None, newline: str) -> str:
    """unit: of a level; None for one line."""
    content = json.dumps(entry.value, ensure_ascii=False, indent=unit)
    if entry.name is not None:
        content = f"{json.dumps(entry.name)}: {content}"
    return content.replace("\n", newline + indentation)


def _indentation(text: str, at: int) -> str:
    """The spaces and tabs at the start of the line of that place."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """What a level is moved to the right by: that of the first line that is."""
    match = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    if match is None:
        return "  "
    return "\t" if match[1].startswith("\t") else match[1]
