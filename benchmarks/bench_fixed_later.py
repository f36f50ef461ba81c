"""Reviews spared at .90 of the changes that were fixed later, beside the best path filter.

    python benchmarks/bench_fixed_later.py FOLDER...   # clones, whole histories
    python benchmarks/bench_fixed_later.py --smoke     # one made-up history

Each merged request, or commit, is one review. The gate has default settings, as
`prefrontal replay --git CLONE --relevant fixed-later` has them, and decides before it learns; *its
curve* is the same scores with the threshold chosen in hindsight. The path filter is a list of
folders and endings, as the `paths:` of a workflow, chosen in hindsight on the very changes that are
counted: from nothing, always what catches most for the fewest reviews, then without what is not
needed; or from everything, leaving out what costs most; the better of both. It is given once for
the recall that was asked and once for the recall that the gate got. *filter of the first fifth* was
chosen on the warm-up, as a person could have. In brackets: recall. *labels*: seconds for the diffs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from made_repository import import_repository
from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.replay.histories.git_history import GitHistory
from prefrontal.replay.presets.fixed_later import FixedLaterPreset
from prefrontal.replay.reading import share_at
from prefrontal.replay.result import ReplayResult
from prefrontal.replay.session import Request, replay_git
from prefrontal.types import Window

HEADS = (
    "history", "changes", "fixed later", "gate: spared", "its curve", "best filter, asked",
    "best filter, same recall", "filter of the first fifth", "labels, s", "in all, s",
)  # fmt: skip
DEEPEST = 3
"""Folders of a pattern."""


@dataclass(frozen=True, slots=True)
class PathFilter:
    """patterns: as "src/**.py". share: of the changes that it lets through. recall: of what
    mattered."""

    patterns: tuple[str, ...]
    share: float
    recall: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path, help="clones")
    parser.add_argument("--smoke", action="store_true", help="one made-up history")
    parser.add_argument("--recall", type=float, default=0.9, help="asked recall")
    options = parser.parse_args()
    if options.smoke == bool(options.folders):
        parser.error("give clones or --smoke")
    print(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}")
    with TemporaryDirectory() as scratch:
        for folder in [made_up(Path(scratch))] if options.smoke else options.folders:
            result = row(folder, options.recall)
            if options.smoke and not result.relevant:
                sys.exit("the made-up history must have changes that were fixed later")


def row(folder: Path, recall: float) -> ReplayResult:
    """Replay one history and print its line."""
    started = time.perf_counter()
    history = GitHistory(folder)
    preset = FixedLaterPreset().read(history, history.count(), lambda *_: None)
    labels_s = time.perf_counter() - started
    result = replay_git(str(folder), Request(recall=recall, relevant="fixed-later"), PulseGate())
    labelled = list(preset.apply(history))
    early, windows = labelled[: result.warmup], labelled[result.warmup :]
    assert len(windows) == result.windows
    assert sum(bool(each.relevant) for each in windows) == result.relevant
    asked = best_filter(windows, windows, recall)
    same = best_filter(windows, windows, result.got_recall or recall)
    learned = best_filter(early, windows, recall)
    curve = share_at(result.curve, recall)
    seconds = time.perf_counter() - started
    cells = (
        folder.resolve().name,
        f"{result.windows:,}",
        f"{result.relevant:,} ({result.relevant / max(1, result.windows):.1%})",
        spared(result.share_woken, result.got_recall or 0.0),
        spared(1.0 if curve is None else curve, recall),
        *(spared(each.share, each.recall) for each in (asked, same, learned)),
        f"{labels_s:.0f}",
        f"{seconds:.0f}",
    )
    print(f"| {' | '.join(cells)} |", flush=True)
    return result


def spared(share: float, recall: float) -> str:
    return f"{1 - share:.1%} ({recall:.3f})"


def best_filter(
    chosen_on: Sequence[Window], windows: Sequence[Window], recall: float
) -> PathFilter:
    """The better of the two searches: the one that lets fewer changes through."""
    relevant = mattered(chosen_on)
    reach = reaches(chosen_on)
    found = [search(reach, relevant, len(relevant) * recall) for search in (grown, shrunk)]
    patterns = min(found, key=lambda each: len(passed(reach, each)))
    there, counted = reaches(windows), mattered(windows)
    through = passed(there, [each for each in patterns if each in there])
    return PathFilter(
        tuple(patterns),
        len(through) / max(1, len(windows)),
        len(through & counted) / max(1, len(counted)),
    )


def mattered(windows: Sequence[Window]) -> frozenset[int]:
    return frozenset(i for i, each in enumerate(windows) if each.relevant)


def reaches(windows: Iterable[Window]) -> dict[str, frozenset[int]]:
    """By pattern the changes that it lets through."""
    reach: defaultdict[str, set[int]] = defaultdict(set)
    for number, window in enumerate(windows):
        for path in {PurePosixPath(each.location) for each in window.events}:
            folders = path.parts[:-1]
            for depth in range(min(DEEPEST, len(folders)) + 1):
                head = "/".join((*folders[:depth], "**"))
                reach[head].add(number)
                reach[f"{head}{path.suffix or path.name}"].add(number)
    return {pattern: frozenset(numbers) for pattern, numbers in reach.items()}


def passed(reach: dict[str, frozenset[int]], patterns: Iterable[str]) -> frozenset[int]:
    return frozenset().union(*(reach[each] for each in patterns))


def grown(reach: dict[str, frozenset[int]], relevant: frozenset[int], needed: float) -> list[str]:
    """From nothing; the pattern that adds most of what matters for each change it adds."""
    chosen: list[str] = []
    through: frozenset[int] = frozenset()
    while len(through & relevant) < needed:

        def worth(pattern: str, through: frozenset[int] = through) -> tuple[float, int]:
            more = reach[pattern] - through
            hits = len(more & relevant)
            return (hits / len(more) if more else 0.0, hits)

        chosen.append(max(reach, key=worth))
        through |= reach[chosen[-1]]
    return pruned(reach, relevant, needed, chosen)


def shrunk(reach: dict[str, frozenset[int]], relevant: frozenset[int], needed: float) -> list[str]:
    """From all of the narrowest patterns; without those that cost most for what they catch."""
    narrow = [each for each in reach if not each.endswith("**")]
    depth = max((each.count("/") for each in narrow), default=0)
    leaves = [each for each in narrow if each.count("/") == depth or _is_leaf(each, narrow)]
    by_worth = sorted(leaves, key=lambda each: len(reach[each] & relevant) / len(reach[each]))
    return pruned(reach, relevant, needed, by_worth)


def _is_leaf(pattern: str, patterns: Iterable[str]) -> bool:
    """Whether no narrower pattern of the same ending lies beneath it."""
    head, _, ending = pattern.partition("**")
    return not any(
        each != pattern and each.startswith(head) and each.endswith(f"**{ending}")
        for each in patterns
    )


def pruned(
    reach: dict[str, frozenset[int]],
    relevant: frozenset[int],
    needed: float,
    patterns: Sequence[str],
) -> list[str]:
    """Without the patterns, tried in their order, that the recall does not need."""
    counts: defaultdict[int, int] = defaultdict(int)
    for pattern in patterns:
        for number in reach[pattern]:
            counts[number] += 1
    caught = sum(1 for number in relevant if counts[number])
    kept = []
    for pattern in patterns:
        lost = sum(1 for number in reach[pattern] & relevant if counts[number] == 1)
        if caught - lost < needed:
            kept.append(pattern)
            continue
        caught -= lost
        for number in reach[pattern]:
            counts[number] -= 1
    return kept


def made_up(folder: Path) -> Path:
    """A repository of 600 changes; each third is one of the core, and half of those are fixed."""
    stream, moment = [], 1_600_000_000
    for number in range(600):
        core = number % 3 == 0
        path = b"src/core.c" if core else b"pages/page%d.c" % (number % 7)
        texts = [(b"add %d" % number, b"value = %d;\nmore = %d;\n" % (number, number))]
        if number % 6 == 0:
            texts.append((b"fix %d" % number, b"value = -%d;\nmore = %d;\n" % (number, number)))
        for message, text in texts:
            moment += 40_000
            stream.append(
                b"commit refs/heads/main\ncommitter J <j@example.org> %d +0000\ndata %d\n%b\n"
                b"M 100644 inline %b\ndata %d\n%b\n"
                % (moment, len(message), message, path, len(text), text)
            )
    return import_repository(folder, stream)


if __name__ == "__main__":
    main()
