"""The shipped tools do what their docstrings say, pass the router's trial, and are found."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from prefrontal.assembly.router import build_layout, build_runner
from prefrontal.clock import SystemClock
from prefrontal.executive.actor.trials import Trials
from prefrontal.executive.chooser.desk import RoutedChooser
from prefrontal.routing.catalog.discovery import discover_all
from prefrontal.routing.layout import Layout
from prefrontal.routing.run.router import Router
from prefrontal.routing.trials.calling import call_tool
from prefrontal.settings.routing import Routing

from ..executive.desk_tools import wake_of
from ..exhaustive import first
from ..routing.known_types import lend_types
from ..routing.project import write
from ..routing.routes import QuickRunner

TOOLS = Path(__file__).parents[2] / "examples" / "tools"
NAMES = sorted(path.stem for path in TOOLS.glob("domains/*/*/*.py"))
QUESTIONS = {
    "check_changelog": "A commit touched {}. Check that the changelog has an entry.",
    "check_conflict_marks": "Check {} for merge conflict marks.",
    "check_markdown_links": "A page changed at {}. Check its relative links.",
    "check_python_syntax": "A Python file changed at {}. Check its syntax.",
    "count_lines": "Count the lines of code by language after the change of {}.",
    "find_large_files": "Find large files in the folder of {}.",
    "find_long_functions": "Find long functions in {}.",
    "find_secrets": "{} changed. Find secrets in it.",
    "find_todos": "{} changed. Find the TODO notes in it.",
    "list_new_dependencies": "{} changed. List the new dependencies.",
    "list_public_names": "{} changed. List the changed public names.",
    "run_test_file": "The tests at {} changed. Run the test file.",
    "summarise_diff": "A commit touched {}. Summarise the diff.",
}

FILES = {"check_markdown_links": "docs/x.md", "list_new_dependencies": "requirements.txt"}


def tool(name: str) -> Callable[..., Any]:
    """The run() of a shipped tool."""
    [path] = TOOLS.glob(f"domains/*/*/{name}.py")
    function: Callable[..., Any] = run_path(str(path))["run"]
    return function


@pytest.fixture(scope="module")
def layout(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    folder = tmp_path_factory.mktemp("tools")
    shutil.copytree(TOOLS, folder / "tools")
    return lend_types(build_layout(Routing(), folder / "tools"))


def test_there_are_a_dozen_and_each_has_a_question() -> None:
    assert len(NAMES) >= 12 and set(NAMES) == set(QUESTIONS)


@pytest.mark.exhaustive
def test_discovery_finds_nothing_wrong_with_them(layout: Layout) -> None:
    found = discover_all(layout)
    assert not found.findings
    for each in found.tools:
        assert each.example is not None, each.name
        assert each.manifest is not None and each.manifest.side_effects == "none"


@pytest.mark.parametrize("name", first(5, NAMES))
def test_each_is_found_by_its_question(layout: Layout, name: str) -> None:
    place = FILES.get(name, "src/x.py")
    wake = wake_of(
        QUESTIONS[name].format(place), place, diff="/x.diff", before="/before", after="/after"
    )
    choice = RoutedChooser(Router(layout, Routing()), roots=[Path("/w")]).choose(wake, ())
    assert choice.option is not None, choice.sentence
    assert choice.option.name == name
    assert choice.option.features["side_effect"] == 0.0


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("check_python_syntax", ".gitignore"),
        ("run_test_file", "tests/data.json"),
        ("check_markdown_links", "README.rst"),
        ("list_new_dependencies", "src/x.py"),
    ],
)
def test_none_is_tried_on_a_file_that_it_is_not_for(layout: Layout, name: str, place: str) -> None:
    wake = wake_of(QUESTIONS[name].format(place), place, before="/before", after="/after")
    choice = RoutedChooser(Router(layout, Routing()), roots=[Path("/w")]).choose(wake, ())
    assert name not in [each.name for each in choice.options]
    assert f"{name} needs a file like *." in choice.sentence


@pytest.mark.parametrize("name", first(1, NAMES))
def test_each_passes_the_trial_of_the_router(layout: Layout, name: str) -> None:
    runner = build_runner(Routing())
    trials = Trials(layout, Routing(), runner, SystemClock(), allow_weak=True)
    [found] = [each for each in discover_all(layout).tools if each.name == name]
    source = found.spec.path.read_bytes()
    verdict = trials.verdict(found.spec.path, source, f"route-{name}", found.example)
    assert verdict.ok, verdict.summary
    assert "dry-run" in verdict.summary, verdict.summary


DIFF = """\
diff --git a/src/x.py b/src/x.py
--- a/src/x.py
+++ b/src/x.py
@@ -1,2 +1,3 @@
-one = 1
+one = 2
+two = 3
diff --git a/README.md b/README.md
new file mode 100644
--- /dev/null
+++ b/README.md
@@ -0,0 +1 @@
+hello
"""


def test_a_diff_is_summarised_with_the_largest_change_first(tmp_path: Path) -> None:
    run = tool("summarise_diff")
    assert run(DIFF) == {
        "summary": "2 files, +3 -1: src/x.py, README.md",
        "files": [
            {"file": "src/x.py", "added": 2, "removed": 1},
            {"file": "README.md", "added": 1, "removed": 0},
        ],
    }
    assert run(str(write(tmp_path / "c.diff", DIFF))) == run(DIFF)
    assert run("") == {}
    many = "".join(f"diff --git a/{n}.py b/{n}.py\n+x\n" for n in range(7))
    assert run(many)["summary"].endswith("4.py and 2 more")


def test_a_source_change_without_an_entry_in_the_changelog_is_found() -> None:
    run = tool("check_changelog")
    assert run(DIFF) == {"findings": ["no entry in the changelog for a change to src/x.py"]}
    assert run(DIFF + "diff --git a/CHANGES/1.rst b/CHANGES/1.rst\n+x\n") == {"findings": []}
    assert run(DIFF.replace("src/x.py", "tests/test_x.py")) == {"findings": []}
    assert run(DIFF.replace("src/x.py", "docs/x.rst")) == {"findings": []}


def test_marks_of_an_unfinished_merge_are_found(tmp_path: Path) -> None:
    run = tool("check_conflict_marks")
    file = write(tmp_path / "a.py", "one\n<<<<<<< HEAD\ntwo\n=======\nthree\n>>>>>>> other\n")
    write(tmp_path / "b.md", "Heading\n=======\n\n>>>>>>>> quoted\n")
    expected = ["a.py:2: <<<<<<<", "a.py:6: >>>>>>>"]
    assert run(str(file)) == run(str(tmp_path)) == {"findings": expected}


def test_public_names_that_came_went_or_changed_are_listed(tmp_path: Path) -> None:
    run = tool("list_public_names")
    old = "LIMIT = 1\ndef one(): pass\ndef _own(): pass\nclass Two:\n    def go(self): pass\n"
    new = "def one(n): pass\ndef _own(x): pass\nclass Two(Base):\n    def go(self, *, x=1): pass\n"
    new += "async def three(): pass\n"
    found = run(str(write(tmp_path / "old.py", old)), new)
    assert found == {
        "findings": [
            "removed LIMIT",
            "added three()",
            "one() is now one(n)",
            "class Two is now class Two(Base)",
            "Two.go(self) is now Two.go(self, *, x=1)",
        ]
    }
    assert run(old, old) == {"findings": []}
    assert run("", "def _x(): pass\n") == {"findings": []}
    with pytest.raises(ValueError, match="after must be Python"):
        run(old, "def (")


def test_new_dependencies_are_listed_from_either_form() -> None:
    run = tool("list_new_dependencies")
    old = "[build-system]\nrequires = ['hatch']\n[project]\ndependencies = ['six', 'click>=7']\n"
    new = old.replace("'six', 'click>=7'", "'Click>=8'")
    new += "[project.optional-dependencies]\nweb = ['starlette[full]']\n"
    assert run(old, new) == {
        "findings": [
            "needs starlette[full]",
            "no longer needs six",
            "Click>=8 instead of click>=7",
        ]
    }
    assert run("six\n# comment\n", "six\nattrs==1  # why\n-r more.txt\n") == {
        "findings": ["needs attrs==1"]
    }
    assert run(old, old) == {"findings": []}
    assert run("", "cmake_minimum_required(VERSION 3)\nproject(x)\n") == {"findings": []}


def test_files_that_are_no_python_are_found(tmp_path: Path) -> None:
    run = tool("check_python_syntax")
    bad = write(tmp_path / "bad.py", "def f(:\n")
    write(tmp_path / "warns.py", "x = 1 is 2\n")
    write(tmp_path / "good.py", "x = 1\n")
    write(tmp_path / ".hidden.py", "def (")
    assert run(str(bad)) == {"findings": ["bad.py:1: invalid syntax"]}
    found = run(str(tmp_path))["findings"]
    assert found[0] == "bad.py:1: invalid syntax"
    assert found[1].startswith('warns.py:1: "is" with') and len(found) == 2


def test_long_functions_and_lines_are_found(tmp_path: Path) -> None:
    run = tool("find_long_functions")
    long = "def f():\n" + "    x = 1\n" * 70 + "y = '" + "z" * 130 + "'\n"
    file = write(tmp_path / "a.py", long)
    assert run(str(file)) == {
        "findings": ["a.py:1: f() has 71 lines", "a.py:72: a line of 136 characters"]
    }
    assert run(str(file), most_lines=80, most_characters=200) == {"findings": []}


def test_notes_are_found_in_comments_only(tmp_path: Path) -> None:
    run = tool("find_todos")
    write(tmp_path / "a.py", "# TODO:  tidy\nx = 'TODO'\nTODOS = 1  # FIXME soon\n")
    write(tmp_path / "b.md", "<!-- XXX explain -->\nTODO list\n")
    (tmp_path / "c.bin").write_bytes(b"# TODO\0")
    assert run(str(tmp_path)) == {
        "findings": ["a.py:1: TODO: tidy", "a.py:3: FIXME soon", "b.md:1: XXX explain"]
    }


def test_large_files_are_found_the_largest_first(tmp_path: Path) -> None:
    run = tool("find_large_files")
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.bin").write_bytes(bytes(2_000))
    (tmp_path / "sub" / "b.bin").write_bytes(bytes(1_234_567))
    found = run(str(tmp_path), most_kb=1)
    assert found == {"findings": ["1,235 kB: sub/b.bin", "2 kB: a.bin"]}
    assert run(str(tmp_path / "a.bin")) == {"findings": []}


def test_lines_are_counted_by_language(tmp_path: Path) -> None:
    run = tool("count_lines")
    write(tmp_path / "a.py", "x = 1\n\ny = 2\n")
    write(tmp_path / "b.md", "hello\n")
    write(tmp_path / "c.xyz", "what\n")
    assert run(str(tmp_path)) == {
        "summary": "3 lines: Python 2, Markdown 1",
        "lines": {"Python": 2, "Markdown": 1},
    }
    assert run(str(tmp_path / "c.xyz")) == {}


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    run = tool("check_markdown_links")
    page = "# The `one` page\n[a](b.md) [b](b.md#the-two) [c](b.md#none) [d](#the-one-page)\n"
    page += "[e](gone.md) ![f](x.png 'title') [g](https://example.org) `[h](no.md)`\n"
    page += "```\n[i](no.md)\n```\n[ref]: gone.md\n"
    file = write(tmp_path / "a.md", page)
    write(tmp_path / "b.md", "## The two\n")
    assert run(str(file)) == {
        "findings": [
            "a.md:2: b.md#none names no heading",
            "a.md:3: gone.md does not exist",
            "a.md:3: x.png does not exist",
            "a.md:7: gone.md does not exist",
        ]
    }


def test_secrets_are_found_and_not_told(tmp_path: Path) -> None:
    run = tool("find_secrets")
    token = "ghp_" + "a1" * 18
    lines = [f"t = '{token}'", "password = 'correct-horse'", "password = '{{ from_env }}'"]
    lines += ["url = postgres://me:hunter22@host/db", "-----BEGIN RSA PRIVATE KEY-----"]
    write(tmp_path / ".env", "\n".join(lines))
    found = run(str(tmp_path))
    assert found == {
        "findings": [
            ".env:1: a token of GitHub",
            ".env:2: a password",
            ".env:4: a password in an address",
            ".env:5: a private key",
        ]
    }


TESTS = """\
import unittest
from thing import one

class ThingTest(unittest.TestCase):
    def test_one(self):
        self.assertEqual(one(), 1)

    def test_two(self):
        self.assertEqual(one(), 2)
"""


NOT_HERE = {"gone": "import gone\n", "src": "from src import nothing\n"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("with_pytest", [False, True])
def test_a_test_file_is_run_and_its_failures_are_told(tmp_path: Path, with_pytest: bool) -> None:
    write(tmp_path / "src" / "thing.py", "def one():\n    return 1\n")
    file = write(tmp_path / "tests" / "test_thing.py", TESTS)
    run = tool("run_test_file")
    if not with_pytest:
        run.__globals__["find_spec"] = lambda _: None
    found = run(str(file), str(tmp_path))
    assert found["passed"] == 1
    [said] = found["findings"]
    assert said.startswith("failed: ") and "test_two" in said
    file.write_text(TESTS.replace("one(), 2", "one(), 1"))
    assert run(str(file), str(tmp_path)) == {"findings": [], "passed": 2}
    for needed, source in NOT_HERE.items():
        file.write_text(source)
        with pytest.raises(RuntimeError, match=f"test_thing.py needs {needed}, which is not here"):
            run(str(file), str(tmp_path))
    file.write_text("import thing.gone\n")  # the project's own, and gone
    [said] = run(str(file), str(tmp_path))["findings"]
    assert "No module named 'thing.gone'" in said
    file.write_text("import time\ntime.sleep(60)\n")
    run.__globals__["SECONDS"] = 0.01
    with pytest.raises(RuntimeError, match="test_thing.py did not end within"):
        run(str(file), str(tmp_path))


@pytest.mark.exhaustive
def test_a_test_file_runs_in_the_sandbox_too(tmp_path: Path) -> None:
    runner = build_runner(Routing())
    if not runner.enforced:
        pytest.skip("no sandbox that confines here")
    write(tmp_path / "w" / "src" / "thing.py", "def one():\n    return 1\n")
    file = write(tmp_path / "w" / "tests" / "test_thing.py", TESTS)
    (tmp_path / "scratch").mkdir()
    [path] = TOOLS.glob("domains/*/*/run_test_file.py")
    called = call_tool(
        runner,
        path,
        path.read_bytes(),
        {"path": str(file), "folder": str(tmp_path / "w")},
        scratch=tmp_path / "scratch",
        readable=[tmp_path / "w"],
    )
    assert called.fault == "", called.reason
    assert called.value["passed"] == 1 and "test_two" in called.value["findings"][0]


@pytest.mark.parametrize("name", first(1, NAMES))
def test_each_says_the_same_again(name: str, tmp_path: Path) -> None:
    [path] = TOOLS.glob(f"domains/*/*/{name}.py")
    [found] = [each for each in discover_all(Layout.of(TOOLS)).tools if each.name == name]
    (tmp_path / "scratch").mkdir()
    runner = QuickRunner()
    calls = [
        call_tool(
            runner, path, path.read_bytes(), found.example or {}, scratch=tmp_path / "scratch"
        )
        for _ in range(2)
    ]
    assert calls[0].value == calls[1].value and not calls[0].fault, calls[0].reason
