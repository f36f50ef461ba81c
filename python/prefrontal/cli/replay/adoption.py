"""What `prefrontal adopt` replays, will write, and writes."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ...assembly.adopted_modules import adopted_modules
from ...assembly.adopted_state import followed_repository, keep_adoption
from ...assembly.adoption import Adopter
from ...assembly.history_source import checked_out
from ...assembly.replay_gate import PulseGate
from ...decisions.log import DecisionLog, log_to_read
from ...errors import InputError, SourceError
from ...home_folder import expanded
from ...installation.runtimes import TITLES, runtimes_here
from ...plain_text import quote_for_shell
from ...plural import many
from ...replay.histories.history_kind import holds_sessions, is_of_git, top_level
from ...replay.report.wording import BASE_RATE_RULE
from ...replay.session import Request, replay_events, replay_git, replay_history
from ...settings.adopted import QUESTION
from ...settings.adopted_text import with_adopted
from ...settings.agent_file import whole_path
from ...settings.gate import USUAL_RECALL
from ...settings.loading import load_settings, parse_settings
from ...storage.files import check_writable, write_atomic
from ...storage.state_folder import FIRST_END_IT, StateFolder
from ..paths import home_short
from ..run.init_document import shown_path
from ..watch.module_places import apart, taken_by
from ..watch.session import watched_modules
from .sources import here

if TYPE_CHECKING:
    from ...pulse.modules.fingerprint import ModuleFingerprint
    from ...replay.backtest import Step
    from ...replay.result import ReplayResult
    from ...settings import Settings

GIT, EVENTS, SESSIONS = "git", "events", "sessions"


@dataclass(frozen=True, slots=True)
class History:
    """What is adopted. kind: GIT, EVENTS or SESSIONS."""

    kind: str
    path: str

    @classmethod
    def of(cls, place: str | None, repository: str | None, file: str | None) -> History:
        """As a person gave it; without any, the repository one is in."""
        if file is not None:
            if file == "-":
                raise InputError("adopt must be given a file that can be read again, got '-'")
            return cls(EVENTS, file)
        if place is None:
            top = here("adopt") if repository is None else _repository(repository)
            return cls(GIT, top)
        if is_of_git(place):
            return cls(GIT, _repository(place))
        folder = expanded(place)
        if folder.is_file() and not holds_sessions(folder):
            return cls(EVENTS, str(folder))
        return cls(SESSIONS, place)


def _repository(path: str) -> str:
    """The top of the repository, so that it is one module however it is named."""
    folder = expanded(path)
    return str(top_level(folder) or folder)


@dataclass(slots=True)
class AdoptionPlan:
    """A replayed history and where it will go; within `with` the state folder is ours alone."""

    history: History
    config: Path
    text: str
    entry: dict[str, Any]
    settings: Settings
    adopter: Adopter
    result: ReplayResult
    replaces: bool
    _held: ExitStack = field(default_factory=ExitStack)

    @property
    def module(self) -> ModuleFingerprint:
        return self.adopter.module

    @property
    def threshold(self) -> float:
        return self.adopter.judge.module.threshold

    @property
    def state(self) -> StateFolder:
        return StateFolder(self.settings.state_folder())

    def __enter__(self) -> Self:
        self.state.make()
        self._held.enter_context(self.state.watched(FIRST_END_IT))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._held.close()

    def lines(self) -> list[str]:
        """What will be written, for people."""
        recall = self.adopter.judge.module.recall
        words = f"module {self.module.module_id!r}, recall {recall:g}"
        if self.history.kind == GIT:
            branch = self.adopter.branch.removeprefix("refs/heads/")
            words += f", the repository {self.entry['git']} ({branch}) and its labels"
            words += f" ({self.entry['relevant']})"
        verb = "replaces" if self.replaces else "gets"
        learned = f"what {many(self.result.warmup + self.result.windows, 'window')} taught"
        return [
            "",
            f"{home_short(str(self.config))} {verb} {words}.",
            f"{home_short(str(self.state.path))} gets {learned}: {self._learned()}.",
            *self._not_followed(),
            *self._held_back(),
        ]

    def _learned(self) -> str:
        rule = self._rule()
        parts = ["the weights"]
        if rule != BASE_RATE_RULE:
            parts.append(f"the rule {rule}")
        if self.threshold > 0.0:
            parts.append(f"the threshold {self.threshold:.2f}")
        else:
            parts.append("the threshold 0 (too little is known to sleep: everything wakes)")
        return ", ".join(parts)

    def _rule(self) -> str:
        finding = self.adopter.gate.rule
        return str(finding.rule) if finding is not None and finding.beats_chance else BASE_RATE_RULE

    def _not_followed(self) -> list[str]:
        if self.history.kind == GIT:
            return []
        what = "An agent's sessions" if self.history.kind == SESSIONS else "A file of windows"
        return [
            f"{what} cannot be followed, so no window comes by itself: hand them to the module"
            f" {self.module.module_id!r} over MCP (should_wake) or Watch.push."
        ]

    def _held_back(self) -> list[str]:
        policy = self.settings.gate.policy
        held = ("cooldown_s", "quiet_hours", "module_wakes_per_hour", "wakes_per_hour")
        named = [f"{name} {getattr(policy, name)}" for name in held if getattr(policy, name)]
        if not named:
            return []
        return [f"The policy of the settings ({', '.join(named)}) may hold wakes back; the replay"
                " held none."]  # fmt: skip

    def done(self) -> dict[str, Any]:
        """What was written, for programs."""
        recall = self.adopter.judge.module.recall
        return {
            "config": str(self.config),
            "state": str(self.state.path),
            "module": self.module.module_id,
            "source": self.history.kind,
            "followed": self.history.kind == GIT,
            "branch": self.adopter.branch if self.history.kind == GIT else None,
            "relevant": self.result.preset,
            "recall": recall,
            "threshold": self.threshold,
            "rule": self._rule(),
            "windows": self.result.warmup + self.result.windows,
            "caught": self.result.got_recall,
            "wakes_per_day": self.result.wakes_per_day,
            "labels_to_come": len(self.adopter.late),
            "next": [command for command, _ in self.following()],
        }

    def following(self) -> list[tuple[str, str]]:
        """Which commands come next, and what each does."""
        config = quote_for_shell(str(self.config))
        if self.history.kind == GIT:
            watch = "go on with the next commit; --exec COMMAND hands each question to your agent"
            return [
                *(
                    (
                        f"prefrontal install {name} --config {config}",
                        f"the gate in front of {TITLES[name]}",
                    )
                    for name in runtimes_here()
                ),
                (f"prefrontal watch --config {config}", watch),
                (f"prefrontal gate --config {config}", "or be asked: 0 says wake, 1 says sleep"),
            ]
        return [(f"prefrontal mcp --config {config}", "let an agent ask about its windows")]


def plan(
    history: History,
    config: Path,
    module_id: str | None,
    recall: float | None,
    relevant: str | None,
    step: Step,
) -> AdoptionPlan:
    """Replay the history under the settings of the file; nothing is written yet.

    Raises InputError where nothing can be learned or the settings do not allow it, SourceError
    before it replays where nothing could be written.
    """
    config = whole_path(expanded(config))
    if config.name.lower().endswith(".json"):
        raise InputError(f"config must be YAML to be extended, got {str(config)!r}")
    text = _text(config)
    settings = load_settings(config) if text else parse_settings({})
    entries = [each.model_dump(exclude_defaults=True) for each in settings.adopted]
    if not config.parent.is_dir():
        raise SourceError(f"{config} must lie in a folder that exists")
    for place in (config.parent, settings.state_folder()):
        check_writable(place)
    name = _module(settings, history, module_id)
    replaces = any(each["module"] == name for each in entries)
    _check(_without(settings, history), recall, name, replaces)
    target = recall or settings.gate.recall or _kept_recall(settings, name) or USUAL_RECALL
    branch = checked_out(history.path) if history.kind == GIT else "HEAD"
    gate = PulseGate(name, _question(settings, name), settings.gate)
    adopter = Adopter(gate, branch, os.path.realpath(history.path))
    request = Request(recall=target, relevant=relevant)
    replay = {GIT: replay_git, EVENTS: replay_events, SESSIONS: replay_history}[history.kind]
    result = replay(history.path, request, adopter.gate, step, adopter)
    entry = _entry(history, config, settings, name, result, branch, recall)
    return AdoptionPlan(
        history, config, with_adopted(text, entry), entry, settings, adopter, result, replaces
    )


def carry_out(planned: AdoptionPlan) -> None:
    """Write the state, then the settings; a kill between the two leaves what was there working."""
    state = planned.state
    modules = watched_modules(_without(planned.settings, planned.history), state)
    with DecisionLog(state.decisions) as log:
        modules = [*apart(log, modules), *adopted_modules(planned.settings, log)]
        keep_adoption(log, planned.settings.gate, modules, planned.adopter)
    write_atomic(planned.config, planned.text)


def _text(config: Path) -> str:
    try:
        return config.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"{config} cannot be read: {reason}") from None


def _module(settings: Settings, history: History, choice: str | None) -> str:
    """Its name: a person's choice, what it has in the settings, or its folder's and a number."""
    before = choice or _known(settings, history)
    name = before or _name(history)
    if history.kind != GIT:
        return name
    entries = {
        each.module
        for each in settings.adopted
        if each.git is None or settings.path(each.git).exists()
    }
    if before is None:
        names = (name if number == 1 else f"{name}-{number}" for number in count(1))
        return next(
            each
            for each in names
            if each not in entries and not _followed_elsewhere(settings, history, each)
        )
    if name not in entries and (place := _followed_elsewhere(settings, history, name)):
        state = home_short(str(settings.state_folder()))
        raise InputError(
            f"module must be a new name, got {name!r}, which is for {place!r} in {state};"
            " --module gives another"
        )
    return name


def _followed_elsewhere(settings: Settings, history: History, name: str) -> str | None:
    """The place that the state folder's module of that name is for, if it is another."""
    decisions = StateFolder(settings.state_folder()).decisions
    if not decisions.exists():
        return None
    with log_to_read(decisions) as log:
        place = followed_repository(log, name) or taken_by(log, name)
    return None if place == os.path.realpath(history.path) else place


def _known(settings: Settings, history: History) -> str | None:
    """The module of a repository that was adopted before."""
    if history.kind != GIT:
        return None
    path = os.path.realpath(history.path)
    for each in settings.adopted:
        if each.git is not None and os.path.realpath(settings.path(each.git)) == path:
            return each.module
    return None


def _name(history: History) -> str:
    path = expanded(history.path).absolute()
    return (path.name if history.kind == GIT else path.stem) or str(path)


def _without(settings: Settings, history: History) -> Settings:
    """The settings with the repository among the adopted: it needs no other module then."""
    path, sources = os.path.realpath(history.path), settings.sources
    left = tuple(each for each in sources.git if os.path.realpath(settings.path(each)) != path)
    return settings.model_copy(update={"sources": sources.model_copy(update={"git": left})})


def _check(settings: Settings, recall: float | None, name: str, replaces: bool) -> None:
    gate = settings.gate
    if gate.threshold is not None:
        raise InputError(
            f"threshold must not be fixed in the settings to adopt a history, got {gate.threshold}:"
            " its threshold follows a recall"
        )
    if gate.scorer != "linear":
        raise InputError(f"scorer must be linear to adopt a history, got {gate.scorer!r}")
    if recall is not None and gate.recall is not None and recall != gate.recall:
        raise InputError(
            f"recall must be that of the settings, {gate.recall:g}, which holds for every module,"
            f" got {recall:g}"
        )
    state = StateFolder(settings.state_folder())
    others = [each.module_id for each in watched_modules(settings, state)]
    if not replaces and name in others:
        raise InputError(f"module must be a new name, got {name!r}; --module gives another")


def _kept_recall(settings: Settings, name: str) -> float | None:
    return next((each.recall for each in settings.adopted if each.module == name), None)


def _question(settings: Settings, name: str) -> str:
    return next((each.question for each in settings.adopted if each.module == name), QUESTION)


def _entry(
    history: History,
    config: Path,
    settings: Settings,
    name: str,
    result: ReplayResult,
    branch: str,
    recall: float | None,
) -> dict[str, Any]:
    entry: dict[str, Any] = {"module": name}
    if history.kind == GIT:
        entry["git"] = shown_path(Path(os.path.realpath(history.path)), config.parent)
        if branch != "HEAD":
            entry["branch"] = branch.removeprefix("refs/heads/")
    entry["relevant"] = result.preset
    if (own_recall := recall or _kept_recall(settings, name)) is not None:
        entry["recall"] = own_recall
    if (question := _question(settings, name)) != QUESTION:
        entry["question"] = question
    return entry
