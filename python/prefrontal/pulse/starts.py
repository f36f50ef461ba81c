"""What a start of the gate began with, kept in the log so that it can be decided again."""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..decisions.payloads import WakePayload
from ..decisions.wake_runs import START
from ..errors import PrefrontalError
from .gate_module import UNVERSIONED

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..decisions.log import DecisionLog
    from ..settings.gate import GateSettings
    from .gate import Gate
    from .learned import LabelStore, Learned
    from .learning.limbic import LimbicLayer

log = logging.getLogger("prefrontal.pulse")


class Since(NamedTuple):
    """One moment by two clocks: Unix and monotonic seconds."""

    wall: float
    monotonic: float


@dataclass(frozen=True, slots=True)
class Start:
    """One start of the gate.

    run: its name. version: of the rules it decides by. labels: number of the last label in the
    weights; saved: the same in those that were read. weights: a checksum of them. modules: raw
    fingerprints, in the order they were registered, each with the threshold it was given. counts:
    what their controls knew, by module. refusals: whether they are kept. judged: windows that were
    judged before. changed: number of the window after which the modules became others. waiting:
    ids of windows that were held back before. asking: whether it answers who asks, beside a watch.
    crowd: how many the next question of each module counts besides. since: when cooldown and hourly
    budgets went on where earlier starts left them, None where they began anew.
    """

    run: str
    version: int
    settings: GateSettings
    labels: int
    saved: int
    weights: int
    modules: tuple[dict[str, Any], ...]
    counts: Mapping[str, dict[str, Any]]
    refusals: bool
    judged: int = 0
    changed: int | None = None
    waiting: tuple[str, ...] = ()
    asking: bool = False
    crowd: Mapping[str, int] = field(default_factory=dict)
    since: Since | None = None

    def to_bytes(self) -> bytes:
        """What `start_of` reads."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        plain["settings"] = self.settings.model_dump()
        if self.since is None:
            del plain["since"]  # earlier releases know no such key
        return zlib.compress(json.dumps(plain, separators=(",", ":")).encode())

    @property
    def follows(self) -> bool:
        """Whether what slept decides, too, and no record of what was asked about says it."""
        settings = self.settings
        return self.version == UNVERSIONED and any(
            settings.recall_of(each["default_threshold"]) is not None for each in self.modules
        )


def start_of(content: bytes) -> Start:
    """The start that `to_bytes` wrote. Raises ValueError, KeyError or TypeError for other bytes."""
    from ..settings.gate import GateSettings  # pydantic takes its time

    raw = _raw(content)
    if "version" not in raw:
        _number(raw)
    raw["modules"] = tuple(raw["modules"])
    raw["waiting"] = tuple(raw.get("waiting", ()))
    if "since" in raw:
        raw["since"] = Since(*raw["since"])
    settings = GateSettings(**raw.pop("settings"))
    return Start(**raw, settings=settings)


def version_of(content: bytes) -> int:
    """The version of the rules of a start, which a later release may have written.

    Raises ValueError, KeyError or TypeError as `start_of`.
    """
    return int(_raw(content).get("version", UNVERSIONED))


def _raw(content: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(zlib.decompress(content))
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not isinstance(raw, dict):
        raise TypeError(f"a start must be an object, got {type(raw).__name__}")
    return raw


def _number(raw: dict[str, Any]) -> None:
    """Bring a start of before there were versions into today's form.

    Its threshold was the floor under those of the modules.
    """
    floor = raw["settings"].pop("threshold")
    modules = [
        each | {"default_threshold": max(floor, each["default_threshold"])}
        for each in raw["modules"]
    ]
    raw |= {"version": UNVERSIONED, "saved": raw["labels"], "modules": modules}


def checksum(weights: bytes) -> int:
    """Adler-32: the files end with their own CRC-32, and that of the whole is always the same."""
    return zlib.adler32(weights)


def asked_about(store: LabelStore, records: Iterable[Decision]) -> list[Decision]:
    """Those of the records that a start decided which answered who asks."""
    asking: dict[str, bool] = {}
    answers = []
    for record in records:
        run = record.payload.run if isinstance(record.payload, WakePayload) else ""
        if run not in asking:
            state = store.load_state(START + run)
            asking[run] = state is not None and bool(_raw(state[0]).get("asking"))
        if asking[run]:
            answers.append(record)
    return answers


class StartNote:
    """Writes the start of a gate into the log once, and that its modules changed since.

    A log that cannot be written is told of, and nothing else happens: waking matters more.
    """

    def __init__(
        self,
        decisions: DecisionLog,
        gate: Gate,
        limbic: LimbicLayer,
        learned: Learned,
        *,
        asking: bool = False,
    ) -> None:
        self._asking = asking
        self._decisions = decisions
        self._gate = gate
        self._limbic = limbic
        self._learned = learned
        self._since: Since | None = None
        self._start: Start | None = None

    def begin(self, since: Since | None = None) -> None:
        """Keep what the gate knows and is told now; a second call does nothing. since: as of
        `Start`."""
        if self._start is None:
            self._since = since or self._since
            gate = self._gate
            self._keep(
                Start(
                    run=gate.run,
                    version=gate.version,
                    settings=gate.settings,
                    labels=gate.labels,
                    saved=self._learned.saved,
                    weights=checksum(self._limbic.to_bytes()),
                    modules=tuple(each.fingerprint.to_dict() for each in gate.modules.values()),
                    counts=self._learned.counts(),
                    refusals=gate.unstored is not None,
                    judged=gate.judged,
                    waiting=tuple(gate.holds.ids()),
                    asking=self._asking,
                    crowd=dict(gate.holds.crowd),
                    since=self._since,
                )
            )

    def changed(self) -> None:
        """Keep that the modules are others from now on, or, before any window, which they are."""
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
