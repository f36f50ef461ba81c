"""Compares type hints given as source text."""

from __future__ import annotations

import ast

_PLAIN = frozenset(
    ("Any", "object", "str", "int", "float", "bool", "bytes", "dict", "list", "tuple", "set")
    + ("frozenset", "Mapping", "Sequence", "Iterable", "Iterator", "Collection", "Callable")
)
_KIN = {
    **dict.fromkeys(("dict", "Mapping", "MutableMapping"), "mapping"),
    **dict.fromkeys(("list", "tuple", "Sequence", "Iterable", "Collection", "set"), "series"),
    **dict.fromkeys(("int", "float", "complex"), "number"),
}
_SAYS_NOTHING = frozenset(("Any", "object", "None"))


def same_type(source: str | None, wanted: str | None) -> bool:
    """Whether a value of the first hint is surely one of the second; False for unknown ones.

    Ignores module prefixes, None as an alternative, quotes and the old names of typing:
    "pd.DataFrame" is "DataFrame | None".
    """
    members = _members(source)
    return bool(members) and not members & _SAYS_NOTHING and members <= _members(wanted)


def contradicts(source: str | None, wanted: str | None) -> bool:
    """Whether both are known and no value of the first hint fits the second."""
    one, other = _members(source), _members(wanted)
    return bool(one and other) and not any(_fits(this, that) for this in one for that in other)


def _fits(source: str, wanted: str) -> bool:
    """Whether two alternatives agree as far as both are specific: "list" and "Sequence[int]"."""
    if {source, wanted} & _SAYS_NOTHING:
        return True
    (one, *ones), (other, *others) = _parts(source), _parts(wanted)
    if _KIN.get(one, one) != _KIN.get(other, other):
        return False
    alike = len(ones) != len(others)  # then one says less
    return alike or all(_fits(this, that) for this, that in zip(ones, others, strict=True))


def _parts(hint: str) -> list[str]:
    """["dict", "str", "int"] of "dict[str, int]"."""
    node = ast.parse(hint, mode="eval").body
    if not isinstance(node, ast.Subscript):
        return [hint]
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [ast.unparse(part) for part in (node.value, *inner)]


def says_much(hint: str | None) -> bool:
    """Whether the hint is specific: no bare str, list, Any."""
    members = _members(hint)
    return bool(members) and not any(part in _PLAIN or "Any" in part for part in members)


def value_type(hint: str | None) -> str | None:
    """The hint of the values of a mapping, "int" for "dict[str, int]"; None when unknown."""
    try:
        node = ast.parse((hint or "").strip(), mode="eval").body
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            return ast.unparse(node.slice.elts[-1])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return None


def is_mapping(hint: str | None) -> bool:
    """Whether the hint is that of a mapping with keys of any name."""
    name = (hint or "").strip().partition("[")[0].rpartition(".")[2]
    return name in ("dict", "Dict", "Mapping", "MutableMapping")


def _members(hint: str | None) -> set[str]:
    """The normalised alternatives of a hint, without None."""
    if hint is None:
        return set()
    try:
        node = ast.parse(hint.strip(), mode="eval").body
        return _alternatives(node) - {"None"}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()


def _alternatives(node: ast.expr) -> set[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _alternatives(node.left) | _alternatives(node.right)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _members(node.value)
    if isinstance(node, ast.Subscript) and _last(node.value) in ("Optional", "Union", "Annotated"):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        used = inner[:1] if _last(node.value) == "Annotated" else inner
        return {name for item in used for name in _alternatives(item)}
    return {ast.unparse(_Plainer().visit(node))}


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


class _Plainer(ast.NodeTransformer):
    """Drops module prefixes and writes List as list."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Name(_today(node.attr))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name(_today(node.id))


def _today(name: str) -> str:
    return name.lower() if name in ("List", "Dict", "Tuple", "Set", "FrozenSet") else name
