"""What is found to be relevant in repositories whose conventions have a fault, one for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.replay.histories.git_history import GitHistory
from prefrontal.replay.presets.presets import parse_preset
from prefrontal.replay.presets.search import PresetChoice, find_preset
from prefrontal.replay.session import Request, replay_git

from .. import repositories
from ..repositories import Change

no_set_up, git, import_history = (
    repositories.no_set_up,
    repositories.git,
    repositories.import_history,
)
ImportHistory = Callable[[Iterable[Change]], Path]
Files = dict[str, str | None]
Work = Callable[[int], tuple[str, Files, str]]
START, STEP_S = 1_500_000_000, 6 * 3600
REPAIRS = r"message:(?i)\b(fix|bug|regress|crash|security|revert)"


def plain(number: int) -> tuple[str, Files, str]:
    return f"change {number}", {"src/core.c": str(number)}, "Jane Doe"


def every(
    nth: int, files: Callable[[int], Files], text: str = "work %", by: str = "Jane Doe"
) -> Work:
    """Work of which each nth change touches more files, or is by another and called otherwise."""

    def work(number: int) -> tuple[str, Files, str]:
        message, shown, author = plain(number)
        if number % nth:
            return message, shown, author
        return text.replace("%", str(number)), shown | files(number), by

    return work


def both(one: Work, other: Work) -> Work:
    """The files of both; the text and the author of the one that is not plain."""

    def work(number: int) -> tuple[str, Files, str]:
        first, second = one(number), other(number)
        text, _, author = second if first[0] == plain(number)[0] else first
        return text, first[1] | second[1], author

    return work


def changes(*phases: tuple[int, Work]) -> list[Change]:
    """One change in six hours; each phase is so many changes of one kind of work."""
    made: list[Change] = []
    for count, work in phases:
        for _ in range(count):
            text, files, author = work(len(made))
            made.append((START + STEP_S * len(made), text, files, author))
    return made


def day(number: int) -> str:
    return datetime.fromtimestamp(START + STEP_S * number, UTC).date().isoformat()


def choice(folder: Path) -> PresetChoice:
    return find_preset(GitHistory(folder))


def fragment(number: int) -> Files:
    return {f"changelog.d/{number}.md": f"entry {number}"}


def edited(path: str) -> Callable[[int], Files]:
    return lambda number: {path: f"as of {number}"}


TESTS = every(4, edited("tests/test_core.py"))


def test_it_begins_where_the_convention_begins(import_history: ImportHistory) -> None:
    folder = import_history(changes((300, plain), (200, every(3, fragment))))
    best = choice(folder)
    assert (best.preset.name, best.begin) == ("path:changelog.d/**", 300)
    result = replay_git(str(folder), Request(), PulseGate())
    assert (result.warmup, result.windows) == (40, 160)
    assert result.notes[1] == (
        f"Changelog entries began on {day(300)}: 200 of 500 changes are replayed."
    )


def test_since_and_a_preset_by_the_user_win(import_history: ImportHistory) -> None:
    folder = import_history(changes((300, plain), (200, every(3, fragment))))
    since = replay_git(str(folder), Request(since=f"{day(100)}T00:00+00:00"), PulseGate())
    assert since.warmup + since.windows == 400
    assert since.preset == "path:changelog.d/**"
    assert since.notes[1] == (
        f"Changelog entries began on {day(300)}, after the asked beginning: 200 of 400 changes"
        " count as not relevant for that alone."
    )
    named = replay_git(str(folder), Request(relevant="path:changelog.d/**"), PulseGate())
    assert named.warmup + named.windows == 500


def test_an_abandoned_changelog_gives_way_to_the_next_kind(import_history: ImportHistory) -> None:
    changelog = both(every(3, edited("CHANGELOG.md")), TESTS)
    folder = import_history(changes((201, changelog), (200, TESTS)))
    best = choice(folder)
    assert (best.preset.name, best.begin) == ("path:tests/**", 0)
    assert best.notes == (
        f"Edits of the changelog (CHANGELOG*) ended on {day(198)}, 202 changes ago, so they say"
        " nothing of what matters now.",
    )


def test_a_pause_is_not_the_end(import_history: ImportHistory) -> None:
    changelog = both(every(3, edited("CHANGELOG.md")), TESTS)
    folder = import_history(changes((301, changelog), (60, TESTS)))
    assert choice(folder).preset.name == "path:CHANGELOG*"


def test_changelogs_that_succeed_each_other_are_united(import_history: ImportHistory) -> None:
    def release(number: int) -> tuple[str, Files, str]:
        gone = {f"changelog.d/{old}.md": None for old in range(number - 40, number) if old % 3 == 0}
        return (
            f"Release 2.{number}",
            {"CHANGES.md": f"all {number}", "src/v.c": f"2.{number}", **gone},
            "Jane Doe",
        )

    folder = import_history(
        changes(
            (150, every(3, edited("HISTORY.rst"))),
            (150, every(3, edited("CHANGES.md"))),
            *[(40, every(3, fragment)), (1, release)] * 5,
        )
    )
    best = choice(folder)
    name = "path:changelog.d/**,CHANGES*,HISTORY*"
    assert (best.preset.name, best.begin) == (name, 0)
    assert parse_preset(name) == best.preset
    assert best.notes == (
        f"One convention took over from another: in HISTORY* from {day(0)}, in CHANGES* from"
        f" {day(150)}, in changelog.d/** from {day(300)}.",
    )
    labelled = list(best.preset.apply(GitHistory(folder)))
    releases = [window for window in labelled if window.text.startswith("Release")]
    assert len(releases) == 5
    assert not any(window.relevant for window in releases)
    assert sum(window.relevant is True for window in labelled) == sum(
        window.text.startswith("work") for window in labelled
    )
    assert not any("CHANGES" in each.location for window in labelled for each in window.events)


def test_a_rarer_habit_before_is_not_united(import_history: ImportHistory) -> None:
    folder = import_history(
        changes((300, every(15, edited("CHANGES.md"))), (300, every(2, fragment)))
    )
    best = choice(folder)
    assert (best.preset.name, best.begin) == ("path:changelog.d/**", 300)


@pytest.mark.parametrize("text", ["Release 1.%", "v1.%.0", "Bump version to 1.% and update news"])
def test_a_changelog_of_releases_is_no_convention(import_history: ImportHistory, text: str) -> None:
    releases = every(5, edited("CHANGELOG.md"), text=text)
    folder = import_history(changes((300, both(releases, TESTS))))
    assert choice(folder).preset.name == "path:tests/**"
    honest = every(5, edited("CHANGELOG.md"))
    folder.rename(folder.with_name("releases"))
    assert choice(import_history(changes((300, both(honest, TESTS))))).preset.name == (
        "path:CHANGELOG*"
    )


def test_entries_of_bots_are_no_convention(import_history: ImportHistory) -> None:
    bots = every(3, edited("CHANGELOG.md"), text="Bump left-pad from 1 to %", by="renovate[bot]")
    folder = import_history(changes((300, both(bots, TESTS))))
    assert choice(folder).preset.name == "path:tests/**"


def test_a_mass_move_of_the_changelog_is_no_entry(import_history: ImportHistory) -> None:
    def move(number: int) -> tuple[str, Files, str]:
        old = [each for each in range(200) if each % 4 == 0]
        files: Files = {f"changelog.d/{each}.md": None for each in old}
        files |= {f"news/{each}.md": f"entry {each}" for each in old}
        return "move the entries", files | {"src/core.c": "moved"}, "Jane Doe"

    def news(number: int) -> Files:
        return {f"news/{number}.md": f"entry {number}"}

    folder = import_history(changes((200, every(4, fragment)), (1, move), (200, every(4, news))))
    best = choice(folder)
    assert (best.preset.name, best.begin) == ("path:news/**,changelog.d/**", 0)
    moved = [w for w in best.preset.apply(GitHistory(folder)) if w.text.startswith("move")]
    assert [window.relevant for window in moved] == [False]


def test_changelogs_of_packages_are_one_convention(import_history: ImportHistory) -> None:
    def package(number: int) -> Files:
        return {f"packages/{'abc'[number % 3]}/CHANGELOG.md": f"as of {number}"}

    folder = import_history(changes((300, both(every(4, package), TESTS))))
    best = choice(folder)
    assert (best.preset.name, best.begin) == ("path:CHANGELOG*", 0)


def test_changesets_are_entries_and_the_versions_made_of_them_are_not(
    import_history: ImportHistory,
) -> None:
    def changeset(number: int) -> Files:
        return {f".changeset/{number}-cats.md": f"entry {number}"}

    def version(number: int) -> tuple[str, Files, str]:
        gone = {
            f".changeset/{old}-cats.md": None for old in range(number - 30, number) if old % 3 == 0
        }
        packages = {f"packages/{name}/CHANGELOG.md": str(number) for name in "abc"}
        versions = {f"packages/{name}/package.json": str(number) for name in "abc"}
        return "Version Packages", {**gone, **packages, **versions}, "github-actions[bot]"

    folder = import_history(changes(*[(30, every(3, changeset)), (1, version)] * 8))
    best = choice(folder)
    assert (best.preset.name, best.begin) == ("path:.changeset/**", 0)
    versions = [w for w in best.preset.apply(GitHistory(folder)) if "Version" in w.text]
    assert [window.relevant for window in versions] == [False] * 8


def test_entries_that_say_that_they_are_trivial_do_not_matter(
    import_history: ImportHistory,
) -> None:
    def news(number: int) -> Files:
        return {f"news/{number}.{'trivial' if number % 4 else 'bugfix'}.rst": f"entry {number}"}

    folder = import_history(changes((300, every(2, news))))
    best = choice(folder)
    assert best.preset.name == "path:news/**,!*.trivial*"
    assert best.reason == (
        "changelog entries (news/**, !*.trivial*) were written with 25 % of 300 changes (75)"
    )
    labelled = list(best.preset.apply(GitHistory(folder)))
    assert sum(window.relevant is True for window in labelled) == 75
    assert len(labelled) == 300
    assert not any("news" in event.location for window in labelled for event in window.events)


def test_a_convention_that_is_too_young_waits(import_history: ImportHistory) -> None:
    young = both(every(2, fragment), TESTS)
    folder = import_history(changes((900, TESTS), (60, young)))
    assert choice(folder).preset.name == "path:tests/**"
    folder.rename(folder.with_name("young"))
    folder = import_history(changes((900, TESTS), (120, young)))
    assert choice(folder).preset.name == "path:changelog.d/**"


def test_words_that_are_no_longer_used_fit_no_more(import_history: ImportHistory) -> None:
    folder = import_history(changes((200, every(4, lambda _: {}, text="Fix %")), (200, plain)))
    best = choice(folder)
    assert best.preset.name == REPAIRS
    assert best.reason.startswith("no preset fits this history well")


@pytest.mark.parametrize("count", [1, 5, 40])
def test_a_tiny_history_without_labels_has_no_preset_that_fits(
    import_history: ImportHistory, count: int
) -> None:
    best = choice(import_history(changes((count, plain))))
    assert (best.preset.name, best.begin, best.notes) == (REPAIRS, 0, ())
    assert best.reason.startswith("no preset fits this history well")


def test_what_nothing_tells_apart_still_keeps_its_recall(import_history: ImportHistory) -> None:
    def files(number: int) -> Files:
        return {f"changelog.d/{number}.md": "x"} if number * 7_919 % 10 < 3 else {}

    folder = import_history(changes((600, every(1, files, text="work"))))
    result = replay_git(str(folder), Request(), PulseGate())
    assert result.preset == "path:changelog.d/**"
    assert "rule" not in [policy.name for policy in result.policies]
    assert result.got_recall is not None
    assert result.got_recall >= 0.88
