"""YAML within limits: whatever stands in it, it is parsed or refused in a fraction of a second.

Nesting, aliases and the number of values are bounded while the text is read, by libyaml where
PyYAML has it. What an alias stands for counts each time, so that no short text becomes a long one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

MOST_LEVELS = 64
MOST_VALUES = 30_000
"""Scalars, sequences and mappings, each counted again wherever an alias repeats it."""
LONGEST_SENTENCE = 300
LONGEST_PLAIN = 200
"""Characters of an unquoted scalar that may be a number, a date or a truth value."""


class LimitError(ValueError):
    """A text that is more than the limits allow; the sentence begins with the rule."""


def parse_yaml(text: str) -> Any:
    """What the text holds; None when it is empty.

    Raises LimitError for more than the limits, ValueError for what is no YAML, several documents
    or a key that stands twice in a mapping.
    """
    return _loaded(text, "get_single_data")


def compose_yaml(text: str) -> Any:
    """The node of the text with the marks of its lines; None when it is empty.

    Raises ValueError as `parse_yaml`.
    """
    return _loaded(text, "get_single_node")


def node_end(node: Any) -> int:
    """Where the text of a node ends; the mark of a block is where the next one begins."""
    if node.id == "scalar" or node.flow_style or not node.value:
        return int(node.end_mark.index)
    inner = node.value[-1]
    return node_end(inner[1] if isinstance(inner, tuple) else inner)


def node_line(node: Any, where: Sequence[int | str]) -> int | None:
    """The line, from 1, of the key or item at `where` below a node; None where there is none."""
    if node is None:
        return None
    mark = node.start_mark
    for part in where:
        if node.id == "mapping":
            places = {key.value: (key, below) for key, below in node.value if key.id == "scalar"}
        else:
            items = node.value if node.id == "sequence" else ()
            places = {number: (item, item) for number, item in enumerate(items)}
        if part not in places:
            return None
        beginning, node = places[part]
        mark = beginning.start_mark
    return int(mark.line) + 1


def line_end(text: str, place: int) -> int:
    """Just behind the line of that place; a block of text ends with its line already."""
    if text[:place].endswith("\n"):
        return place
    end = text.find("\n", place)
    return len(text) if end < 0 else end + 1


def _loaded(text: str, method: str) -> Any:
    import yaml  # type: ignore[import-untyped]

    try:
        loader = _loader_class()(text)
        try:
            return getattr(loader, method)()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise ValueError(_short(" ".join(_marked(error)))) from None
    except (yaml.YAMLError, OverflowError, RecursionError) as error:
        raise ValueError(_short(" ".join(str(error).split()))) from None


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST_SENTENCE else f"{sentence[:LONGEST_SENTENCE]}…"


def _marked(error: Any) -> list[str]:
    parts = [part for part in (error.context, error.problem) if part]
    mark = error.problem_mark or error.context_mark
    return [*parts, f"(line {mark.line + 1}, column {mark.column + 1})"] if mark else parts


class _Counting:
    """Counts and checks what a composer of PyYAML composes.

    parser: the loader that begins it. alias: the class of events, scalar: that of nodes, plain: the
    tag of text.
    """

    parser: Any
    alias: Any
    scalar: Any
    plain: str

    def __init__(self, text: str) -> None:
        self.parser.__init__(self, text)
        self.anchors: dict[Any, Any] = {}
        self._levels = 0
        self._values = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        """A node and all below it, within the limits."""
        loader: Any = self
        is_alias, mark = loader.check_event(self.alias), loader.peek_event().start_mark
        before = self._values
        self._levels += 1
        if self._levels > MOST_LEVELS:
            raise _refused(f"must be nested at most {MOST_LEVELS} deep", mark)
        node = super().compose_node(parent, index)  # type: ignore[misc]
        self._levels -= 1
        if not is_alias:
            self._values += 1
            self._sizes[id(node)] = self._values - before
        elif id(node) in self._sizes:
            self._values += self._sizes[id(node)]
        else:
            raise _refused("must hold no alias in what it repeats", mark)
        if self._values > MOST_VALUES:
            rule = f"must hold at most {MOST_VALUES:,} values, with what aliases repeat"
            raise _refused(rule, mark)
        return node

    def compose_mapping_node(self, anchor: Any) -> Any:
        """A mapping in which each key stands once."""
        node = super().compose_mapping_node(anchor)  # type: ignore[misc]
        keys = set()
        for key, _ in node.value:
            if isinstance(key, self.scalar):
                if (key.tag, key.value) in keys:
                    line = key.start_mark.line + 1
                    raise ValueError(f"the key {key.value!r:.80} stands twice (line {line})")
                keys.add((key.tag, key.value))
        return node

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        """The tag of a value; what is long is text, since a long number takes its time."""
        if kind is self.scalar and implicit[0] and len(value) > LONGEST_PLAIN:
            return self.plain
        return super().resolve(kind, value, implicit)  # type: ignore[misc]


@cache
def _loader_class() -> Any:
    """The loader over libyaml's parser, or over that in Python."""
    import yaml

    parser: Any = yaml.SafeLoader
    bases: tuple[Any, ...] = (_Counting, parser)
    if yaml.__with_libyaml__:
        parser = yaml.CSafeLoader
        bases = (_Counting, yaml.composer.Composer, parser)
    names = {
        "parser": parser,
        "alias": yaml.AliasEvent,
        "scalar": yaml.ScalarNode,
        "plain": parser.DEFAULT_SCALAR_TAG,
    }
    return type("LimitedLoader", bases, names)


def _refused(rule: str, mark: Any) -> LimitError:
    return LimitError(f"{rule} (line {mark.line + 1}, column {mark.column + 1})")
