"""`make demo` without the building: the sample first, then what is found here, and what is next."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from ..replay import repositories
from ..replay.repositories import Change

no_set_up, git, import_history = (
    repositories.no_set_up,
    repositories.git,
    repositories.import_history,
)
SCRIPT = Path(__file__).parents[2] / "scripts" / "demo.py"
Clone = Callable[[Iterable[Change], str], Path]


def labelled(number: int) -> Change:
    """Changes to the source come with an entry, mostly."""
    chance = random.Random(number)
    source = chance.random() < 0.4
    files: dict[str, str | None] = {f"{'src' if source else 'docs'}/{number % 9}.txt": str(number)}
    if source and chance.random() < 0.9:
        files |= {f"changelog/{number}.rst": "entry"}
    return 1_600_000_000 + 36_000 * number, f"change {number}", files


def plain(number: int) -> Change:
    return 1_600_000_000 + 36_000 * number, f"change {number}", {"notes.txt": str(number)}


@pytest.fixture
def clone(
    tmp_path: Path,
    git: Callable[..., str],
    import_history: Callable[[Iterable[Change]], Path],
) -> Clone:
    """`clone(changes, name)`: a work tree below home/ with these changes."""

    def make(changes: Iterable[Change], name: str) -> Path:
        bare = import_history(changes)
        folder = tmp_path / "home" / name
        folder.parent.mkdir(parents=True, exist_ok=True)
        git(tmp_path, "clone", "--quiet", str(bare), str(folder))
        bare.rename(tmp_path / f"{folder.name}.git")
        return folder

    return make


def demo(place: Path, *words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The demo in an empty folder, looking for histories below home/ only."""
    (place / "home").mkdir(exist_ok=True)
    looking = ("--reports", place / "reports", "--look", place / "home")
    own = {name: value for name, value in os.environ.items() if name != "HOME"}
    modules = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, (*looking, *words))],
        cwd=place,
        env=own | {"COLUMNS": "120", "PYTHONPATH": modules} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.exhaustive
def test_in_an_empty_home_without_git_the_sample_is_shown(tmp_path: Path) -> None:
    done = demo(tmp_path, HOME=str(tmp_path / "home"), PATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "trio" in done.stdout
    assert "Learned gate" in done.stdout
    assert "git is not installed here" in done.stdout
    page = (tmp_path / "reports" / "sample.html").read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>")
    assert not (tmp_path / "reports" / "yours.html").exists()
    [*_, reports, replay, watch] = done.stdout.splitlines()
    assert reports.startswith(f"Open {tmp_path / 'reports' / 'sample.html'} (")
    assert "prefrontal replay --git ~/project " in replay
    assert "prefrontal watch . " in watch


@pytest.mark.exhaustive
def test_the_longest_history_that_tells_something_follows_the_sample(
    tmp_path: Path, clone: Clone
) -> None:
    clone(map(plain, range(500)), "longer")
    clone(map(labelled, range(300)), "work/mine")
    clone(map(labelled, range(30)), "young")
    done = demo(tmp_path)
    assert done.returncode == 0, done.stderr
    text = done.stdout
    assert text.index("trio") < text.index("Passed over") < text.index("Chosen:")
    assert (
        f"Passed over {tmp_path / 'home/longer'} (500 changes): none of 400 windows mattered"
        in text
    )
    assert f"Chosen: {tmp_path / 'home/work/mine'} (300 changes)" in text
    assert "mine: 240 windows" in text
    for name in ("sample", "yours"):
        assert f"Open {tmp_path / 'reports' / name}.html" in text
        assert (tmp_path / "reports" / f"{name}.html").stat().st_size > 1000


@pytest.mark.exhaustive
def test_a_terminal_that_knows_only_ascii_is_enough(tmp_path: Path) -> None:
    done = demo(tmp_path, PYTHONIOENCODING="ascii", PATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert "-- Next ---" in done.stdout


@pytest.mark.exhaustive
def test_young_histories_are_named_and_not_replayed(tmp_path: Path, clone: Clone) -> None:
    clone(map(labelled, range(150)), "young")
    done = demo(tmp_path)
    assert f"{tmp_path / 'home/young'} (150 changes)" in done.stdout
    assert "Too short, all of them: fewer than 200 changes tell little." in done.stdout
    assert "Chosen" not in done.stdout
    assert not (tmp_path / "reports" / "yours.html").exists()


@pytest.mark.exhaustive
def test_the_one_that_is_asked_for_is_shown_alone(tmp_path: Path, clone: Clone) -> None:
    asked = clone(map(labelled, range(40)), "asked")
    clone(map(labelled, range(300)), "neighbour")
    done = demo(tmp_path, asked)
    assert done.returncode == 0, done.stderr
    assert "asked: 32 windows" in done.stdout
    assert "trio" not in done.stdout
    assert "neighbour" not in done.stdout
    assert [path.name for path in (tmp_path / "reports").iterdir()] == ["yours.html"]


@pytest.mark.exhaustive
def test_a_folder_that_is_no_repository_is_one_sentence(tmp_path: Path) -> None:
    for wrong, complaint in (("home", "path must be inside a git repository"), ("x", "exist")):
        done = demo(tmp_path, tmp_path / wrong)
        assert done.returncode == 1
        assert complaint in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.exhaustive
def test_a_repository_that_git_refuses_is_passed_over(tmp_path: Path, clone: Clone) -> None:
    folder = clone(map(labelled, range(300)), "broken")
    for pack in (folder / ".git" / "objects" / "pack").glob("*.pack"):
        pack.chmod(0o644)
        content = pack.read_bytes()
        pack.write_bytes(content[: len(content) // 2])
    done = demo(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Chosen" not in done.stdout
    assert "Open " in done.stdout
