"""Which C++ file may include which: csrc knows no Python, and its domains know only simd."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = re.compile(r"(Python\.h|pybind11/|numpy/|bindings/)")
TORCH = re.compile(r"(torch|ATen|c10)/")
OPERATORS = ROOT / "csrc/control/torch"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def includes(folder: str) -> Iterator[tuple[Path, str]]:
    """Each C++ file below `folder` (relative to the root), with each of its includes."""
    files = [path for path in (ROOT / folder).rglob("*") if path.suffix in {".hpp", ".cpp", ".h"}]
    assert files, f"no C++ below {folder}"
    for path in files:
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            yield path.relative_to(ROOT), name


def test_csrc_knows_nothing_of_python() -> None:
    assert [(path, name) for path, name in includes("csrc") if PYTHON.match(name)] == []


def test_only_the_operators_know_torch() -> None:
    knowing = {ROOT / path for path, name in includes("csrc") if TORCH.match(name)}
    assert knowing and {path.parent for path in knowing} == {OPERATORS}


def test_a_domain_of_csrc_includes_only_itself_and_simd() -> None:
    for path, name in includes("csrc"):
        if name.startswith("csrc/"):
            assert name.split("/")[1] in {path.parts[1], "simd"}, (path, name)
        else:
            assert not (ROOT / path.parent / name).exists(), f"{path}: write csrc/... for {name}"


def test_bindings_include_only_csrc_and_each_other() -> None:
    for path, name in includes("bindings"):
        if (ROOT / name).exists():
            assert name.split("/")[0] in {"csrc", "bindings"}, (path, name)


def test_the_kernels_use_no_standard_library() -> None:
    allowed = {"stdint.h", "string.h"}
    kernels = {"kernels.cpp", "kernels.hpp", "operators.cpp", "operators.hpp", "v16.hpp", "exp.hpp"}
    for path, name in includes("csrc/simd"):
        if path.name in kernels and not name.startswith("csrc/simd/"):
            assert name in allowed, (path, name)
