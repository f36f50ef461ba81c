from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from prefrontal.errors import InputError
from prefrontal.sandbox import Limits, Policy, SandboxResult, SandboxRunner, run
from prefrontal.sandbox.backends import oci_backend
from prefrontal.sandbox.backends.oci_backend import OciBackend
from prefrontal.sandbox.ladder import Rung

from ..driver import survivors

STANDIN = Path(__file__).with_name("standin.py")


@pytest.fixture
def standin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OciBackend:
    """A backend whose runtime confines nothing, and counts as one that does."""
    program = tmp_path / "standin"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {STANDIN} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(oci_backend, "_tried", lambda runtime, user: Rung("oci", True))
    return OciBackend([str(program)])


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def python(
    backend: OciBackend, scratch: Path, program: str, stdin: bytes = b"", **limits: float
) -> SandboxResult:
    command = [sys.executable, "-I", "-S", "-c", program, str(scratch)]
    bounds = Limits(**{"max_seconds": 20.0, **limits})  # type: ignore[arg-type]
    return run(command, bounds, Policy(scratch), stdin=stdin, backend=backend)


def test_a_command_runs_and_hands_on_what_it_says(standin: OciBackend, scratch: Path) -> None:
    result = python(
        standin, scratch, "import os, sys; print(input(), os.getcwd()); sys.exit(7)", b"in\n"
    )
    assert (result.returncode, result.stopped_by, result.level) == (7, "", "oci")
    assert result.stdout.decode() == f"in {scratch.resolve()}\n"
    ended = python(standin, scratch, "import os; os.abort()")
    assert (ended.returncode, ended.ok) == (-6, False)


def test_the_configuration_gives_it_a_folder_and_takes_the_rest(
    standin: OciBackend, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEEP", str(tmp_path / "config"))
    (tmp_path / "data").write_text("data")
    (tmp_path / "link").symlink_to(tmp_path / "data")
    policy = Policy(scratch, (tmp_path / "link",), environment={"A": "b=c"})
    limits = Limits(max_mem_mb=100, max_file_mb=3, max_processes=5)
    assert run([sys.executable, "-S", "-c", "pass"], limits, policy, backend=standin).ok
    config: dict[str, Any] = json.loads((tmp_path / "config").read_text())
    mounts = {each["destination"]: each for each in config["mounts"]}
    writable = [name for name, each in mounts.items() if "rw" in each.get("options", ())]
    assert writable == [str(scratch.resolve())]
    assert {"noexec", "nosuid", "nodev"} < set(mounts[writable[0]]["options"])
    assert mounts[str(tmp_path / "link")]["source"] == str((tmp_path / "data").resolve())
    assert {"/", "/etc", "/home", "/root", "/tmp", "/var", "/sys"}.isdisjoint(mounts)
    assert config["root"]["readonly"] is True
    process = config["process"]
    assert not any(process["capabilities"].values()) and process["noNewPrivileges"] is True
    assert "A=b=c" in process["env"] and "KEEP" not in str(process["env"])
    assert {"type": "RLIMIT_FSIZE", "soft": 3 << 20, "hard": 3 << 20} in process["rlimits"]
    kinds = {each["type"] for each in config["linux"]["namespaces"]}
    assert {"pid", "network", "ipc", "uts", "mount"} <= kinds
    if os.geteuid() == 0:
        assert config["linux"]["resources"]["memory"]["limit"] == 100 << 20
        assert config["linux"]["resources"]["pids"]["limit"] == 5 + 200
    else:
        assert "user" in kinds


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("program", "limits", "stopped_by"),
    [
        ("import time; time.sleep(30)", {"max_seconds": 0.3}, "time"),
        (
            "import time\nfor n in range(4): open(f'{n}', 'wb').write(b'x' * 1_000_000)\n"
            "time.sleep(30)",
            {"max_scratch_mb": 2},
            "disk",
        ),
        (
            "import time\nfor n in range(9): open(f'{n}', 'w')\ntime.sleep(30)",
            {"max_scratch_entries": 5},
            "disk",
        ),
        (
            "import os\nwhile True: os.write(1, b'x' * 1000)",
            {"max_output_bytes": 5_000},
            "output",
        ),
    ],
)
def test_limits_that_a_runtime_does_not_know_are_kept(
    standin: OciBackend, scratch: Path, program: str, limits: dict[str, float], stopped_by: str
) -> None:
    result = python(standin, scratch, program, b"", **limits)
    assert (result.stopped_by, result.ok) == (stopped_by, False)
    assert len(result.stdout) <= 5_000 and survivors(scratch) == []


def test_links_and_special_files_are_not_left_for_whoever_reads_later(
    standin: OciBackend, scratch: Path
) -> None:
    (scratch / "before").symlink_to("/etc/passwd")
    program = """
import os
os.makedirs("a/b")
os.symlink("/etc", "a/link")
os.symlink("/etc/passwd", "a/b/link")
os.mkfifo("pipe")
open("plain", "w").close()
open("program", "w").close()
os.chmod("program", 0o4755)
"""
    result = python(standin, scratch, program)
    assert result.ok and result.notes == (
        "links, special files or setuid bits that it left were removed: 4",
    )
    left = {str(path.relative_to(scratch)) for path in scratch.rglob("*")}
    assert left == {"a", "a/b", "before", "plain", "program"}
    assert (scratch / "program").stat().st_mode & 0o7777 == 0o755


def test_a_runtime_that_confines_nothing_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = secrets.token_hex(8)
    monkeypatch.setattr("secrets.token_hex", lambda _: mark)
    program = tmp_path / "standin"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {STANDIN} "$@"\n')
    program.chmod(0o755)
    runner = SandboxRunner(backend=OciBackend([str(program)]))
    assert not runner.enforced
    assert runner.rung.why == f"a no-op in {program} could reach outside"
    assert not Path("/tmp", f"prefrontal-probe-{mark}").exists()
    (tmp_path / "scratch").mkdir()
    result = runner.run([sys.executable, "-c", "open('ran', 'w')"], scratch=tmp_path / "scratch")
    assert (result.returncode, result.stopped_by) == (None, "sandbox")
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.exhaustive
def test_a_runtime_that_is_missing_or_fails_runs_nothing(tmp_path: Path, scratch: Path) -> None:
    assert OciBackend(["no-such-runtime"]).rung(Policy(scratch)).why == (
        "no-such-runtime is not installed here"
    )
    failing = tmp_path / "failing"
    failing.write_text("#!/bin/sh\necho cannot make a namespace >&2; exit 1\n")
    failing.chmod(0o755)
    result = python(OciBackend([str(failing)]), scratch, "pass")
    assert result.stopped_by == "sandbox" and "cannot make a namespace" in result.notes[0]


def test_a_runtime_has_no_network_and_no_level(scratch: Path) -> None:
    backend = OciBackend(["runsc"])
    for policy in (Policy(scratch, network=True), Policy(scratch, level="namespace")):
        assert "neither a network nor the launcher's levels" in backend.rung(policy).why
    with pytest.raises(InputError, match="runtime must be the words of a program"):
        OciBackend([])


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("runsc") is None, reason="needs gVisor's runsc")
def test_gvisor_runs_a_command_and_holds_it(scratch: Path) -> None:
    backend = OciBackend(["runsc", "--platform=ptrace", "--network=none"])
    held = backend.rung(Policy(scratch))
    if not held.works:
        pytest.skip(held.why)
    result = python(backend, scratch, "import os; print(os.uname().release, os.listdir('/'))")
    assert result.ok and not {"'home'", "'root'", "'var'"} & set(result.stdout.decode().split(", "))
    assert python(backend, scratch, "open('made', 'w').write('x')").ok
    assert (scratch / "made").read_text() == "x"
    assert not python(backend, scratch, "open('/etc/passwd')").ok
    assert (
        python(backend, scratch, "import time; time.sleep(30)", max_seconds=3).stopped_by == "time"
    )
    assert survivors(scratch) == []
