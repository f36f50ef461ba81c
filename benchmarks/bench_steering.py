"""Tries to steer the judge: how many are missed, and how many ordinary messages count as one.

    python benchmarks/bench_steering.py [--smoke]

Ten tries and ten ordinary messages in each of ten languages (steering_texts.py), written after the
patterns and not for them; the ordinary ones speak of rules, trust, numbers and notes, too. The
first five of each were looked at while the patterns were widened, the last five only once.
"""

from __future__ import annotations

import argparse

import steering_texts as texts
from prefrontal.cortex.reflectors.steering import steers

HALF = 5


def rates(chosen: slice) -> tuple[dict[str, tuple[int, int]], tuple[int, int, int]]:
    """By language: tries missed, ordinary messages that count. All: both, and how many of each."""
    by_language = {}
    count = 0
    for language in texts.TRIES:
        tries, ordinary = texts.TRIES[language][chosen], texts.ORDINARY[language][chosen]
        missed = sum(not steers(each) for each in tries)
        by_language[language] = (missed, sum(steers(each) for each in ordinary))
        count += len(tries)
    columns = list(zip(*by_language.values(), strict=True))
    return by_language, (sum(columns[0]), sum(columns[1]), count)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="the same: it is quick")
    parser.parse_args()
    print("missed / false, of five each: the texts that were looked at; those that were not\n")
    looked, looked_all = rates(slice(HALF))
    fresh, fresh_all = rates(slice(HALF, None))
    print("| language | looked at | not looked at |\n|---|---|---|")
    for language in looked:
        cells = ["{}/{}".format(*each[language]) for each in (looked, fresh)]
        print(f"| {language} | {' | '.join(cells)} |")
    for name, (missed, false, count) in (("looked at", looked_all), ("not", fresh_all)):
        print(
            f"\n{name}: {missed} of {count} tries missed, {false} of {count} ordinary ones noticed"
        )


if __name__ == "__main__":
    main()
