"""The agent's code never prints: what it has to say goes to the log, or to a channel."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import prefrontal

ROOT = Path(prefrontal.__file__).parent
DOMAINS = ("runtime", "ledger", "cortex", "plugin")


def prints(path: Path) -> list[int]:
    """The lines that print to standard output."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
        and not any(keyword.arg == "file" for keyword in node.keywords)
    ]


@pytest.mark.parametrize("domain", DOMAINS)
def test_nothing_prints(domain: str) -> None:
    files = list((ROOT / domain).rglob("*.py"))
    assert files
    assert [(path.name, lines) for path in files if (lines := prints(path))] == []


def test_a_print_would_be_found(tmp_path: Path) -> None:
    path = tmp_path / "loud.py"
    path.write_text("import sys\nprint('x')\nprint('y', file=sys.stderr)\n", encoding="utf-8")
    assert prints(path) == [2]
