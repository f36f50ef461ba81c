from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from prefrontal.errors import InputError
from prefrontal.sandbox import Limits, Policy, SandboxRunner, probe, run
from prefrontal.sandbox import ladder as ladder_module
from prefrontal.sandbox.ladder import LEVELS, Ladder, Rung, best_level, rung
from prefrontal.sandbox.launcher import launcher


def test_every_level_is_tried_and_one_that_does_not_work_says_why() -> None:
    rungs = probe().rungs
    assert [each.level for each in rungs] == list(LEVELS)
    assert all(each.works != bool(each.why) for each in rungs)
    assert [each.enforced for each in rungs] == [True, True, True, False, False]


def test_the_best_is_the_first_that_works() -> None:
    rungs = (Rung("namespace", False, "no"), Rung("landlock", True), Rung("none", True))
    assert Ladder(rungs).best.level == "landlock"
    assert str(Ladder(rungs)).splitlines()[:2] == ["namespace: no", "landlock: works"]


def test_without_an_enforced_level_nothing_is_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def only_weak(level: str) -> Rung:
        return Rung(level, level == "seccomp", "" if level == "seccomp" else "not here")

    monkeypatch.setattr(ladder_module, "rung", only_weak)
    assert best_level() == Rung("none", False, best_level().why)
    assert "namespace: not here; landlock: not here" in best_level().why
    result = run([sys.executable, "-c", "open('ran', 'w')"], Limits(), Policy(tmp_path))
    assert (result.returncode, result.stopped_by, result.level) == (None, "sandbox", "none")
    assert "no level that confines" in result.notes[0]
    assert not (tmp_path / "ran").exists()
    assert best_level(weak=True).level == "seccomp"


def test_a_level_that_is_asked_for_is_that_or_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = "prefrontal.sandbox.backends.launcher_backend.rung"
    monkeypatch.setattr(place, lambda level: Rung(level, False, "no"))
    result = run([sys.executable], Limits(), Policy(tmp_path, level="landlock"))
    assert (result.returncode, result.level, result.notes) == (None, "landlock", ("no",))


def test_without_the_launcher_no_level_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ladder_module, "launcher", lambda: tmp_path / "prefrontal-sbx")
    ladder_module._tried.cache_clear()
    try:
        assert not any(each.works for each in probe().rungs)
        assert "is not installed here" in best_level(weak=True).why
    finally:
        ladder_module._tried.cache_clear()


def test_a_level_that_lets_the_no_op_out_does_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder_module, "_try", lambda level, scratch: (1, ""))
    ladder_module._tried.cache_clear()
    try:
        assert not rung("landlock").works
        assert "could reach outside" in rung("landlock").why
        assert rung("seccomp").works  # it never promised to hide files
    finally:
        ladder_module._tried.cache_clear()


@pytest.mark.skipif(not best_level().works, reason=best_level().why)
def test_a_probe_that_failed_at_a_bad_moment_is_made_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    level = best_level().level
    program = tmp_path / "prefrontal-sbx"
    # Ends without a report the first time.
    program.write_text(f'#!/bin/sh\nmkdir {tmp_path}/second && exit 1\nexec {launcher()} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(ladder_module, "launcher", lambda: program)
    monkeypatch.setattr(ladder_module, "_tried", cache(ladder_module._tried.__wrapped__))
    first = rung(level)
    assert not first.works and "no report, exit status 1" in first.why
    assert (tmp_path / "second").exists()
    assert "no report" not in rung(level).why


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(InputError, match="level must be one of"):
        rung("strong")


def test_the_launcher_without_options_does_nothing() -> None:
    program = launcher()
    if not program.exists():
        pytest.skip("no launcher here")
    assert subprocess.run([program], check=False).returncode == 125


@pytest.mark.skipif(not best_level().works, reason="no enforced level here")
def test_the_runner_is_enforced_unless_the_network_is_open(tmp_path: Path) -> None:
    runner = SandboxRunner()
    assert runner.level == best_level().level and runner.enforced
    assert not SandboxRunner(network=True).enforced
    assert not SandboxRunner(level_asked="none").enforced
    result = runner.run([sys.executable, "-c", "print(input())"], scratch=tmp_path, stdin=b"in")
    assert result.ok and result.stdout == b"in\n"


@pytest.mark.skipif(not best_level().works, reason="no enforced level here")
def test_a_run_may_have_less_time_but_not_more(tmp_path: Path) -> None:
    runner = SandboxRunner(Limits(max_seconds=0.3))
    for seconds in (0.2, 9.0):
        loop = [sys.executable, "-c", "while True: pass"]
        result = runner.run(loop, scratch=tmp_path, max_seconds=seconds)
        assert result.stopped_by == "time" and result.duration_s < 0.6
    with pytest.raises(InputError, match="max_seconds must be above 0"):
        runner.run(["true"], scratch=tmp_path, max_seconds=0.0)
