"""How relevant is this window to each module: a score from 0 to 1, learned from labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from .._core import pulse as core
from ..errors import InputError
from ..storage.files import write_atomic
from .seeds import seeds

if TYPE_CHECKING:
    import os

    from ..types import SignalEvent
    from .fingerprint import ModuleFingerprint

SCORERS = ("linear",)


class LimbicLayer:
    """Scores windows for registered modules and learns from labels.

    scorer: "linear", a logistic model over one-hot features (kind of file, folders, words, actor,
        hour, ...) that starts from the fingerprint and learns by AdaGrad.
    seed: for scorers that draw random numbers; "linear" draws none, so every seed scores alike.
    utc: read hours and weekdays in UTC instead of local time.

    A window is a list of events, the latest last. Methods may be called from several threads.
    """

    def __init__(self, scorer: str = "linear", seed: int = 0, *, utc: bool = False) -> None:
        if scorer not in SCORERS:
            raise ValueError(f"scorer must be one of {', '.join(SCORERS)}, got {scorer!r}")
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise TypeError(f"seed must be a whole number, got {seed!r}")
        self._core = core.Limbic(utc=utc)

    def register(self, module_id: str, fingerprint: ModuleFingerprint) -> None:
        """Start a module from its fingerprint; one of the same id is replaced, learning and all."""
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
        self._core.add(module_id, _digest(fingerprint), 0.0, seeds(fingerprint))

    def unregister(self, module_id: str) -> None:
        """Forget a module and what it learned; an unknown id is ignored."""
        self._core.remove(module_id)

    def modules(self) -> list[str]:
        """Ids of the registered modules, sorted."""
        return self._core.modules()

    def start_from(self, module_id: str, rule: core.Rule) -> None:
        """Let the module also start from a rule that a `RuleFinder` found.

        What the module already learned about the same rule is kept. Raises KeyError for an
        unknown module.
        """
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
        return self._core.score_all(window)

    def update_weights(self, module_id: str, window: Sequence[SignalEvent], label: float) -> None:
        """Learn that the window mattered (1.0), did not (0.0), or something between.

        Nothing happens for an empty window or an unknown module. Raises ValueError for a label
        outside 0..1.
        """
        if not isinstance(label, Real):
            raise TypeError(f"label must be a number from 0 to 1, got {label!r}")
        if not 0.0 <= label <= 1.0:
            raise ValueError(f"label must be a number from 0 to 1, got {label!r}")
        self._core.learn(module_id, window, label)

    def contributions(
        self, module_id: str, window: Sequence[SignalEvent]
    ) -> list[tuple[str, float]]:
        """What pushed the score: (feature, signed log-odds), largest magnitude first.

        The log-odds add up to that of the score. Empty for an empty window or an unknown module.
        """
        return self._core.contributions(module_id, window)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all modules to one file, whole or not at all. Raises SourceError."""
        write_atomic(path, self._core.save())

    def load(self, path: str | os.PathLike[str]) -> dict[str, str]:
        """Restore saved modules by id and say what became of each.

        "restored"; "created" when it was not registered; "changed" when it is registered with
        other signal priors than it was saved with, in which case it keeps its fresh start.
        Raises FileNotFoundError, and InputError (nothing is changed then) for a file that
        `save` did not write or that is damaged.
        """
        data = Path(path).read_bytes()
        try:
            core.Limbic().load(data)  # a rehearsal: ids that are no text must change nothing
            return dict(self._core.load(data))
        except ValueError as error:
            raise InputError(f"{path}: {error}") from None


def _digest(fingerprint: ModuleFingerprint) -> str:
    """What saved weights depend on: the priors, but not the wording of the question."""
    priors = json.dumps(fingerprint.to_dict().get("signal_priors"), sort_keys=True)
    return f"{crc32(priors.encode()):08x}"  # tells versions apart; nothing here is a secret
