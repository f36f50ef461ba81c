"""Tools for the speed benchmark: names and docstrings of the Python functions on this machine."""

from __future__ import annotations

import ast
import random
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

SEED = 7
BY_HAND = (
    "summarize a matrix and plot it",
    "read a csv file and return the mean of each column",
    "convert a string to lower case",
    "open a connection to the server and send a request",
    "sort the list of numbers",
)


def functions(most: int, folders: list[Path] | None = None) -> list[tuple[str, str]]:
    """Different (name, docstring) pairs in a fixed random order, fewer where there are fewer."""
    paths = sysconfig.get_paths()
    roots = folders or [Path(paths["stdlib"]), Path(paths["purelib"])]
    found: dict[tuple[str, str], None] = {}
    for root in roots:
        for path in sorted(root.rglob("*.py")):
            found.update(dict.fromkeys(documented(path)))
    pairs = sorted(found)
    random.Random(SEED).shuffle(pairs)
    return pairs[:most]


def repeated(pairs: list[tuple[str, str]], size: int) -> list[tuple[str, str]]:
    """`size` of them, the same again where there are not enough."""
    return (pairs * (size // len(pairs) + 1))[:size]


def prompts(pairs: list[tuple[str, str]], count: int) -> list[str]:
    """Some written by hand, and first sentences of docstrings, cut to 4 to 10 words."""
    dice = random.Random(SEED)
    out = list(BY_HAND)
    for _, doc in pairs:
        words = doc.strip().split("\n\n")[0].replace("\n", " ").split(". ")[0].split()
        if len(words) >= 4:
            out.append(" ".join(words[: dice.randint(4, 10)]))
        if len(out) == count:
            break
    return out


def documented(path: Path) -> Iterator[tuple[str, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, OSError, RecursionError):
            return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            doc = ast.get_docstring(node)
            if doc:
                yield node.name, doc
