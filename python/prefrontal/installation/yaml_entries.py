"""Puts an entry into the text of a YAML file and takes it out; all the rest stays as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from ..storage.yaml_text import line_end, node_end


@dataclass(frozen=True, slots=True)
class YamlEntry:
    """A format of `OwnPart`: one entry of a mapping at the top of a YAML file.

    place: the file's name for a complaint. key: of the mapping. name: of the entry in it. value:
    texts and lists of texts by name.
    """

    place: str
    key: str
    name: str
    value: Mapping[str, Any]

    def meaning(self, text: str) -> Any:
        import yaml  # type: ignore[import-untyped]

        try:
            return yaml.safe_load(text)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = "" if mark is None else f" in line {mark.line + 1}"
            what = getattr(error, "problem", None) or str(error).splitlines()[0]
            raise InputError(f"{self.place} must be YAML{where}, got {what}") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.place} must be YAML ({error})") from None

    def has_own(self, text: str) -> bool:
        document = self.meaning(text)
        servers = document.get(self.key) if isinstance(document, dict) else None
        return isinstance(servers, dict) and self.name in servers

    def with_own(self, text: str) -> str:
        """Raises InputError, and says what to write by hand, where it cannot be put in alone."""
        before = self.meaning(text)
        if before is None:
            before = {}
        extended = None
        if isinstance(before, dict) and isinstance(before.get(self.key) or {}, dict):
            extended = self._extended(text)
            within = (before.get(self.key) or {}) | {self.name: dict(self.value)}
            if not self._says(extended, before | {self.key: within}):
                extended = None
        if extended is None:
            raise InputError(
                f"{self.place} must be a mapping that can be extended, got something else; write"
                f" this there: {json.dumps({self.key: {self.name: dict(self.value)}})}"
            )
        return extended

    def without_own(self, text: str, before: str | None) -> str | None:
        expected = self.meaning(text)
        within = {k: v for k, v in expected[self.key].items() if k != self.name}
        known = None if before is None else self.meaning(before)
        bare = not within and not (isinstance(known, dict) and self.key in known)
        cut = self._cut(text, bare)
        expected = {k: v for k, v in expected.items() if k != self.key or not bare}
        if not bare:
            expected[self.key] = within or None
        if not self._says(cut, expected or None) and not self._says(cut, expected):
            raise InputError(
                f"{self.place} must have {self.key}.{self.name} in lines of its own to be taken out"
                " of it; take it out by hand"
            )
        return cut

    def _says(self, text: str, expected: Any) -> bool:
        try:
            content = self.meaning(text)
        except InputError:
            return False
        if isinstance(content, dict) and content.get(self.key, 0) == {}:
            content[self.key] = None
        return bool(content == expected)

    def _extended(self, text: str) -> str:
        import yaml

        newline = "\r\n" if "\r\n" in text else "\n"
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if not isinstance(root, yaml.MappingNode):
            return _behind(text, self._block(0, newline), newline)
        pair = next((each for each in root.value if each[0].value == self.key), None)
        if pair is None and root.flow_style:
            block = {self.key: {self.name: dict(self.value)}}
            return _in_braces(text, root, json.dumps(block, ensure_ascii=False)[1:-1])
        if pair is None:
            end = line_end(text, node_end(root))
            return _inserted(text, end, self._block(_column(text, root), newline), newline)
        key, servers = pair
        entry = json.dumps({self.name: dict(self.value)}, ensure_ascii=False)
        if isinstance(servers, yaml.MappingNode) and servers.flow_style:
            return _in_braces(text, servers, entry[1:-1])
        if root.flow_style:  # a null
            return text[: servers.start_mark.index] + entry + text[servers.end_mark.index :]
        if isinstance(servers, yaml.MappingNode):
            end, column = line_end(text, node_end(servers)), _column(text, servers)
        else:
            if servers.value:  # a null that is written out
                begin = len(text[: servers.start_mark.index].rstrip(" "))
                text = text[:begin] + text[servers.end_mark.index :]
            end, column = line_end(text, key.end_mark.index), _column(text, root) + 2
        return _inserted(text, end, self._entry(column, newline), newline)

    def _block(self, column: int, newline: str) -> str:
        return f"{' ' * column}{self.key}:{newline}{self._entry(column + 2, newline)}"

    def _entry(self, column: int, newline: str) -> str:
        lines = [f"{self.name}:"]
        lines += [f"  {key}: {json.dumps(each)}" for key, each in self.value.items()]
        return newline.join(" " * column + line for line in lines) + newline

    def _cut(self, text: str, bare: bool) -> str:
        """bare: the whole mapping goes, since nothing else is in it and nothing was."""
        import yaml

        root = yaml.compose(text, Loader=yaml.SafeLoader)
        pairs, at = root.value, _index(root, self.key)
        owner = root
        if not bare:
            owner = pairs[at][1]
            pairs, at = owner.value, _index(owner, self.name)
        key, value = pairs[at]
        if owner.flow_style:
            return _out_of_braces(text, owner, at)
        begin = text.rfind("\n", 0, key.start_mark.index) + 1
        end = line_end(text, node_end(value))
        return text[:begin] + text[end:]


def _column(text: str, mapping: Any) -> int:
    """Of its keys; one behind a question mark stands further to the right."""
    key = mapping.value[0][0].start_mark.index
    line = text[text.rfind("\n", 0, key) + 1 : key]
    return len(line.removesuffix("? ").lstrip("\ufeff"))


def _index(mapping: Any, name: str) -> int:
    return next(n for n, (key, _) in enumerate(mapping.value) if key.value == name)


def _inserted(text: str, at: int, lines: str, newline: str) -> str:
    if at == len(text):
        return _behind(text, lines, newline)
    return text[:at] + lines + text[at:]


def _behind(text: str, lines: str, newline: str) -> str:
    """At the end; a text without an end of its last line goes on having none."""
    if not text.strip("\ufeff") or text.endswith("\n"):
        return text + lines
    return text + newline + lines.removesuffix(newline)


def _in_braces(text: str, mapping: Any, content: str) -> str:
    at = len(text[: mapping.end_mark.index - 1].rstrip())
    bare = text[:at].endswith(("{", ","))
    space = " " if text[:at].endswith(",") else ""
    return f"{text[:at]}{space if bare else ', '}{content}{text[at:]}"


def _out_of_braces(text: str, mapping: Any, at: int) -> str:
    pairs = mapping.value
    begin, end = pairs[at][0].start_mark.index, pairs[at][1].end_mark.index
    if at + 1 < len(pairs):
        return text[:begin] + text[pairs[at + 1][0].start_mark.index :]
    if at:
        begin = pairs[at - 1][1].end_mark.index
    return text[:begin] + text[end:]
