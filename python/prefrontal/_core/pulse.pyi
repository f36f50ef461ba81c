"""Signals as numbers, the scorers, routes to modules, rules and the recall promise.

A window is a list or tuple of `prefrontal.types.SignalEvent`. Whatever takes one raises TypeError
naming the field, the rule and the value when an event has a field of the wrong type.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import SignalEvent

FEATURE_DIM: int

def feature_vector(event: SignalEvent) -> NDArray[np.float32]:
    """The event as float32[16], a new array; the slots are documented on SignalEvent."""

def feature_names(
    window: Sequence[SignalEvent], utc: bool = False, commit_files: bool = False
) -> list[str]:
    """The one-hot features of the window, as a person reads them: "extension=.py", "word=fix".

    Distinct, in the order the scorer adds them, at most 1,024, from the first 256 events.
    commit_files: read a commit as its files, as `Limbic.add`.
    """

def share_interval(hits: int, trials: int, confidence: float = 0.9) -> tuple[float, float]:
    """Exact (Clopper-Pearson) interval of a share after `hits` of `trials`; (0, 1) without any."""

class Routes:
    """Which modules a window concerns, decided by place, kind and source; safe for threads."""

    def __init__(self) -> None: ...
    def add(
        self,
        module_id: str,
        directories: Sequence[str] = (),
        irrelevant_extensions: Sequence[str] = (),
        namespaces: Sequence[str] = (),
        ticks: bool = False,
        sources: Sequence[tuple[str, Sequence[tuple[Sequence[str], str, Sequence[str]]]]] = (),
        undeclared: bool = False,
    ) -> None:
        """Add a module, replacing one of the same id.

        directories: file events at or below them go to the module, unless their last suffix, or
        the last two, is one of irrelevant_extensions whatever its case. namespaces: memory events
        go to it whose location or feature "namespace" is one of them or below one ("a" is above
        "a/b"). ticks: time events do. sources: (source, conditions) each; events of that source do
        for which every condition (fields, how, patterns) holds: one of the patterns matches one of
        the fields, "location", "delta_type", "text" or a feature. how: "path", "pattern",
        "any_case" (patterns in lower case) or "contains". `*` in a pattern is anything up to the
        next "/", `**` anything, and what lies below a match matches, too. source "": every name but
        those of this package. Without directories, namespaces, ticks and sources everything does.
        undeclared: events of sources that are neither files, memory nor time do in any case.
        """

    def remove(self, module_id: str) -> bool:
        """Forget a module; False when there was none."""

    def modules(self) -> list[str]:
        """Ids, sorted."""

    def match(self, window: Sequence[SignalEvent]) -> list[str]:
        """Ids of the modules that any of the events goes to, sorted; none for an empty window."""

class Limbic:
    """A logistic scorer over one-hot features for any number of modules.

    p = sigmoid(bias + sum of the weights of the window's features). Weights are kept by feature,
    so one lookup serves all modules. Safe to call from several threads.

    utc: read hours and weekdays in UTC instead of local time. version: how it learns, 3 or, as
    gates did before, 2 (without a steady learner) or 1 (all features of a window alike, too); each
    reads what another saved. Raises ValueError for another version.
    """

    def __init__(self, utc: bool = False, version: int = 3) -> None: ...
    def add(
        self,
        module_id: str,
        digest: str,
        bias: float,
        seeds: Sequence[tuple[str, str, float]],
        steady: bool = True,
        commit_files: bool = False,
    ) -> None:
        """Start a module, replacing one of the same id.

        digest: tells fingerprints apart across a save. bias: log-odds before any feature.
        seeds: (kind, value, log-odds) of single features, such as ("extension", ".pdf", 3.2).
        steady: whether its scores mix in the steady learner, where this version has one.
        commit_files: read an event of git that names its path in the repository as that file, with
        the features that a replay gives it; kept with the weights by `save` of version 3. Raises
        ValueError for an unknown kind.
        """

    def remove(self, module_id: str) -> None:
        """Forget a module, its weights and its rule; an unknown one is ignored."""

    def start_from(self, module_id: str, rule: Rule) -> bool:
        """Give the module a rule's answer as a feature, weighted by the rule's own log-odds.

        What it already learned about the same rule is kept. False for an unknown module.
        """

    def read_utc(self, module_id: str) -> None:
        """Let the module read hours and weekdays in UTC in `score`, `learn` and `contributions`.

        `score_all` and `score_routed` read the window once for all modules, as the layer does.
        """

    def modules(self) -> list[str]:
        """Ids, sorted."""

    def features(self, module_id: str) -> int:
        """How many weights the module holds; 0 for an unknown one."""

    def score(self, module_id: str, window: Sequence[SignalEvent]) -> float:
        """Probability 0..1; 0.0 for an empty window or an unknown module."""

    def unseen(self, module_id: str, window: Sequence[SignalEvent]) -> float:
        """Share of the window's features that no label told the module about, 0..1."""

    def score_all(self, window: Sequence[SignalEvent]) -> dict[str, float]:
        """The score of each module by id, sorted; the sums are made without the GIL.

        The same bits as `score`, one module at a time.
        """

    def route(
        self,
        module_id: str,
        directories: Sequence[str] = (),
        irrelevant_extensions: Sequence[str] = (),
        namespaces: Sequence[str] = (),
        ticks: bool = False,
        sources: Sequence[tuple[str, Sequence[tuple[Sequence[str], str, Sequence[str]]]]] = (),
        undeclared: bool = False,
    ) -> None:
        """Say what concerns the module, as `Routes.add` does; until then nothing does."""

    def score_routed(self, window: Sequence[SignalEvent]) -> dict[str, float]:
        """`score_all` of the modules alone that `Routes.match` names."""

    def learn(self, module_id: str, window: Sequence[SignalEvent], label: float) -> bool:
        """One implicit step of each learner towards `label`, 0..1 (the caller checks it).

        How far a weight moves depends on the kind of its feature: csrc/pulse/learning_rates.hpp.

        False, and nothing done, for an empty window or an unknown module. Past 131,072 weights a
        module forgets the weakest half.
        """

    def contributions(
        self, module_id: str, window: Sequence[SignalEvent]
    ) -> list[tuple[str, float]]:
        """(feature, log-odds) of the features with weight and of the bias, largest first."""

    def save(self) -> bytes:
        """All modules with weights, versioned and with a checksum; rules are not part of it."""

    def load(self, saved: bytes, only: str = "") -> list[tuple[str, str]]:
        """Restore modules by id, or only that one: (id, "restored" | "created" | "changed").

        "changed": registered with another digest, left as it is. Raises ValueError, with nothing
        changed, for bytes that `save` did not write.
        """

class LstmLimbic:
    """An LSTM of 16 inputs and 64 cells with one logit on top, for each of any number of modules.

    i, f, o = sigmoid(W x + U h + b + b'), g = tanh(the same), c' = f c + i g, h' = o tanh c',
    p = sigmoid(head h' + head_bias). x is the event's feature vector with the minutes of slot 7 as
    ln(1+minutes)/ln(1+1440), held within -1000..1000, NaN as 0. Safe to call from several threads.

    seed: 0 to 2^64-1; a module's first weights follow from it and from the id.
    """

    def __init__(self, seed: int = 0) -> None: ...
    def add(self, module_id: str, digest: str, mask: NDArray[np.float32]) -> None:
        """Start a module, replacing one of the same id.

        Weights are drawn from (-1/8, 1/8); those of slot i are scaled by 0.1 + 1.9 mask[i].
        Raises TypeError or ValueError when `mask` is not float32[16].
        """

    def remove(self, module_id: str) -> None:
        """Forget a module and its weights; an unknown one is ignored."""

    def route(
        self,
        module_id: str,
        directories: Sequence[str] = (),
        irrelevant_extensions: Sequence[str] = (),
        namespaces: Sequence[str] = (),
        ticks: bool = False,
        sources: Sequence[tuple[str, Sequence[tuple[Sequence[str], str, Sequence[str]]]]] = (),
        undeclared: bool = False,
    ) -> None:
        """Say what concerns the module, as `Routes.add` does; until then nothing does."""

    def modules(self) -> list[str]:
        """Ids, sorted."""

    def features(self, module_id: str) -> int:
        """How many weights the module holds: 21,057; 0 for an unknown one."""

    def score(self, module_id: str, window: Sequence[SignalEvent]) -> float:
        """Probability 0..1 after the window's events, from a zero state.

        0.0 for an empty window or an unknown module.
        """

    def score_all(self, window: Sequence[SignalEvent]) -> dict[str, float]:
        """The score of each module by id, sorted; the same bits as `score`."""

    def score_routed(self, window: Sequence[SignalEvent]) -> dict[str, float]:
        """`score_all` of the modules alone that `Routes.match` names."""

    def score_stream(self, module_id: str, event: SignalEvent) -> float:
        """Probability after this and all earlier events of the module's stream, in one step.

        0.0 for an unknown module.
        """

    def forget_stream(self, module_id: str) -> None:
        """Start the module's stream afresh; an unknown one is ignored."""

    def learn(self, module_id: str, window: Sequence[SignalEvent], label: float) -> bool:
        """One step of Adam (lr 1e-3, betas .9 and .999, eps 1e-8) towards `label`, 0..1.

        The slope is that of the cross-entropy through the whole window. False, and nothing done,
        for an empty window or an unknown module.
        """

    def contributions(
        self, module_id: str, window: Sequence[SignalEvent]
    ) -> list[tuple[str, float]]:
        """(slot, logit less the logit with that slot 0 in every event), largest first."""

    def weights(self, module_id: str) -> dict[str, NDArray[np.float32]] | None:
        """Copies under torch's names: "weight_ih_l0", ..., "head.bias"; None for an unknown one."""

    def set_weights(self, module_id: str, weights: dict[str, NDArray[np.float32]]) -> bool:
        """Replace all weights and forget moments and stream; False for an unknown module.

        Raises TypeError or ValueError, with nothing changed, naming the array that is wrong.
        """

    def save(self) -> bytes:
        """All modules with weights and moments, versioned and with a checksum; no streams."""

    def load(self, saved: bytes, only: str = "") -> list[tuple[str, str]]:
        """Restore modules by id, or only that one, with the outcomes of `Limbic.load`."""

class Rule:
    """A rule of one line, such as "src/**/*.py outside **/tests/**"; `str` gives the line."""

    @property
    def log_odds_match(self) -> float:
        """Log-odds that a window matters when the rule matches, on the windows it came from."""

    @property
    def log_odds_rest(self) -> float:
        """The same when the rule does not match."""

    def matches(self, window: Sequence[SignalEvent]) -> bool:
        """Whether the rule would wake for the window."""

    def to_dict(self) -> dict[str, Any]:
        """The rule as plain values; bytes that are no UTF-8 become single surrogates."""

    @staticmethod
    def from_dict(parts: dict[str, Any]) -> Rule:
        """What `to_dict` gave. Raises KeyError or ValueError for anything else."""

class FoundRule:
    """A rule with its counts on the windows it was found on."""

    @property
    def rule(self) -> Rule: ...
    @property
    def windows(self) -> int: ...
    @property
    def relevant(self) -> int: ...
    @property
    def matched(self) -> int: ...
    @property
    def caught(self) -> int:
        """Matched and relevant."""

    @property
    def beats_chance(self) -> bool:
        """Whether the rule tells more than the best of as many would by chance; not so for "**".

        Its likelihood ratio must exclude that it tells nothing: on all windows at 5 % divided by
        the rules tried, on the newer half of them at 1 %.
        """

class RuleFinder:
    """Collects labelled windows and finds the rule that tells most about relevance."""

    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def add(self, window: Sequence[SignalEvent], relevant: bool) -> None:
        """Take in one window; at most 64 of its events are looked at."""

    def find(self) -> FoundRule:
        """The best rule that beats chance, by information less a price for length, or "**"."""

class RecallPromise:
    """A threshold for an asked recall from the scores of past relevant windows.

    recall: above 0, at most 1. memory: how many relevant windows count, at least 1. step: of the
    correction by the balance of caught and missed, 0 to below 1. The caller checks them.
    """

    def __init__(self, recall: float, memory: int, step: float) -> None: ...
    @property
    def recall(self) -> float: ...
    @property
    def threshold(self) -> float:
        """Scores at or above it wake; 0 while everything must."""

    @property
    def positives(self) -> int:
        """Relevant windows remembered."""

    @property
    def needed(self) -> int:
        """Relevant windows from which a threshold above 0 can follow."""

    @property
    def can_promise(self) -> bool: ...
    @property
    def decided(self) -> int:
        """Of the last `memory` relevant windows, those decided while a promise held."""

    @property
    def caught(self) -> int:
        """Of `decided`, those that woke."""

    def observe(self, score: float, relevant: bool, threshold: float) -> None:
        """One labelled window and the threshold it was decided with; NaN scores are ignored."""

    def interval(self, confidence: float = 0.9) -> tuple[float, float]:
        """Where the recall lies."""

class RecallControl:
    """A threshold for an asked recall where only what was asked about is labelled, and the chances
    of its audits. The header says how.

    recall, memory, step: of the `RecallPromise` that takes over where every window is labelled.
    share: of what sleeps to audit, about; 0 for none. The caller checks them.
    version: of the rules, 1 or 2. Raises ValueError for others.
    """

    def __init__(
        self, recall: float, memory: int, step: float, share: float, version: int
    ) -> None: ...
    @property
    def recall(self) -> float: ...
    @property
    def threshold(self) -> float:
        """Scores at or above it wake; 0 while everything must."""

    @property
    def known(self) -> int:
        """Relevant windows that were labelled."""

    @property
    def needed(self) -> int:
        """Relevant windows from which a threshold above 0 can follow."""

    @property
    def complete(self) -> bool:
        """Whether every window is labelled, so that the `RecallPromise` decides."""

    @property
    def moves(self) -> bool:
        """Whether `now` of a label counts."""

    def audit_chance(self, score: float) -> float:
        """That a window with this score is asked about although it would sleep."""

    def slept(self, score: float) -> None:
        """A window that is not asked about; NaN scores are ignored, here as below."""

    def asked(self, score: float, propensity: float, unseen: float) -> None:
        """One that is. propensity: 1 for a wake. unseen: share of its features that is new."""

    def labelled(
        self, score: float, relevant: bool, threshold: float, propensity: float | None, now: float
    ) -> None:
        """Its label; propensity None for a label of a source that labels every window.

        now: the score that the window has just before the label is learned.
        """

    def figures(self, confidence: float = 0.9) -> tuple[float, float, float, int] | None:
        """Recall since the start, the ends of its interval, and labelled audits."""

    def alarm(self) -> tuple[int, float, float] | None:
        """Relevant labels until it ends, share of the unseen lately (0: audits found too much) and
        before; None without an alarm."""

    def meanwhile(self) -> list[tuple[int, float]]:
        """Bins of log-odds and the sum of scores in each that slept since a window was asked."""

    def set_meanwhile(self, pairs: Iterable[tuple[int, float]]) -> None:
        """Put what `meanwhile` gave in its place. Raises IndexError for a bin there is not."""

    def state(self) -> dict[str, Any]:
        """All that later decisions depend on, in plain values."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave, to the bit. Raises KeyError and changes nothing when
        something is missing."""
