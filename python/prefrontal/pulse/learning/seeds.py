"""What a fingerprint says before anything was learned, as log-odds of single features.

Each seed is (kind, value, log-odds) of one feature of the linear scorer; learning moves them like
any other weight. A file of a relevant kind in a watched folder starts at log-odds 2.2 (0.90), any
other kind there at -1 (0.27), an irrelevant kind at -3.5 (0.03); outside the active hours or days
2.5 less. A signal of another source that was declared starts at 1.2 (0.77), where the source has a
name. Where the module hears commits alone, commit_prior.py says what public histories tell of
these; a commit that is read as its files has no other start, as in a replay. A tick of the clock
says nothing by itself, unless time is all the fingerprint speaks of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .commit_prior import commit_prior

if TYPE_CHECKING:
    from ..modules.fingerprint import ModuleFingerprint
    from ..modules.priors import FilesystemPrior, MemoryPrior, TimePrior
    from .seed import Seed

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

UNLISTED = -2.2
RELEVANT = 3.2
IRRELEVANT = -3.5
IN_PLACE = 1.2
HIGH_KEY = 2.0
ELSEWHEN = -2.5
UNDECLARED = -3.0
TICK_ON_TIME = 1.0
TICK_TOO_SOON = -3.0


NOVELTY: tuple[Seed, ...] = tuple(
    ("feature", f"{name}={age}", odds * share)
    for name, share in (("quiet_name", 1.0), ("quiet_kind", 0.5))
    for age, odds in (
        ("1h", -2.0),
        ("6h", -1.0),
        ("24h", 0.0),
        ("72h", 0.5),
        ("long", 1.0),
        ("never", 1.5),
        ("first", 0.5),
    )
)
"""What is said of a burst by how long nothing like it came: what it says, and that in its place."""


def seeds(fingerprint: ModuleFingerprint, *, commit_files: bool = False) -> list[Seed]:
    """The seeds of one module; the threshold is none of them: it moves the gate, not the score.

    commit_files: as of `LimbicLayer`, of a module that hears commits alone.
    """
    files, memory, time = fingerprint.filesystem, fingerprint.memory, fingerprint.time
    others = _others(fingerprint)
    prior_seeds: list[Seed] = []
    if files is not None:
        prior_seeds += _files(files)
    elif memory is not None or time is not None or others:
        prior_seeds.append(("source", "filesystem", UNDECLARED))
    if memory is not None:
        prior_seeds += _memory(memory)
    elif files is not None or time is not None or others:
        prior_seeds.append(("source", "memory", UNDECLARED))
    if not commit_files:
        prior_seeds += others
    if time is not None:
        prior_seeds += _hours(time)
    if time is not None and files is None and memory is None and not others:
        prior_seeds += _ticks(time)
    else:
        prior_seeds.append(("source", "time", UNDECLARED))
    return prior_seeds


def commit_seeds(fingerprint: ModuleFingerprint) -> tuple[Seed, ...]:
    """What public histories say of commits.

    Nothing where the module does not hear the commits of a history or of git alone, or has a
    threshold of its own, which was set for what it declares.
    """
    if fingerprint.history is not None:
        return commit_prior() if fingerprint.history.commits else ()
    elsewhere = fingerprint.filesystem or fingerprint.memory
    if elsewhere or fingerprint.default_threshold is not None:
        return ()
    return commit_prior() if fingerprint.source_priors() == [fingerprint.git] else ()


def _others(fingerprint: ModuleFingerprint) -> list[Seed]:
    """Of the sources besides; a sender whose name is not known has none."""
    interests = fingerprint.source_interests()
    return [("source", each.source or "cloudevent", IN_PLACE) for each in interests]


def _files(prior: FilesystemPrior) -> list[Seed]:
    prior_seeds: list[Seed] = []
    if prior.relevant_extensions:
        prior_seeds.append(("source", "filesystem", UNLISTED))
    for extension in dict.fromkeys(map(_lower, prior.relevant_extensions)):
        prior_seeds.append(("extension", extension, RELEVANT))
    for extension in dict.fromkeys(map(_lower, prior.irrelevant_extensions)):
        lifted = UNLISTED if prior.relevant_extensions else 0.0
        prior_seeds.append(("extension", extension, IRRELEVANT - IN_PLACE - lifted))
    for directory in _outermost(prior.watch_directories):
        prior_seeds.append(("directory", directory, IN_PLACE))
    return prior_seeds


def _lower(extension: str) -> str:
    """As the core reads it: A to Z alone, for every locale the same."""
    return extension.encode().lower().decode()


def _outermost(directories: list[str]) -> list[str]:
    """Without folders inside others: a file in both would count twice."""
    outermost: list[str] = []
    for directory in sorted(set(directories), key=len):
        if not any(directory.startswith(outer.rstrip("/") + "/") for outer in outermost):
            outermost.append(directory)
    return outermost


def _memory(prior: MemoryPrior) -> list[Seed]:
    prior_seeds: list[Seed] = []
    for namespace in dict.fromkeys(prior.watch_namespaces):
        prior_seeds += [("directory", namespace, IN_PLACE), ("name", namespace, IN_PLACE)]
    for key in dict.fromkeys(prior.high_relevance_keys):
        prior_seeds.append(("feature", f"key={key}", HIGH_KEY))
    return prior_seeds


def _hours(prior: TimePrior) -> list[Seed]:
    idle = [str(hour) for hour in range(24) if not prior.covers(hour)]
    off = [name for day, name in enumerate(WEEKDAYS) if day not in prior.active_days]
    return [("hour", hour, ELSEWHEN) for hour in idle] + [("weekday", day, ELSEWHEN) for day in off]


def _ticks(prior: TimePrior) -> list[Seed]:
    """A clock-only module fires once half its usual interval has passed."""
    prior_seeds: list[Seed] = [("source", "time", TICK_ON_TIME)]
    half_minutes = prior.typical_interval_hours * 60 / 2
    prior_seeds.append(("idle minutes", "0", TICK_TOO_SOON))
    power = 0
    while 2 ** (power + 1) <= half_minutes and power < 24:
        prior_seeds.append(("idle minutes", f"2^{power}", TICK_TOO_SOON))
        power += 1
    return prior_seeds
