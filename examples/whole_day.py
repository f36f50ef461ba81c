"""A whole day of one agent: python examples/whole_day.py [REPOSITORY]

The newest commits of a repository, by default the one with the longest history here, are put into
one day. Each changed file is a signal. The gate wakes for some; each wake's question is routed to
one of the shipped tools, which is tried out and then run in the sandbox; what it found trains gate
and router, and rules reflect on whose changes it were. Offline, and nothing of the repository is
changed: its files, as each commit left them, lie in a folder that is gone at the end.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from runpy import run_path
from tempfile import TemporaryDirectory
from typing import Any

from commit_files import CommitFiles

from prefrontal.assembly.executive import build_executive
from prefrontal.assembly.frozen_moments import FrozenMoments
from prefrontal.assembly.router import build_runner
from prefrontal.decisions.log import Decision, DecisionLog
from prefrontal.decisions.payloads import AssessmentPayload
from prefrontal.errors import InputError, PrefrontalError
from prefrontal.executive import Conclusion, Episode, Status
from prefrontal.executive.trust_standings import TrustStandings
from prefrontal.plain_text import visible
from prefrontal.pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.replay.backtest import TOKENS_PER_WAKE
from prefrontal.replay.histories.git_history import Commit, GitHistory
from prefrontal.settings import GateSettings, PolicySettings, parse_settings
from prefrontal.testing import ManualClock

HERE = Path(__file__).resolve().parent
MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC).timestamp()
DAY_S = 86_400.0
HEARTBEATS = 48
"""Wakes a day of an agent that looks every half an hour whether there is something to do."""
CHEAP_HEARTBEATS = 18
"""Every 55 minutes of 16 hours; the tokens of a small model cost a third."""
COMMITS, FILES = 24, 8
"""Commits of the day; files of one that become signals, the first in git's order."""
AGENT = {"cortex": {"llm_provider": "rules", "triggers": [{"interaction_count": 5}]}}
ROUTING = {"sandbox": {"max_seconds": 10.0}, "validators": {"allow_missing": True}}
GATE = GateSettings(policy=PolicySettings(settle_s=0.0, cooldown_s=3600.0))
MODULES = (
    ("syntax", "files", ".py", "A Python file changed at {location}. Check its syntax."),
    ("names", "files", ".py", "{location} changed. List the changed public names."),
    ("length", "files", ".py", "{location} changed. Find long functions in it."),
    ("notes", "files", ".py", "{actor} changed {location}. Find the TODO notes in it."),
    ("tests", "files/tests", ".py", "The tests at {location} changed. Run the test file."),
    ("links", "files", ".md", "A page changed at {location}. Check its relative links."),
    ("needs", "files", ".toml .txt .cfg", "{location} changed. List the new dependencies."),
    ("secrets", "files", ".yml .yaml .json .ini .sh", "{location} changed. Find secrets in it."),
    ("commits", "changes", ".diff", "{actor} committed {location}. Summarise the diff."),
    ("news", "changes", ".diff", "{location}: check that the changelog has an entry."),
    ("others", "files", ".html .css .js .ts .rst .c .cpp", "{location} changed: what follows?"),
)
"""Id, watched folder, kinds of files, question."""


def main(words: Sequence[str] | None = None) -> int:
    """Tell the story; 0, or 2 with a sentence when the repository cannot be read."""
    told = _options(words)
    try:
        with ExitStack() as held:
            folder = held.enter_context(TemporaryDirectory(prefix="whole-day-"))
            repository = Path(told.repository or _longest())
            Day(repository, Path(folder).resolve(), told, held).tell()
    except PrefrontalError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


class Day:
    """The newest commits of a repository as one day of an agent that is made for it."""

    def __init__(self, repository: Path, folder: Path, told: Any, held: ExitStack) -> None:
        self.name = repository.resolve().name
        self.commits = list(GitHistory(repository, limit=told.commits))
        if not self.commits:
            raise InputError(f"repository must have commits that change files, got {self.name!r}")
        self.files = CommitFiles(repository, folder, self.commits[0].key)
        self.episodes: list[Episode] = []
        self.asked: list[str] = []
        self.clock = ManualClock(MIDNIGHT)
        log = held.enter_context(DecisionLog(folder / "state.sqlite", clock=self.clock))
        shutil.copytree(HERE / "tools", folder / "tools")
        executive = {"tools": str(folder / "tools")}
        settings = parse_settings({"executive": executive, "routing": ROUTING})
        standings = TrustStandings(settings.executive.trust)
        modules = list(_modules(folder))
        self.gate = held.enter_context(
            Stepper(log, modules, GATE, standings=standings, clock=self.clock)
        )
        built = build_executive(
            settings,
            store=log,
            moments=FrozenMoments(self.clock),
            waker=self.gate,
            ask=self._ask,
            config=AGENT,
            workspace=folder / "agent",
            roots=[folder / name for name in ("files", "changes", "versions")],
            standings=standings,
            allow_weak_sandbox=told.allow_weak_sandbox,
        )
        held.callback(built.close)
        self.executive = built.executive
        self.level = build_runner(settings.routing).level

    def tell(self) -> None:
        """Live through the day, a line for each wake, then what came of it."""
        _say(f"One day of {self.name}: {len(self.commits)} commits; sandbox: {self.level}.\n")
        signals = 0
        for commit, at in zip(self.commits, _moments(self.commits), strict=True):
            self.clock.advance(max(1.0, at - self.clock.now()))
            for event in self.files.signals(commit, self.clock.now(), FILES):
                signals += 1
                for episode in self.executive.sense(event):
                    self.episodes.append(episode)
                    _say(_line(episode))
        self._conclude(signals)

    def _ask(self, wake: Decision, question: str) -> None:
        self.asked.append(question)

    def _conclude(self, signals: int) -> None:
        came_to = Counter(episode.outcome.status for episode in self.episodes)
        _say(f"\n{signals} signals, {len(self.episodes)} wakes: {_counts(came_to)}.")
        slept = {name: count for name, count in self.gate.counts().items() if name != "woke"}
        _say(f"Slept through: {_counts(slept)}.")
        _tell_conclusions([one for episode in self.episodes for one in episode.conclusions])
        _say(f"\nThe bill, at {TOKENS_PER_WAKE:,} tokens for each turn of an agent:")
        _bill(f"a heartbeat agent, {HEARTBEATS} turns a day", HEARTBEATS)
        _bill(f"a cheap heartbeat, {CHEAP_HEARTBEATS} turns of a small model", CHEAP_HEARTBEATS)
        _bill("an agent that takes every wake itself", len(self.episodes))
        for_agent = sum(came_to[status] for status in (Status.DONE, Status.ASKED, Status.DEFERRED))
        _bill("an agent that is told what the tools found", for_agent)


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repository", nargs="?", help="by default the longest history found here")
    parser.add_argument("--commits", type=int, default=COMMITS, help="how many make the day")
    parser.add_argument(
        "--allow-weak-sandbox", action="store_true", help="run tools though nothing confines them"
    )
    return parser.parse_args(words)


def _longest() -> str:
    """As `make demo` finds it."""
    longest = run_path(str(HERE.parent / "scripts" / "longest_history.py"))["longest"]
    return str(longest([Path.home(), Path.cwd()], HERE.parent))


def _modules(folder: Path) -> Iterator[ModuleFingerprint]:
    for module_id, watched, kinds, question in MODULES:
        others = {kind for _, _, each, _ in MODULES for kind in each.split()} - set(kinds.split())
        filesystem = {
            "watch_directories": [str(folder / watched)],
            "relevant_extensions": kinds.split(),
            "irrelevant_extensions": sorted(others),
        }
        yield parse_fingerprint(
            {
                "module_id": module_id,
                "cluster": "whole-day",
                "version": "1",
                "question_template": question,
                "default_threshold": 0.5,
                "signal_priors": {"filesystem": filesystem},
            }
        )


def _moments(commits: Sequence[Commit]) -> list[float]:
    """When each commit comes in the day: as far apart as they were, all of it in one day."""
    first, last = commits[0].time, commits[-1].time
    span = max(1.0, last - first)
    return [MIDNIGHT + (commit.time - first) / span * (DAY_S - 60.0) for commit in commits]


def _line(episode: Episode) -> str:
    wake, choice, outcome = episode.wake, episode.choice, episode.outcome
    at = datetime.fromtimestamp(wake.time, UTC).strftime("%H:%M")
    where = visible(Path(wake.window[-1].location).name, 22)
    tool = choice.option.name if choice.option else "the agent"
    told = {Status.NOTHING: "nothing", Status.ASKED: "asked"}.get(outcome.status)
    said = told or f"{outcome.status}: {outcome.text}"
    asked = choice.prompt.replace(str(Path(wake.window[-1].location).parent), "")[:34]
    return f"{at} {wake.subject:8} {where:22} {asked:34} -> {tool:21} {said[:70]}"


def _tell_conclusions(conclusions: Sequence[Conclusion]) -> None:
    """The last word on each peer, and what is believed."""
    last = {(one.kind, one.subject): one for one in conclusions}
    for kind, title in (("assessment", "What it thinks of people"), ("belief", "What it believes")):
        told = [one for (each, _), one in last.items() if each == kind]
        _say(f"\n{title}:" if told else f"\n{title}: nothing yet.")
        for one in told:
            judged = one.payload if isinstance(one.payload, AssessmentPayload) else None
            trust = "" if judged is None else f" ({judged.trust:+d})"
            _say(f"  {visible(one.subject, 40)}{trust}: {visible(one.text, 160)}")


def _bill(who: str, turns: int) -> None:
    _say(f"  {who:46} {turns:4} turns {turns * TOKENS_PER_WAKE:12,} tokens")


def _counts(counts: Counter[Status] | dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
