"""Plays a stream to an executive of real parts; only the work of the tools is made up.

Gate, router, ledger, cortex (by rules) and log are the real ones. A tool that is right for a
happening finds something where the happening matters, and nothing where it does not; any other
tool fails on what it is given.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from executive_streams import Happening, Stream
from prefrontal.assembly.executive import build_executive
from prefrontal.assembly.frozen_moments import FrozenMoments
from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payloads import ToolRun
from prefrontal.executive import ActOutcome, Choice, Episode, Status
from prefrontal.executive.trust_standings import TrustStandings
from prefrontal.pulse import parse_fingerprint
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.settings import parse_settings
from prefrontal.testing import ManualClock

_TOOL = '''"""{doc}"""


def run(path: str) -> list[str]:
    """{doc}"""
    return [path]
'''
_MANIFEST = """- name: {name}
  side_effects: none
"""


@dataclass(slots=True)
class Tally:
    """What came of a stream after its warm-up.

    wakes: how often the agent was woken, audits left out. worth: how many of them mattered.
    answered: how many of those the right tool answered. mattered: happenings that did.
    """

    wakes: int = 0
    worth: int = 0
    answered: int = 0
    mattered: int = 0

    @property
    def useful(self) -> float:
        """F1 of wakes that mattered: of all wakes, and of all that mattered."""
        return _f1(self.worth, self.wakes, self.mattered)

    @property
    def well_answered(self) -> float:
        """F1 of wakes that mattered and were answered by the right tool."""
        return _f1(self.answered, self.wakes, self.mattered)

    @property
    def right(self) -> float:
        """Share of the wakes that mattered which the right tool answered."""
        return self.answered / self.worth if self.worth else 0.0


def _f1(good: int, of: int, wanted: int) -> float:
    return 2 * good / (of + wanted) if of + wanted else 0.0


def play(stream: Stream, links: Mapping[str, bool], seed: int = 0) -> Tally:
    """What an executive with these links makes of the stream."""
    with tempfile.TemporaryDirectory() as name:
        world = _World(stream, links, Path(name), seed)
        try:
            for each in stream.happenings:
                world.happen(each)
            return world.tally
        finally:
            world.close()


class _World:
    def __init__(self, stream: Stream, links: Mapping[str, bool], folder: Path, seed: int) -> None:
        self.tally = Tally()
        self._said = 0
        self._stream = stream
        self._by_key = {each.event.features["key"]: each for each in stream.happenings}
        self._clock = ManualClock(stream.happenings[0].event.timestamp)
        self._moments = FrozenMoments(self._clock)
        self._digests = _write_tools(stream.tools, folder / "tools")
        config = _config(stream)
        told = {"links": dict(links), "tools": str(folder / "tools")}
        raw = {"executive": told, "gate": {"seed": seed, "audit_share": 0.05}, **config}
        settings = parse_settings(raw)
        self._log = DecisionLog(clock=self._clock)
        standings = TrustStandings(settings.executive.trust)
        self._gate = Stepper(
            self._log,
            [parse_fingerprint(dict(each)) for each in stream.modules],
            settings.gate,
            standings=standings if settings.executive.links.trust else None,
            clock=self._clock,
        )
        self._built = build_executive(
            settings,
            config=config,
            workspace=folder / "workspace",
            store=self._log,
            moments=self._moments,
            waker=self._gate,
            ask=lambda wake, question: None,
            actor=self,
            standings=standings,
        )

    def happen(self, happening: Happening) -> None:
        """One event through the whole loop; then a person may have a word."""
        self._clock.advance(happening.event.timestamp - self._clock.now())
        episodes = self._built.executive.sense(happening.event)
        counted = int(happening.event.features["key"]) >= self._stream.warm_up
        if counted:
            self.tally.mattered += happening.matters
        for episode in episodes:
            if counted and episode.wake.reason == "woke":
                self._count(happening, episode)
            if happening.person:
                self._say(happening, episode)

    def act(self, wake: Decision, choice: Choice) -> ActOutcome:
        """The role Actor."""
        option = choice.option
        if option is None or not wake.window:
            return ActOutcome(Status.ASKED, "the agent was asked")
        happening = self._by_key[wake.window[-1].features["key"]]
        told = ToolRun(option.tool, self._digests[option.name], level="namespace")
        if option.name != happening.right:
            return ActOutcome(Status.FAILED, "it cannot read this", None, None, False, 0.0, told)
        if happening.matters:
            return ActOutcome(Status.DONE, "1 finding", ["found"], True, True, 0.0, told)
        return ActOutcome(Status.NOTHING, "nothing was found", [], False, None, 0.0, told)

    def close(self) -> None:
        self._built.close()
        self._gate.close()
        self._log.close()

    def _count(self, happening: Happening, episode: Episode) -> None:
        option = episode.choice.option
        right = option is not None and option.name == happening.right
        self.tally.wakes += 1
        self.tally.worth += happening.matters
        self.tally.answered += happening.matters and right

    def _say(self, happening: Happening, episode: Episode) -> None:
        """Whether the wake mattered, and whether the tool was the right one."""
        now, executive = self._clock.now(), self._built.executive
        label = float(happening.matters)
        self._log.add_label(episode.wake.id, label, now)
        executive.feedback(episode, "wake", label, self._number())
        option = episode.choice.option
        if option is not None:
            right = float(option.name == happening.right)
            self._log.add_label(episode.records[0].id, right, now)
            executive.feedback(episode, "route", right, self._number())

    def _number(self) -> int:
        self._said += 1
        return self._said


def _config(stream: Stream) -> dict[str, Any]:
    """The agent reflects after eight signals, whatever the time."""
    return {
        "provider": "rules",
        "cortex": {
            "llm_provider": "rules",
            "interaction_threshold": 8,
            "pinned_beliefs": dict(stream.pinned),
        },
    }


def _write_tools(tools: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Put the tools where the router looks; the SHA-256 of each, by name."""
    place = folder / "domains" / "desk" / "check"
    place.mkdir(parents=True)
    digests = {}
    for name, doc in tools.items():
        source = _TOOL.format(doc=doc).encode()
        (place / f"{name}.py").write_bytes(source)
        digests[name] = sha256(source).hexdigest()
    said = "".join(_MANIFEST.format(name=name) for name in tools)  # they read, and change nothing
    (place / "tool.yaml").write_text(said)
    return digests
