"""Changes some of whose lines a later fix changed: SZZ, bounded in time and in changes.

A change matters when a fix changed or removed lines that it wrote, as `git blame --first-parent` of
the change before the fix tells it, at most 180 days and 2,000 changes later (Sliwerski, Zimmermann,
Zeller, "When do changes induce fixes?", MSR 2005). What counts:

- A fix is a change whose subject, or the title of the request it merged, begins with "fix:" or
  "fix(...):" (Conventional Commits), or has a word of fix, bug, defect, regression, crash, hotfix,
  security, vulnerability, revert or CVE-... in it (after Mockus and Votta, ICSM 2000), but not one
  of typos, linters, formatting or the CI. Releases, merges of branches and bots, which are no work
  on the lines, are none (the meta-changes of da Costa et al., TSE 2017).
- Of its lines those that hold a word and are neither a comment nor merely moved or reindented (Kim,
  Zimmermann, Pan, Whitehead, "Automatic identification of bug-introducing changes", ASE 2006).
- Of its files those that are neither tests nor documentation nor a changelog nor data or settings
  (JSON, TOML, YAML, ...); a fix of more than 20 such files is a sweep and blames nobody.

A fix that only adds lines blames nobody, as in SZZ.

How many lines of sources a change removed and wrote says much about whether a fix will come (Kamei
et al., "A large-scale empirical study of just-in-time quality assurance", TSE 2013): the gate sees
it as features of the change's first event.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...errors import InputError, SourceError
from ...types import SignalEvent, Window
from ..histories import git_process
from ..histories.git_history import GitHistory
from ..histories.line_owners import (
    NOBODY,
    LineChange,
    LineOwners,
    Owners,
    Removal,
    diffs,
    line_writers,
)
from .globs import compile_glob
from .kinds import CHANGELOGS, FRAGMENTS, TESTS, is_routine

DAY_S = 86_400.0
FIX_HORIZON_S = 180 * DAY_S
"""Seconds after which a change that no fix blamed counts as one that needed none."""

MOST_CHANGES_LATER = 2_000
MOST_FIXED_FILES = 20
SIZES = (1, 4, 8, 16, 32, 64, 128, 256, 512)
"""Lines of sources from which on a change has one feature more."""
REPORT_EVERY = 200

Step = Callable[[str, int, int], None]

_REQUEST_TITLE = re.compile(r"Merge pull request #\d+ from \S+: ")
_FIX = re.compile(
    r"^fix(\([^)]*\))?!?:"
    r"|\b(?:(?:hot|bug)?fix(?:e[sd]|ing)?|bugs?|defects?|regress(?:ions?|ed|es)?|crash(?:e[sd]|ing)?"
    r"|security|vulnerabilit(?:y|ies)|revert(?:s|ed|ing)?|CVE-\d+)\b",
    re.IGNORECASE,
)
_CHORE = re.compile(
    r"\b(?:typos?|spelling|lint(?:er|ing|s)?|flake8|mypy|ruff|pylint|pre-?commit|formatting"
    r"|white ?space|CI|codecov|coverage|travis|appveyor|github actions?|read the docs|rtd)\b"
    r"|^(?:docs?|ci|chore|style|tests?|build)(?:\([^)]*\))?!?:",
    re.IGNORECASE,
)
_NO_SOURCES = (
    *FRAGMENTS.globs, *CHANGELOGS.globs, *TESTS.globs,
    *("doc/**", "docs/**", "**/docs/**", "AUTHORS*", "*.md", "*.rst", "*.txt", "*.po", "*.lock"),
    *("_tests/**", "**/_tests/**", ".github/**", "ci/**", ".*", "*.json", "*.toml", "*.yml"),
    *("*.yaml", "*.cfg", "*.ini", "*.csv", "*.xml", "*.svg"),
)  # fmt: skip
_IS_NO_SOURCE = re.compile("|".join(f"(?:{compile_glob(each).pattern})" for each in _NO_SOURCES))
_COMMENT = re.compile(rb"\s*(?:#(?![a-z]+\b)|#\s|//|/\*|\*/|\*\s|--\s|;\s|<!--|\"\"\"|''')")
_WORD = re.compile(rb"\w")


def is_fix(window: Window) -> bool:
    """Whether its message says that it repairs something: see above."""
    text = _REQUEST_TITLE.sub("", window.text)
    return bool(_FIX.search(text)) and not _CHORE.search(text) and not is_routine(window)


def is_source(path: bytes) -> bool:
    """Whether a file is neither a test nor documentation nor a changelog nor data."""
    return _IS_NO_SOURCE.match(path.decode("utf-8", "replace")) is None


def blamed(removals: Iterable[Removal]) -> set[int]:
    """The numbers of the changes that wrote what a fix removed, as far as it counts."""
    files = [each for each in removals if is_source(each.path)]
    if len({each.path for each in files}) > MOST_FIXED_FILES:
        return set()
    numbers = set()
    for removal in files:
        written = {line.strip() for line in removal.written}
        for owner, line in zip(removal.owners, removal.lines, strict=True):
            if owner != NOBODY and owner not in numbers and _counts(line, written):
                numbers.add(owner)
    return numbers


def _counts(line: bytes, written: set[bytes]) -> bool:
    return (
        _WORD.search(line) is not None
        and _COMMENT.match(line) is None
        and line.strip() not in written
    )


def source_size(sizes: Mapping[bytes, int]) -> int:
    """The lines of those files that are sources. sizes: as of `LineChange`."""
    return sum(size for path, size in sizes.items() if is_source(path))


def sized(events: tuple[SignalEvent, ...], size: int) -> tuple[SignalEvent, ...]:
    """The events of a change that the gate sees. size: its lines of sources."""
    features = {f"source_lines_{least}": "or more" for least in SIZES if size >= least}
    if not (features and events):
        return events
    first = replace(events[0], features={**events[0].features, **features})
    return (first, *events[1:])


@dataclass(frozen=True, slots=True)
class FixedLaterPreset:
    """Relevant: a later fix changed lines that it wrote, within the horizon.

    The label is known when the fix comes; that there is none is known only when the horizon has
    passed. fixes: when the first fix of each change came, by key; None until `read` told it. sizes:
    lines of sources that each changed.
    """

    fixes: dict[str, float] | None = None
    sizes: dict[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """As the user writes it."""
        return "fixed-later"

    def read(self, history: GitHistory, total: int, step: Step) -> FixedLaterPreset:
        """The preset with what the diffs of a history say. total: of its windows, at least about.

        Raises InputError for a history that is not the line of first parents, SourceError where
        contents are missing.
        """
        if not history.is_first_parents:
            raise InputError(
                "relevant fixed-later must come without all-commits: it follows lines along first"
                " parents"
            )
        changes = {window.key: _Change(number, window.time, is_fix(window))
                   for number, window in enumerate(history, start=1)}  # fmt: skip
        sizes: dict[str, int] = {}
        return FixedLaterPreset(_first_fixes(history, changes, sizes, total, step), sizes)

    def apply(self, windows: Iterable[Window]) -> Iterator[Window]:
        """The windows in their order, labelled."""
        if self.fixes is None:
            raise InputError(
                "relevant fixed-later must come with a repository, whose diffs tell it"
            )
        for window in windows:
            at = self.fixes.get(window.key)
            known_at = window.time + FIX_HORIZON_S if at is None else at
            events = sized(window.events, self.sizes.get(window.key, 0))
            yield Window(
                window.key, window.time, events, window.actor, window.text, at is not None, known_at
            )

    def note(self, history: GitHistory) -> str:
        """What the end of a history cannot tell yet."""
        times = [window.time for window in history]
        open_ones = sum(
            window.time + FIX_HORIZON_S > times[-1] and window.key not in (self.fixes or {})
            for window in history
        )
        return (
            f"Fixed later: of the {open_ones:,} newest changes that no fix blamed, some may be"
            " fixed yet; they count as changes that needed none."
        )


@dataclass(frozen=True, slots=True)
class _Change:
    number: int
    time: float
    is_fix: bool


def _first_fixes(
    history: GitHistory,
    changes: dict[str, _Change],
    sizes: dict[str, int],
    total: int,
    step: Step,
) -> dict[str, float]:
    """When the first fix of each change came. sizes: gets their lines of sources."""
    keys = [""] * (len(changes) + 1)
    for key, change in changes.items():
        keys[change.number] = key

    def number(sha: str) -> int:
        return changes[sha].number if sha in changes else NOBODY

    fixes: dict[str, float] = {}
    try:
        with diffs(history.folder, *history.revisions) as output:
            files = LineOwners()
            line_changes = files.take(
                output, number, lambda sha: sha in changes and changes[sha].is_fix
            )
            for done, lines in enumerate(line_changes, start=1):
                if done % REPORT_EVERY == 0:
                    step("following lines", done, total)
                sizes[lines.sha] = source_size(lines.sizes)
                for owner in blamed(lines.removals):
                    early, late = changes[keys[owner]], changes[lines.sha]
                    soon = late.time - early.time <= FIX_HORIZON_S
                    if soon and late.number - early.number <= MOST_CHANGES_LATER:
                        fixes.setdefault(keys[owner], late.time)
    except git_process.MissingObjectError:
        folder = str(Path(history.folder).resolve())
        raise SourceError(
            f"repository must have the contents of its files for fixed-later, got {folder!r}, a"
            " clone without them; to get them, run: git fetch --refetch --no-filter"
        ) from None
    return fixes


def blamed_by(folder: str, key: str) -> set[str]:
    """The keys of the changes whose lines a fix changed, from `git blame` of each of its files.

    key: its hash. As `FixedLaterPreset.read` finds them. Raises SourceError.
    """
    removals = _change(folder, key, {}).removals
    paths = {each.path for each in removals if is_source(each.path)}
    if not paths or len(paths) > MOST_FIXED_FILES:
        return set()
    numbers: dict[str, int] = {}
    owners = {
        path: Owners("I", [numbers.setdefault(sha, len(numbers) + 1) for sha in writers])
        for path, writers in ((path, line_writers(folder, f"{key}^", path)) for path in paths)
    }
    keys = list(numbers)
    return {keys[number - 1] for number in blamed(_change(folder, key, owners).removals)}


def size_of(folder: str, key: str) -> int:
    """The lines of sources that a change removed and wrote; 0 where contents are missing.

    key: its hash. Raises SourceError.
    """
    try:
        return source_size(_change(folder, key, {}).sizes)
    except git_process.MissingObjectError:
        return 0


def _change(folder: str, key: str, owners: dict[bytes, Owners[int]]) -> LineChange:
    """What a change did. owners: of the lines of files before it."""
    files = LineOwners()
    files.files = owners
    with diffs(folder, "-1", key) as output:
        changes = files.take(output, lambda _: NOBODY, lambda _: True)
        return next(changes, LineChange(key, [], {}))
