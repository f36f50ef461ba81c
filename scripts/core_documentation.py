"""Write what the stubs of the compiled core say as C++, for bindings/documentation.cpp.

python scripts/core_documentation.py FOLDER_OF_STUBS FILE
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

Definition = ast.FunctionDef | ast.ClassDef
END = ")documentation"


def entries(folder: Path) -> Iterator[tuple[str, str]]:
    """(dotted name below prefrontal._core, its documentation) of what has some."""
    for stub in sorted(folder.glob("*.pyi")):
        module = "" if stub.stem == "__init__" else f"{stub.stem}."
        yield from _of(ast.parse(stub.read_text(encoding="utf-8")).body, module)


def _of(body: list[ast.stmt], owner: str) -> Iterator[tuple[str, str]]:
    for node in body:
        if not isinstance(node, Definition):
            continue
        if text := ast.get_docstring(node):
            yield owner + node.name, _call(node) + text
        if isinstance(node, ast.ClassDef):
            yield from _of(node.body, f"{owner}{node.name}.")


def _call(node: Definition) -> str:
    """How a function is called, in the line before what it does; nothing for a property."""
    if isinstance(node, ast.ClassDef):
        return ""
    decorators = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
    if "property" in decorators:
        return ""
    for parameters in (node.args.posonlyargs, node.args.args):
        if parameters and parameters[0].arg in ("self", "cls"):
            del parameters[0]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(node.args)}){returns}\n\n"


def main(folder: Path, target: Path) -> None:
    lines = [f'{{"{name}", R"documentation({text}{END}"}},\n' for name, text in entries(folder)]
    target.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
