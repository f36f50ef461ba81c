"""The wheel installs and works where there is no compiler, and holds what belongs there alone."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import make_wheel
import wheel_sbom

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "make_wheel.py"
LICENCES = (
    *("LICENSE", "LICENSE-WordNet.txt", "LICENSE-htmx.txt", "LICENSE-pybind11.txt"),
    *("LICENSE-uPlot.txt", "NOTICE.md"),
)
GOOD = ("prefrontal/_core.so", "prefrontal/prefrontal-sbx", "prefrontal/py.typed",
        *(f"prefrontal-1.dist-info/licenses/{name}" for name in LICENCES))  # fmt: skip
REFUSED = ("tests/test_a.py", "prefrontal/_torch.so", "prefrontal/rule.cpp", "prefrontal/rule.o")


def wheel_of(folder: Path, *names: str) -> Path:
    wheel = folder / "prefrontal-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return wheel


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_belong_into_a_wheel_is_refused(tmp_path: Path, name: str) -> None:
    make_wheel.check_contents(wheel_of(tmp_path, *GOOD))
    with pytest.raises(make_wheel.UnfitWheelError, match=re.escape(name)):
        make_wheel.check_contents(wheel_of(tmp_path, *GOOD, name))


@pytest.mark.parametrize("name", GOOD)
def test_a_wheel_that_lacks_a_part_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(make_wheel.UnfitWheelError, match="wheel must hold"):
        make_wheel.check_contents(wheel_of(tmp_path, *(each for each in GOOD if each != name)))


@pytest.mark.parametrize("what", ["bytes", "mode", "time", "more"])
def test_two_wheels_that_differ_are_told_apart(tmp_path: Path, what: str) -> None:
    one, other = tmp_path / "one.whl", tmp_path / "other.whl"
    for path, name in ((one, ""), (other, what)):
        info = zipfile.ZipInfo("a.py", (2026, 1, 1, 0, 0, 2 if name == "time" else 0))
        info.external_attr = (0o600 if name == "mode" else 0o644) << 16
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(info, "2" if name == "bytes" else "1")
            if name == "more":
                archive.writestr("b.py", "")
    assert make_wheel.differences(one, one) == []
    assert make_wheel.differences(one, other) == ["b.py" if what == "more" else "a.py"]


def run(command: list[str], environment: dict[str, str]) -> str:
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def windows(path: Path) -> Path:
    """Recorded windows, every third of which mattered."""
    lines = []
    for number in range(90):
        event = {"source": "filesystem", "location": f"src/{number % 3}.py"}
        event["delta_type"] = "modified"
        window = {"time": 1_700_000_000 + 3600 * number, "relevant": number % 3 == 0}
        lines.append(json.dumps({**window, "events": [event]}))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.exhaustive
def test_the_wheel_works_in_an_empty_environment_without_a_compiler(tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    run([sys.executable, str(SCRIPT), "--out", str(dist)], dict(os.environ))
    [wheel] = dist.glob("*.whl")
    assert "-manylinux_" in wheel.name and "-linux_" not in wheel.name
    sums = dict(line.split()[::-1] for line in (dist / "SHA256SUMS").read_text().splitlines())
    assert sums[wheel.name] == hashlib.sha256(wheel.read_bytes()).hexdigest()
    bill = json.loads(next(dist.glob("*.cdx.json")).read_text(encoding="utf-8"))
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["hashes"][0]["content"] == sums[wheel.name]
    assert {"numpy", "apsw", "pydantic-core", "pybind11", "uplot", "htmx.org"} <= {
        each["name"] for each in bill["components"]
    }

    venv.create(tmp_path / "env", with_pip=True)
    programs = tmp_path / "env" / "bin"
    run([str(programs / "python"), "-m", "pip", "install", "--quiet", str(wheel)], dict(os.environ))
    tools = tmp_path / "tools"
    tools.mkdir()
    bare = {"PATH": str(tools), "HOME": str(tmp_path)}
    assert all(shutil.which(name, path=bare["PATH"]) is None for name in ("cc", "c++", "g++"))
    command = str(programs / "prefrontal")
    assert run([command, "--version"], bare).strip().endswith(wheel.name.split("-")[1])
    assert "instruction set" in run([command, "doctor"], bare)
    events = windows(tmp_path / "windows.jsonl")
    told = json.loads(run([command, "replay", "--events", str(events), "--json"], bare))
    assert told
    [launcher] = (tmp_path / "env").rglob("prefrontal/prefrontal-sbx")
    assert os.access(launcher, os.X_OK)
    assert "--scratch FOLDER" in run([str(programs / "prefrontal-sbx"), "--help"], bare)
    refused = subprocess.run([str(launcher)], env=bare, check=False)
    assert refused.returncode == 125  # it ran, and was told nothing to start


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_others_wrote_stands_in_the_bill_under_its_licence() -> None:
    parts = [wheel_sbom._component(*part) for part in wheel_sbom.IN_THE_WHEEL]
    licences = {part.name: [one.id for one in part.licenses] for part in parts}
    assert licences == {"htmx.org": ["0BSD"], "uplot": ["MIT"], "wordnet": ["WordNet"]}
