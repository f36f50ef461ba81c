"""How relevant is this window to each module: a score from 0 to 1, learned from labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from ..._core import pulse as core
from ...errors import InputError
from ...storage.files import write_atomic
from ..modules.routes import interests
from .labels import check_label
from .seeds import commit_seeds, seeds

if TYPE_CHECKING:
    import os

    import numpy as np
    from numpy.typing import NDArray

    from ...types import SignalEvent
    from ..modules.fingerprint import ModuleFingerprint
    from ..modules.priors import HistoryPrior
    from .seed import Seed

SCORERS = ("linear", "lstm")

LEARNING_VERSION = 3
"""How a linear scorer learns: 1 blamed all features alike, as gates did until 0.1; 2 had no steady
learner, as gates had none before version 9 of their rules."""
STEADY = 9
"""The first rules by which a scorer also learns in steps in proportion to the evidence."""


class LimbicLayer:
    """Scores windows for registered modules and learns from labels.

    scorer: "linear", a logistic model over one-hot features (kind of file, folders, words, actor,
        hour, ...) that starts from the fingerprint and learns by implicit steps; or
        "lstm", a recurrent network of 21,057 weights a module over the 16 slots of
        `SignalEvent.to_feature_vector` (slot 7 as ln(1+minutes)/ln(1+1440)), which starts from
        random weights and learns by Adam.
    seed: for scorers that draw random numbers: the weights of an LSTM follow from the seed and the
        module's id. "linear" draws none, so every seed scores alike.
    utc: read hours and weekdays in UTC instead of local time; "lstm" reads only what events say.
    version: how "linear" learns. A label is explained first by what is specific to the window
        (name, words, kind of file); what most windows share moves when labels about different
        things agree. 2: without the learner whose steps shrink in proportion to the evidence; 1:
        all features alike, too; both for logs of gates that learned so. Each reads the weights
        that another saved; those of 1 and 2 then score as they did.
    undeclared: let signals of other sources than files, memory and time reach every module, as
        gates did before version 4 of their rules.
    commits: let modules that hear commits alone start from what public histories say of these, as
        gates do from version 9 of their rules on.
    commit_files: let those modules read a commit as its files, with the features that a replay
        gives it, as gates do from version 10 of their rules on. It is kept with the weights: a
        module restored from what was learned without goes on without.

    A window is a list of events, the latest last. Methods may be called from several threads.
    """

    def __init__(
        self,
        scorer: str = "linear",
        seed: int = 0,
        *,
        utc: bool = False,
        version: int = LEARNING_VERSION,
        undeclared: bool = False,
        commits: bool = True,
        commit_files: bool = True,
    ) -> None:
        if scorer not in SCORERS:
            raise ValueError(f"scorer must be one of {', '.join(SCORERS)}, got {scorer!r}")
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise TypeError(f"seed must be a whole number, got {seed!r}")
        if version not in (1, 2, 3):
            raise ValueError(f"version must be 1, 2 or 3, got {version!r}")
        self._core: core.Limbic | core.LstmLimbic = (
            core.Limbic(utc, version) if scorer == "linear" else core.LstmLimbic(seed % 2**64)
        )
        self._undeclared = undeclared
        self.commits, self._commit_files = commits, commit_files
        self._of_histories: frozenset[str] = frozenset()
        self._loaded: frozenset[str] = frozenset()

    def register(
        self,
        module_id: str,
        fingerprint: ModuleFingerprint,
        more: Sequence[Seed] = (),
        *,
        steady: bool = True,
    ) -> None:
        """Start a module from its fingerprint; one of the same id is replaced, learning and all.

        What `load` brought before the module was registered stays, under the same priors. more:
        seeds besides those of the fingerprint; an LSTM has none. steady: mix in the learner whose
        steps shrink in proportion to the evidence; never for a history of which every window is
        labelled, where it gains nothing.
        """
        if not isinstance(module_id, str):
            raise TypeError(f"module_id must be a str, got {module_id!r}")
        if not module_id.strip():
            raise ValueError(f"module_id must hold more than blanks, got {module_id!r}")
        try:
            module_id.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"module_id must be text that UTF-8 can hold, got {module_id!r}"
            ) from None
        loaded = self.to_bytes() if module_id in self._loaded else None
        self._loaded -= {module_id}
        if isinstance(self._core, core.Limbic):
            of_commits = commit_seeds(fingerprint) if self.commits else ()
            by_files = self._commit_files and bool(of_commits)
            begin = [*seeds(fingerprint, commit_files=by_files), *of_commits, *more]
            history = fingerprint.history
            partial = history is None or not history.complete
            digest = _digest(fingerprint)
            self._core.add(module_id, digest, 0.0, begin, steady and partial, by_files)
        else:
            self._core.add(module_id, _digest(fingerprint), fingerprint.slot_relevance_mask())
        self._core.route(module_id, **interests(fingerprint, undeclared=self._undeclared))
        self._of_histories -= {module_id}
        if fingerprint.history is not None:
            self._begin_history(module_id, fingerprint.history)
        if loaded is not None:
            self.restore(module_id, loaded)

    def _begin_history(self, module_id: str, history: HistoryPrior) -> None:
        if not isinstance(self._core, core.Limbic):
            raise ValueError(f"scorer must be linear for {module_id!r}, which a replay taught")
        self._of_histories |= {module_id}
        self._core.read_utc(module_id)
        if history.rule is not None:
            self._core.start_from(module_id, core.Rule.from_dict(history.rule))

    def unregister(self, module_id: str) -> None:
        """Forget a module and what it learned; an unknown id is ignored."""
        self._core.remove(module_id)
        self._of_histories -= {module_id}
        self._loaded -= {module_id}

    def modules(self) -> list[str]:
        """Ids of the registered modules, sorted."""
        return self._core.modules()

    def start_from(self, module_id: str, rule: core.Rule) -> None:
        """Let the module also start from a rule that a `RuleFinder` found.

        What the module already learned about the same rule is kept. Raises KeyError for an
        unknown module, and ValueError when the scorer is an LSTM, which cannot be told a rule.
        """
        if not isinstance(self._core, core.Limbic):
            raise ValueError("scorer must be linear to start from a rule, got 'lstm'")
        if not self._core.start_from(module_id, rule):
            raise KeyError(module_id)

    def score(self, module_id: str, window: Sequence[SignalEvent]) -> float:
        """Probability, 0..1, that the window matters to the module.

        0.0 for an empty window and for an unknown module. Raises TypeError naming the field of
        an event that has the wrong type.
        """
        return self._core.score(module_id, window)

    def score_all(self, window: Sequence[SignalEvent]) -> dict[str, float]:
        """The score of every module, by id in sorted order; one call into the compiled core."""
        scores = self._core.score_all(window)
        for module_id in self._of_histories:
            scores[module_id] = self.score(module_id, window)
        return scores

    def score_routed(self, window: Sequence[SignalEvent]) -> dict[str, float]:
        """The score of every module that the window concerns, by id in sorted order.

        A file concerns the modules that watch a folder above it, unless its kind is irrelevant to
        them; a memory event those that watch its namespace; a time event those with active hours;
        any other source those that declared it. A module that declared nothing, or that `load`
        brought back without `register`, is concerned by everything; that of a history by nothing
        but the changes that are given to `score` with its id. The scores are those of `score`.
        """
        scores = self._core.score_routed(window)
        for module_id in self._of_histories:
            scores.pop(module_id, None)
        return scores

    def unseen(self, module_id: str, window: Sequence[SignalEvent]) -> float:
        """Share of the window's features, 0..1, that no label told the module about.

        0.0 for an empty window, an unknown module, and an LSTM, whose slots are always the same.
        """
        if not isinstance(self._core, core.Limbic):
            return 0.0
        return self._core.unseen(module_id, window)

    def score_stream(self, module_id: str, event: SignalEvent) -> float:
        """The score after every event given here so far, the LSTM's state carried along.

        One step a call, however long the past. Not the same function as `score`, which starts from
        a zero state: both agree to the bit while the window given to `score` holds all events of
        the stream. A module's stream starts afresh when it is registered, loaded or given weights,
        and by `forget_stream`. 0.0 for an unknown module. Raises ValueError unless scorer is
        "lstm".
        """
        return self._lstm("score_stream").score_stream(module_id, event)

    def forget_stream(self, module_id: str) -> None:
        """Start the module's stream afresh; an unknown id is ignored."""
        self._lstm("forget_stream").forget_stream(module_id)

    def get_weights(self, module_id: str) -> dict[str, NDArray[np.float32]]:
        """A copy of an LSTM's weights under torch's names.

        "weight_ih_l0" (256, 16), "weight_hh_l0" (256, 64), "bias_ih_l0" and "bias_hh_l0" (256,),
        rows in the order of the gates i, f, g, o; "head.weight" (1, 64) and "head.bias" (1,).
        Raises KeyError for an unknown module and ValueError unless scorer is "lstm".
        """
        weights = self._lstm("get_weights").weights(module_id)
        if weights is None:
            raise KeyError(module_id)
        return weights

    def set_weights(self, module_id: str, weights: dict[str, NDArray[np.float32]]) -> None:
        """Give an LSTM other weights, as `get_weights` returns them; learning starts afresh.

        Raises TypeError or ValueError naming the array that is missing, unknown, not float32, of
        another shape or not finite; otherwise like `get_weights`.
        """
        if not self._lstm("set_weights").set_weights(module_id, weights):
            raise KeyError(module_id)

    def _lstm(self, method: str) -> core.LstmLimbic:
        if isinstance(self._core, core.Limbic):
            raise ValueError(f"scorer must be 'lstm' for {method}, got 'linear'")
        return self._core

    def update_weights(self, module_id: str, window: Sequence[SignalEvent], label: float) -> None:
        """Learn that the window mattered (1.0), did not (0.0), or something between.

        Nothing happens for an empty window or an unknown module. Raises ValueError for a label
        outside 0..1.
        """
        check_label(label)
        self._core.learn(module_id, window, label)

    def contributions(
        self, module_id: str, window: Sequence[SignalEvent]
    ) -> list[tuple[str, float]]:
        """What pushed the score: (feature, signed log-odds), largest magnitude first.

        The linear scorer's log-odds add up to that of the score. An LSTM's are one a slot: how
        much lower the log-odds would be with that slot 0 in every event; they do not add up.
        Empty for an empty window or an unknown module.
        """
        return self._core.contributions(module_id, window)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all modules to one file, whole or not at all. Raises SourceError."""
        write_atomic(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """What `save` writes."""
        return self._core.save()

    def restore(self, module_id: str, saved: bytes) -> str | None:
        """Restore one module from what `to_bytes` gave; what became of it, None if not in there.

        The outcomes are those of `load`. Raises InputError for other bytes.
        """
        try:
            return dict(self._core.load(saved, module_id)).get(module_id)
        except ValueError as error:
            raise InputError(str(error)) from None

    def load(self, path: str | os.PathLike[str]) -> dict[str, str]:
        """Restore saved modules by id and say what became of each.

        "restored"; "created" when it was not registered; "changed" when it is registered with
        other signal priors than it was saved with, in which case it keeps its fresh start.
        Raises FileNotFoundError, and InputError (nothing is changed then) for a file that
        `save` did not write or that is damaged.
        """
        try:
            return self.restore_all(Path(path).read_bytes())
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def restore_all(self, saved: bytes) -> dict[str, str]:
        """`load` from what `to_bytes` gave."""
        try:
            type(self._core)().load(saved)  # a rehearsal: ids that are no text must change nothing
            outcomes = dict(self._core.load(saved))
        except ValueError as error:
            raise InputError(str(error)) from None
        self._loaded |= {name for name, outcome in outcomes.items() if outcome == "created"}
        return outcomes


def learning_version(rules: int) -> int:
    """How the scorer of a gate learns that decides by that version of the rules."""
    return LEARNING_VERSION if rules >= STEADY else min(rules, 2)


def _digest(fingerprint: ModuleFingerprint) -> str:
    """What saved weights depend on: the priors, but not the wording of the question."""
    priors = fingerprint.to_dict()["signal_priors"]
    if fingerprint.history is not None:
        priors["history"] = fingerprint.history.rule
    text = json.dumps(priors, sort_keys=True)
    return f"{crc32(text.encode()):08x}"  # tells versions apart; nothing here is a secret
