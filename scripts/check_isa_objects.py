"""Fail when an object file built for one instruction set defines a weak symbol.

The linker keeps one copy of a weak (COMDAT) function for the whole program. If that copy came
from a file compiled for AVX-512, older processors would execute it too.

    python scripts/check_isa_objects.py [--nm PROGRAM] OBJECT...
"""

from __future__ import annotations

import argparse
import subprocess
import sys

WEAK = frozenset("VvWwu")
"""nm's letters for weak and unique global symbols; small v and w may be mere references."""


def weak_symbols(nm: str, path: str) -> list[str]:
    """Names of the weak symbols that the object file `path` defines."""
    command = [nm, "--defined-only", "--demangle", path]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = []
    for line in listing.splitlines():
        parts = line.split(maxsplit=2)
        if len(parts) == 3 and parts[1] in WEAK:
            found.append(parts[2])
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Refuse weak symbols in per-processor objects.")
    parser.add_argument("--nm", default="nm", help="the program that lists symbols")
    parser.add_argument("objects", nargs="+")
    options = parser.parse_args(arguments)
    bad = False
    for path in options.objects:
        for symbol in weak_symbols(options.nm, path):
            print(f"{path} must not define weak symbols, got {symbol!r}", file=sys.stderr)
            bad = True
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
