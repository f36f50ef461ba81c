"""What each link of the executive is worth: with and without it, on the same streams.

Every stream is made for one link and has a measure of its own, 0..1. A cell of the table says by
how much the measure of the stream is better with the link than without, all other links on; the
diagonal is the link on the stream made for it, elsewhere it should cost nothing (less than 0.02).
The last rows do the same with the control agent off, as it is by default. Gate, router, ledger,
cortex and log are the real ones, the work of the tools is made up; a figure is the mean over seeds.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

import harness
from executive_streams import LINKS, stream
from executive_world import Tally, play

ALL_ON = dict.fromkeys(("outcomes", "trust", "consult", "beliefs", "control"), True)
USUAL = ALL_ON | {"control": False}
SWITCHES = {link: (link,) for link in LINKS} | {"trust": ("trust", "consult")}
LENGTHS = {"outcomes": 300, "trust": 400, "beliefs": 40, "control": 300}
SEEDS = 3
MOST_COST = 0.02

Measure = Callable[[Tally], float]
Row = dict[str, tuple[float, float]]
MEASURES: Mapping[str, tuple[str, Measure]] = {
    "outcomes": ("F1 of wakes that mattered, rightly answered", lambda it: it.well_answered),
    "trust": ("F1 of wakes that mattered", lambda it: it.useful),
    "beliefs": ("share of questions given to the right tool", lambda it: it.right),
    "control": ("share of questions given to the right tool", lambda it: it.right),
}


def measured(name: str, links: Mapping[str, bool], seeds: int, length: int) -> list[float]:
    """The stream's own measure, for each seed."""
    measure = MEASURES[name][1]
    return [measure(play(stream(name, seed, length), links, seed)) for seed in range(seeds)]


def without(link: str, links: Mapping[str, bool]) -> dict[str, bool]:
    """Those links but the one."""
    return {**links, **dict.fromkeys(SWITCHES[link], False)}


def row(name: str, links: Mapping[str, bool], seeds: int, length: int) -> Row:
    """For each link that is on, the stream's measure without it and with it; printed by seed."""
    with_ = measured(name, links, seeds, length)
    found = {}
    for link in (each for each in LINKS if links[each]):
        less = measured(name, without(link, links), seeds, length)
        found[link] = statistics.fmean(less), statistics.fmean(with_)
        gains = ", ".join(f"{b - a:+.3f}" for a, b in zip(less, with_, strict=True))
        print(f"  {name}: {link} {found[link][0]:.3f} -> {found[link][1]:.3f} (by seed {gains})")
    return found


def main() -> None:
    options = harness.options(__doc__ or "")
    seeds = 1 if options.smoke else SEEDS
    started = time.perf_counter()
    for links in (ALL_ON, USUAL):
        print("with the control agent" if links["control"] else "without the control agent")
        rows = {}
        for name in LINKS:
            length = 12 if options.smoke else LENGTHS[name]
            rows[name] = row(name, links, seeds, length)
        shown = [link for link in LINKS if links[link]]
        print(f"\n| stream, measure | {' | '.join(shown)} |\n|---|{'---|' * len(shown)}")
        for name, found in rows.items():
            cells = " | ".join(_cell(name, link, *found[link]) for link in shown)
            print(f"| {name}: {MEASURES[name][0]} | {cells} |")
        print(f"\n{seeds} seeds, {time.perf_counter() - started:.0f} s")
        if not options.smoke:
            _check(rows)


def _cell(name: str, link: str, less: float, with_: float) -> str:
    if name == link:
        return f"**{less:.3f} -> {with_:.3f}**"
    return f"{with_ - less:+.3f}"


def _check(rows: Mapping[str, Row]) -> None:
    """Say of each cell that is not as it should be."""
    for name, found in rows.items():
        for link, (less, with_) in found.items():
            if name == link and with_ <= less:
                print(f"NOT MET: {link} does not improve its own stream")
            if with_ < less - MOST_COST:
                print(f"NOT MET: {link} costs {less - with_:.3f} on the stream of {name}")


if __name__ == "__main__":
    main()
