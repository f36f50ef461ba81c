"""What public histories say of commits is known before the first label, and of commits alone."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import islice

import pytest

from prefrontal.assembly.replay_gate import PulseGate, ReplayJudge
from prefrontal.pulse import LimbicLayer, ModuleFingerprint
from prefrontal.pulse.gate_module import APART
from prefrontal.pulse.learning.commit_prior import commit_prior
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.modules.priors import HistoryPrior
from prefrontal.pulse.modules.source_priors import GitPrior, LogsPrior
from prefrontal.pulse.opening import UnlabelledStates, open_gate
from prefrontal.replay.backtest import Question, backtest
from prefrontal.replay.curve import area_under_roc, ranked
from prefrontal.replay.histories.windows import read_windows
from prefrontal.replay.sample import read_sample
from prefrontal.settings import GateSettings
from prefrontal.testing import ManualClock
from prefrontal.types import SignalEvent

HELD_BACK = {"pytest", "pip", "aiohttp", "astropy", "trio"}


def module(**priors: object) -> ModuleFingerprint:
    return ModuleFingerprint("m", "c", "1", "Does {location} matter?", None, **priors)  # type: ignore[arg-type]


def commit(text: str, *paths: str, source: str = "filesystem") -> list[SignalEvent]:
    told = {"text": text, "actor": "ada"}
    return [SignalEvent(source, path, "modified", 1.0, 1.7e9, told) for path in paths]


FEATURE = commit("Support streams that end early", "src/streams.py", "src/api.py")
TYPO = commit("Fix a typo in the docs", "docs/index.md")


def scores(fingerprint: ModuleFingerprint, *, commits: bool = True) -> tuple[float, float]:
    limbic = LimbicLayer(commits=commits)
    limbic.register("m", fingerprint)
    return limbic.score("m", FEATURE), limbic.score("m", TYPO)


def test_a_history_of_commits_starts_from_what_others_say() -> None:
    feature, typo = scores(module(history=HistoryPrior(commits=True)))
    assert typo < 0.2 < 0.4 < feature


@pytest.mark.parametrize("commits", [True, False])
def test_another_history_starts_from_nothing(commits: bool) -> None:
    fingerprint = module(history=HistoryPrior(commits=not commits))
    assert scores(fingerprint, commits=commits) == (0.5, 0.5)


def test_a_module_that_declares_git_alone_starts_from_it_and_no_other_does() -> None:
    said = [commit(each[0].features["text"], "/src/a.py", source="git") for each in (FEATURE, TYPO)]

    def first(**priors: object) -> list[float]:
        limbic = LimbicLayer()
        limbic.register("m", module(**priors))
        return [limbic.score("m", window) for window in said]

    feature, typo = first(git=GitPrior())
    assert typo + 0.2 < feature
    feature, typo = first(git=GitPrior(), logs=LogsPrior(files=["/var/log/a.log"]))
    assert feature == typo


def test_rules_of_before_start_from_nothing() -> None:
    def first(version: int) -> float:
        opened = open_gate(
            *(GateSettings(), UnlabelledStates(), ManualClock(0.0), [module(git=GitPrior())]),
            version=version,
        )
        return opened.limbic.score("m", commit("Fix a typo in the docs", "/a.md", source="git"))

    assert first(APART - 1) == pytest.approx(0.77, abs=0.01)
    assert first(APART) < 0.6


def test_what_was_learned_before_stays() -> None:
    before, now = LimbicLayer(commits=False), LimbicLayer()
    for limbic in (before, now):
        limbic.register("m", module(history=HistoryPrior(commits=True)))
    for _ in range(20):
        before.update_weights("m", FEATURE, 0.0)
    assert now.restore("m", before.to_bytes()) == "restored"
    assert now.score("m", FEATURE) == before.score("m", FEATURE)
    assert now.score("m", TYPO) == before.score("m", TYPO)


def test_labels_move_it_as_any_weight() -> None:
    limbic = LimbicLayer()
    limbic.register("m", module(history=HistoryPrior(commits=True)))
    for _ in range(30):
        limbic.update_weights("m", TYPO, 1.0)
        limbic.update_weights("m", FEATURE, 0.0)
    assert limbic.score("m", FEATURE) < 0.2 < 0.8 < limbic.score("m", TYPO)


def test_the_flag_is_kept_where_a_module_is_written_down() -> None:
    for commits in (True, False):
        raw = module(history=HistoryPrior(commits=commits)).to_dict()
        found = parse_fingerprint(raw).history
        assert found is not None
        assert found.commits == commits
    del raw["signal_priors"]["history"]["commits"]  # as releases before wrote it
    found = parse_fingerprint(raw).history
    assert found is not None
    assert not found.commits


def test_a_replay_of_commits_starts_from_it_and_one_of_other_windows_does_not() -> None:
    windows = list(islice(read_windows(read_sample().file), 400))

    def untrained(origin: str) -> float:
        gate = PulseGate()
        backtest([], gate, Question("h", "recorded", 0, origin=origin))
        [judge] = gate.judges
        assert isinstance(judge, ReplayJudge)
        told = [judge.limbic.score(judge.module_id, window.events) for window in windows]
        return area_under_roc(ranked(told, [int(bool(each.relevant)) for each in windows])) or 0.0

    assert untrained("git") == untrained("sample") > 0.7
    assert untrained("events") == pytest.approx(0.5)


def test_the_file_says_what_it_was_made_of_and_nothing_was_made_of_what_it_is_measured_on() -> None:
    raw = json.loads((files("prefrontal.pulse.learning") / "commit_prior.json").read_text("utf-8"))
    assert len(raw["histories"]) > 40
    assert not HELD_BACK & set(raw["histories"])
    seeds = commit_prior()
    assert len(seeds) > 300
    assert len({(kind, value) for kind, value, _ in seeds}) == len(seeds)
    assert all(0.03 <= abs(odds) <= 3.0 for _, _, odds in seeds)
