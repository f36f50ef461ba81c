"""Run the driver as root or as an ordinary user, from a copy of the package that both can read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

import prefrontal

from .decoys import SECRET, TOKEN

NOBODY = 65534
_HERE = Path(__file__).resolve().parent
_MINIMUM = "import sys; sys.exit(sys.version_info < (3, 11))"


def without_level(reason: str) -> NoReturn:
    """Skips, or fails where a sandbox was promised."""
    if os.environ.get("PREFRONTAL_REQUIRE_SANDBOX") == "1":
        pytest.fail(f"PREFRONTAL_REQUIRE_SANDBOX=1, but {reason}")
    pytest.skip(reason)


def oci_runtime() -> list[str]:
    """The words of the runtime that is tried, by default gVisor's; the first may not be here."""
    words = os.environ.get("PREFRONTAL_OCI_RUNTIME", "runsc --platform=ptrace --network=none")
    program, *options = words.split()
    return [shutil.which(program) or program, *options]


def users() -> list[str]:
    """Who can be tried here: "root" only for root."""
    return ["root", "nobody"] if os.geteuid() == 0 else ["nobody"]


def python_for(user: str) -> str | None:
    """An interpreter that the user may run: ours, or the system's."""
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            if subprocess.run([python, "-c", _MINIMUM], check=False, **_as(user)).returncode == 0:
                return python
        except OSError:
            continue
    return None


@contextmanager
def shared_folder(user: str) -> Iterator[Path]:
    """A folder below /tmp that belongs to the user, with a copy of the package and the attempts."""
    folder = Path(tempfile.mkdtemp(prefix="prefrontal-escapes-", dir="/tmp")).resolve()
    try:
        folder.chmod(0o755)
        _copy_code(folder / "code")
        (folder / "trials").mkdir()
        if os.geteuid() == 0 and user == "nobody":
            os.chown(folder / "trials", NOBODY, NOBODY)
        yield folder
    finally:
        shutil.rmtree(folder)


def drive(
    user: str, python: str, folder: Path, names: Sequence[str], *levels: str
) -> list[dict[str, Any]]:
    """The outcomes of the attempts of these names at the levels."""
    ended = subprocess.run(
        [python, "-B", "-m", "escapes.driver", str(folder / "trials"), ",".join(names), *levels],
        cwd="/", env={"PYTHONPATH": str(folder / "code"), "HOME": "/", SECRET: "1", **TOKEN,
             "PREFRONTAL_OCI_RUNTIME": " ".join(oci_runtime())},
        capture_output=True, check=False, timeout=600, **_as(user),
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr.decode()
    outcomes: list[dict[str, Any]] = json.loads(ended.stdout)
    return outcomes


def _as(user: str) -> dict[str, Any]:
    if os.geteuid() != 0 or user == "root":
        return {}
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


def _copy_code(code: Path) -> None:
    package = Path(prefrontal.__file__).parent
    shutil.copytree(
        package, code / "prefrontal", ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    shutil.copytree(_HERE, code / "escapes", ignore=shutil.ignore_patterns("test_*", "__pycache__"))
    for path in (code, *code.rglob("*")):
        path.chmod(0o755)
