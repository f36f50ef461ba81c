"""What counts as a fix, whom it blames, and how a history is labelled by it."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path

import click.testing
import pytest

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.cli import main
from prefrontal.errors import InputError, SourceError
from prefrontal.replay.histories.git_history import GitHistory
from prefrontal.replay.histories.line_owners import NOBODY, Removal
from prefrontal.replay.presets.fixed_later import (
    DAY_S,
    FIX_HORIZON_S,
    MOST_FIXED_FILES,
    FixedLaterPreset,
    blamed,
    is_fix,
    is_source,
    size_of,
)
from prefrontal.replay.presets.labeller import Labeller
from prefrontal.replay.presets.presets import parse_preset
from prefrontal.replay.session import Request, replay_git
from prefrontal.types import SignalEvent, Window

from .. import repositories

no_set_up, git, import_history = (
    repositories.no_set_up,
    repositories.git,
    repositories.import_history,
)
Import = Callable[[Sequence[repositories.Change]], Path]
START, DAY = 1_600_000_000, 86_400


def window(text: str, actor: str = "Jane") -> Window:
    event = SignalEvent("filesystem", "a.py", "modified", 1.0, 0.0, {})
    return Window("key", 0.0, (event,), actor, text)


@pytest.mark.parametrize(
    ("text", "fixes"),
    [
        ("fix(parser): keep the last line", True),
        ("Fixed a crash when the folder is empty", True),
        ("Correct rounding (bug 812)", True),
        ('Revert "Read in blocks"', True),
        ("CVE-2024-1234: check the length", True),
        ("Merge pull request #12 from jane/x: Fix a regression in 2.0", True),
        ("Merge pull request #12 from jane/fix-it: Add a page", False),
        ("Add a prefix to names", False),
        ("Fix typo in the parser", False),
        ("fix mypy", False),
        ("docs: fix the example", False),
        ("Fix CI on Windows", False),
        ("Release 2.1 with bug fixes", False),
        ("Prepare release 2.1", False),
    ],
)
def test_a_fix_says_so_and_is_no_chore(text: str, fixes: bool) -> None:
    assert is_fix(window(text)) is fixes


def test_a_bot_fixes_nothing() -> None:
    assert not is_fix(window("Fix a crash", "renovate[bot]"))


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (b"src/app.py", True), (b"lib/latest.c", True), (b"tests/test_app.py", False),
        (b"src/test_app.py", False), (b"docs/index.rst", False), (b"CHANGES.txt", False),
        (b"news/12.bugfix", False), (b"README.md", False),
        (b"a/_tests/types.py", False), (b"package-lock.json", False), (b"pyproject.toml", False),
        (b".travis.yml", False), (b"src/.hidden/app.py", True), (b".github/workflows/x.yml", False),
    ],
)  # fmt: skip
def test_tests_documentation_and_changelogs_are_no_sources(path: bytes, source: bool) -> None:
    assert is_source(path) is source


def removal(*lines: str, path: str = "a.py", written: Sequence[str] = ()) -> Removal:
    """Each line of an owner of its own, from 1."""
    owners = array("I", range(1, len(lines) + 1))
    texts = tuple(line.encode() for line in lines)
    return Removal(path.encode(), owners, texts, tuple(line.encode() for line in written))


def test_lines_that_say_something_and_are_gone_are_blamed() -> None:
    lines = ("x = 1", "", "    ", "# why", "}", "// why", "#include <a.h>", "* list", "*p = 3;")
    assert blamed([removal(*lines)]) == {1, 7, 9}
    assert blamed([removal("x = 1", "y = 2", written=["    x = 1"])]) == {2}
    assert blamed([removal("x = 1", path="tests/test_a.py")]) == set()
    nobody = Removal(b"a.py", array("I", [NOBODY]), (b"x = 1",), ())
    assert blamed([nobody]) == set()


def test_a_sweep_blames_nobody() -> None:
    files = [removal("x = 1", path=f"{number}.py") for number in range(MOST_FIXED_FILES)]
    assert blamed(files) == {1}
    assert blamed([*files, removal("x = 1", path="one/more.py")]) == set()


def labels(folder: Path, **options: object) -> dict[str, tuple[bool, float]]:
    """By the text of each change: whether it was fixed later, and days until that was known."""
    history = GitHistory(folder, **options)  # type: ignore[arg-type]
    preset = FixedLaterPreset().read(history, history.count(), lambda *_: None)
    found = {}
    for each in preset.apply(history):
        assert each.known_at is not None
        found[each.text] = (bool(each.relevant), (each.known_at - each.time) / DAY_S)
    return found


HALF_YEAR = FIX_HORIZON_S / DAY_S


def test_a_change_matters_when_a_fix_changes_its_lines_soon_enough(import_history: Import) -> None:
    folder = import_history(
        [
            (START, "Begin", {"a.py": "a = 1\nb = 2\nc = 3\n", "b.py": "x = 1\n"}),
            (START + 1 * DAY, "Add d", {"a.py": "a = 1\nb = 2\nc = 3\nd = 4\n"}),
            (START + 2 * DAY, "Add e", {"a.py": "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n"}),
            (START + 9 * DAY, "Fix d", {"a.py": "a = 1\nb = 2\nc = 3\nd = 5\ne = 5\n"}),
            (START + 10 * DAY, "Tidy e", {"a.py": "a = 1\nb = 2\nc = 3\nd = 5\ne = 6\n"}),
            (START + 200 * DAY, "Fix x", {"b.py": "x = 2\n"}),
        ]
    )
    assert labels(folder) == {
        "Begin": (False, HALF_YEAR),  # its fix came after half a year
        "Add d": (True, 8.0),
        "Add e": (False, HALF_YEAR),  # what changed it was no fix
        "Fix d": (False, HALF_YEAR),
        "Tidy e": (False, HALF_YEAR),
        "Fix x": (False, HALF_YEAR),
    }


def test_lines_are_followed_through_a_rename(import_history: Import) -> None:
    text = "".join(f"line_{number} = {number}\n" for number in range(20))
    folder = import_history(
        [
            (START, "Begin", {"a.py": text}),
            (START + DAY, "Move", {"a.py": None, "b.py": text}),
            (START + 2 * DAY, "Fix 7", {"b.py": text.replace("line_7 = 7", "line_7 = 8")}),
        ]
    )
    assert [text for text, (relevant, _) in labels(folder).items() if relevant] == ["Begin"]


def history_of(count: int) -> list[repositories.Change]:
    """Each third change is fixed the day after."""
    changes: list[repositories.Change] = []
    for number in range(count):
        at, path = START + 2 * number * DAY, f"src/{'core' if number % 3 == 0 else 'page'}.py"
        changes.append((at, f"Add {number}", {path: f"value = {number}\nmore = {number}\n"}))
        if number % 3 == 0:
            fixed = {path: f"value = -{number}\nmore = {number}\n"}
            changes.append((at + DAY, f"Fix {number}", fixed))
    return changes


def test_a_repository_is_replayed_with_it_and_says_what_is_still_open(
    import_history: Import,
) -> None:
    folder = import_history(history_of(150))
    steps: list[tuple[str, int, int]] = []
    request = Request(relevant="fixed-later")
    result = replay_git(str(folder), request, PulseGate(), lambda *step: steps.append(step))
    assert result.preset == "fixed-later"
    assert result.relevant == pytest.approx(result.windows / 4, abs=2)
    assert ("following lines", 200, 200) in steps
    [note] = [each for each in result.notes if each.startswith("Fixed later: ")]
    assert note.startswith("Fixed later: of the 90 newest changes that no fix blamed, ")
    shown = click.testing.CliRunner().invoke(
        main, ["replay", "--git", str(folder), "--relevant", "fixed-later"]
    )
    words = "a window matters when a later fix changed lines that it wrote."
    assert words in " ".join(shown.stdout.split())


def test_who_stops_it_stops_it(import_history: Import) -> None:
    folder = import_history(history_of(170))

    def stop(what: str, done: int, total: int) -> None:
        if what == "following lines":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replay_git(str(folder), Request(relevant="fixed-later"), PulseGate(), stop)


def test_the_gate_sees_how_many_lines_of_sources_a_change_touched(import_history: Import) -> None:
    code, words = "".join(f"x{n} = {n}\n" for n in range(20)), "word\n" * 400
    folder = import_history(
        [
            (START, "Begin", {"a.py": code, "README.md": words}),
            (START + 1, "Add one", {"a.py": code + "last = 1\n"}),
            (START + 2, "Say so", {"README.md": "word\n"}),
            (START + 3, "Move", {"a.py": None, "b.py": code + "last = 1\n"}),
        ]
    )
    history = GitHistory(folder)
    preset = FixedLaterPreset().read(history, history.count(), lambda *_: None)
    changes = list(preset.apply(history))
    assert [preset.sizes[each.key] for each in changes] == [20, 1, 0, 0]
    assert [size_of(str(folder), each.key) for each in changes] == [20, 1, 0, 0]
    seen = [
        [name for name in each.features if name.startswith("source_lines_")]
        for change in changes
        for each in change.events
    ]
    few = ["source_lines_1", "source_lines_4", "source_lines_8", "source_lines_16"]
    assert seen == [few, [], few[:1], [], []]  # the first event of a change tells it


def test_a_clone_without_contents_is_named(
    tmp_path: Path, import_history: Import, git: repositories.Git
) -> None:
    folder = import_history(history_of(6))
    git(folder, "config", "uploadpack.allowFilter", "true")
    words = ("clone", "--quiet", "--bare", "--filter=blob:none", f"file://{folder}", "partial.git")
    git(tmp_path, *words)
    with pytest.raises(SourceError, match="must have the contents of its files for fixed-later"):
        labels(tmp_path / "partial.git")
    tip = git(folder, "rev-parse", "main")
    assert size_of(str(tmp_path / "partial.git"), tip) == 0
    assert size_of(str(folder), tip) > 0


def test_a_shallow_clone_is_named_and_its_edge_wrote_nothing(
    tmp_path: Path, import_history: Import, git: repositories.Git
) -> None:
    folder = import_history(history_of(7))
    git(tmp_path, "clone", "--quiet", "--bare", "--depth=2", f"file://{folder}", "shallow.git")
    history = GitHistory(tmp_path / "shallow.git")
    preset = FixedLaterPreset().read(history, history.count(), lambda *_: None)
    assert [each.text for each in history] == ["Fix 6"]
    assert preset.fixes == {}
    assert "shallow clone: " in history.notes[0]


def test_what_it_cannot_label_is_refused(import_history: Import, tmp_path: Path) -> None:
    folder = import_history(history_of(3))
    with pytest.raises(InputError, match="fixed-later must come without all-commits"):
        labels(folder, all_commits=True)
    preset = parse_preset("fixed-later")
    with pytest.raises(InputError, match="fixed-later must come with a repository"):
        list(preset.apply([window("Fix")]))
    with pytest.raises(InputError, match="must be something that commits tell, got 'fixed-later'"):
        Labeller(preset)
    events = tmp_path / "windows.jsonl"
    event = {"source": "user", "location": "a", "delta_type": "created"}
    events.write_text(json.dumps({"time": 1, "events": [event]}) + "\n", encoding="utf-8")
    result = click.testing.CliRunner().invoke(
        main, ["replay", "--events", str(events), "--relevant", "fixed-later"]
    )
    assert result.exit_code == 2
    assert "fixed-later must come with a repository" in result.stderr
