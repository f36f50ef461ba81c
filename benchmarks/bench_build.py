"""What a first build costs: seconds of the processor and of the clock, from an empty folder.

    python benchmarks/bench_build.py [--smoke] [--json]

Configures, compiles and links the part without torch, then, where torch is installed, its part in
the same folder: what that costs more. CPU seconds are user and system time of all compilers.
`--smoke` configures and compiles one set of kernels; no limit applies to that.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SMOKE_TARGET = "kernels_scalar"
MOST_CPU_S = {"without torch": 120.0, "torch's part": 150.0}


@dataclass(frozen=True, slots=True)
class Cost:
    """One part of the build; `limit_cpu_s` is None where nothing is asked."""

    part: str
    cpu_s: float
    wall_s: float
    units: int
    limit_cpu_s: float | None


def _program(name: str) -> str:
    """The program of this environment, or the machine's."""
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if found is None:
        sys.exit(f"bench_build needs {name}, which is neither beside {sys.executable} nor on PATH")
    return found


def _run(command: list[str], environment: dict[str, str]) -> None:
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{ran.stdout}{ran.stderr}")


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _units(folder: Path) -> int:
    """How many times the compiler is called for this configuration."""
    return len(json.loads((folder / "compile_commands.json").read_text(encoding="utf-8")))


def cost(part: str, folder: Path, *, torch: bool, targets: list[str], limited: bool) -> Cost:
    """Configure `folder` and build `targets` there; everything where none is named."""
    cmake = _program("cmake")
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    known = _units(folder) if (folder / "compile_commands.json").exists() else 0
    configure = [cmake, "-S", str(ROOT), "-B", str(folder), "-G", "Ninja"]
    configure += [f"-DCMAKE_MAKE_PROGRAM={_program('ninja')}"]
    configure += [f"-DPython_EXECUTABLE={sys.executable}"]
    configure += [f"-DPREFRONTAL_TORCH={'ON' if torch else 'OFF'}"]
    build = [cmake, "--build", str(folder)]
    cpu_s, start = _children_cpu_s(), time.perf_counter()
    _run(configure, environment)
    _run([*build, *(["--target", *targets] if targets else [])], environment)
    wall_s = time.perf_counter() - start
    return Cost(
        part=part,
        cpu_s=round(_children_cpu_s() - cpu_s, 1),
        wall_s=round(wall_s, 1),
        units=_units(folder) - known,
        limit_cpu_s=MOST_CPU_S[part] if limited else None,
    )


def costs(*, smoke: bool) -> list[Cost]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if smoke:
            part = f"configuring and {SMOKE_TARGET} alone"
            return [cost(part, folder, torch=False, targets=[SMOKE_TARGET], limited=False)]
        rows = [cost("without torch", folder, torch=False, targets=[], limited=True)]
        if importlib.util.find_spec("torch") is not None:
            rows.append(cost("torch's part", folder, torch=True, targets=[], limited=True))
        return rows


def table(rows: list[Cost]) -> str:
    lines = ["| part | CPU s | limit | wall s | units configured |", "|---|---|---|---|---|"]
    for row in rows:
        limit = "-" if row.limit_cpu_s is None else f"<= {row.limit_cpu_s:g}"
        lines.append(f"| {row.part} | {row.cpu_s} | {limit} | {row.wall_s} | {row.units} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="What a first build costs.")
    parser.add_argument("--smoke", action="store_true", help="configure, compile one small part")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    rows = costs(smoke=options.smoke)
    over = [row for row in rows if row.limit_cpu_s is not None and row.cpu_s > row.limit_cpu_s]
    if options.json:
        cores = os.cpu_count()
        print(json.dumps({"cores": cores, "parts": [asdict(row) for row in rows]}, indent=2))
    else:
        print(table(rows))
    for row in over:
        limit = f"{row.limit_cpu_s:g} CPU s, got {row.cpu_s}"
        print(f"{row.part} must take at most {limit}", file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
