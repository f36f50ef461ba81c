from __future__ import annotations

import random

import pytest

from prefrontal.types import SignalEvent

from .fake_tree import Desk
from .receiver import facts


@pytest.mark.parametrize("seed", range(30))
def test_events_add_up_to_what_is_there_whatever_is_done(seed: int) -> None:
    chance = random.Random(seed)
    desk = Desk("/d/a", "/d/x/b", "/d/x/y/c")
    known = set(desk.tree.files)
    names = ["/d/a", "/d/b", "/d/x/b", "/d/x/y/c", "/d/z/q"]
    for _ in range(200):
        there = sorted(desk.tree.files)
        act = chance.choice(["write", "write", "remove", "move", "wait"])
        if act == "write":
            desk.write(chance.choice(names), chance.randrange(9))
        elif act == "remove" and there:
            desk.remove(chance.choice(there))
        elif act == "move" and there:
            desk.move(chance.choice(there), chance.choice(names))
        apply(desk.wait(chance.choice([0.1, 0.6])), known)
    apply(desk.wait(5), known)
    assert known == set(desk.tree.files)
    assert {path for path, _ in desk.index.under("/d")} == known


def apply(events: list[SignalEvent], known: set[str]) -> None:
    """What somebody who hears only the events believes; nothing is told twice."""
    for event in events:
        if event.delta_type == "deleted":
            known.remove(event.location)
        elif event.delta_type == "created":
            assert event.location not in known, facts(events)
            known.add(event.location)
        else:
            assert event.location in known
        if "old_location" in event.features:
            known.remove(event.features["old_location"])
