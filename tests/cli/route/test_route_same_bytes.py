"""The same prompt, tools and history: the same bytes, whatever the process was started with."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ...exhaustive import first
from ..routed import EXAMPLES

LOCALES = ("C", "C.UTF-8", "tr_TR.UTF-8")
PROMPT = "Summarize a matrix with summarize_matrix, then plot it with plot_matrix"
TWIN = '"""Frobnicate a matrix, then summarize and plot it."""\n\n\ndef run(df):\n    return df\n'


def contents() -> dict[str, bytes]:
    """The example's tools, and many that only the rules of ties can order."""
    root = EXAMPLES / "workflows"
    found = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.suffix in {".py", ".yaml"} and "_tmp" not in path.parts
    }
    for place in ("domains/analysis/visualise", "domains/text/count", "shared_tools/summarise"):
        found |= {f"{place}/twin_{number}.py": TWIN.encode() for number in range(12)}
    line = {"ts": "2025-10-31T12:00:00+04:00", "event": "accepted", "name": "plot_matrix"}
    line |= {"hash": "sha256:0", "run_id": "", "route_id": "", "intent": "draw my table"}
    history = json.dumps({**line, "signature": None}) + "\n"
    return found | {"domains/analysis/visualise/history.jsonl": history.encode()}


def project(folder: Path, seed: int) -> Path:
    """The same files, made in an order that the seed shuffles."""
    files = sorted(contents().items())
    random.Random(seed).shuffle(files)
    for name, content in files:
        path = folder / "workflows" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, ns=(seed * 10**9,) * 2)
    return folder


def told(folder: Path, number: int) -> tuple[bytes, list[str]]:
    """What one run printed, and its events without time and names."""
    shuffled = random.Random(number)
    environment = {
        **os.environ,
        "PYTHONHASHSEED": str(shuffled.randrange(2**32)),
        "LC_ALL": LOCALES[number % len(LOCALES)],
        "TZ": shuffled.choice(["UTC", "Asia/Dubai", "America/St_Johns"]),
    }
    words = ["route", PROMPT, "--plan", "--json", "--workflows", str(folder / "workflows")]
    words += ["--no-cache"] * (number % 4 // 2)
    done = subprocess.run(
        [sys.executable, "-m", "prefrontal", *words],
        capture_output=True,
        env=environment,
        cwd=shuffled.choice([folder, Path("/")]),
        check=True,
    )
    return done.stdout, events(folder)


def events(folder: Path) -> list[str]:
    """The latest run's events; its log is taken away."""
    [log] = folder.glob("logs/runs/*/steps.log")
    rows = [json.loads(line) for line in log.read_bytes().splitlines()]
    log.unlink()
    log.parent.rmdir()
    return [
        json.dumps({key: row[key] for key in row if key not in {"ts", "run_id", "route_id"}})
        for row in rows
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", first(1, [6, 20]))
def test_all_runs_print_and_log_the_same_bytes(tmp_path: Path, number: int) -> None:
    folders = [project(tmp_path / str(seed), seed) for seed in (1, 2)]

    def half(place: int) -> list[tuple[bytes, list[str]]]:
        return [told(folders[place], each) for each in range(place, number, 2)]

    with ThreadPoolExecutor(2) as pool:
        found = [one for runs in pool.map(half, range(2)) for one in runs]
    assert len(found) == number
    assert len({output for output, _ in found}) == 1
    assert len({tuple(logged) for _, logged in found}) == 1
    output, logged = found[0]
    assert json.loads(output)["plan"]["steps"][0]["id"] == "s1"
    phases = [json.loads(row)["phase"] for row in logged]
    assert phases[:3] == ["parse", "discover", "rank"]
    ranked = json.loads(logged[2])["detail"]
    assert len(ranked["ranked"]) >= 10
    assert ranked["ties"] != []
