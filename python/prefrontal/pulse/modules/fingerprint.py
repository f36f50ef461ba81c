"""What a module says about itself when it registers: who it is, what to watch, what to ask."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from ...nearest import did_you_mean
from ...typed_fields import FieldError, Shape, check_keys, read
from .fields import SHAPE, Stripped, number
from .priors import (
    FilesystemPrior,
    HistoryPrior,
    MemoryPrior,
    TimePrior,
    extension_hash,
    read_prior,
)
from .source_priors import (
    SOURCE_PRIORS,
    CalendarPrior,
    GithubPrior,
    GitPrior,
    HttpPrior,
    LogsPrior,
    MailPrior,
    McpPrior,
    NetworkPrior,
    SourcePrior,
    source_interests,
)
from .template import QuestionTemplate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .source_interest import SourceInterest

__all__ = [
    "CalendarPrior",
    "FilesystemPrior",
    "GitPrior",
    "GithubPrior",
    "HistoryPrior",
    "HttpPrior",
    "LogsPrior",
    "MailPrior",
    "McpPrior",
    "MemoryPrior",
    "ModuleFingerprint",
    "NetworkPrior",
    "TimePrior",
    "parse_fingerprint",
]

_REQUIRED = ("module_id", "cluster", "version", "question_template", "default_threshold")
_OPEN = Shape("a dict", closed=False)
_SHARE = number("be a number in 0..1 or null", lambda value: 0 <= value <= 1)
_HOLD = number("be a number of seconds from 0 up", lambda value: value >= 0)
_PRIORS: dict[str, type] = {
    "filesystem": FilesystemPrior,
    "memory": MemoryPrior,
    "time": TimePrior,
    "history": HistoryPrior,
    **SOURCE_PRIORS,
}


@dataclass(slots=True)
class ModuleFingerprint:
    """One module's description. Mutable and unchecked; `parse_fingerprint` is where the rules are.

    cluster: name of a group of related modules; nothing reads it yet.
    question_template: the question for the agent, see `QuestionTemplate`.
    default_threshold: 0..1, the score from which this module's signals are worth a wake-up; None
    lets it follow a recall.
    filesystem, memory, time, git, logs, http, mcp, github, network, mail, calendar: what to watch;
    None where nothing was declared. A module that declares none of them is asked about everything.
    history: that it was adopted from a replay and is asked about that history alone.
    hold_s: what comes close together is asked as one once nothing came for so many seconds.
    """

    module_id: Stripped
    cluster: Stripped
    version: Stripped
    question_template: Stripped
    default_threshold: Annotated[float, _SHARE] | None
    filesystem: FilesystemPrior | None = None
    memory: MemoryPrior | None = None
    time: TimePrior | None = None
    history: HistoryPrior | None = None
    hold_s: Annotated[float, _HOLD] = 0.0
    git: GitPrior | None = None
    logs: LogsPrior | None = None
    http: HttpPrior | None = None
    mcp: McpPrior | None = None
    github: GithubPrior | None = None
    network: NetworkPrior | None = None
    mail: MailPrior | None = None
    calendar: CalendarPrior | None = None

    def source_priors(self) -> list[SourcePrior]:
        """What was declared of sources besides files, memory and time."""
        priors: list[SourcePrior | None] = [getattr(self, name) for name in SOURCE_PRIORS]
        return [prior for prior in priors if prior is not None]

    def source_interests(self) -> list[SourceInterest]:
        """What routes ask of events of sources besides files, memory and time."""
        return [each for prior in self.source_priors() for each in source_interests(prior)]

    @property
    def declares_nothing(self) -> bool:
        """Whether every signal reaches it, since it says nothing of any source."""
        return not (self.filesystem or self.memory or self.time or self.source_priors())

    @property
    def hears_any(self) -> bool:
        """Whether signals of sources with any name reach it."""
        if self.history is not None:
            return False
        return self.declares_nothing or any(not each.source for each in self.source_interests())

    def watch_directories(self) -> list[str]:
        """A copy of the directories to watch, absolute; empty without a filesystem prior."""
        return list(self.filesystem.watch_directories) if self.filesystem else []

    def watch_namespaces(self) -> list[str]:
        """A copy of the memory namespaces to watch; empty without a memory prior."""
        return list(self.memory.watch_namespaces) if self.memory else []

    def relevant_extension_hashes(self) -> list[float]:
        """Slot 10 of the feature vector for each relevant extension, in order."""
        extensions = self.filesystem.relevant_extensions if self.filesystem else []
        return [extension_hash(extension) for extension in extensions]

    def irrelevant_extension_hashes(self) -> list[float]:
        """Slot 10 of the feature vector for each irrelevant extension, in order."""
        extensions = self.filesystem.irrelevant_extensions if self.filesystem else []
        return [extension_hash(extension) for extension in extensions]

    def active_hour_range_encoded(self) -> tuple[float, float, float, float] | None:
        """Sine and cosine of the first active hour, then of the last; None without a time prior."""
        return self.time.encoded() if self.time else None

    def slot_relevance_mask(self) -> NDArray[np.float32]:
        """How much each slot of the feature vector says to this module, float32[16] in 0..1.

        1 matters, 0.5 may matter, 0 does not. Magnitude and source always matter; the delta type
        fully with a filesystem prior; hour and weekday when the prior narrows them; size, depth
        and extension with a filesystem prior. A memory prior changes nothing.
        """
        import numpy as np

        mask = np.zeros(16, dtype=np.float32)
        mask[0] = mask[2] = 1.0
        mask[1] = 1.0 if self.filesystem else 0.5
        if self.time:
            mask[3:5] = 0.5 if self.time.is_whole_day() else 1.0
            mask[5:7] = 1.0 if len(self.time.active_days) < 7 else 0.5
            mask[7] = 1.0
        if self.filesystem:
            mask[8:10] = 1.0
            mask[10] = 1.0 if self.filesystem.relevant_extensions else 0.5
        return mask

    def to_dict(self) -> dict[str, Any]:
        """The raw form, new on each call, fit for JSON; `parse_fingerprint` reads it back."""
        priors = {name: getattr(self, name) for name in _PRIORS}
        raw = {name: getattr(self, name) for name in _REQUIRED} | {
            "signal_priors": {name: _plain(prior) for name, prior in priors.items() if prior}
        }
        return raw | {"hold_s": self.hold_s} if self.hold_s else raw

    def digest(self) -> str:
        """SHA-256 in hex over every field; directories count as resolved on this machine."""
        from hashlib import sha256  # loads OpenSSL, 5 MiB that nothing else here needs

        canonical = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return sha256(canonical.encode()).hexdigest()


def parse_fingerprint(raw: dict[str, Any]) -> ModuleFingerprint:
    """Check a module's raw description and build its fingerprint.

    Checked in this order: required keys, strings (stored stripped), threshold, priors, `hold_s`,
    template. `signal_priors` and `hold_s` may be left out. The priors hold nothing but what the
    gate reads, so a key it does not know is refused, at both levels. The top level is also where
    people keep their own metadata, so an unknown key there is ignored, unless it looks like a
    misspelling of a known key that is absent: `signal_prior` without `signal_priors` would silently
    watch nothing.

    Raises `InputError` (a ValueError); the text names the key as a dotted path, the rule and the
    value.
    """
    own = {key: raw[key] for key in raw if key not in _PRIORS} if isinstance(raw, dict) else raw
    fingerprint: ModuleFingerprint = read(ModuleFingerprint, own, _OPEN, whole="fingerprint")
    if "signal_priors" not in raw:
        _refuse_misspelt_priors(raw)
    priors = raw.get("signal_priors", {})
    check_keys(priors, (), SHAPE, _PRIORS, "signal_priors")
    for name, kind in _PRIORS.items():
        if name in priors:
            setattr(fingerprint, name, read_prior(kind, priors[name], f"signal_priors.{name}"))
    QuestionTemplate.parse(fingerprint.question_template)
    return fingerprint


def _plain(prior: Any) -> dict[str, Any]:
    """The raw form; of a prior of a source, which may leave everything out, what it says."""
    raw = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(prior).items()
    }
    sparse = isinstance(prior, SourcePrior)
    return {name: value for name, value in raw.items() if value or not sparse}


def _refuse_misspelt_priors(raw: dict[str, Any]) -> None:
    for key in raw:
        if key not in _REQUIRED and (hint := did_you_mean(key, ("signal_priors",))):
            raise FieldError("spell its optional key signal_priors", key, ("fingerprint",), hint)
