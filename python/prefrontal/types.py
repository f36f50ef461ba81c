"""Nouns that several domains share: one signal, and one window of signals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEATURE_DIM = 16
"""Length of `SignalEvent.to_feature_vector()`."""


@cache
def _feature_vector() -> Callable[[SignalEvent], NDArray[np.float32]]:
    from ._core import pulse  # here, so that importing the nouns does not load the core

    return pulse.feature_vector


@dataclass(slots=True)
class SignalEvent:
    """One thing that changed in the environment.

    The fields are checked where they are used, not here, because an event may be filled in steps.

    source: "filesystem", "time", "memory", "network", or a name of your own.
    location: absolute path, namespace or URL; the literal "tick" for time.
    delta_type: "created", "modified", "deleted", "tick", or a word of your own.
    magnitude: size of the change, 0..1 by convention, never clamped.
    timestamp: Unix seconds at detection.
    features: what the source adds. Read by the gate: `extension`, `size_bytes`,
        `directory_depth` (files); `hour_sin`, `hour_cos`, `dow_sin`, `dow_cos`,
        `minutes_since_last_activation` (time); `namespace`, `key`, `value_length` (memory);
        `endpoint`, `status_code`, `content_hash`, `previous_hash` (network; None counts as not
        given, as for memory); `actor`, `text` (any source).
    """

    source: str
    location: str
    delta_type: str
    magnitude: float
    timestamp: float
    features: dict[str, Any] = field(default_factory=dict)

    def to_feature_vector(self) -> NDArray[np.float32]:
        """The event as float32[16], a new array on each call.

        Slots: 0 magnitude, 1 delta type (created 1, tick .75, modified .5, else 0), 2 source
        (filesystem 1, time .5, memory .25, else 0), 3-6 hour and weekday as sine and cosine and
        7 minutes since the last activation (time events only), 8 size as
        ln(1+bytes)/ln(1+2^30) capped at 1, 9 depth/10 capped at 1, 10 extension as
        (crc32 mod 1000)/1000 (file events only), 11 value_length as ln(1+n)/ln(1+2^20) capped
        at 1 and 12 key, hashed like an extension (memory events only), 13 status_code/600 and
        14 whether content_hash differs from previous_hash, 0 unless both are given (network
        events only), 15 the hash of `namespace` (memory) or `endpoint` (network).

        Raises TypeError naming the field when a field has the wrong type.
        """
        return _feature_vector()(self)


class Reason(StrEnum):
    """Why the agent was woken for a window, or was not."""

    WOKE = "woke"
    AUDIT = "audit"
    BELOW_THRESHOLD = "below_threshold"
    NO_QUESTION = "no_question"
    DUPLICATE = "duplicate"
    COALESCED = "coalesced"
    COOLDOWN = "cooldown"
    GROUPED = "grouped"
    QUIET_HOURS = "quiet_hours"
    MODULE_BUDGET = "module_budget"
    GLOBAL_BUDGET = "global_budget"
    PEER_BUDGET = "peer_budget"
    SOURCE_BUDGET = "source_budget"
    BUSY = "busy"
    DROPPED = "dropped"
    REPLAYED = "replayed"


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the one behind a signal is trusted, and what follows from it for the gate.

    peer: its id. trust: -10..+10, as it was judged last. shift: log-odds added to every score of
    the signal. wakes_per_hour: how often the peer may wake; None for no budget of its own.
    """

    peer: str
    trust: int = 0
    shift: float = 0.0
    wakes_per_hour: float | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a gate made of one window.

    score, threshold: probabilities, 0..1. reason: WOKE or AUDIT where the agent was asked; any
    other says why not, or not yet. propensity: chance, above 0 and at most 1, that the label of
    this window is asked for; 1 for a wake. folded: windows that were held back before, of which
    this question tells, too. waits: held back, so that a later question tells of it.
    """

    score: float
    threshold: float
    reason: Reason
    propensity: float = 1.0
    folded: tuple[Window, ...] = ()
    waits: bool = False

    @property
    def woke(self) -> bool:
        """Whether the agent was asked; an audit asks it, too."""
        return self.reason in (Reason.WOKE, Reason.AUDIT)


@dataclass(frozen=True, slots=True)
class Window:
    """One thing that happened, as the gate sees it: a commit, a burst of files, a logged line.

    key: what a person can look up: a commit's hash, or "file.jsonl:17".
    time: Unix seconds.
    actor, text: who and what about; empty when unknown. The events carry them in `features`.
    relevant: did it matter; None when nobody has said.
    known_at: Unix seconds at which `relevant` became known; None when it was known at once.
    incident: what it belongs to that mattered, by name; "" when it belongs to nothing.
    """

    key: str
    time: float
    events: tuple[SignalEvent, ...]
    actor: str = ""
    text: str = ""
    relevant: bool | None = None
    known_at: float | None = None
    incident: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class LateQuestion:
    """A question that was asked when a hold ended, at Unix second `time`.

    window: what it is about; `judgement.folded` is all that it tells of, this window among them.
    """

    time: float
    window: Window
    judgement: Judgement
