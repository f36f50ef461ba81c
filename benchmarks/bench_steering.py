"""Tries to steer the judge: how many are missed, and how many ordinary messages count as one.

    python benchmarks/bench_steering.py [--smoke]

Ten tries and ten ordinary messages in each of ten languages (steering_texts.py), written after the
first patterns and not for them; the ordinary ones speak of rules, trust, numbers and notes, too.
The patterns were widened for all of these. Five more of each (steering_texts_later.py) were written
before the second widening, which brought the rules for shapes, and looked at once after it. Then
the hundred tries in disguise (steering_disguises.py), by five kinds that were at hand while it was
taken off and by 18 that were written before and looked at once after, and 60 ordinary messages with
encodings, markup and mixed scripts. Last 180 tries and 200 honest messages for which no rule was
written (steering_texts_held_out.py). The sender is "ann".
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

import steering_disguises as disguises
import steering_texts as texts
import steering_texts_held_out as held_out
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
    in_disguise()
    in_plain_words()


def in_disguise() -> None:
    """How many of the hundred tries each disguise hides, of those that it changes."""
    tries = [each for language in texts.TRIES.values() for each in language]
    for name, kinds in (("at hand", disguises.AT_HAND), ("not", disguises.LATER)):
        worn = {
            kind: [made for each in tries if (made := disguise(each)) != each]
            for kind, disguise in kinds.items()
        }
        hidden = {kind: sum(not steers(each, SENDER) for each in worn[kind]) for kind in kinds}
        count = sum(map(len, worn.values()))
        print(f"\nin disguise, {name}: {sum(hidden.values())} of {count:,} missed:")
        parts = [f"{kind} {hidden[kind]} of {len(worn[kind])}" for kind in kinds if hidden[kind]]
        print(", ".join(parts) or "none")
    noticed = sum(steers(each, SENDER) for each in disguises.ORDINARY)
    print(f"{noticed} of {len(disguises.ORDINARY)} ordinary ones noticed")


def in_plain_words() -> None:
    """How many tries in words that no rule was written for are missed."""
    kinds = {
        "plain": held_out.TRIES,
        "in another register": held_out.REWORDED,
        "of other kinds": held_out.OTHER_TRIES,
    }
    print("\nno rule was written for these:")
    for name, tries in kinds.items():
        _, (missed, false, count, ordinary) = rates(tries, held_out.ORDINARY)
        print(f"{name}: {missed} of {count} tries missed")
    print(f"{false} of {ordinary} honest ones noticed")


if __name__ == "__main__":
    main()
