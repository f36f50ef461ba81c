"""What pip installs is locked by its hashes, and the lock holds what pyproject.toml asks for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import locked

LOCK = """\
one==1.0 \\
    --hash=sha256:aa
two==2.0 ; python_full_version < '3.12' \\
    --hash=sha256:bb
    # via one, torch
torch==3.0 \\
    --hash=sha256:cc
    # via one
of-torch==4.0 \\
    --hash=sha256:dd
    # via torch
"""


def names(text: str, *roots: str) -> list[str]:
    return [each.name for each in locked.below(roots, locked.entries(text))]


def test_a_group_takes_along_what_it_needs_but_not_what_torch_needs() -> None:
    assert names(LOCK, "one") == ["one", "two", "torch"]
    assert names(LOCK, "two") == ["two"]
    assert names(LOCK, "of-torch") == ["of-torch"]


def test_an_entry_keeps_its_marker_and_its_hashes() -> None:
    two = locked.entries(LOCK)[1]
    assert two.version == "2.0" and two.parents == {"one", "torch"}
    assert two.text.splitlines()[:2] == LOCK.splitlines()[2:4]


def test_the_lock_holds_each_requirement_of_the_project_in_its_range() -> None:
    lock = locked.entries(locked.LOCK.read_text(encoding="utf-8"))
    small = locked.entries(locked.LOCK.with_name("requirements-cpu.lock").read_text())
    for line in [*(each for group in locked.groups().values() for each in group)]:
        wanted = Requirement(line)
        versions = {each.version for each in [*lock, *small] if each.name == locked.package(line)}
        assert versions, f"{wanted.name} is not locked: make lock"
        assert all(wanted.specifier.contains(each) for each in versions), line


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-cpu.lock"])
def test_each_file_has_a_hash_and_no_index_is_named(name: str) -> None:
    text = locked.LOCK.with_name(name).read_text(encoding="utf-8")
    lock = locked.entries(text)
    assert lock
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", each.text) for each in lock)
    assert "://" not in text


def test_what_is_not_locked_is_refused() -> None:
    command = [sys.executable, str(Path(locked.__file__)), "run", "no-such-package"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == "requirements.lock must lock no-such-package: make lock\n"


def test_each_locked_package_is_one_statement_with_a_hash() -> None:
    statements = locked.LOCK.read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    packages = [line for line in statements if line[:1].strip("# ")]
    assert len(packages) == len(locked.entries(locked.LOCK.read_text(encoding="utf-8")))
    assert [line for line in packages if "--hash=sha256:" not in line] == []
