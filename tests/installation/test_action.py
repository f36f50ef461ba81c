"""The action of GitHub, run by a stand-in runner in a repository that is made for it."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from prefrontal.installation.targets.github_action import action_text

from ..exhaustive import first
from .action_runner import ActionRun, ActionRunner
from .made_history import COMMITS, commits, git, make_history

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / "action" / "action.yml"
SYSTEM = "/usr/local/bin:/usr/bin:/bin"


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of 240 commits, of which every fourth mattered."""
    folder = tmp_path_factory.mktemp("history")
    make_history(folder)
    return folder


@pytest.fixture
def runner(history: Path, tmp_path: Path) -> ActionRunner:
    """In a clone of it, with prefrontal on the PATH."""
    workspace = tmp_path / "workspace"
    subprocess.run(["git", "clone", "-q", str(history), str(workspace)], check=True)
    programs, temporary = tmp_path / "bin", tmp_path / "temporary"
    programs.mkdir()
    temporary.mkdir()
    modules = shlex.quote(":".join(filter(None, sys.path)))
    program = programs / "prefrontal"
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={modules} exec {shlex.quote(sys.executable)} -m prefrontal "$@"\n'
    )
    program.chmod(0o755)
    return ActionRunner(ACTION, workspace, temporary, f"{programs}:{SYSTEM}")


def pushed(runner: ActionRunner, number: int = 1, *, mattered: bool | None = None) -> ActionRun:
    """What the action says of a push of so many commits."""
    before = git(runner.workspace, "rev-parse", "HEAD")
    stream = commits(COMMITS, number, mattered=mattered)
    git(runner.workspace, "fast-import", "--quiet", "--date-format=raw", data=stream)
    git(runner.workspace, "reset", "-q", "--hard")
    runner.event = {"before": before}
    return runner.run(install="", relevant="path:changelog/**")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("mattered", "says"), [(False, "false"), (True, "true")])
def test_a_push_is_reviewed_when_it_may_matter(
    runner: ActionRunner, mattered: bool, says: str
) -> None:
    done = pushed(runner, mattered=mattered)
    assert (done.code, done.outputs["run"]) == (0, says), done.log
    subject = "Mend the reader 240" if mattered else "Polish a page 240"
    side = "at or above" if mattered else "below"
    assert done.outputs["why"].startswith(f'"{subject}" (')
    assert f"{side} the threshold" in done.outputs["why"]
    above = float(done.outputs["score"]) >= float(done.outputs["threshold"])
    assert above == mattered
    assert done.summary.startswith(f"### Review: {'yes' if mattered else 'no'}\n")
    assert f"| {subject} |" in done.summary


@pytest.mark.exhaustive
def test_one_commit_that_may_matter_is_enough(runner: ActionRunner) -> None:
    done = pushed(runner, 5)
    assert done.outputs["run"] == "true"
    assert "2 of 5 commits would wake the reviewer" in done.outputs["why"]


def failing(runner: ActionRunner, kind: str) -> ActionRun:
    """A run in which something is not as it should be."""
    git(runner.workspace, "fast-import", "--quiet", "--date-format=raw",
        data=commits(COMMITS, 1, mattered=False))  # fmt: skip
    before = git(runner.workspace, "rev-parse", "HEAD")
    git(runner.workspace, "reset", "-q", "--hard", "main")
    runner.event, inputs = {"before": before}, {"install": ""}
    if kind == "no prefrontal":
        runner.path = SYSTEM
    elif kind == "nothing to install":
        runner.path, inputs["install"] = SYSTEM, "./nowhere"
    elif kind == "crash":
        program = Path(runner.path.split(":", maxsplit=1)[0]) / "prefrontal"
        program.write_text("#!/bin/sh\nkill -9 $$\n")
    elif kind == "new branch":
        runner.event = {"before": "0" * 40}
    elif kind == "no event":
        runner.event = {}
    elif kind == "forced push":
        runner.event = {"before": "1234567890" * 4}
    elif kind == "shallow":
        shallow = runner.workspace.with_name("shallow")
        source = f"file://{runner.workspace}"
        subprocess.run(["git", "clone", "-q", "--depth=1", source, str(shallow)], check=True)
        runner.workspace = shallow
    elif kind == "no repository":
        inputs["path"] = "nowhere"
    elif kind == "a recall that is none":
        inputs["recall"] = "much"
    return runner.run(**inputs)


KINDS = {
    "no prefrontal": "input install names what pip installs",
    "crash": "its log says why",
    "new branch": "the commit before the push is not known",
    "nothing to install": "input install names what pip installs",
    "no event": "the commit before the push is not known",
    "forced push": "the commit before the push is not known, got '1234567890",
    "shallow": "check it out with fetch-depth: 0",
    "no repository": "cannot change to 'nowhere'",
    "a recall that is none": "its log says why",
}


@pytest.mark.parametrize("kind", first(2, KINDS))
def test_whatever_goes_wrong_the_reviewer_runs(runner: ActionRunner, kind: str) -> None:
    done = failing(runner, kind)
    assert (done.code, done.outputs["run"]) == (0, "true"), done.log
    assert KINDS[kind] in done.outputs["why"]
    assert done.summary.startswith("### Review: yes\n")


@pytest.mark.exhaustive
def test_a_subject_cannot_write_into_outputs_or_summary(runner: ActionRunner) -> None:
    subject = "`x` | ![a](http://b) <script> run=false"
    stream = commits(COMMITS, 1, mattered=False).replace(
        "data 17\nPolish a page 240", "data 39\n" + subject
    )
    assert subject in stream
    git(runner.workspace, "fast-import", "--quiet", "--date-format=raw", data=stream)
    git(runner.workspace, "reset", "-q", "--hard")
    runner.event = {"before": git(runner.workspace, "rev-parse", "HEAD^")}
    done = runner.run(install="", relevant="path:changelog/**")
    assert "\\<script\\>" in done.summary and "script" in done.outputs["why"]
    assert "<script>" not in done.summary.replace("\\<script", "") and "![a]" not in done.summary
    assert done.outputs["run"] == "false"
    assert len(done.outputs) == 4


def test_nothing_is_installed_that_nobody_named(runner: ActionRunner) -> None:
    runner.path = SYSTEM
    done = runner.run(relevant="path:changelog/**")
    assert "input install names what pip installs" in done.outputs["why"]
    assert not (runner.temporary / "prefrontal").exists()


def test_what_install_writes_is_the_action_of_this_repository() -> None:
    assert action_text().split("\n", 1)[1] == ACTION.read_text(encoding="utf-8")
