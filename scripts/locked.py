"""Print what pip must install, each file by its hash, read from requirements.lock.

    python scripts/locked.py build run dev         # for pip install --require-hashes --no-deps -r
    python scripts/locked.py --below torch         # what the installed torch needs
    python scripts/locked.py --write               # lock the newest that pyproject.toml allows

A name is a group (`build`, `run`, an extra) or a requirement. What torch needs is left out of its
group, since builds with and without a GPU differ in it: ask for it once torch is there.
`--write` needs uv (pip install uv) and a package index.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
BY_MACHINE = "torch"
BUILDERS = ("cmake", "ninja")
"""What the build asks for on a system that has none."""
HEADER = "# Written by `python scripts/locked.py --write`; read by scripts/locked.py.\n"


@dataclass(frozen=True, slots=True)
class Entry:
    """A version of a package. text: its lines for pip. parents: who needs it."""

    name: str
    version: str
    text: str
    parents: frozenset[str]


def normal(name: str) -> str:
    """The one spelling of a package's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def package(requirement: str) -> str:
    """The name that a requirement begins with."""
    return normal(re.split(r"[^A-Za-z0-9._-]", requirement.strip(), maxsplit=1)[0])


def groups() -> dict[str, list[str]]:
    """Group -> its requirements in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {
        "build": project["build-system"]["requires"],
        "run": project["project"]["dependencies"],
        **project["project"]["optional-dependencies"],
    }


def entries(text: str) -> list[Entry]:
    """The packages of a lock, as uv writes it with comments in a line."""
    packages = []
    for block in re.split(r"\n(?=[A-Za-z0-9])", text):
        head = re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^ ;\\]+)", block)
        if head is None:
            continue
        via = re.search(r"# via (.*)", block)
        parents = frozenset(map(package, via[1].split(","))) if via else frozenset()
        packages.append(Entry(normal(head[1]), head[2], block.strip("\n"), parents))
    return packages


def below(roots: Iterable[str], lock: Iterable[Entry]) -> list[Entry]:
    """The entries of the roots and of all that they need; what torch needs is not followed."""
    wanted = set(roots)
    everything = list(lock)
    while True:
        more = {
            each.name
            for each in everything
            if each.name not in wanted and each.parents & (wanted - {BY_MACHINE})
        }
        if not more:
            return [each for each in everything if each.name in wanted]
        wanted |= more


def roots(names: Iterable[str], known: Mapping[str, list[str]]) -> Iterator[str]:
    """The packages that groups and requirements name."""
    for name in names:
        yield from map(package, known.get(name, [name]))


def resolved(known: Mapping[str, list[str]]) -> str:
    """The newest versions that pyproject.toml allows, for each Python and system."""
    command = ["uv", "pip", "compile", "--universal", "--generate-hashes", "--no-header", "--quiet"]
    command += ["--annotation-style", "line", "--python-version", "3.11", "-"]
    lines = [line for requirements in known.values() for line in requirements]
    asked = "\n".join([*lines, *BUILDERS])
    text = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    return HEADER + text


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Print what pip must install, by its hashes.")
    parser.add_argument("name", nargs="*", help="a group or a requirement")
    parser.add_argument("--below", metavar="PACKAGE", help="what an installed package needs")
    parser.add_argument("--write", action="store_true", help="write requirements.lock")
    options = parser.parse_args(arguments)
    known = groups()
    if options.write:
        LOCK.write_text(resolved(known), encoding="utf-8")
        return 0
    names = list(roots(options.name, known))
    if options.below:
        needs = distribution(options.below).requires or ()
        names += [package(each) for each in needs if "extra ==" not in each]
    lock = entries(LOCK.read_text(encoding="utf-8"))
    if missing := sorted(set(names) - {each.name for each in lock} - {"prefrontal"}):
        print(f"{LOCK.name} must lock {', '.join(missing)}: make lock", file=sys.stderr)
        return 2
    print("\n".join(each.text for each in below(names, lock)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
