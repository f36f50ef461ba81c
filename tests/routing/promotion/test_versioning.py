from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.routing.promotion.versioning import Bump, bump_between, grown, larger, version_parts

OLD = "def run(a, b=1, *, c=2): return a\n"


@pytest.mark.parametrize(
    ("new", "bump", "why"),
    [
        ("def run(a, b=1, *, c=2): return a + 0", "patch", "the signature is the same"),
        ("def run(a, b=5, *, c=2): return a", "patch", "the signature is the same"),
        ("def run(a: int, b=1, *, c=2) -> int: return a", "patch", "the signature is the same"),
        ("def run(a, b=1, *, c=2, d=3): return a", "minor", "d is new"),
        ("def run(a, b=1, d=3, *, c=2): return a", "minor", "d is new"),
        ("def run(a, b=1, *, c=2, **more): return a", "minor", "more is new"),
        ("def run(a=0, b=1, *, c=2): return a", "minor", "a became optional"),
        ("def run(a, b=1, c=2): return a", "minor", "c is given in another way"),
        ("def run(a, b=1): return a", "major", "c was removed"),
        ("def run(a, bb=1, *, c=2): return a", "major", "b was removed"),
        ("def run(a, b=1, *, c): return a", "major", "c became required"),
        ("def run(a, d, b=1, *, c=2): return a", "major", "d is new and required"),
        ("def run(a, d=0, b=1, *, c=2): return a", "major", "another order"),
        ("def run(b, a=1, *, c=2): return a", "major", "another order"),
        ("def run(a, b='1', *, c=2): return a", "major", "the default of b has another type"),
        ("def run(a, b=None, *, c=2): return a", "major", "the default of b has another type"),
        ("def run(a, *, b=1, c=2): return a", "major", "b is given in another way"),
        ("def run(a, /, b=1, *, c=2): return a", "major", "a is given in another way"),
        ("async def run(a, b=1, *, c=2): return a", "major", "the function is awaited"),
        ("def main(a, b=1, *, c=2): return a", "major", "run() became main()"),
    ],
)
def test_a_changed_signature_decides_the_bump(new: str, bump: Bump, why: str) -> None:
    found, said = bump_between(OLD, new)
    assert (found, why in said) == (bump, True), said


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("def run(a: int): ...", "def run(a: str): ...", "a takes str instead of int"),
        ("def run() -> int: ...", "def run() -> str: ...", "it returns str instead of int"),
    ],
)
def test_another_annotation_is_minor(old: str, new: str, why: str) -> None:
    assert bump_between(old, new) == ("minor", why)


def test_another_place_is_major_and_other_steps_are_minor() -> None:
    assert bump_between(OLD, OLD, relocated=True) == ("major", "the tool has another place")
    assert bump_between(OLD, OLD, plan_changed=True)[0] == "minor"
    assert bump_between(OLD, "def run(a, b=1): ...", plan_changed=True)[0] == "major"


def test_an_old_source_that_nobody_knows_is_patch_and_one_that_is_no_tool_is_major() -> None:
    assert bump_between(None, OLD)[0] == "patch"
    assert bump_between("x = 1", OLD)[0] == "major"
    assert bump_between("def run(:", OLD)[0] == "major"


@pytest.mark.parametrize("new", ["x = 1", "def run(:"])
def test_a_new_source_that_is_no_tool_is_refused(new: str) -> None:
    with pytest.raises(InputError, match="source must"):
        bump_between(OLD, new)


def test_all_reasons_for_the_bump_are_told_and_no_smaller_ones() -> None:
    assert bump_between("def run(a, b, c): ...", "def run(c, d=1): ...") == (
        "major",
        "a was removed; b was removed",
    )


@pytest.mark.parametrize(
    ("bump", "after"), [("major", "2.0.0"), ("minor", "1.5.0"), ("patch", "1.4.10")]
)
def test_a_version_grows_in_one_place_and_falls_back_behind_it(bump: Bump, after: str) -> None:
    assert grown("1.4.9", bump) == after


@pytest.mark.parametrize("version", ["", "1", "1.0", "01.0.0", "1.0.0-a", "1.0.x", "-1.0.0"])
def test_what_is_no_version_is_refused(version: str) -> None:
    with pytest.raises(InputError, match="version must be three whole numbers"):
        version_parts(version)


BUMPS: list[Bump] = ["patch", "minor", "major"]


@settings(deadline=None)
@given(st.tuples(*[st.integers(0, 10**6)] * 3), st.sampled_from(BUMPS), st.sampled_from(BUMPS))
def test_every_bump_is_a_step_up_and_a_larger_one_a_larger_step(
    parts: tuple[int, int, int], first: Bump, second: Bump
) -> None:
    version = ".".join(map(str, parts))
    most = version_parts(grown(version, larger(first, second)))
    assert parts < version_parts(grown(version, first)) <= most
    assert larger(first, second) == larger(second, first)


@settings(deadline=None)
@given(st.lists(st.sampled_from("abcdef"), unique=True), st.integers(0, 6))
def test_new_optional_keywords_never_break(names: list[str], kept: int) -> None:
    old = f"def run({', '.join(names[:kept])}): ..."
    rest = "".join(f", {name}=1" for name in names[kept:])
    stars = ", *" if names[:kept] else "*"
    new = f"def run({', '.join(names[:kept])}{stars if rest else ''}{rest}): ..."
    expected: Bump = "minor" if rest else "patch"
    assert bump_between(old, new)[0] == expected
