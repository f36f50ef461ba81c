"""A commit that a watch sees is scored as the replay of its repository scores it."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from prefrontal._core.pulse import feature_names
from prefrontal.assembly.replay_gate import PulseGate, ReplayJudge
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError
from prefrontal.pulse import LimbicLayer, ModuleFingerprint
from prefrontal.pulse.gate_module import FILED
from prefrontal.pulse.modules.source_priors import GitPrior, LogsPrior
from prefrontal.pulse.opening import UnlabelledStates, open_gate
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.pulse.sources.git import GitSource
from prefrontal.replay.backtest import Question, backtest
from prefrontal.replay.histories.git_history import GitHistory
from prefrontal.settings import GateSettings, PolicySettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

from ..replay import repositories
from .sources.receiver import Receiver

no_set_up, git, repository, commit = (
    repositories.no_set_up,
    repositories.git,
    repositories.repository,
    repositories.commit,
)
Git = repositories.Git
Windows = list[tuple[SignalEvent, ...]]
NOON = 1_700_000_000
COMMITS = ModuleFingerprint("m", "c", "1", "Does {location} matter?", None, git=GitPrior())


def watched(source: GitSource) -> Windows:
    """What it tells at one look: each commit is one window."""
    receiver = Receiver()
    source._poller.outlet.push = receiver
    source._poller.call()
    assert source.status()["last_error"] == ""
    windows: dict[object, list[SignalEvent]] = {}
    for event in receiver.rest():
        windows.setdefault(event.features["commit"], []).append(event)
    return [tuple(each) for each in windows.values()]


def names(window: tuple[SignalEvent, ...]) -> set[str]:
    found = set(feature_names(window, utc=True, commit_files=True))
    where = {name for name in found if name.startswith(("feature=repository=", "feature=branch="))}
    assert len(where) <= 2
    return found - where


def replayed(repository: Path, last: int) -> Windows:
    return [window.events for window in GitHistory(repository, limit=last)]


def as_replayed(window: tuple[SignalEvent, ...]) -> set[str]:
    return set(feature_names(window, utc=True)) - {"source=filesystem"} | {"source=git"}


def grow(repository: Path, git: Git, commit: Callable[..., str]) -> int:
    """Commits of many kinds, all at one moment. How many the branch has of them."""
    files = {"src/net/Streams.py": "1" * 99, "a.toml": "1"}
    commit("Support streams that end early (#12)", files, NOON)
    commit("Fix a typo in the docs", {"docs/index.md": "2", "README": "2"}, NOON)
    git(repository, "mv", "src/net/Streams.py", "src/streams.test.py")
    commit("Move streams", {"a.toml": None}, NOON)
    (repository / os.fsdecode(b"caf\xe9\xe2\x82.PY")).write_text("3")
    commit("Name it in Latin 1", {"tests/test_ü.py": "3", ".bashrc": "3"}, NOON)
    commit("Import a tree", {f"lib/part{n % 7}/file{n}.c": "4" for n in range(300)}, NOON)
    git(repository, "checkout", "-q", "-b", "side")
    commit("On the side", {"side/a.rs": "5"}, NOON)
    git(repository, "checkout", "-q", "main")
    for number, text in enumerate(("Merge pull request #7 from ada/side", "Merge side by hand")):
        body = "Add a parser for dates\n\nIt reads them."
        words = ("merge", "-q", "--no-ff", "-m", f"{text}\n\n{body}", "side")
        git(repository, *words, at=NOON)
        if number == 0:
            git(repository, "checkout", "-q", "side")
            commit("More of it", {"side/b.rs": "6"}, NOON)
            git(repository, "checkout", "-q", "main")
    return 7


def test_a_live_commit_has_the_features_of_a_replayed_one(
    repository: Path, git: Git, commit: Callable[..., str]
) -> None:
    commit("first", {"a.txt": "1"})
    source = GitSource(repository, clock=Ticking())
    assert watched(source) == []
    last = grow(repository, git, commit)
    live, replay = watched(source), replayed(repository, last)
    assert len(live) == len(replay) == last
    for seen, told in zip(live, replay, strict=True):
        assert names(seen) == as_replayed(told)
    assert "word=parser" in names(live[-2])
    assert "word=parser" not in names(live[-1])


class Ticking(ManualClock):
    """Each look at it is a little later, as in life."""

    def __init__(self) -> None:
        super().__init__(NOON)
        self._looks = count()

    def now(self) -> float:
        return NOON + 1e-5 * next(self._looks)


def test_a_first_commit_and_a_rewritten_history_have_them_too(
    repository: Path, git: Git, commit: Callable[..., str]
) -> None:
    source = GitSource(repository, clock=ManualClock(NOON))
    assert watched(source) == []
    commit("Start", {"src/a.py": "1", "docs/a.md": "1"}, NOON)
    commit("Go on", {"src/b.py": "1"}, NOON)
    assert list(map(names, watched(source))) == list(map(as_replayed, replayed(repository, 2)))
    git(repository, "commit", "-q", "--amend", "-m", "Go on, better", at=NOON)
    commit("And on", {"setup.cfg": "1"}, NOON)
    assert list(map(names, watched(source))) == list(map(as_replayed, replayed(repository, 2)))
    git(repository, "checkout", "-q", "-b", "other")
    assert watched(source) == []


def test_a_live_gate_scores_a_commit_as_a_replay_does_before_any_label(
    repository: Path, git: Git, commit: Callable[..., str], tmp_path: Path
) -> None:
    commit("first", {"a.txt": "1"})
    source = GitSource(repository, clock=ManualClock(NOON))
    assert watched(source) == []
    last = grow(repository, git, commit)
    replay = PulseGate()
    backtest([], replay, Question("h", "recorded", 0, origin="git"))
    [judge] = replay.judges
    assert isinstance(judge, ReplayJudge)
    scores = [judge.limbic.score(judge.module_id, each) for each in replayed(repository, last)]
    with DecisionLog(tmp_path / "log.sqlite") as log:
        gate = Stepper(log, [COMMITS], GateSettings(), clock=ManualClock(NOON))
        live = [wake.score for window in watched(source) for wake in gate.judge(window)]
    assert live == pytest.approx(scores, abs=1e-6)
    assert len(set(scores)) > 5


def window(*paths: str, text: str = "Fix the parser", **more: object) -> tuple[SignalEvent, ...]:
    told = {"repository": "/srv/p", "branch": "main", "commit": "c" * 40, "text": text} | more
    return tuple(
        SignalEvent("git", f"/srv/p/{path}", "modified", 1.0, NOON, told | {"path": path})
        for path in paths
    )


CODE, DOCS = window("src/a.py", "tests/test_a.py"), window("docs/a.md", text="Fix the docs")


def scored(limbic: LimbicLayer, name: str = "m") -> list[float]:
    return [limbic.score(name, each) for each in (CODE, DOCS)]


def learned(commit_files: bool) -> LimbicLayer:
    limbic = LimbicLayer(commit_files=commit_files)
    limbic.register("m", COMMITS)
    for _ in range(10):
        limbic.update_weights("m", CODE, 1.0)
        limbic.update_weights("m", DOCS, 0.0)
    return limbic


@pytest.mark.parametrize("commit_files", [True, False])
def test_a_module_goes_on_reading_commits_as_it_learned_to(commit_files: bool) -> None:
    before = learned(commit_files)
    for later in (True, False):
        now = LimbicLayer(commit_files=later)
        now.register("m", COMMITS)
        assert now.restore("m", before.to_bytes()) == "restored"
        assert scored(now) == scored(before)
        assert now.to_bytes() == before.to_bytes()
        now.register("m", COMMITS)  # begins anew
        fresh = LimbicLayer(commit_files=later)
        fresh.register("m", COMMITS)
        assert scored(now) == scored(fresh)


def test_where_no_module_reads_files_the_weights_are_written_as_before() -> None:
    assert learned(commit_files=True).to_bytes()[4] == 3
    assert learned(commit_files=False).to_bytes()[4] == 2


def test_weights_with_a_flag_of_a_later_release_are_refused() -> None:
    body = learned(commit_files=True).to_bytes()[:-4]
    at = body.index(struct.pack("<I", 8)) + 4 + 8  # behind the digest of eight characters
    assert body[at : at + 4] == struct.pack("<I", 1)
    body = body[:at] + struct.pack("<I", 2) + body[at + 4 :]
    with pytest.raises(InputError, match="model file must hold known flags, got others"):
        LimbicLayer().restore_all(body + struct.pack("<I", zlib.crc32(body)))


def test_each_module_of_a_gate_reads_a_commit_in_its_own_way() -> None:
    limbic = LimbicLayer()
    limbic.register("m", COMMITS)
    limbic.register("both", both := _with_logs())
    for name in ("m", "both"):
        limbic.update_weights(name, CODE, 1.0)
    alone = LimbicLayer(commit_files=False)
    alone.register("both", both)
    alone.update_weights("both", CODE, 1.0)
    for each in (CODE, DOCS, window("")):
        found = limbic.score_routed(each)
        assert found == limbic.score_all(each)
        assert found == {name: limbic.score(name, each) for name in ("both", "m")}
        assert found["both"] == alone.score("both", each)
    assert "file kinds=code+tests" in dict(limbic.contributions("m", CODE))
    assert "file kinds=code+tests" not in dict(limbic.contributions("both", CODE))


def _with_logs() -> ModuleFingerprint:
    logs = LogsPrior(files=["/var/log/a.log"])
    return ModuleFingerprint("both", "c", "1", "{location}?", None, git=GitPrior(), logs=logs)


def test_two_repositories_are_told_apart_and_a_commits_name_is_no_word() -> None:
    read = set(feature_names(window("src/a.py"), commit_files=True))
    assert {"feature=repository=/srv/p", "feature=branch=main"} <= read
    assert not any("cccc" in name for name in read)


@pytest.mark.parametrize("version", [FILED - 1, FILED])
@pytest.mark.parametrize(
    ("settings", "follows"),
    [
        (GateSettings(), True),
        (GateSettings(recall=0.8), True),
        (GateSettings(threshold=0.6), False),
        (GateSettings(policy=PolicySettings(budget="12/day", incidents=True)), False),
    ],
)
def test_rules_of_before_and_what_follows_no_recall_read_commits_as_they_did(
    version: int, settings: GateSettings, follows: bool
) -> None:
    opened = open_gate(
        *(settings, UnlabelledStates(), ManualClock(0.0), [COMMITS]), version=version
    )
    alike, before = (LimbicLayer(commit_files=each) for each in (True, False))
    for limbic in (alike, before):
        limbic.register("m", COMMITS)
    assert scored(alike) != scored(before)
    assert scored(opened.limbic) == scored(alike if version == FILED and follows else before)
