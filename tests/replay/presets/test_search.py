from __future__ import annotations

from collections.abc import Iterator

import pytest

from prefrontal.replay.presets.search import find_preset, fits
from prefrontal.types import SignalEvent, Window

TOTAL = 100


def history(*kinds: tuple[int, str, str]) -> Iterator[Window]:
    """100 windows that change src/x.py; (n, path, text) adds a path or sets the text of n more.

    A path with "-" is deleted, one with "=" changed alone; the windows of each kind are spread
    evenly, and "%" in a text is the window's number among those of its kind.
    """
    every = [(TOTAL - sum(count for count, *_ in kinds), "", "work"), *kinds]
    plan = [
        ((number + 0.5) / count, path, text.replace("%", str(number)))
        for count, path, text in every
        for number in range(count)
    ]
    plan.sort(key=lambda each: each[0])
    for number, (_, path, text) in enumerate(plan):
        at = number * 86_400.0
        paths = ["src/x.py", path.removeprefix("-")] if path else ["src/x.py"]
        if path.startswith("="):
            paths = [path[1:]]
        delta = "deleted" if path.startswith("-") else "modified"
        events = tuple(SignalEvent("filesystem", each, delta, 1.0, at, {}) for each in paths)
        yield Window(f"{number:040}", at, events, "", text)


@pytest.mark.parametrize(
    ("kinds", "name", "reason"),
    [
        (
            [(28, "changelog/%.fix", "x"), (40, "tests/a.py", "fix")],
            "path:changelog/**",
            "changelog entries (changelog/**) were written with 28 % of 100 changes (28)",
        ),
        (
            [(10, "news/1.fix", "x"), (12, "newsfragments/2.fix", "x")],
            "path:news/**",
            "changelog entries (news/**) were written with 10 % of 100 changes (10)",
        ),
        (
            [(10, "news/1.fix", "x"), (20, "newsfragments/2.fix", "x")],
            "path:newsfragments/**",
            "changelog entries (newsfragments/**) were written with 20 % of 100 changes (20)",
        ),
        (
            [(20, "-changelog/1.fix", "x"), (30, "CHANGELOG.md", "x"), (20, "=CHANGELOG.md", "x")],
            "path:CHANGELOG*",
            "the changelog (CHANGELOG*) was edited with 38 % of 80 changes (30)",
        ),
        (
            [(9, "changes/1.fix", "x"), (9, "HISTORY.rst", "x"), (40, "a/tests/t.py", "x")],
            "path:**/tests/**",
            "tests (**/tests/**) came with 40 % of 100 changes (40)",
        ),
        (
            [(61, "tests/t.py", "x"), (12, "", "base %"), (12, "", 'Revert "base %"')],
            "followup",
            "a later change reverted or fixed 12 % of 100 changes (12) within 30 days",
        ),
        (
            [(61, "tests/t.py", "x"), (20, "", "Fix %"), (5, "", "prefix %")],
            r"message:(?i)\b(fix|bug|regress|crash|security|revert)",
            "a fix, bug, crash, regression or revert is in the text of 20 % of 100 changes (20)",
        ),
        (
            [(3, "", "Fix %")],
            r"message:(?i)\b(fix|bug|regress|crash|security|revert)",
            (
                "no preset fits this history well, so a recall can hardly be promised: a fix, bug,"
                " crash, regression or revert is in the text of 3 % of 100 changes (3)"
            ),
        ),
    ],
)
def test_the_first_meaning_that_fits_is_taken_and_the_reason_told(
    kinds: list[tuple[int, str, str]], name: str, reason: str
) -> None:
    choice = find_preset(history(*kinds))
    assert (choice.preset.name, choice.reason) == (name, reason)


def test_a_changelog_that_is_written_at_releases_is_no_meaning() -> None:
    releases = [(12, "CHANGELOG.md", "x"), (30, "tests/t.py", "x")]
    choice = find_preset([*history(), *history(*releases)])
    assert choice.preset.name == "path:tests/**"


def test_the_shares_told_are_those_that_the_preset_then_gives() -> None:
    kinds = ((30, "CHANGELOG.md", "x"), (20, "=CHANGELOG.md", "x"), (9, "-CHANGELOG.md", "x"))
    choice = find_preset(history(*kinds))
    windows = list(choice.preset.apply(history(*kinds)))
    assert (sum(each.relevant is True for each in windows), len(windows)) == (30, 80)
    assert "of 80 changes (30)" in choice.reason


def test_an_empty_history_has_no_preset_that_fits() -> None:
    choice = find_preset(iter(()))
    assert choice.preset.name.startswith("message:")
    assert choice.reason.startswith("no preset fits")
    assert choice.reason.endswith("0 % of 0 changes (0)")


@pytest.mark.parametrize(
    ("positives", "windows", "fit"),
    [
        *((0, 0, False), (9, 100, False), (10, 100, True), (10, 500, True), (10, 501, False)),
        *((60, 100, True), (61, 100, False)),
    ],
)
def test_few_and_many_positives_do_not_fit(positives: int, windows: int, fit: bool) -> None:
    assert fits(positives, windows) is fit
