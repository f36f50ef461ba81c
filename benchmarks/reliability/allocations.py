"""Every allocation of the core fails once: MemoryError, the state unchanged, and it works again.

    python benchmarks/reliability/allocations.py [--call NAME]... [--planted]

`operator new` is replaced in a copy of this process. Each call of the core is made on a fresh
object once for each allocation it makes, which is refused; a call that does without it must give
what it always gives. Each call has a process of its own, whose death is a fault, too.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from core_calls import CALLS, Call

SOURCE = Path(__file__).with_name("allocations.cpp")
LIBRARY = "ALLOCATIONS_LIBRARY"
PATIENCE_S = 300.0


class Allocator:
    """The replaced `operator new` of this process."""

    def __init__(self) -> None:
        library = ctypes.CDLL(os.environ[LIBRARY])
        self._arm, self._disarm = library.allocations_arm, library.allocations_disarm
        self._arm.argtypes = [ctypes.c_long]
        self._disarm.restype = ctypes.c_long

    def refuse(self, number: int, act: Callable[[], Any]) -> tuple[Any, BaseException | None, int]:
        """Act while that allocation fails, 0 none: what it gave or raised, and how many it made."""
        value, raised = None, None
        self._arm(number)
        try:
            value = act()
        except BaseException as error:  # noqa: BLE001 - told, whatever it is
            raised = error
        return value, raised, self._disarm()


def tried(call: Call, allocator: Allocator) -> list[str]:
    """The faults of a call, a sentence each; prints how many allocations it makes."""
    reference = call.make()
    usual, raised, count = allocator.refuse(0, lambda: call.act(reference))
    assert raised is None, raised
    after, faults = call.state(reference), []
    for number in range(1, count + 1):
        subject = call.make()
        before = call.state(subject)
        value, raised, _ = allocator.refuse(number, lambda: call.act(subject))  # noqa: B023
        where = f"{call.name}: allocation {number} of {count}"
        if raised is None:
            if value != usual or call.state(subject) != after:
                faults.append(f"{where} failed unseen, with another result")
            continue
        if not isinstance(raised, MemoryError):
            faults.append(f"{where} ended as {type(raised).__name__}: {raised}")
        if call.state(subject) != before:
            faults.append(f"{where} left another state")
        elif call.act(subject) != usual or call.state(subject) != after:
            faults.append(f"{where} left what works differently")
    print(f"{call.name:<28} {count:5} allocations, {len(faults)} faults", flush=True)
    return faults


def in_process(name: str, environment: dict[str, str]) -> list[str]:
    """`tried` in a process of its own."""
    done = alone([name], environment)
    if not done.stdout:  # it died, or could not begin
        reason = " ".join(done.stderr.split())[-300:]
        print(f"{name:<28} ended with {done.returncode}", flush=True)
        return [f"{name}: the process ended with {done.returncode}: {reason}"]
    first, *faults = done.stdout.splitlines()
    print(first, flush=True)
    return faults


def alone(names: Sequence[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """These calls in one process, which `prepared` is for."""
    return subprocess.run(
        [sys.executable, __file__, *(word for name in names for word in ("--alone", name))],
        env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip


def prepared(folder: Path) -> dict[str, str]:
    """The environment of a process with the replaced `operator new`."""
    library = folder / "allocations.so"
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-O1", "-shared", "-fPIC"]
    subprocess.run([*command, "-o", str(library), str(SOURCE)], check=True)
    path = os.pathsep.join(each for each in sys.path if each)
    return {**os.environ, LIBRARY: str(library), "LD_PRELOAD": str(library), "PYTHONPATH": path}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Does the core survive a refused allocation?")
    parser.add_argument("--call", action="append", choices=sorted(CALLS), help="this alone")
    parser.add_argument("--planted", action="store_true", help="a call that does not clean up")
    parser.add_argument("--alone", action="append", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.alone:
        allocator = Allocator()
        faults = [fault for name in options.alone for fault in tried(CALLS[name], allocator)]
        print("\n".join(faults))
        return 1 if faults else 0
    if shutil.which(os.environ.get("CXX", "g++")) is None:
        parser.error("a C++ compiler is needed; CXX names one")
    usual = [name for name in CALLS if name != "planted"]
    names = options.call or (["planted"] if options.planted else usual)
    with tempfile.TemporaryDirectory() as folder:
        environment = prepared(Path(folder))
        faults = [fault for name in names for fault in in_process(name, environment) if fault]
    unsafe = {fault.split(":")[0] for fault in faults}
    print("\n".join([*faults, f"{len(names) - len(unsafe)} of {len(names)} calls hold it"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
