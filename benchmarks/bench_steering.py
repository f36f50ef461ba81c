"""Tries to steer the judge: how many are missed, and how many ordinary messages count as one.

    python benchmarks/bench_steering.py [--smoke]

Ten tries and ten ordinary messages in each of ten languages (steering_texts.py), written after the
first patterns and not for them; the ordinary ones speak of rules, trust, numbers and notes, too.
The patterns were widened for all of these. Five more of each (steering_texts_later.py) were written
before the second widening, which brought the rules for shapes, and looked at once after it. The
sender is "ann".
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

import steering_texts as texts
import steering_texts_later as later
from prefrontal.cortex.reflectors.steering import steers

SENDER = "ann"
Texts = Mapping[str, Sequence[str]]


def rates(tries: Texts, ordinary: Texts) -> tuple[dict[str, tuple[int, int]], tuple[int, ...]]:
    """By language: tries missed, ordinary messages that count. All: both, and how many of each."""
    by_language = {
        language: (
            sum(not steers(each, SENDER) for each in tries[language]),
            sum(steers(each, SENDER) for each in ordinary[language]),
        )
        for language in tries
    }
    missed, false = (sum(column) for column in zip(*by_language.values(), strict=True))
    counts = (sum(map(len, texts.values())) for texts in (tries, ordinary))
    return by_language, (missed, false, *counts)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="the same: it is quick")
    parser.parse_args()
    print("missed / false: of ten each that were looked at; of five each that were not\n")
    looked, looked_all = rates(texts.TRIES, texts.ORDINARY)
    fresh, fresh_all = rates(later.TRIES, later.ORDINARY)
    print("| language | looked at | not looked at |\n|---|---|---|")
    for language in looked:
        cells = ["{}/{}".format(*each[language]) for each in (looked, fresh)]
        print(f"| {language} | {' | '.join(cells)} |")
    for name, (missed, false, tries, ordinary) in (("looked at", looked_all), ("not", fresh_all)):
        print(
            f"\n{name}: {missed} of {tries} tries missed,"
            f" {false} of {ordinary} ordinary ones noticed"
        )


if __name__ == "__main__":
    main()
