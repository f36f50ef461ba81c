"""Whoever asks Python for help gets it, and the stubs of the compiled core name what is in it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest

import prefrontal
from prefrontal.assembly.replay_path import replay

STUBS = Path(prefrontal.__file__).parent / "_core"


def methods(owner: type) -> Iterator[tuple[str, object]]:
    """The public methods and properties that a class of ours defines itself."""
    for name, value in vars(owner).items():
        inner = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if not name.startswith("_") and inspect.isfunction(inner):
            yield name, getattr(owner, name)


@pytest.mark.parametrize("name", [each for each in prefrontal.__all__ if each != "__version__"])
def test_each_exported_name_and_each_of_its_methods_says_what_it_does(name: str) -> None:
    value = getattr(prefrontal, name)
    text = inspect.getdoc(value) or ""
    assert text and not text.startswith(f"{name}(")
    if inspect.isclass(value):
        silent = [method for method, found in methods(value) if not inspect.getdoc(found)]
        assert silent == []


def test_help_on_the_package_that_can_be_called_has_its_arguments() -> None:
    told = prefrontal.replay.__doc__ or ""
    assert (inspect.getdoc(replay) or "-") in told
    call = dedent(told.partition("\n\n")[2].partition("\n\n")[0])
    shown = ast.parse(f"def {call}: ...").body[0]
    assert isinstance(shown, ast.FunctionDef)
    names = [each.arg for each in (*shown.args.args, *shown.args.kwonlyargs)]
    assert names == list(inspect.signature(replay).parameters)


@pytest.mark.parametrize("stub", sorted(STUBS.glob("*.pyi")), ids=lambda path: path.stem)
def test_a_stub_names_what_the_compiled_module_has_and_nothing_else(stub: Path) -> None:
    name = "" if stub.stem == "__init__" else f".{stub.stem}"
    module = import_module(f"prefrontal._core{name}")
    told = {
        node.name: node
        for node in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
    }
    there = {each for each in vars(module) if callable(getattr(module, each)) and each[0] != "_"}
    assert there == set(told)
    for each, node in told.items():
        if isinstance(node, ast.ClassDef):
            assert public(vars(getattr(module, each))) == public(_names(node)), each


@pytest.mark.parametrize("stub", sorted(STUBS.glob("*.pyi")), ids=lambda path: path.stem)
def test_help_on_what_is_compiled_says_what_its_stub_says(stub: Path) -> None:
    module = import_module(
        "prefrontal._core" + ("" if stub.stem == "__init__" else f".{stub.stem}")
    )
    for owner, node in documented(ast.parse(stub.read_text(encoding="utf-8")), module):
        text = ast.get_docstring(node) or ""
        name = node.name
        shown = inspect.getdoc(getattr(owner, name)) or ""
        assert shown.endswith(text), (stub.stem, name)
        is_method = isinstance(node, ast.FunctionDef) and not node.decorator_list
        assert shown.startswith(f"{name}(") or not is_method


def documented(
    tree: ast.AST, owner: object
) -> Iterator[tuple[object, ast.FunctionDef | ast.ClassDef]]:
    """(what it belongs to, definition) of all that a stub documents."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.ClassDef | ast.FunctionDef):
            continue
        if ast.get_docstring(node) and not node.name.startswith("_"):
            yield owner, node
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from documented(node, getattr(owner, node.name))


def _names(node: ast.ClassDef) -> set[str]:
    functions = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    fields = {
        each.target.id
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }
    return functions | fields


def public(names: Iterable[str]) -> set[str]:
    return {each for each in names if not each.startswith("_")}
