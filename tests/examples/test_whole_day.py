"""The day of examples/whole_day.py, lived through with a small made-up repository."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from prefrontal.assembly.router import build_runner
from prefrontal.settings.routing import Routing

from ..routing.project import write

pytestmark = pytest.mark.exhaustive  # a whole day takes nine seconds
EXAMPLES = Path(__file__).parents[2] / "examples"
COMMITS: tuple[tuple[str, dict[str, str | None]], ...] = (
    ("ann", {"src/shop.py": "def price():\n    return 1\n", "CHANGELOG.md": "# Changes\n"}),
    ("ann", {"src/shop.py": "def price(tax):\n    return 1 + tax  # TODO round\n"}),
    ("bob", {"src/cart.py": "def add(:\n"}),
    ("bob", {"docs/guide.md": "[more](gone.md)\n"}),
    ("ann", {"requirements.txt": "click>=8\n"}),
    ("bob", {"tests/test_shop.py": "def test_price():\n    assert 1 == 2\n"}),
    (
        "ann",
        {
            "page.css": "p {}\n",
            "src/cart.py": None,
            ".gitignore": "*.pyc\n",
            "tests/test_cart.py": "import not_on_this_machine\n",
        },
    ),
)
DAY = tuple(
    (
        "ann",
        {
            f"src/part{number % 7}.py": f"def part():\n    return {number}\n",
            ".gitignore": f"*.{number}\n",
            f"tests/test_part{number % 3}.py": f"import not_on_this_machine  # {number}\n",
            "CHANGELOG.md": f"# Change {number}\n",
        },
    )
    for number in range(12)
)
"""Of a maintainer in whose work no check finds anything, and whose tests cannot run here."""


def git(folder: Path, *words: str, name: str = "ann", minute: int = 0) -> str:
    at = f"2026-01-05T{8 + minute // 60:02d}:{minute % 60:02d}:00+00:00"
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (
        ("NAME", name), ("EMAIL", f"{name}@example.org"), ("DATE", at))}  # fmt: skip
    told = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", **who}
    done = subprocess.run(
        ["git", "-C", str(folder), *words], env=told, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home") / "shop"
    commit_all(folder, COMMITS)
    return folder


def commit_all(
    folder: Path, commits: Sequence[tuple[str, Mapping[str, str | None]]], apart: int = 70
) -> None:
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for number, (name, files) in enumerate(commits):
        for place, text in files.items():
            if text is None:
                (folder / place).unlink()
            else:
                write(folder / place, text)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"change {number}", name=name, minute=apart * number)


@pytest.fixture(scope="module")
def program() -> Iterator[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES))
        yield run_path(str(EXAMPLES / "whole_day.py"))
    sys.modules.pop("commit_files", None)


def test_a_name_too_long_for_any_file_system_is_passed_over(
    program: dict[str, Any], tmp_path: Path
) -> None:
    files = program["CommitFiles"](tmp_path, tmp_path, "HEAD")
    files._put("x" * 300, b"text")
    assert list((tmp_path / "files").iterdir()) == []


@pytest.fixture(scope="module")
def story(program: dict[str, Any], repository: Path) -> str:
    with redirect_stdout(io.StringIO()) as printed:
        assert program["main"]([str(repository), "--allow-weak-sandbox"]) == 0
    return printed.getvalue()


def line(story: str, module: str, where: str) -> str:
    pattern = rf"^\d\d:\d\d {module} +{re.escape(where)} +.*$"
    found = re.findall(pattern, story, re.MULTILINE)
    assert found, (module, where)
    return " ".join(str(found[0]).split())


@pytest.mark.parametrize(
    ("module", "where", "said"),
    [
        ("names", "shop.py", "List the changed public names. -> list_public_names done: added p"),
        ("syntax", "shop.py", "Check its syntax. -> check_python_syntax nothing"),
        ("links", "guide.md", "-> check_markdown_links done: guide.md:1: gone.md does not exist"),
        ("needs", "requirements.txt", "-> list_new_dependencies done: needs click>=8"),
        ("tests", "test_shop.py", "Run the test file. -> run_test_file done: failed: test_shop.py"),
        ("others", "page.css", "changed: what follows? -> the agent asked"),
    ],
)
def test_each_wake_is_one_line_with_its_question_tool_and_outcome(
    story: str, module: str, where: str, said: str
) -> None:
    assert said in line(story, module, where)


def test_what_happened_is_counted_and_the_gate_slept_through_the_rest(story: str) -> None:
    signals, wakes = map(int, re.findall(r"^(\d+) signals, (\d+) wakes: ", story, re.M)[0])
    assert signals == len(COMMITS) + sum(len(files) for _, files in COMMITS)
    assert wakes == len(re.findall(r"^\d\d:\d\d ", story, re.M))
    assert re.search(r"Slept through: .*\d+ below_threshold", story)


def test_the_people_are_judged_by_what_their_changes_led_to(story: str) -> None:
    told = story.partition("What it thinks of people:\n")[2]
    assert re.search(r"^  (ann|bob) \([+-]\d\): ", told, re.M)
    assert "What it believes" in told


def test_faults_and_checks_that_find_nothing_are_held_against_nobody(story: str) -> None:
    assert "-> run_test_file failed: run_test_file failed" in line(story, "tests", "test_cart.py")
    assert not [each for each in story.splitlines() if "gitignore" in each and "syntax" in each]
    assert "(-" not in story.partition("What it thinks of people:")[2]
    assert "deferred" not in story and "peer_budget" not in story


@pytest.mark.exhaustive
def test_after_a_whole_day_of_commits_their_maintainer_is_trusted(
    program: dict[str, Any], tmp_path: Path
) -> None:
    commit_all(tmp_path / "parts", DAY, apart=37)
    with redirect_stdout(io.StringIO()) as printed:
        assert program["main"]([str(tmp_path / "parts"), "--allow-weak-sandbox"]) == 0
    story = printed.getvalue()
    assert story.count("-> run_test_file         failed: ") > 1
    assert re.search(r"^  ann \(\+[1-9]\): ", story, re.M)
    assert "deferred" not in story and "peer_budget" not in story and "too fast" not in story


def test_the_day_ends_with_what_a_heartbeat_agent_would_have_cost(story: str) -> None:
    assert re.search(r"a heartbeat agent, 48 turns a day +48 turns +4,832,400 tokens", story)
    assert re.search(r"a cheap heartbeat, 18 turns of a small model +18 turns +1,812,150", story)
    [turns, tokens] = re.findall(r"what the tools found +(\d+) turns +([\d,]+) tokens", story)[0]
    assert int(tokens.replace(",", "")) == int(turns) * 100_675
    came_to = re.findall(r"(\d+) (?:done|asked|deferred)", story.partition("wakes: ")[2])
    assert int(turns) == sum(map(int, came_to))


def test_the_same_repository_tells_the_same_story_and_is_not_touched(
    program: dict[str, Any], repository: Path, story: str
) -> None:
    before = git(repository, "status", "--porcelain", "--ignored")
    with redirect_stdout(io.StringIO()) as printed:
        program["main"]([str(repository), "--allow-weak-sandbox"])
    assert printed.getvalue() == story
    assert git(repository, "status", "--porcelain", "--ignored") == before
    assert not (EXAMPLES / "tools" / "_tmp").exists()


def test_a_folder_that_is_no_repository_is_a_sentence(
    program: dict[str, Any], tmp_path: Path
) -> None:
    with redirect_stderr(io.StringIO()) as printed:
        assert program["main"]([str(tmp_path / "nowhere")]) == 2
    assert printed.getvalue().startswith("repository must exist, got ")


def test_a_weaker_level_that_confines_will_do(
    program: dict[str, Any], repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = build_runner(Routing.model_validate({"sandbox": {"level": "landlock-fs"}}))
    if not runner.enforced:
        pytest.skip("no Landlock here")
    monkeypatch.setenv("PREFRONTAL_ROUTING__SANDBOX__LEVEL", "landlock-fs")
    with redirect_stdout(io.StringIO()) as printed:
        assert program["main"]([str(repository), "--commits", "1"]) == 0
    assert "sandbox: landlock-fs." in printed.getvalue()
    assert "-> summarise_diff        done: 4 files" in printed.getvalue()
