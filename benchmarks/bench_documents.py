"""CPU time of a megabyte of hostile YAML, until it is parsed or refused: at most half a second.

    python benchmarks/bench_documents.py [--smoke]

The twin is what read settings before: PyYAML in Python, composed and loaded. It is tried on the
file of settings alone, since much of the rest would take it minutes.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import yaml  # type: ignore[import-untyped]

import harness
from prefrontal.storage.yaml_text import parse_yaml

MOST = 1 << 20
ALPHABET = "-:[]{}?&*!|>'\"%@`#, \n\tab01"


def repeated(unit: str) -> str:
    return unit * (MOST // len(unit.encode()))


def numbered(line: Callable[[int], str], count: int = 200_000) -> str:
    return "\n".join(map(line, range(count)))[:MOST]


def aliases(line: Callable[[int], str], first: str) -> str:
    return first + "".join(map(line, range(1, 40)))


def settings(modules: int = 2900) -> str:
    """A file of settings with that many modules."""
    return "modules:\n" + "".join(
        f"  - module_id: m{n}\n    cluster: c\n    version: '1'\n"
        "    question_template: '{location}?'\n" for n in range(modules)
    )  # fmt: skip


def texts() -> dict[str, str]:
    draw = random.Random(1)
    units = ["[", "- ", "{a: ", "? ", "#", " ", "\t", "'", ":", "-", "---\n", "!!", "&", "*", "\n",
             "%", "\u2028", "1,", "- x\n", "- &a x\n", "a: &a [*a]\n", "? - "]  # fmt: skip
    named = {f"{unit!r} again and again": repeated(unit) for unit in units}
    return named | {
        "an alias bomb": aliases(
            lambda n: f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n", "a0: &a0 [x]\n"
        ),
        "a bomb of merges": aliases(
            lambda n: f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: 1}}\n", "a0: &a0 {k: v}\n"
        ),
        "a number of a megabyte": "a: " + "9" * (MOST - 3),
        "a sexagesimal of a megabyte": "a: " + "1:" * (MOST // 2 - 3) + "1",
        "a flow sequence": "[" + "1," * (MOST // 2 - 2) + "1]",
        "keys": numbered(lambda n: f"k{n}: {n}"),
        "anchors": numbered(lambda n: f"- &a{n} x"),
        "moments": numbered(lambda _: "- 2001-12-14t21:59:43.10-05:00"),
        "one key inside the other": numbered(lambda n: f"{' ' * (n + 1)}a:", 1400),
        "a literal block": "a: |\n" + repeated(" x\n")[:-9],
        "any characters": "".join(draw.choice(ALPHABET) for _ in range(MOST)),
        "settings of 2,900 modules": settings(),
    }


def seconds(read: Callable[[str], object], text: str) -> tuple[float, str]:
    """CPU seconds of a call, and how it ended."""
    before = time.process_time()
    try:
        read(text)
        end = "parsed"
    except ValueError:
        end = "refused"
    return time.process_time() - before, end


def before(text: str) -> None:
    yaml.compose(text, Loader=yaml.SafeLoader)
    yaml.safe_load(text)


def main() -> None:
    options = harness.options(__doc__ or "")
    known = texts()
    if options.smoke:
        known = {name: text[:5000] for name, text in known.items()}
    taken = {name: seconds(parse_yaml, text) for name, text in known.items()}
    for name, (spent, end) in sorted(taken.items(), key=lambda row: -row[1][0]):
        print(f"{name:30} {spent:6.3f} s  {end}")
    document = settings(50 if options.smoke else 2900)
    assert parse_yaml(document) == yaml.safe_load(document)
    ours, _ = seconds(parse_yaml, document)
    twin, _ = seconds(before, document)
    print(f"\n{len(taken)} texts, the worst {max(spent for spent, _ in taken.values()):.2f} s")
    print(f"settings of {len(document):,} bytes: {ours:.2f} s, before {twin:.2f} s")


if __name__ == "__main__":
    main()
