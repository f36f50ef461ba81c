"""A history is replayed, adopted and watched on: what lives is what a replay would have done."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from prefrontal.assembly.adopted_modules import adopted_modules
from prefrontal.assembly.adopted_state import history_sources, keep_adoption
from prefrontal.assembly.adoption import Adopter
from prefrontal.assembly.gate_counts import GateCounts
from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.assembly.wakes_again import VerifyTally, again
from prefrontal.clock import SystemClock
from prefrontal.decisions.decision import Decision
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.pages import DecisionPages
from prefrontal.decisions.payloads import FoldedWindow, WakePayload
from prefrontal.errors import InputError
from prefrontal.pulse.followed import Following
from prefrontal.pulse.learned import RECALL, WEIGHTS
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.opening import open_gate
from prefrontal.pulse.shells.stepper import Stepper
from prefrontal.pulse.shells.watch import Watch
from prefrontal.replay.result import Outcome
from prefrontal.replay.session import Request, replay_git
from prefrontal.settings import GateSettings, Settings, parse_settings
from prefrontal.types import SignalEvent

from ..exhaustive import first
from ..replay import repositories

no_set_up, git, import_history = (
    repositories.no_set_up,
    repositories.git,
    repositories.import_history,
)
Import = Callable[[Sequence[repositories.Change]], Path]

HOUR = 3_600
NEWS, FOLLOWUP, WORDS = "path:news/**", "followup", "message:(?i)mend"
FIXED_LATER = "fixed-later"
SEEN_S = 30.0
"""How long a watch may take to see a commit."""


def changes(count: int, seed: int = 0) -> list[repositories.Change]:
    """Work of which some matters: files of src/core do, and changes to them are often mended."""
    rng = random.Random(seed)
    made: list[repositories.Change] = []
    at, earlier = 1_600_000_000, "Begin"
    for number in range(count):
        core = rng.random() < 0.4
        matters = rng.random() < (0.8 if core else 0.05)
        folder = "src/core" if core else rng.choice(["docs", "tests", "tools"])
        files: dict[str, str | None] = {f"{folder}/f{rng.randrange(20)}.py": str(number)}
        if matters:
            files[f"news/{number}.rst"] = "x"
        text = f"{rng.choice(['Mend', 'Add'] if core else ['Sort', 'Add'])} {folder} {number}"
        if core and rng.random() < 0.3:
            text = f'Revert "{earlier}"'
        made.append((at, text, files, rng.choice(["Jane", "Bo", "Ann"])))
        earlier = text if not text.startswith("Revert") else earlier
        at += rng.choice([0, 1, HOUR, 5 * HOUR, 2 * 24 * HOUR])
    return made


def changes_for(relevant: str, count: int) -> list[repositories.Change]:
    """Over years where a label takes half of one."""
    made = changes(count)
    if relevant != FIXED_LATER:
        return made
    begin = made[0][0]
    return [(begin + 6 * (each[0] - begin), *each[1:]) for each in made]


def adopted(log: DecisionLog, repository: Path, relevant: str, recall: float = 0.8) -> Settings:
    """The settings after the history was replayed and adopted."""
    adopter = Adopter(PulseGate("mine"), "refs/heads/main")
    request = Request(recall=recall, relevant=relevant)
    replay_git(str(repository), request, adopter.gate, lambda *_: None, adopter)
    entry = {
        "module": "mine",
        "git": str(repository),
        "branch": "main",
        "relevant": relevant,
        "recall": recall,
    }
    settings = parse_settings({"adopted": [entry]})
    keep_adoption(log, settings.gate, [], adopter)
    return settings


def watched(log: DecisionLog, settings: Settings, until: int) -> None:
    """Watch until the log holds so many decisions."""
    watch = Watch(settings.gate, log, sources=list(history_sources(settings, log)))
    for module in adopted_modules(settings, log):
        watch.add(module)
    watch.start()
    try:
        end = monotonic() + SEEN_S
        while len(decided(log)) < until and monotonic() < end:
            sleep(0.01)
    finally:
        assert watch.stop()
    assert len(decided(log)) == until


Decided = list[tuple[float, float, bool]]


def decided(log: DecisionLog) -> Decided:
    """Score, threshold, and whether it woke; of what was decided live, in order."""
    return [
        (each.score, each.threshold, each.reason == "woke")
        for each in log.records()
        if each.reason != "replayed"
    ]


def figures(outcomes: Sequence[Outcome]) -> Decided:
    return [(each.score, each.threshold, each.woke) for each in outcomes]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[DecisionLog]:
    with DecisionLog(tmp_path / "log") as opened:
        yield opened


@pytest.mark.parametrize("relevant", first(1, [NEWS, FOLLOWUP, WORDS, FIXED_LATER]))
def test_a_watch_goes_on_where_the_replay_ended_to_the_bit(
    log: DecisionLog, import_history: Import, git: repositories.Git, relevant: str
) -> None:
    made = changes_for(relevant, 290)
    before, after = made[:250], made[250:]
    repository = import_history(made)
    tip = git(repository, "rev-parse", "main")
    git(repository, "update-ref", "refs/heads/main", f"main~{len(after)}")
    settings = adopted(log, repository, relevant)
    git(repository, "update-ref", "refs/heads/main", f"{tip}~25")
    watched(log, settings, 15)
    git(repository, "update-ref", "refs/heads/main", tip)
    watched(log, settings, 40)
    request = Request(recall=0.8, relevant=relevant, warm_up=round(len(before) * 0.2))
    whole = replay_git(str(repository), request, PulseGate())
    assert decided(log) == figures(whole.strip[-40:])
    assert len({threshold for _, threshold, _ in decided(log)}) > 1  # it learned meanwhile
    assert {woke for *_, woke in decided(log)} == {True, False}
    for each in (each for each in log.records() if each.reason == "woke"):
        features = each.window[-1].features
        subject = "" if relevant == WORDS else f": {features['text']}"  # hidden where it decides
        assert f" by {features['actor']}{subject}. Does it matter? (" in str(each.question)


class KilledError(BaseException):
    """The process ends here."""


class Mortal(DecisionLog):
    """A log whose process is killed before or after so many transactions of a history."""

    def __init__(self, path: Path, before: int = 10**9, after: int = 10**9) -> None:
        super().__init__(path)
        self._before, self._after = before, after

    def keep(self, *told: Any, **more: Any) -> None:
        self._before -= 1
        self._after -= 1
        if self._before < 0:
            raise KilledError
        super().keep(*told, **more)
        if self._after < 0:
            raise KilledError


def fed(log: DecisionLog, settings: Settings) -> None:
    """Judge what the repository has, in this thread, as the worker of a watch does."""
    opened = open_gate(settings.gate, log, SystemClock(), adopted_modules(settings, log), every=10)
    following = Following(opened.gate, opened.learned, log, SystemClock())
    [source] = history_sources(settings, log)
    for window in source.windows():
        following.take(window)
    opened.learned.save()


def told(log: DecisionLog) -> list[tuple[str, float, float, float, str]]:
    """The labels in their order: of what, with which score and threshold, and who said so."""
    return [
        (each.decision.window[0].location, each.decision.score, each.decision.threshold,
         each.label, each.source)
        for each in log.labels_after(0)
    ]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("relevant", [NEWS, FOLLOWUP, FIXED_LATER])
def test_a_kill_at_any_point_loses_and_doubles_nothing(
    tmp_path: Path, import_history: Import, git: repositories.Git, relevant: str
) -> None:
    repository = import_history(changes_for(relevant, 140))
    tip = git(repository, "rev-parse", "main")
    git(repository, "update-ref", "refs/heads/main", "main~12")
    with DecisionLog(tmp_path / "adopted") as log:
        settings = adopted(log, repository, relevant)
    git(repository, "update-ref", "refs/heads/main", tip)
    shutil.copy(tmp_path / "adopted", tmp_path / "whole")
    with DecisionLog(tmp_path / "whole") as log:
        fed(log, settings)
        whole, labels = decided(log), told(log)
    assert len(whole) == 12
    assert len(labels) >= 3
    for kill in range(0, 14, 2):
        for point in ("before", "after"):
            path = tmp_path / f"{point}-{kill}"
            shutil.copy(tmp_path / "adopted", path)
            with Mortal(path, **{point: kill}) as log, suppress(KilledError):
                fed(log, settings)
            with DecisionLog(path) as log:
                fed(log, settings)
                assert decided(log) == whole
                assert told(log) == labels


def test_a_watch_of_an_adopted_history_is_decided_again_to_the_bit(
    log: DecisionLog, import_history: Import, git: repositories.Git
) -> None:
    repository = import_history(changes(160))
    tip = git(repository, "rev-parse", "main")
    git(repository, "update-ref", "refs/heads/main", "main~30")
    settings = adopted(log, repository, NEWS)
    for left in (20, 10):
        git(repository, "update-ref", "refs/heads/main", f"{tip}~{left}")
        watched(log, settings, 30 - left)
    settings = adopted(log, repository, NEWS, recall=0.9)  # again, from now
    git(repository, "update-ref", "refs/heads/main", tip)
    watched(log, settings, 30)
    tally = VerifyTally()
    assert list(again(log, tally)) == []
    assert (tally.decided, tally.starts, dict(tally.left)) == (30, 3, {})


def test_a_question_about_several_windows_is_labelled_by_theirs_and_teaches_nothing_more(
    log: DecisionLog, import_history: Import, git: repositories.Git, tmp_path: Path
) -> None:
    repository = import_history(changes(160))
    tip = git(repository, "rev-parse", "main")
    git(repository, "update-ref", "refs/heads/main", "main~30")
    settings = adopted(log, repository, NEWS)
    with DecisionLog(tmp_path / "at-once") as other:
        adopted(other, repository, NEWS)
        git(repository, "update-ref", "refs/heads/main", tip)
        watched(other, settings, 30)
        at_once = taught(other)
    policy = settings.gate.policy.model_copy(update={"cooldown_s": 2.0})
    gate = settings.gate.model_copy(update={"policy": policy})
    watched(log, settings.model_copy(update={"gate": gate}), 31)
    records = {each.id: each for each in log.records()}
    [question] = [each for each in records.values() if each.acted and waited(each)]
    told = [records[each.id] for each in waited(question)]
    assert len(told) > 5
    assert {each.label for each in told} == {0.0, 1.0}
    assert question.label == 1.0
    # what is learned is what it would have been without a hold
    assert taught(log) == at_once
    assert list(again(log)) == []
    with closing(DecisionPages(log.path)) as pages:
        assert pages.unanswered() == []
        found = GateCounts.read(pages.gate).figures()
    mattered = [each for each in records.values() if each.label == 1.0 and not waited(each)]
    caught = [each for each in mattered if each.reason in ("woke", "cooldown")]
    assert (found.wakes, found.labelled, found.useful) == (2, 2, 2)
    assert found.caught is not None
    assert found.caught.recall == len(caught) / len(mattered)


def taught(log: DecisionLog) -> tuple[bytes, dict[str, float]]:
    """The weights, and what labels say of recall; without what was new in what woke at once."""
    weights, counts = log.load_state(WEIGHTS), log.load_state(RECALL)
    assert weights is not None
    assert counts is not None
    known = json.loads(counts[0])["mine"]
    drift = ("watched", "usual", "usual_square", "lately")
    return weights[0], {name: each for name, each in known.items() if name not in drift}


def waited(decision: Decision) -> tuple[FoldedWindow, ...]:
    """The windows that a question tells of."""
    return decision.payload.folded if isinstance(decision.payload, WakePayload) else ()


def test_what_other_modules_learned_stays(
    log: DecisionLog, import_history: Import, git: repositories.Git
) -> None:
    other = parse_fingerprint(
        {
            "module_id": "other",
            "cluster": "c",
            "version": "1",
            "question_template": "{location}?",
            "default_threshold": 0.2,
        }
    )
    event = SignalEvent("mail", "inbox", "created", 1.0, 1_600_000_000.0, {"text": "hello"})
    with Stepper(log, [other], GateSettings()) as gate:
        [woken] = gate.wake(event)
        log.add_label(woken.id, 1.0, 1.0)
    before = open_gate(GateSettings(), log, SystemClock(), [other]).limbic.score("other", [event])
    adopted(log, import_history(changes(120)), NEWS)
    after = open_gate(GateSettings(), log, SystemClock(), [other]).limbic.score("other", [event])
    assert before == after != woken.score


@pytest.mark.parametrize(
    ("relevant", "sentence"),
    [
        ("path:nowhere/**", "none of 160 windows mattered"),
        ("path:src/**", "nothing here tells what matters"),
    ],
)
def test_a_history_that_teaches_nothing_is_not_adopted(
    log: DecisionLog, import_history: Import, relevant: str, sentence: str
) -> None:
    made: list[repositories.Change] = []
    for number, (at, *_) in enumerate(changes(200)):
        matters = {f"src/{number}": "x"} if random.Random(number).random() < 0.5 else {}
        made.append((at, "x", {"doc/a": str(number), **matters}))
    with pytest.raises(InputError, match=sentence):
        adopted(log, import_history(made), relevant)


def test_what_was_adopted_must_be_in_the_state(log: DecisionLog) -> None:
    settings = parse_settings({"adopted": [{"module": "mine", "git": "~/mine"}]})
    with pytest.raises(InputError, match="'mine' must be in .*log, where.*adopt --git ~/mine"):
        list(adopted_modules(settings, log))


def test_another_meaning_of_relevant_must_be_learned_first(
    log: DecisionLog, import_history: Import
) -> None:
    settings = adopted(log, import_history(changes(120)), NEWS)
    [entry] = settings.adopted
    other = parse_settings({"adopted": [entry.model_dump() | {"relevant": "path:docs/**"}]})
    with pytest.raises(InputError, match="must be what it learned from, 'path:news/[*][*]', got"):
        list(history_sources(other, log))
