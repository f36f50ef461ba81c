"""What a sandbox costs: the start of a no-op at each level, and watching a second of work.

Beside them the same interpreter without a sandbox, and in bubblewrap (namespaces alone: no limits,
no filter of system calls, nobody watching) where it is installed.

    python benchmarks/bench_sandbox.py [--smoke]
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import harness
from prefrontal.sandbox import Limits, Policy, probe, run
from prefrontal.sandbox.policy import readable_paths

BARE = "no sandbox"
NO_OP = [sys.executable, "-I", "-S", "-c", "pass"]


def main() -> None:
    options = harness.options(__doc__ or "")
    print(f"{probe()}\n")
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder).resolve()
        entries = {BARE: bare, **in_bubblewrap(scratch), **at_each_level(scratch)}
        rows = harness.measure(entries, rounds=options.rounds, smoke=options.smoke)
        print(f"**`python -I -S -c pass`, start to end**\n\n{harness.table(rows, twin=BARE)}\n")
        print(watching(scratch, 0.2 if options.smoke else 2.0))


def bare() -> None:
    assert subprocess.run(NO_OP, check=False).returncode == 0


def at_each_level(scratch: Path) -> dict[str, Callable[[], object]]:
    """A no-op at each level that works here."""
    return {
        rung.level: lambda level=rung.level: confined(scratch, level)  # type: ignore[misc]
        for rung in probe().rungs
        if rung.works
    }


def confined(scratch: Path, level: str) -> None:
    result = run(NO_OP, Limits(), Policy(scratch, level=level))
    assert result.ok and result.level == level, result


def in_bubblewrap(scratch: Path) -> dict[str, Callable[[], object]]:
    """The twin: the same folders, read-only, and the same namespaces; none where it cannot run."""
    program = shutil.which("bwrap")
    if program is None:
        return {}
    words = [program, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    words += ["--clearenv", "--dev", "/dev"]
    for name in ("/bin", "/lib", "/lib64"):
        words += ["--symlink", str(Path(name).readlink()), name] if Path(name).is_symlink() else []
    for path in readable_paths(Policy(scratch)):
        words += [] if path.startswith(("/proc", "/sys")) else ["--ro-bind", path, path]
    words += ["--bind", str(scratch), str(scratch), "--chdir", str(scratch), *NO_OP]
    if subprocess.run(words, check=False, capture_output=True).returncode != 0:
        return {}
    return {"bubblewrap alone": lambda: subprocess.run(words, check=True)}


def watching(scratch: Path, seconds: float) -> str:
    """Processor time of the launcher while a command sleeps, as a share of the time."""
    command = [sys.executable, "-I", "-S", "-c", f"import time; time.sleep({seconds})"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = run(command, Limits(), Policy(scratch))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert result.ok, result
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime - result.cpu_s
    share = 100 * spent / result.duration_s
    return f"watching a sleeping command takes {share:.2f} % of one processor ({result.level})"


if __name__ == "__main__":
    main()
