from __future__ import annotations

import contextlib
import re
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.replay.presets.globs import compile_glob

MEANINGS = [
    ("*.py", ["a.py", "x/y/a.py", ".py", "/home/u/a.py"], ["a.pyc", "a.py/x", "a.PY"]),
    ("CHANGES*", ["CHANGES", "CHANGES.rst", "x/CHANGES.md"], ["changes.rst", "CHANGES/1.fix"]),
    ("/CHANGES*", ["CHANGES.rst", "/CHANGES"], ["docs/CHANGES.rst"]),
    ("src/*.py", ["src/a.py", "/src/a.py"], ["src/x/a.py", "x/src/a.py", "srca.py"]),
    ("./src/*.py", ["src/a.py"], ["x/src/a.py"]),
    ("src/**", ["src/a", "src/x/y", "src/a\nb"], ["src", "src/", "x/src/a", "srcs/a"]),
    ("src/", ["src/a", "x/src/y/z"], ["src", "asrc/x"]),
    ("/src/", ["src/a", "src/y/z"], ["x/src/a"]),
    ("a/src/", ["a/src/x"], ["src/x", "b/a/src/x"]),
    ("src/**/a.py", ["src/a.py", "src/x/a.py", "src/x/y/a.py"], ["src/xa.py", "srca.py"]),
    ("**/tests/**", ["tests/a", "x/tests/a", "x/y/tests/z/a"], ["tests", "tests.py", "atests/x"]),
    ("**", ["a", "a/b"], [""]),
    ("**/**/a", ["a", "x/a", "x/y/a"], ["xa"]),
    ("a**b", ["ab", "axb", "x/axxb"], ["a/b"]),
    ("a?c", ["abc", "a.c", "a\nc"], ["ac", "a/c", "abbc"]),
    ("[abc].txt", ["a.txt", "x/c.txt"], ["d.txt", "ab.txt"]),
    ("[a-c]x", ["bx"], ["dx", "-x"]),
    ("[!a]x", ["bx", "^x"], ["ax", "a/x", "/ax"]),
    ("y[!a]x", ["ybx"], ["yax", "y/x"]),
    ("[^a]x", ["bx"], ["ax"]),
    ("[]x]", ["]", "x"], ["y"]),
    ("[a&&b]", ["a", "&"], ["c"]),
    ("[a\\]", ["a", "\\"], ["b"]),
    ("\\*", ["*"], ["a", "\\*"]),
    ("a\\", ["a\\"], ["a"]),
    ("a.b+(c)|$^{}", ["a.b+(c)|$^{}"], ["axb+(c)|$^{}"]),
    ("x/**/*.{rst}", ["x/a.{rst}"], ["x/a.rst"]),
    ("été/*", ["été/a"], ["ete/a"]),
    ("a//b", ["a/b"], ["b"]),
]


@pytest.mark.parametrize(("glob", "yes", "no"), MEANINGS)
def test_a_glob_means_what_git_users_expect(glob: str, yes: list[str], no: list[str]) -> None:
    pattern = compile_glob(glob)
    assert [path for path in yes if not pattern.match(path)] == []
    assert [path for path in no if pattern.match(path)] == []


@pytest.mark.parametrize(
    ("glob", "rule"),
    [
        ("", "must name a file or a folder"),
        ("/", "must name a file or a folder"),
        ("./", "must name a file or a folder"),
        ("a[bc", "must close its bracket"),
        ("[]", "must close its bracket"),
        ("[a/b]", "must close its bracket"),
        ("[z-a]", "must be well formed (bad character range z-a)"),
    ],
)
def test_a_malformed_glob_is_refused_with_the_rule_and_the_glob(glob: str, rule: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"path glob {rule}, got {glob!r}")):
        compile_glob(glob)


def test_more_stars_than_needed_do_not_make_matching_slower() -> None:
    assert compile_glob("**/" * 30 + "a") == compile_glob("**/a")
    assert compile_glob("a" + "*" * 30 + "b") == compile_glob("a*b")


@given(st.text(max_size=30))
def test_any_text_is_either_a_glob_or_a_sentence(glob: str) -> None:
    with contextlib.suppress(InputError):
        compile_glob(glob).match("some/path.py")


names = st.text(alphabet="ab[]!^-.", min_size=1, max_size=5).filter(lambda name: name != ".")


@given(st.lists(names, min_size=1, max_size=4))
def test_a_path_matches_itself_when_its_special_letters_are_escaped(parts: list[str]) -> None:
    path = "/".join(parts)
    escaped = re.sub(r"([\[\]!^-])", r"\\\1", path)
    assert compile_glob("/" + escaped).match(path)
    assert not compile_glob("/" + escaped).match("x" + path)


@given(st.text(alphabet="ab*?", min_size=1, max_size=8), st.text(alphabet="ab.", max_size=8))
def test_within_one_name_the_stars_mean_what_the_shell_means(glob: str, name: str) -> None:
    if glob != "**":
        assert bool(compile_glob(glob).match(name)) == fnmatchcase(name, glob)


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=5))
def test_two_stars_stand_for_any_number_of_folders(folders: list[str]) -> None:
    path = "/".join([*folders, "x"])
    assert compile_glob("**/x").match(path)
    assert compile_glob(f"{folders[0]}/**/x").match(path)
    assert bool(compile_glob("*/x").match(path)) == (len(folders) == 1)
