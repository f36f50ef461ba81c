"""What a person installs: the size of the base wheel, what comes with it, and no compiler needed.

In full it builds the wheel without the operators for torch, installs it into an empty environment
(packages come from where pip takes them), and replays a made-up repository there with a PATH that
holds git and nothing else. `--smoke` measures the installed files as a wheel would pack them.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path

from packaging.requirements import Requirement

import harness

MOST_BYTES = 5_000_000
MOST_DISTRIBUTIONS = 20
ROOT = Path(__file__).resolve().parents[1]


def needed(
    name: str, extras: frozenset[str] = frozenset(), found: set[str] | None = None
) -> set[str]:
    """The distributions that installing `name` brings, itself included."""
    known = set() if found is None else found
    plain = re.sub(r"[-_.]+", "-", name).lower()
    if plain in known:
        return known
    known.add(plain)
    for line in requires(name) or ():
        wanted = Requirement(line)
        asked = wanted.marker is None or any(
            wanted.marker.evaluate({"extra": extra}) for extra in extras or {""}
        )
        if asked:
            needed(wanted.name, frozenset(wanted.extras), known)
    return known


def packed_bytes() -> int:
    """Size of the installed files, without _torch, packed as a wheel packs them."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file in distribution("prefrontal").files or ():
            path = Path(str(file.locate()))
            if path.is_file() and path.suffix != ".pyc" and not path.name.startswith("_torch."):
                wheel.write(path, str(file))
    return buffer.tell()


def built(folder: Path) -> Path:
    """The wheel, built without torch."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, env={**os.environ, "PREFRONTAL_TORCH": "0"})
    [wheel] = folder.glob("*.whl")
    return wheel


def replayed_without_a_compiler(wheel: Path, folder: Path) -> tuple[str, int]:
    """The last line of a replay in an empty environment, and how many distributions it holds."""
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    tools = folder / "tools"
    tools.mkdir()
    git = shutil.which("git")
    assert git is not None, "git must be there"
    (tools / "git").symlink_to(git)
    environment = {"PATH": str(tools), "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    repository = _repository(folder / "repository", environment)
    command = [str(folder / "env" / "bin" / "prefrontal"), "replay", "--git", str(repository)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    listed = subprocess.run(
        [str(python), "-m", "pip", "list", "--format=freeze"],
        check=True,
        capture_output=True,
        text=True,
    )
    extra = {"pip", "setuptools", "wheel"}
    count = sum(line.partition("=")[0].lower() not in extra for line in listed.stdout.split())
    return shown.stdout.strip().splitlines()[-1], count


def _repository(folder: Path, environment: dict[str, str]) -> Path:
    """A repository with some history in which every third change has a changelog entry."""
    folder.mkdir()
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True, env=environment)
    for number in range(120):
        (folder / f"module_{number % 7}.py").write_text(f"VALUE = {number}\n")
        if number % 3 == 0:
            (folder / "CHANGELOG.md").write_text(f"- change {number}\n")
        for command in (["add", "."], [*who, "commit", "--quiet", "-m", f"change {number}"]):
            subprocess.run(["git", "-C", str(folder), *command], check=True, env=environment)
    return folder


def main() -> None:
    options = harness.options(__doc__ or "")
    try:
        names = needed("prefrontal")
    except PackageNotFoundError:
        print("prefrontal is not installed here; `make build` installs it")
        return
    rows = [("distributions, from the metadata", len(names), MOST_DISTRIBUTIONS)]
    if options.smoke:
        rows.append(("bytes, installed files packed", packed_bytes(), MOST_BYTES))
    else:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            wheel = built(folder)
            line, count = replayed_without_a_compiler(wheel, folder)
            rows.append(("bytes of the wheel", wheel.stat().st_size, MOST_BYTES))
            rows.append(("distributions in an empty environment", count, MOST_DISTRIBUTIONS))
            print(f"A replay there, without a compiler, ended with: {line}\n")
    print("| what | measured | asked |\n|---|---|---|")
    for what, measured, most in rows:
        print(f"| {what} | {measured:,} | <= {most:,} |")
        assert measured <= most, f"{what} must be at most {most:,}, got {measured:,}"


if __name__ == "__main__":
    main()
