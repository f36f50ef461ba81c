"""Training and scoring give the same bits whatever the processor offers."""

from __future__ import annotations

import pytest

from ..instruction_sets import check_same_bits

PROGRAM = """
import random, struct
from hashlib import sha256
from prefrontal import _core
from prefrontal.pulse import LimbicLayer, SignalEvent, parse_fingerprint
from prefrontal.pulse.learning.rules import find_rule

rng, bits = random.Random(7), sha256()
limbic = LimbicLayer(utc=True)
names = [f"m{n}" for n in range(37)]
for n, name in enumerate(names):
    files = {"watch_directories": ["/srv"], "relevant_extensions": [".pdf", ".py"][: n % 3]}
    limbic.register(name, parse_fingerprint({
        "module_id": name, "cluster": "c", "version": "1", "default_threshold": 0.5,
        "question_template": "{location}?", "signal_priors": {"filesystem": files},
    }))

def window(time):
    features = {"actor": rng.choice("abc"), "text": f"{rng.choice(['fix', 'add'])} {rng.random()}"}
    return [
        SignalEvent("filesystem", f"/srv/{rng.choice('xy')}/{rng.randrange(30)}"
                    + rng.choice([".pdf", ".py", ".tmp"]), "modified", rng.random(), time, features)
        for _ in range(rng.randint(1, 5))
    ]

history = [(window(1.7e9 + 5000 * n), rng.random() < 0.3) for n in range(200)]
found = find_rule(history[:60])
limbic.start_from("m3", found.rule)
bits.update(struct.pack("2d", found.rule.log_odds_match, found.rule.log_odds_rest))
for each, relevant in history:
    for score in limbic.score_all(each).values():
        bits.update(struct.pack("d", score))
    bits.update(struct.pack("d", limbic.score(rng.choice(names), each)))
    for name in names:
        limbic.update_weights(name, each, float(relevant))
bits.update(limbic._core.save())

lstm = LimbicLayer("lstm", 5)
for name in names[:4]:
    lstm.register(name, parse_fingerprint({
        "module_id": name, "cluster": "c", "version": "1", "default_threshold": 0.5,
        "question_template": "{location}?",
    }))
for n, (each, relevant) in enumerate(history[:60]):
    past = [event for window, _ in history[max(0, n - 9) : n + 1] for event in window]
    for score in lstm.score_all(past).values():
        bits.update(struct.pack("d", score))
    bits.update(struct.pack("d", lstm.score_stream("m1", each[0])))
    lstm.update_weights("m0", each, float(relevant))
    lstm.update_weights("m1", past, float(relevant))
    bits.update(repr(lstm.contributions("m1", each)).encode())
bits.update(lstm._core.save())
print(_core.instruction_set(), bits.hexdigest())
"""


@pytest.mark.exhaustive
def test_every_instruction_set_gives_the_same_scores_to_the_last_bit() -> None:
    check_same_bits(PROGRAM)
