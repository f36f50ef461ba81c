"""What a module declares about sources other than files, memory and time.

Every field is a list that may be left out: then anything will do. Where a field is there, one of
its items must match; of several fields, each. An item may hold `*`, anything up to the next "/",
and `**`, anything at all; it matches what it names and what lies below that.

The dataclasses are mutable and unchecked; `parse` is where the rules are, and every rule broken is
an `InputError` that names the key as a dotted path.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .fields import folder, is_encodable, items, mapping, refuse, text
from .source_interest import SourceInterest, condition

NAMED_SOURCES = (
    *("filesystem", "memory", "time", "network", "git", "log", "mcp", "github", "mail"),
    "calendar",
)
"""Sources that have a prior of their own, by the name that their events carry."""


@dataclass(slots=True)
class GitPrior:
    """Which commits matter.

    repositories: absolute, resolved; what lies in them counts, so a folder of repositories or a
    folder of one will do. paths: in the repository, as in .gitignore: "*.py" at any depth, "/src"
    or "src/core" from its top. branches: names; a commit on no branch has none.
    """

    repositories: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    branches: list[str] = field(default_factory=list)

    @classmethod
    def parse(cls, path: str, value: object) -> GitPrior:
        """Check a raw dict."""
        raw = mapping(path, value, cls.__slots__)
        repositories = [
            folder(f"{path}.repositories[{index}]", item)
            for index, item in enumerate(_list(path, raw, "repositories"))
        ]
        return cls(repositories, _texts(path, raw, "paths"), _texts(path, raw, "branches"))

    def to_dict(self) -> dict[str, Any]:
        """The raw form, which `parse` reads back."""
        return _filled(self)

    def interests(self) -> list[SourceInterest]:
        """What routes ask of an event."""
        return [
            SourceInterest(
                "git",
                [
                    *condition("path", ("location", "repository"), self.repositories),
                    *condition("path", ("path", "old_path"), map(_in_repository, self.paths)),
                    *condition("pattern", ("branch",), self.branches),
                ],
            )
        ]


@dataclass(slots=True)
class LogsPrior:
    """Which lines of log files matter.

    files: absolute, or a name without "/" in any folder. contains: texts of which a line must hold
    one, their case as given.
    """

    files: list[str] = field(default_factory=list)
    contains: list[str] = field(default_factory=list)

    @classmethod
    def parse(cls, path: str, value: object) -> LogsPrior:
        """Check a raw dict."""
        raw = mapping(path, value, cls.__slots__)
        files = [_file(each) for each in _texts(path, raw, "files")]
        return cls(files, _texts(path, raw, "contains"))

    def to_dict(self) -> dict[str, Any]:
        """The raw form, which `parse` reads back."""
        return _filled(self)

    def interests(self) -> list[SourceInterest]:
        """What routes ask of an event."""
        return [
            SourceInterest(
                "log",
                [
                    *condition("path", ("location",), map(_at_any_depth, self.files)),
                    *condition("contains", ("text",), self.contains),
                ],
            )
        ]


@dataclass(slots=True)
class HttpPrior:
    """Which signals of other programs matter: posted, written to the socket, or pushed.

    sources: the names that they give themselves ("ci"; a CloudEvent has "cloudevent"); without
    any, every name that no other prior speaks of. types: what happened, the type of a CloudEvent.
    locations: where.
    """

    sources: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    locations: list[str] = field(default_factory=list)

    @classmethod
    def parse(cls, path: str, value: object) -> HttpPrior:
        """Check a raw dict. A source that another prior speaks of is refused."""
        raw = mapping(path, value, cls.__slots__)
        sources = _texts(path, raw, "sources")
        for index, source in enumerate(sources):
            if source in NAMED_SOURCES:
                rule = "be a source without a prior of its own"
                refuse(f"{path}.sources[{index}]", rule, source)
        return cls(sources, _texts(path, raw, "types"), _texts(path, raw, "locations"))

    def to_dict(self) -> dict[str, Any]:
        """The raw form, which `parse` reads back."""
        return _filled(self)

    def interests(self) -> list[SourceInterest]:
        """What routes ask of an event."""
        conditions = [
            *condition("pattern", ("delta_type",), self.types),
            *condition("pattern", ("location",), self.locations),
        ]
        names = dict.fromkeys(self.sources or [""])
        return [SourceInterest(name, conditions) for name in names]


@dataclass(slots=True)
class McpPrior:
    """Which news of MCP servers matter.

    servers: the names of `sources.mcp`. resources: addresses; NAME/LOGGER of a log message.
    """

    servers: list[str] = field(default_factory=list)
    resources: list[str] = field(default_factory=list)

    @classmethod
    def parse(cls, path: str, value: object) -> McpPrior:
        """Check a raw dict."""
        raw = mapping(path, value, cls.__slots__)
        return cls(_texts(path, raw, "servers"), _texts(path, raw, "resources"))

    def to_dict(self) -> dict[str, Any]:
        """The raw form, which `parse` reads back."""
        return _filled(self)

    def interests(self) -> list[SourceInterest]:
        """What routes ask of an event."""
        return [
            SourceInterest(
                "mcp",
                [
                    *condition("pattern", ("server",), self.servers),
                    *condition("pattern", ("location",), self.resources),
                ],
            )
        ]


@dataclass(slots=True)
class GithubPrior:
    """Which deliveries of GitHub matter.

    repositories: "owner/name", whatever its case. events: "push", "pull_request" with all that can
    happen to one, or "pull_request.opened" alone.
    """

    repositories: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)

    @classmethod
    def parse(cls, path: str, value: object) -> GithubPrior:
        """Check a raw dict."""
        raw = mapping(path, value, cls.__slots__)
        return cls(_texts(path, raw, "repositories"), _texts(path, raw, "events"))

    def to_dict(self) -> dict[str, Any]:
        """The raw form, which `parse` reads back."""
        return _filled(self)

    def interests(self) -> list[SourceInterest]:
        """What routes ask of an event."""
        kinds = [kind for each in self.events for kind in (each, f"{each}.*")]
        return [
            SourceInterest(
                "github",
                [
                    *condition("any_case", ("repository",), map(_lower, self.repositories)),
                    *condition("pattern", ("delta_type",), kinds),
                ],
            )
        ]


@dataclass(slots=True)
class NetworkPrior:
    """Which pages matter. endpoints: URLs, as in `sources.network`."""

    endpoints: list[str] = field(default_factory=list)

    @classmethod
    def parse(cls, path: str, value: object) -> NetworkPrior:
        """Check a raw dict."""
        raw = mapping(path, value, cls.__slots__)
        return cls(_texts(path, raw, "endpoints"))

    def to_dict(self) -> dict[str, Any]:
        """The raw form, which `parse` reads back."""
        return _filled(self)

    def interests(self) -> list[SourceInterest]:
        """What routes ask of an event."""
        return [
            SourceInterest("network", list(condition("pattern", ("location",), self.endpoints)))
        ]


@dataclass(slots=True)
class MailPrior:
    """Which messages matter.

    folders: USER/FOLDER, or a folder of whichever user. senders: addresses, whatever their case;
    "*@example.org" is everybody there.
    """

    folders: list[str] = field(default_factory=list)
    senders: list[str] = field(default_factory=list)

    @classmethod
    def parse(cls, path: str, value: object) -> MailPrior:
        """Check a raw dict."""
        raw = mapping(path, value, cls.__slots__)
        return cls(_texts(path, raw, "folders"), _texts(path, raw, "senders"))

    def to_dict(self) -> dict[str, Any]:
        """The raw form, which `parse` reads back."""
        return _filled(self)

    def interests(self) -> list[SourceInterest]:
        """What routes ask of an event."""
        return [
            SourceInterest(
                "mail",
                [
                    *condition("pattern", ("location",), map(_at_any_depth, self.folders)),
                    *condition("any_case", ("sender",), map(_lower, self.senders)),
                ],
            )
        ]


@dataclass(slots=True)
class CalendarPrior:
    """Which events of calendars matter.

    calendars: the names of `sources.calendar`. events: what happens to one: "begins", "created",
    "modified", "cancelled".
    """

    calendars: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)

    @classmethod
    def parse(cls, path: str, value: object) -> CalendarPrior:
        """Check a raw dict."""
        raw = mapping(path, value, cls.__slots__)
        return cls(_texts(path, raw, "calendars"), _texts(path, raw, "events"))

    def to_dict(self) -> dict[str, Any]:
        """The raw form, which `parse` reads back."""
        return _filled(self)

    def interests(self) -> list[SourceInterest]:
        """What routes ask of an event."""
        return [
            SourceInterest(
                "calendar",
                [
                    *condition("pattern", ("location",), self.calendars),
                    *condition("pattern", ("delta_type",), self.events),
                ],
            )
        ]


SourcePrior = (
    GitPrior
    | LogsPrior
    | HttpPrior
    | McpPrior
    | GithubPrior
    | NetworkPrior
    | MailPrior
    | CalendarPrior
)

SOURCE_PRIORS: dict[str, type[SourcePrior]] = {
    "git": GitPrior,
    "logs": LogsPrior,
    "http": HttpPrior,
    "mcp": McpPrior,
    "github": GithubPrior,
    "network": NetworkPrior,
    "mail": MailPrior,
    "calendar": CalendarPrior,
}
"""By their keys in `signal_priors`."""


def _list(path: str, raw: dict[object, object], name: str) -> list[object]:
    """A list with something in it, or none at all."""
    return items(f"{path}.{name}", raw[name], at_least_one=True) if name in raw else []


def _texts(path: str, raw: dict[object, object], name: str) -> list[str]:
    texts = []
    for index, item in enumerate(_list(path, raw, name)):
        place = f"{path}.{name}[{index}]"
        texts.append(text(place, item).strip())
        if not is_encodable(texts[-1]):
            refuse(place, "be text that UTF-8 can hold", item)
    return texts


def _file(name: str) -> str:
    """A name stays one; a path becomes absolute, links as they are: so log files are called."""
    if "/" not in name:
        return name
    return os.path.normpath(Path(name).expanduser().absolute())


def _lower(name: str) -> str:
    """As the core reads it: A to Z alone, for every locale the same."""
    return name.encode().lower().decode()


def _at_any_depth(pattern: str) -> str:
    """As .gitignore reads it: what holds no "/" before its end may lie anywhere."""
    if "/" not in pattern.rstrip("/"):
        return f"**/{pattern}"
    return pattern


def _in_repository(pattern: str) -> str:
    return _at_any_depth(pattern).removeprefix("/")


def _filled(prior: SourcePrior) -> dict[str, Any]:
    return {name: value for name, value in asdict(prior).items() if value}
