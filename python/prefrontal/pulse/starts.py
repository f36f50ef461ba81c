"""What a start of the gate began with, kept in the log so that it can be decided again."""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..decisions.wake_runs import START
from ..errors import PrefrontalError
from ..settings.gate import PolicySettings

if TYPE_CHECKING:
    from ..decisions.log import DecisionLog
    from .gate import Gate
    from .limbic import LimbicLayer

log = logging.getLogger("prefrontal.pulse")


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What decides besides the modules: the arguments of `PulseRegistry` of the same names."""

    threshold: float = 0.0
    recall: float | None = None
    policy: PolicySettings = field(default_factory=PolicySettings)
    scorer: str = "linear"
    seed: int = 0
    audit_share: float = 0.02


@dataclass(frozen=True, slots=True)
class Start:
    """One start of the gate.

    run: its name. labels: number of the last label in the weights. weights: a checksum of them.
    modules: raw fingerprints, in the order they were registered. counts: what the recall rule
    had counted, by module. refusals: whether they are kept. changed: number of the event after
    which the modules became others.
    """

    run: str
    settings: GateSettings
    labels: int
    weights: int
    modules: tuple[dict[str, Any], ...]
    counts: Mapping[str, dict[str, Any]]
    refusals: bool
    changed: int | None = None

    def to_bytes(self) -> bytes:
        """What `start_of` reads."""
        text = json.dumps(asdict(self), default=PolicySettings.model_dump, separators=(",", ":"))
        return zlib.compress(text.encode())


def start_of(content: bytes) -> Start:
    """The start that `to_bytes` wrote. Raises ValueError, KeyError or TypeError for other bytes."""
    try:
        raw = json.loads(zlib.decompress(content))
    except zlib.error as error:
        raise ValueError(str(error)) from None
    settings = raw.pop("settings")
    policy = settings.pop("policy")
    if (hours := policy["quiet_hours"]) is not None:
        policy["quiet_hours"] = tuple(hours)
    raw["modules"] = tuple(raw["modules"])
    return Start(**raw, settings=GateSettings(**settings, policy=PolicySettings(**policy)))


def checksum(weights: bytes) -> int:
    """Adler-32: the files end with their own CRC-32, and that of the whole is always the same."""
    return zlib.adler32(weights)


class StartNote:
    """Writes the start of a gate into the log once, and that its modules changed since.

    A log that cannot be written is told of, and nothing else happens: waking matters more.
    """

    def __init__(
        self, decisions: DecisionLog, gate: Gate, limbic: LimbicLayer, settings: GateSettings
    ) -> None:
        self._decisions = decisions
        self._gate = gate
        self._limbic = limbic
        self._settings = settings
        self._start: Start | None = None

    def begin(self) -> None:
        """Keep what the gate knows and is told now; a second call does nothing."""
        if self._start is None:
            modules = self._gate.modules
            ruled = self._settings.recall is not None
            self._keep(
                Start(
                    run=self._gate.run,
                    settings=self._settings,
                    labels=self._gate.labels,
                    weights=checksum(self._limbic.to_bytes()),
                    modules=tuple(each.fingerprint.to_dict() for each in modules.values()),
                    counts={name: m.recall.to_dict() for name, m in modules.items() if ruled},
                    refusals=self._gate.unstored is not None,
                )
            )

    def changed(self) -> None:
        """Keep that the modules are others from now on, or, before any event, which they are."""
        if self._start is None or self._start.changed is not None:
            return
        if self._gate.taken == 0:
            self._start = None
            self.begin()
        else:
            self._keep(replace(self._start, changed=self._gate.taken))

    def _keep(self, start: Start) -> None:
        self._start = start
        try:
            self._decisions.save_state(START + start.run, start.to_bytes(), start.labels)
        except PrefrontalError as error:
            log.error("the start could not be kept, it cannot be decided again: %s", error)
