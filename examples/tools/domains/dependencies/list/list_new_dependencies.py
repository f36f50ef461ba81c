"""List the new dependencies: packages that a change to requirements or to pyproject.toml added.

Example:
    run(before="[project]\\ndependencies = []\\n", after="[project]\\ndependencies=['click']\\n")
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^]]*\])?\s*([<>=!~;@].*)?$")


def run(before: str, after: str) -> dict[str, Any]:
    """Compare what both versions ask for.

    Args:
        before: pyproject.toml or a list of requirements as it was, or the path of a file.
        after: the same as it is now.

    Returns:
        findings: "needs click>=8", "no longer needs six", "click>=8 instead of click>=7".
    """
    old, new = needed(text_of(before)), needed(text_of(after))
    findings = [f"needs {new[name]}" for name in sorted(new) if name not in old]
    findings += [f"no longer needs {old[name]}" for name in sorted(old) if name not in new]
    kept = [name for name in sorted(new) if name in old and old[name] != new[name]]
    findings += [f"{new[name]} instead of {old[name]}" for name in kept]
    return {"findings": findings}


def needed(text: str) -> dict[str, str]:
    """Each package with its requirement; optional ones count too. None in any other text."""
    listed = from_pyproject(text) if re.search(r"^\[[\w.\"-]+\]", text, re.MULTILINE) else None
    if listed is None:
        lines = [line.partition(" #")[0].strip() for line in text.splitlines()]
        listed = [line for line in lines if line and not line.startswith(("#", "-"))]
        if not all(REQUIREMENT.match(line) for line in listed):
            return {}
    found = {}
    for each in listed:
        match = REQUIREMENT.match(each)
        if match:
            found[re.sub(r"[-_.]+", "-", match[1]).lower()] = " ".join(each.split())
    return found


def from_pyproject(text: str) -> list[str] | None:
    """The requirements of a pyproject.toml; None for what is no TOML."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    project = document.get("project", {})
    groups = [project.get("dependencies", []), document.get("build-system", {}).get("requires", [])]
    groups += list(project.get("optional-dependencies", {}).values())
    groups += list(document.get("dependency-groups", {}).values())
    return [each for group in groups for each in group if isinstance(each, str)]


def text_of(given: str) -> str:
    """The text itself, or that of the file it names."""
    if "\n" in given or not given or len(given) > 1000 or not Path(given).is_file():
        return given
    return Path(given).read_text(encoding="utf-8", errors="replace")
