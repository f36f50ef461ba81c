"""Seeded changes to a small project, and rules that say which of them matter."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from prefrontal.types import SignalEvent

FOLDERS = ("src", "src/core", "src/tests", "docs", "docs/src", "tools/tests", "vendor", "")
NAMES = ("main.py", "util.py", "notes.md", "index.html", "Makefile", "setup.cfg", "data.JSON")
ACTORS = ("jane", "bot", "max", "ada")
WORDS = ("fix", "add", "drop", "crash", "typo", "release 12")


@dataclass(frozen=True)
class Change:
    paths: tuple[str, ...]
    actor: str = ""
    text: str = ""

    def events(self) -> list[SignalEvent]:
        features = {"actor": self.actor, "text": self.text}
        return [SignalEvent("filesystem", p, "modified", 1.0, 0.0, features) for p in self.paths]


def random_changes(seed: int, count: int) -> list[Change]:
    rng = random.Random(seed)

    def path() -> str:
        return f"{rng.choice(FOLDERS)}/{rng.choice(NAMES)}".lstrip("/")

    return [
        Change(
            tuple({path() for _ in range(rng.randint(1, 3))}),
            rng.choice(ACTORS),
            f"{rng.choice(WORDS)} the {rng.choice(WORDS)}",
        )
        for _ in range(count)
    ]


def under(folder: str) -> Callable[[Change], bool]:
    return lambda change: any(path.startswith(folder + "/") for path in change.paths)


def ends(suffix: str) -> Callable[[Change], bool]:
    return lambda change: any(path.lower().endswith(suffix) for path in change.paths)


PLANTED: dict[str, Callable[[Change], bool]] = {
    "src/**": under("src"),
    "src/core/**": under("src/core"),
    "**/tests/**": lambda change: any("tests/" in path for path in change.paths),
    "**/*.py": ends(".py"),
    "**/*.json": ends(".json"),
    "**/* without extension": ends("makefile"),
    "**/setup.cfg": ends("setup.cfg"),
    "src/**/*.py": lambda c: any(p.startswith("src/") and p.endswith(".py") for p in c.paths),
    "src/** outside **/tests/**": lambda change: any(
        path.startswith("src/") and "tests/" not in path for path in change.paths
    ),
    'actor is "jane"': lambda change: change.actor == "jane",
    'text has "crash"': lambda change: "crash" in change.text,
    "text has a number": lambda change: "12" in change.text,
}
OR = 'actor is "jane" or src/core/**'
AND = 'src/** and text has "fix"'
BUT_NOT = 'src/** but not actor is "bot"'
JOINED: dict[str, Callable[[Change], bool]] = {
    OR: lambda change: change.actor == "jane" or under("src/core")(change),
    AND: lambda change: under("src")(change) and "fix" in change.text,
    BUT_NOT: lambda change: under("src")(change) and change.actor != "bot",
}
SAME = {  # other texts that say the same of these changes
    "**/* without extension": {"**/Makefile"},
    "**/setup.cfg": {"**/*.cfg"},
    "**/*.json": {"**/data.JSON"},
    "text has a number": {'text has "release"'},
    "src/core/**": {"**/core/**"},
    OR: {'src/core/** or actor is "jane"', '**/core/** or actor is "jane"'},
    AND: {'text has "fix" and src/**'},
}
