"""Whether a live gate keeps the recall that was asked for, on public histories.

    python benchmarks/bench_recall.py FOLDER              # FOLDER/wake/pytest.jsonl.gz and so on
    python benchmarks/bench_recall.py FOLDER --part few   # asked, draw, few, late, short or drift
    python benchmarks/bench_recall.py --smoke             # a history made up here

From the first window, with an untrained scorer; only wakes and audits are ever labelled unless a
row says "complete". Audits count as wake-ups and what they find as caught, in every figure.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, pairwise, permutations
from pathlib import Path
from statistics import mean

from prefrontal.types import SignalEvent
from recall_runs import NAMES, Answers, Control, History, Run, read, run
from recall_twins import (
    Adaptive,
    Before,
    ControlSet,
    Ours,
    Promise,
    SecondRules,
    Tracker,
    UniformAudits,
)

ASKED = (0.80, 0.90, 0.95)
ONLY_ASKED, COMPLETE = Answers(), Answers(complete=True)
Make = Callable[[float], Control]
TWINS: dict[str, Make] = {
    "uniform audits, 2 in 100": UniformAudits,
    "the gate of before": Before,
    "adaptive conformal inference": Adaptive,
    "control set of a review": ControlSet,
    "quantile tracker, step .02": Tracker,
}
SHARES = (0.01, 0.02, 0.03)
UNIFORM_SHARES = (0.005, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08)
"""Of uniform audits, until their interval is as narrow as ours."""


def main() -> None:
    """Print the tables of the README."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="holds wake/*.jsonl.gz")
    parser.add_argument("--part", choices=PARTS, help="one part of it")
    parser.add_argument("--seeds", type=int, default=50, help="runs of each history")
    parser.add_argument("--smoke", action="store_true", help="a made-up history, once")
    options = parser.parse_args()
    if options.smoke or options.folder is None:
        sys.stderr.write("Made-up histories alone; name a folder for the others (see --help)\n")
        histories, seeds = {"made up": made_up(1200), "made up 2": made_up(1200, 2)}, 1
    else:
        histories = {name: read(options.folder, name) for name in NAMES}
        seeds = options.seeds
    for part in [options.part] if options.part else PARTS:
        for line in PARTS[part](histories, seeds):
            print(line, flush=True)


def made_up(count: int, seed: int = 1) -> History:
    """Files of which three folders matter."""
    draw = random.Random(seed)
    history = []
    for number in range(count):
        folder = draw.randrange(12)
        place = f"/made/{seed}/{folder}/{draw.randrange(40)}.py"
        event = SignalEvent("filesystem", place, "modified", 1.0, float(number), {})
        history.append(((event,), draw.random() < (0.8 if folder < 3 else 0.04)))
    return history


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def head(*cells: str) -> Iterator[str]:
    yield from ("", row(*cells), row(*("---" for _ in cells)))


def runs(histories: dict[str, History], make: Make, recall: float, seeds: int) -> list[list[Run]]:
    """The runs of each history."""
    return [
        [run(each, make(recall), ONLY_ASKED, seed, looks=8) for seed in range(seeds)]
        for each in histories.values()
    ]


def asked(histories: dict[str, History], seeds: int) -> Iterator[str]:
    """Whole histories: what was got, how far it spreads, and whether the interval holds it."""
    columns = ("got", *histories, "lowest", "runs > 5 below", "woken", "audits")
    columns = (*columns, "alarms / 1,000")
    yield from head("control", "asked", *columns, "interval holds", "its width")
    twin_seeds = max(1, seeds // 5)
    for recall in ASKED:
        found = runs(histories, Ours, recall, seeds)
        yield _asked_row("ours", recall, found)
        for name, make in TWINS.items():
            yield _asked_row(name, recall, runs(histories, make, recall, twin_seeds))


def _asked_row(name: str, recall: float, found: list[list[Run]]) -> str:
    flat = [each for runs_ in found for each in runs_]
    got = [each.recall() for each in flat]
    held = [pair for each in flat for pair in each.held()]
    return row(
        name,
        f"{recall:.2f}",
        f"{mean(got):.3f}",
        *(f"{mean(each.recall() for each in runs_):.3f}" for runs_ in found),
        f"{min(got):.3f}",
        f"{mean(each < recall - 0.05 for each in got):.1%}",
        f"{mean(each.wakes() for each in flat):.3f}",
        f"{mean(each.audits() for each in flat):.2%}",
        f"{1000 * sum(each.alarms() for each in flat) / sum(len(e.asked) for e in flat):.2f}",
        f"{mean(hit for hit, _ in held):.1%}" if held else "",
        f"{mean(width for _, width in held):.3f}" if held else "",
    )


def draw(histories: dict[str, History], seeds: int) -> Iterator[str]:
    """How many audits of a uniform draw give an interval as narrow, by the same estimator."""
    columns = ("audit_share", "audits", "interval holds", "its width", "uniform audits as narrow")
    yield from head("asked", *columns, "ours of these")
    for recall in (0.80, 0.90):
        points = sorted(
            _audits_and_width(runs(histories, partial(UniformAudits, share=each), recall, seeds))
            for each in UNIFORM_SHARES
        )
        for share in SHARES:
            found = runs(histories, partial(Ours, share=share), recall, seeds)
            audits, width = _audits_and_width(found)
            uniform = _audits_as_narrow(points, width)
            hits = mean(hit for each in chain(*found) for hit, _ in each.held())
            cells = (f"{audits:.2%}", f"{hits:.1%}", f"{width:.4f}")
            told = ("", "") if uniform is None else (f"{uniform:.2%}", f"{audits / uniform:.0%}")
            yield row(f"{recall:.2f}", share, *cells, *told)


def _audits_and_width(found: list[list[Run]]) -> tuple[float, float]:
    flat = list(chain(*found))
    widths = [width for each in flat for _, width in each.held()]
    return mean(each.audits() for each in flat), mean(widths) if widths else 1.0


def _audits_as_narrow(points: list[tuple[float, float]], width: float) -> float | None:
    """Between the two points around that width, in a line; None where no two are around it."""
    for (fewer, wide), (more, narrow) in pairwise(points):
        if narrow <= width <= wide and narrow < wide:
            return fewer + (more - fewer) * (wide - width) / (wide - narrow)
    return None


def few(histories: dict[str, History], seeds: int) -> Iterator[str]:
    """What comes after a few answers, while they go on and when they stop."""
    yield from head("answers", "then", "answered", "got", "lowest", "more than 5 below", "woken")
    for share in (1.0, 0.3):
        for count in (5, 20, 100):
            for most in (None, count):
                got, woken = [], []
                for history in histories.values():
                    for seed in range(max(1, seeds * 2 // 5)):
                        one = run(history, Ours(0.9), Answers(share=share, most=most), seed)
                        at = one.answered[count - 1]
                        got.append(one.recall(at))
                        woken.append(one.wakes(at))
                then = "go on" if most is None else "stop"
                below = mean(each < 0.85 for each in got)
                cells = (f"{mean(got):.3f}", f"{min(got):.3f}", f"{below:.1%}")
                yield row(count, then, f"{share:.0%}", *cells, f"{mean(woken):.3f}")


def late(histories: dict[str, History], seeds: int) -> Iterator[str]:
    """Answers that come together, such as once a day; everything wakes until the first come."""
    yield from head("control", "answered every", "got", "lowest", "more than 5 below", "woken",
                    "the 300 after the first answers", "more than 5 below")  # fmt: skip
    for together in (0, 40, 100, 300):
        for name, make in {
            "ours": Ours,
            "an answer counts at the score of then": SecondRules,
        }.items():
            answers = Answers(together=together)
            found = [
                run(history, make(0.9), answers, seed)
                for history in histories.values()
                for seed in range(max(1, seeds // 5))
            ]
            got = [each.recall() for each in found]
            first = [each.recall(together, together + 300) for each in found]
            yield row(
                name,
                f"{together} windows" if together else "at once",
                f"{mean(got):.3f}",
                f"{min(got):.3f}",
                f"{mean(each < 0.85 for each in got):.1%}",
                f"{mean(each.wakes() for each in found):.3f}",
                f"{mean(first):.3f}",
                f"{mean(each < 0.85 for each in first):.0%}",
            )


def short(histories: dict[str, History], seeds: int) -> Iterator[str]:
    """Every span of 400 and 800 windows, a hundred apart."""
    step = 100 if seeds > 5 else 400
    yield from head("control", "labels", "windows", "spans", "got", "2 points below", "woken")
    for length in (400, 800):
        for name, make, answers in _rivals():
            found = [
                run(history[begin : begin + length], make(0.9), answers, begin)
                for history in histories.values()
                for begin in range(0, len(history) - length + 1, step)
            ]
            got = [each.recall() for each in found]
            below = mean(each < 0.88 - 1e-9 for each in got)
            labels = "complete" if answers.complete else "asked"
            cells = (f"{mean(got):.3f}", f"{below:.1%}", f"{mean(e.wakes() for e in found):.3f}")
            yield row(name, labels, length, len(found), *cells)


def _rivals() -> list[tuple[str, Make, Answers]]:
    return [
        ("ours", Ours, COMPLETE),
        ("RecallPromise", Promise, COMPLETE),
        ("quantile tracker", Tracker, COMPLETE),
        ("ours", Ours, ONLY_ASKED),
        ("quantile tracker, audits 2 in 100", Tracker, ONLY_ASKED),
    ]


def drift(histories: dict[str, History], seeds: int, cut: int = 1500) -> Iterator[str]:
    """The beginnings of two histories one after the other; figures of the second."""
    columns = ("got", "2 points below", "after 300: got", "within 3 points", "lowest pair")
    yield from head("control", "labels", *columns, "woken", "alarm within 300")
    for name, make, answers in _rivals():
        pairs = []
        for one, other in permutations(histories.values(), 2):
            at = min(cut, len(one))
            both = [*one[:at], *other[:cut]]
            pairs.append(
                [(at, run(both, make(0.9), answers, s)) for s in range(max(1, seeds // 10))]
            )
        flat = [each for pair in pairs for each in pair]
        got = [each.recall(at) for at, each in flat]
        after = [each.recall(at + 300) for at, each in flat]
        yield row(
            name,
            "complete" if answers.complete else "asked",
            f"{mean(got):.3f}",
            f"{mean(each < 0.88 for each in got):.1%}",
            f"{mean(after):.3f}",
            f"{mean(each >= 0.87 for each in after):.1%}",
            f"{min(mean(e.recall(at + 300) for at, e in pair) for pair in pairs):.3f}",
            f"{mean(each.wakes(at) for at, each in flat):.3f}",
            f"{mean(any(each.alarm[at : at + 300]) for at, each in flat):.1%}",
        )


PARTS = {"asked": asked, "draw": draw, "few": few, "late": late, "short": short, "drift": drift}


if __name__ == "__main__":
    main()
