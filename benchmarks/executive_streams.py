"""Streams for what the links of the executive are worth: events, what matters, which tool is right.

Each stream is made for one link, and drawn from a seed:

outcomes    of each pair of tools, which the words of the question do not tell apart, one is right
            for a module; and only what happens below one folder matters to it
trust       peers signal to so many modules that no module hears one often; some peers never matter
beliefs     a module's first question is a toss-up between two tools; the operator has said which
control     the words are always the same: in a freeze the first tool breaks things
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from prefrontal.types import SignalEvent

MONDAY = 1_704_096_000.0  # 2024-01-01 08:00 UTC
LINKS = ("outcomes", "trust", "beliefs", "control")


@dataclass(frozen=True, slots=True)
class Happening:
    """One event. matters: whether a wake for it is worth it. right: name of the tool that answers
    it. person: whether a person says afterwards whether tool and wake were right.
    """

    event: SignalEvent
    matters: bool
    right: str
    person: bool


@dataclass(frozen=True, slots=True)
class Stream:
    """Happenings in order of time, for these modules and tools.

    modules: raw fingerprints. tools: name -> its description; they lie in domain "desk". pinned:
    beliefs of the operator. warm_up: happenings that are not counted.
    """

    name: str
    modules: tuple[Mapping[str, Any], ...]
    tools: Mapping[str, str]
    happenings: tuple[Happening, ...]
    pinned: Mapping[str, str] = field(default_factory=dict)
    warm_up: int = 0


def stream(link: str, seed: int, length: int) -> Stream:
    """The stream made for that link; at least some dozen happenings make sense."""
    return _STREAMS[link](random.Random(f"{link}:{seed}"), length)


def _module(name: str, folder: str, order: str) -> dict[str, Any]:
    return {
        "module_id": name,
        "cluster": "desk",
        "version": "1",
        "question_template": f"Something came from {{actor}} at {{location}}. {order}",
        "default_threshold": 0.5,
        "signal_priors": {"filesystem": {"watch_directories": [folder]}},
    }


def _event(number: int, time: float, location: str, actor: str, **features: Any) -> SignalEvent:
    told = {"actor": actor, "key": str(number), "path": location, **features}
    return SignalEvent("filesystem", location, "modified", 1.0, time, told)


_NOUNS = ("report", "ticket", "roster", "forecast", "catalogue", "sensor", "summary", "agenda")
"""None of them a word of money or of what cannot be undone: such tools wait for a verdict."""


def _pairs(nouns: tuple[str, ...]) -> dict[str, str]:
    """Two tools for each noun, which its words do not tell apart."""
    return {
        f"check_{noun}_{kind}": f"Check the {noun}."
        for noun in nouns
        for kind in ("alpha", "omega")
    }


def _outcomes(draw: random.Random, length: int) -> Stream:
    modules = tuple(_module(noun, f"/srv/{noun}", f"Check the {noun}.") for noun in _NOUNS)
    right = {noun: f"check_{noun}_{draw.choice(('alpha', 'omega'))}" for noun in _NOUNS}
    found = []
    for number in range(length):
        noun = draw.choice(_NOUNS)
        live = draw.random() < 0.4
        place = f"/srv/{noun}/{'live' if live else 'scratch'}/file{draw.randrange(400)}.dat"
        event = _event(number, MONDAY + 600.0 * number, place, f"ann{draw.randrange(12)}")
        found.append(Happening(event, live, right[noun], draw.random() < 0.5))
    return Stream("outcomes", modules, _pairs(_NOUNS), tuple(found), warm_up=length // 2)


def _trust(draw: random.Random, length: int) -> Stream:
    areas = [f"area{number}" for number in range(40)]
    modules = tuple(_module(area, f"/in/{area}", "Check the ticket.") for area in areas)
    peers = [f"peer{number}" for number in range(16)]
    noisy = set(draw.sample(peers, 5))
    found = []
    for number in range(length):
        peer, area = draw.choice(peers), draw.choice(areas)
        place = f"/in/{area}/{draw.randrange(10_000)}.txt"
        event = _event(number, MONDAY + 900.0 * number, place, peer)
        matters = peer not in noisy and draw.random() < 0.9
        found.append(Happening(event, matters, "check_ticket_alpha", draw.random() < 0.5))
    tools = {"check_ticket_alpha": "Check the ticket."}
    return Stream("trust", modules, tools, tuple(found), warm_up=length // 2)


def _beliefs(draw: random.Random, length: int) -> Stream:
    nouns = _NOUNS[:4]
    modules = tuple(_module(noun, f"/desk/{noun}", f"Check the {noun}.") for noun in nouns)
    kinds = {noun: draw.choice(("alpha", "omega")) for noun in nouns}
    right = {noun: f"check_{noun}_{kind}" for noun, kind in kinds.items()}
    found = []
    for number in range(length):
        noun = nouns[number % len(nouns)]
        place = f"/desk/{noun}/{draw.randrange(400)}.dat"
        event = _event(number, MONDAY + 3600.0 * number, place, f"bob{draw.randrange(4)}")
        found.append(Happening(event, True, right[noun], False))
    pinned = {f"tool:{noun}": f"Prefer {right[noun]}." for noun in nouns}
    return Stream("beliefs", modules, _pairs(nouns), tuple(found), pinned)


def _control(draw: random.Random, length: int) -> Stream:
    modules = (_module("deploys", "/deploy", "Check the backup."),)
    tools = {
        "check_backup_alpha": "Check the backup.",
        "check_backup_omega": "Check the backup, with care.",
    }
    found = []
    for number in range(length):
        freeze = draw.random() < 0.4
        place = f"/deploy/{draw.randrange(400)}.dat"
        event = _event(
            number, MONDAY + 1800.0 * number, place, f"cem{draw.randrange(4)}", freeze=float(freeze)
        )
        right = "check_backup_omega" if freeze else "check_backup_alpha"
        found.append(Happening(event, True, right, True))
    return Stream("control", modules, tools, tuple(found), warm_up=length // 2)


_STREAMS: dict[str, Callable[[random.Random, int], Stream]] = {
    "outcomes": _outcomes,
    "trust": _trust,
    "beliefs": _beliefs,
    "control": _control,
}
