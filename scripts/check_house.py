"""Holds the figures of the house: rings and levels of imports, class names, files, folders, names.

    python scripts/check_house.py [PACKAGE FOLDER]

A ring counts imports inside functions and for the type checker, a level only those at the top of a
module. Exit code 1 when a figure is above its limit; a limit only ever falls.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

LIMITS = {
    "rings of imports": 0,
    "levels of imports": 12,
    "class names that stand twice": 0,
    "participles as names": 30,
    "folders above 30 files": 0,
    "files above 500 lines": 0,
}
MOST_FILES, MOST_LINES = 30, 500
PARTICIPLES = frozenset(
    [
        "asked",
        "called",
        "found",
        "given",
        "heard",
        "judged",
        "kept",
        "meant",
        "said",
        "shown",
        "taken",
        "taught",
        "told",
    ]
)


def figures(root: Path) -> dict[str, int]:
    """Every figure of LIMITS for the package whose folder is `root`."""
    paths = {_module(root, path): path for path in sorted(root.rglob("*.py"))}
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    everything: dict[str, set[str]] = defaultdict(set)
    at_top: dict[str, set[str]] = defaultdict(set)
    for name, tree in trees.items():
        for target, late in _imports(name, paths, tree):
            if paths[target].name == "__init__.py":
                continue
            if paths[name].name != "__init__.py":
                everything[name].add(target)
            if not late:
                at_top[name].add(target)
    classes = Counter(
        each.name for tree in trees.values() for each in tree.body if isinstance(each, ast.ClassDef)
    )
    folders = Counter(path.parent for path in paths.values())
    lines = (path.read_text(encoding="utf-8").count("\n") for path in paths.values())
    counts = (
        len(_rings(everything)),
        max(_levels(at_top).values(), default=1),
        sum(number > 1 for number in classes.values()),
        sum(_is_participle(node) for tree in trees.values() for node in ast.walk(tree)),
        sum(number > MOST_FILES for number in folders.values()),
        sum(number > MOST_LINES for number in lines),
    )
    return dict(zip(LIMITS, counts, strict=True))


def _module(root: Path, path: Path) -> str:
    parts = (root.name, *path.relative_to(root).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def _imports(name: str, paths: Mapping[str, Path], tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """(module of the package, whether it is imported late: in a function or for types)."""
    package = name if paths[name].name == "__init__.py" else name.rpartition(".")[0]
    for node, late in _statements(tree):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        else:
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            stem = ".".join([*above, *([node.module] if node.module else [])])
            targets = [
                f"{stem}.{alias.name}" if f"{stem}.{alias.name}" in paths else stem
                for alias in node.names
            ]
        for target in targets:
            if target in paths and target != name:
                yield target, late


def _statements(
    node: ast.AST, late: bool = False
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, late
            continue
        checked = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from _statements(child, late or checked or function)


def _rings(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Rings without a module in common, each until none is left."""
    rest = {name: set(targets) for name, targets in graph.items()}
    rings: list[list[str]] = []
    while True:
        try:
            TopologicalSorter(rest).prepare()
        except CycleError as error:
            ring = sorted(set(error.args[1]))
            rings.append(ring)
            rest = {name: targets - {*ring} for name, targets in rest.items() if name not in ring}
        else:
            return rings


def _levels(graph: Mapping[str, set[str]]) -> dict[str, int]:
    """Module -> its level; what a ring imports is left to the figure of rings."""
    in_rings = {name for ring in _rings(graph) for name in ring}
    graph = {name: set() if name in in_rings else targets for name, targets in graph.items()}
    levels: dict[str, int] = {}
    for name in TopologicalSorter(graph).static_order():
        levels[name] = 1 + max((levels[each] for each in graph.get(name, ())), default=0)
    return levels


def _is_participle(node: ast.AST) -> bool:
    if isinstance(node, ast.arg):
        return node.arg in PARTICIPLES
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in PARTICIPLES


def main(root: Path) -> int:
    """Print each figure beside its limit; 1 when one is above it."""
    over = False
    for name, figure in figures(root).items():
        over |= figure > LIMITS[name]
        print(f"{name}: {figure} (at most {LIMITS[name]})")
    return int(over)


if __name__ == "__main__":
    usual = Path(__file__).parents[1] / "python" / "prefrontal"
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else usual))
