"""A module as a model should write it, and what may be changed in it."""

from __future__ import annotations

GOOD = '''\
"""Count words.

Args:
    text: What to count in.

Returns:
    words: How many there are.

Side effects:
    None.

Example:
    >>> run(text="a b")
"""

from __future__ import annotations

import collections.abc
import random
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Count:
    n: int = 0

    def __post_init__(self) -> None:
        self.n += 0


def shuffled(items: collections.abc.Sequence[str], rng: random.Random) -> list[str]:
    found = list(items)
    rng.shuffle(found)
    return found


def run(text: str) -> dict[str, int]:
    rng = random.Random(7)
    words = shuffled(re.findall(r"\\w+", text.replace("a", "b")), rng)
    name = Path("x").name.upper()
    with open("x") as file, Path("y").open(encoding="utf-8") as other:
        words += [file.read(), other.read(), getattr(file, "name", ""), name]
    return {"words": Count(len(words)).n}


if __name__ == "__main__":
    print(run("a b"))
'''


def with_body(line: str, top: str = "") -> str:
    """GOOD with a line at the beginning of run(), and one among the imports."""
    source = GOOD.replace("    rng = random", f"    {line}\n    rng = random", 1)
    return source.replace("import re\n", f"import re\n{top}\n", 1)
