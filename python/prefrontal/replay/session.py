"""From what a person names (a repository, a file) to a replayed result."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError
from ..home_folder import expanded
from .backtest import LABELLING_ORIGINS, Question, Step, backtest, watched
from .histories.agent_history import AgentHistory
from .histories.dates import parse_date
from .histories.event_files import count_lines, spooled
from .histories.git_history import GitHistory
from .histories.history_kind import top_level
from .histories.windows import read_windows
from .learner import ALL, ASKED, LABELS
from .presets.fixed_later import FixedLaterPreset
from .presets.hiding import paths_only
from .presets.presets import MessagePreset, NoopPreset, Preset, RecordedPreset, parse_preset
from .presets.search import find_preset
from .prices import MOST_TOKENS, MOST_USD, USUAL_PRICES, Prices
from .sample import FOLDER as SAMPLE_FOLDER
from .sample import read_sample

if TYPE_CHECKING:
    from ..protocols import TrialGate
    from ..settings.budget import Budget
    from ..types import Window
    from .result import ReplayResult

FEATURES = ("all", "paths")

CHEAP_WINDOWS = 5_000
"""A replay with labels "asked" of at most so many windows is done with all labels beside it."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to replay a history with; the fields are the options of the command.

    relevant: a preset, or None to find one (a file's own labels, for events). features: "all", or
    "paths" to hide actor and text from the gate. limit: only the newest so many windows. labels:
    one of LABELS; None takes "all" where the history labels itself (git), "asked" elsewhere.
    warm_up: windows that are only learned from; None takes a fifth. tokens_per_wake: of another
    size than assumed. usd_per_million_tokens: one price for every token. prices: both by kind of
    token; without any of the three USUAL_PRICES. budget: most wake-ups, in place of the recall.
    warm: files of recorded windows to learn from first. incidents: ask about each burst of alike
    windows once, within the budget, from the first window on.
    """

    recall: float = 0.9
    relevant: str | None = None
    features: str = "all"
    since: str | None = None
    until: str | None = None
    limit: int | None = None
    seed: int = 0
    tokens_per_wake: int | None = None
    all_commits: bool = False
    usd_per_million_tokens: float | None = None
    labels: str | None = None
    warm_up: int | None = None
    prices: Prices | None = None
    budget: Budget | None = None
    warm: tuple[str, ...] = ()
    incidents: bool = False

    def __post_init__(self) -> None:
        if not 0.0 < self.recall <= 1.0:
            raise InputError(f"recall must be above 0 and at most 1, got {self.recall!r}")
        if self.features not in FEATURES:
            raise InputError(f"features must be all or paths, got {self.features!r}")
        if self.labels is not None and self.labels not in LABELS:
            raise InputError(f"labels must be all or asked, got {self.labels!r}")
        if self.warm_up is not None and self.warm_up < 0:
            raise InputError(f"warm-up must be a whole number of at least 0, got {self.warm_up!r}")
        if self.limit is not None and self.limit < 1:
            raise InputError(f"max must be a whole number of at least 1, got {self.limit!r}")
        self._check_money()
        if self.relevant is not None:
            parse_preset(self.relevant)

    def _check_money(self) -> None:
        one_price = self.usd_per_million_tokens
        if self.prices is not None and (one_price, self.tokens_per_wake) != (None, None):
            raise InputError(
                "prices must come without tokens-per-wake and usd-per-million-tokens, which they"
                " hold by kind of token"
            )
        if self.tokens_per_wake is not None and self.tokens_per_wake < 1:
            raise InputError(
                f"tokens-per-wake must be a whole number of at least 1, got {self.tokens_per_wake}"
            )
        if self.tokens_per_wake is not None and self.tokens_per_wake > MOST_TOKENS:
            rule = f"must be at most {MOST_TOKENS:.0f}"
            raise InputError(f"tokens-per-wake {rule}, got {self.tokens_per_wake!r:.80}")
        if one_price is not None and not 0.0 <= one_price <= MOST_USD:
            raise InputError(
                f"usd-per-million-tokens must be from 0 to {MOST_USD:.0f}, got {one_price!r}"
            )

    def assumed_prices(self) -> Prices:
        """What a wake-up costs by kind of token, where no price holds for all of them."""
        prices = USUAL_PRICES if self.prices is None else self.prices
        return prices if self.tokens_per_wake is None else prices.of_size(self.tokens_per_wake)

    def seen(self, windows: Iterable[Window]) -> Iterable[Window]:
        """The windows as the gate sees them."""
        return paths_only(windows) if self.features == "paths" else windows


@dataclass(frozen=True, slots=True)
class LabelledHistory:
    """What is replayed. origin: "git", "events", "sample" or "sessions". total: how many windows
    it has. preset: the name of what was relevant. notes: what a reader of the result should know.
    """

    origin: str
    name: str
    windows: Iterable[Window]
    total: int
    preset: str
    notes: tuple[str, ...] = ()


class Replayer:
    """How a history is labelled and replayed; who wants to keep more than the result overrides."""

    def label(self, preset: Preset, history: Iterable[Window]) -> Iterable[Window]:
        """The windows of a repository, labelled."""
        return preset.apply(history)

    def replay(
        self, windows: Iterable[Window], gate: TrialGate, question: Question
    ) -> ReplayResult:
        return backtest(windows, gate, question)


def replay_git(
    path: str,
    request: Request,
    gate: TrialGate,
    step: Step = lambda *_: None,
    replayer: Replayer | None = None,
) -> ReplayResult:
    """Replay a repository's own history. Raises InputError and SourceError in one sentence."""
    replayer = replayer or Replayer()
    history, total, preset, notes = label_git(path, request, step)
    windows = replayer.label(preset, history)
    name = (top_level(path) or Path(path).resolve()).name or path
    labelled = LabelledHistory("git", name, windows, total, preset.name, tuple(notes))
    result = _replayed(labelled, request, gate, step, replayer)
    more = tuple(note for note in history.notes if note not in result.notes)
    return replace(result, notes=result.notes + more)


def label_git(
    path: str, request: Request, step: Step = lambda *_: None
) -> tuple[GitHistory, int, Preset, list[str]]:
    """The asked span of a repository, how long it is, what is relevant in it, and why that."""
    history = GitHistory(
        path,
        since=request.since,
        until=request.until,
        limit=request.limit,
        all_commits=request.all_commits,
    )
    total = history.count()
    notes = []
    if request.relevant is not None:
        preset = parse_preset(request.relevant)
        if isinstance(preset, FixedLaterPreset):
            preset = preset.read(history, total, step)
            notes.append(preset.note(history))
    else:
        seen = watched(history, "choosing what relevant means", total, step)
        choice = find_preset(seen)
        preset = choice.preset
        notes.append(f"Relevant was chosen as {preset.name}: {choice.reason}.")
        if choice.begin:
            notes.append(choice.beginning(replayed=request.since is None))
        if request.since is None:
            history.begin = choice.begin
            total -= choice.begin
        notes += choice.notes
    if preset.name in ("recorded", "noop"):
        raise InputError(f"relevant must not be {preset.name} for git: commits do not carry that")
    return history, total, preset, notes


def replay_events(
    path: str,
    request: Request,
    gate: TrialGate,
    step: Step = lambda *_: None,
    replayer: Replayer | None = None,
) -> ReplayResult:
    """Replay recorded windows, one JSON object a line; "-" is standard input."""
    name = "standard input" if path == "-" else Path(path).name
    with spooled(path) as file:
        windows, total = _chosen(file, name, request)
        preset = RecordedPreset() if request.relevant is None else parse_preset(request.relevant)
        labelled = LabelledHistory("events", name, preset.apply(windows), total, preset.name)
        return _replayed(labelled, request, gate, step, replayer)


def replay_sample(
    request: Request,
    gate: TrialGate,
    step: Step = lambda *_: None,
    folder: Path = SAMPLE_FOLDER,
    replayer: Replayer | None = None,
) -> ReplayResult:
    """Replay the recorded history that ships with the package; its labels are recorded, too.

    Raises InputError for another meaning of relevant, and for `all_commits`.
    """
    if request.relevant is not None:
        raise InputError(
            "relevant must not be given for the sample, whose labels are recorded, got"
            f" {request.relevant!r}"
        )
    if request.all_commits:
        raise InputError(
            "all-commits must come with a repository: the sample has one window for each merge"
        )
    sample = read_sample(folder)
    windows, total = _chosen(sample.file, sample.name, request)
    if (request.since, request.until, request.limit) == (None, None, None):
        total = sample.total  # as git counts, so that the warm-up ends where it does there
    windows = RecordedPreset().apply(windows)
    preset = parse_preset(sample.preset).name
    notes = (*sample.notes, sample.origin)
    labelled = LabelledHistory("sample", sample.name, windows, total, preset, notes)
    return _replayed(labelled, request, gate, step, replayer)


def replay_history(
    path: str,
    request: Request,
    gate: TrialGate,
    step: Step = lambda *_: None,
    replayer: Replayer | None = None,
) -> ReplayResult:
    """Replay the sessions that OpenClaw or Claude Code kept; relevant is what was not a no-op.

    Raises InputError in one sentence, also for a preset that sessions cannot answer.
    """
    preset = parse_preset(request.relevant or "noop")
    if not isinstance(preset, NoopPreset | MessagePreset):
        raise InputError(
            "relevant must be noop or message:REGEX for an agent's sessions, got"
            f" {request.relevant!r}"
        )
    since, until = _span(request)
    history = AgentHistory(path, since, until, request.limit, step)
    windows = iter(history) if isinstance(preset, NoopPreset) else preset.apply(history)
    name = expanded(path).absolute().name or path
    notes = tuple(history.notes)
    labelled = LabelledHistory("sessions", name, windows, len(history), preset.name, notes)
    return _replayed(labelled, request, gate, step, replayer)


def _chosen(file: Path, name: str, request: Request) -> tuple[Iterator[Window], int]:
    """The windows of the asked span, the newest `limit` of them, and how many there are."""
    since, until = _span(request)

    def spanned() -> Iterator[Window]:
        for window in read_windows(file, name):
            if since <= window.time <= until:
                yield window

    whole = request.since is None and request.until is None
    total = count_lines(file) if whole else sum(1 for _ in spanned())
    skipped = 0 if request.limit is None else max(0, total - request.limit)
    return islice(spanned(), skipped, None), total - skipped


def _span(request: Request) -> tuple[float, float]:
    """The asked span in Unix seconds; infinite where nothing was asked."""
    now = time.time()
    since, until = -math.inf, math.inf
    if request.since is not None:
        since = parse_date(request.since, now, field="since")
    if request.until is not None:
        until = parse_date(request.until, now, field="until", end=True)
    return since, until


def _replayed(
    history: LabelledHistory,
    request: Request,
    gate: TrialGate,
    step: Step,
    replayer: Replayer | None,
) -> ReplayResult:
    if request.warm and history.origin != "events":
        raise InputError("warm must come with events: only files of windows are learned from first")
    if request.incidents:
        _check_incidents(request, history.origin)
    labels = request.labels or (ALL if history.origin in LABELLING_ORIGINS else ASKED)
    prices, one_price = request.assumed_prices(), request.usd_per_million_tokens
    question = Question(
        source=history.name,
        preset=history.preset,
        total=history.total,
        recall=request.recall,
        tokens_per_wake=prices.tokens_per_wake,
        usd_per_million_tokens=prices.usd_per_million_tokens if one_price is None else one_price,
        origin=history.origin,
        seed=request.seed,
        notes=history.notes,
        labels=labels,
        warm_up=request.warm_up,
        compared=labels == ASKED and history.total <= CHEAP_WINDOWS and request.budget is None,
        prices=prices if one_price is None else None,
        budget=request.budget,
        warm=_warm_windows(request, step) if request.warm or request.incidents else None,
        step=step,
    )
    windows = watched(request.seen(history.windows), "replaying", history.total, step)
    return (replayer or Replayer()).replay(windows, gate, question)


def _check_incidents(request: Request, origin: str) -> None:
    if origin != "events":
        raise InputError("incidents must come with events: only recorded windows are alerts")
    if request.budget is None or request.labels == ALL:
        raise InputError(
            "incidents must come with a budget, and with labels asked: what is told is what there"
            " is to learn from"
        )


def _warm_windows(request: Request, step: Step) -> Callable[[], Iterator[Window]]:
    def read() -> Iterator[Window]:
        for path in request.warm:
            windows = request.seen(RecordedPreset().apply(read_windows(path)))
            yield from watched(windows, "learning from other histories", _count(path), step)

    return read


def _count(path: str) -> int:
    """How many windows a file has; 0 for a pipe, which can be read once."""
    return count_lines(path) if Path(path).is_file() else 0
