"""What a module declares about sources other than files, memory and time.

Every field is a list that may be left out: then anything will do. Where a field is there, one of
its items must match; of several fields, each. An item may hold `*`, anything up to the next "/",
and `**`, anything at all; it matches what it names and what lies below that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Annotated, ClassVar, TypedDict

from ...home_folder import expanded
from ...typed_fields import Must, then
from .fields import NOT_EMPTY, Folder, Word
from .source_interest import How, SourceInterest, condition

NAMED_SOURCES = (
    *("filesystem", "memory", "time", "network", "git", "log", "mcp", "github", "mail"),
    "calendar",
)
"""Sources that have a prior of their own, by the name that their events carry."""


class _Comparison(TypedDict):
    """Of what routes ask for a field. by: from its items to what is compared."""

    how: How
    features: tuple[str, ...]
    by: Callable[[list[str]], Iterable[str]]


def _compare(
    how: How, *features: str, by: Callable[[list[str]], Iterable[str]] = iter
) -> _Comparison:
    """An item must match one of these features of an event."""
    return {"how": how, "features": features, "by": by}


def _file(name: str) -> str:
    """A name stays one; a path becomes absolute, links as they are: so log files are called."""
    if "/" not in name:
        return name
    return os.path.normpath(expanded(name).absolute())


def _lower(names: list[str]) -> Iterable[str]:
    """As the core reads it: A to Z alone, for every locale the same."""
    return (name.encode().lower().decode() for name in names)


def _at_any_depth(patterns: list[str]) -> Iterable[str]:
    """As .gitignore reads it: what holds no "/" before its end may lie anywhere."""
    return (each if "/" in each.rstrip("/") else f"**/{each}" for each in patterns)


def _in_repository(patterns: list[str]) -> Iterable[str]:
    return (each.removeprefix("/") for each in _at_any_depth(patterns))


def _with_actions(events: list[str]) -> Iterable[str]:
    return (kind for each in events for kind in (each, f"{each}.*"))


_UNNAMED = Must("be a source without a prior of its own", lambda name: name not in NAMED_SOURCES)
Words = Annotated[list[Word], NOT_EMPTY]


@dataclass(slots=True)
class GitPrior:
    """Which commits matter.

    repositories: absolute, resolved; what lies in them counts, so a folder of repositories or a
    folder of one will do. paths: in the repository, as in .gitignore: "*.py" at any depth, "/src"
    or "src/core" from its top. branches: names; a commit on no branch has none.
    """

    source: ClassVar[str] = "git"
    repositories: Annotated[list[Folder], NOT_EMPTY] = field(
        default_factory=list, metadata=_compare("path", "location", "repository")
    )
    paths: Words = field(
        default_factory=list, metadata=_compare("path", "path", "old_path", by=_in_repository)
    )
    branches: Words = field(default_factory=list, metadata=_compare("pattern", "branch"))


@dataclass(slots=True)
class LogsPrior:
    """Which lines of log files matter.

    files: absolute, or a name without "/" in any folder. contains: texts of which a line must hold
    one, their case as given.
    """

    source: ClassVar[str] = "log"
    files: Annotated[list[Annotated[Word, then(_file)]], NOT_EMPTY] = field(
        default_factory=list, metadata=_compare("path", "location", by=_at_any_depth)
    )
    contains: Words = field(default_factory=list, metadata=_compare("contains", "text"))


@dataclass(slots=True)
class HttpPrior:
    """Which signals of other programs matter: posted, written to the socket, or pushed.

    sources: the names that they give themselves ("ci"; a CloudEvent has "cloudevent"); without
    any, every name that no other prior speaks of. types: what happened, the type of a CloudEvent.
    locations: where.
    """

    source: ClassVar[str] = ""
    sources: Annotated[list[Annotated[Word, _UNNAMED]], NOT_EMPTY] = field(default_factory=list)
    types: Words = field(default_factory=list, metadata=_compare("pattern", "delta_type"))
    locations: Words = field(default_factory=list, metadata=_compare("pattern", "location"))


@dataclass(slots=True)
class McpPrior:
    """Which news of MCP servers matter.

    servers: the names of `sources.mcp`. resources: addresses; NAME/LOGGER of a log message.
    """

    source: ClassVar[str] = "mcp"
    servers: Words = field(default_factory=list, metadata=_compare("pattern", "server"))
    resources: Words = field(default_factory=list, metadata=_compare("pattern", "location"))


@dataclass(slots=True)
class GithubPrior:
    """Which deliveries of GitHub matter.

    repositories: "owner/name", whatever its case. events: "push", "pull_request" with all that can
    happen to one, or "pull_request.opened" alone.
    """

    source: ClassVar[str] = "github"
    repositories: Words = field(
        default_factory=list, metadata=_compare("any_case", "repository", by=_lower)
    )
    events: Words = field(
        default_factory=list, metadata=_compare("pattern", "delta_type", by=_with_actions)
    )


@dataclass(slots=True)
class NetworkPrior:
    """Which pages matter. endpoints: URLs, as in `sources.network`."""

    source: ClassVar[str] = "network"
    endpoints: Words = field(default_factory=list, metadata=_compare("pattern", "location"))


@dataclass(slots=True)
class MailPrior:
    """Which messages matter.

    folders: USER/FOLDER, or a folder of whichever user. senders: addresses, whatever their case;
    "*@example.org" is everybody there.
    """

    source: ClassVar[str] = "mail"
    folders: Words = field(
        default_factory=list, metadata=_compare("pattern", "location", by=_at_any_depth)
    )
    senders: Words = field(default_factory=list, metadata=_compare("any_case", "sender", by=_lower))


@dataclass(slots=True)
class CalendarPrior:
    """Which events of calendars matter.

    calendars: the names of `sources.calendar`. events: what happens to one: "begins", "created",
    "modified", "cancelled".
    """

    source: ClassVar[str] = "calendar"
    calendars: Words = field(default_factory=list, metadata=_compare("pattern", "location"))
    events: Words = field(default_factory=list, metadata=_compare("pattern", "delta_type"))


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


def source_interests(prior: SourcePrior) -> list[SourceInterest]:
    """What routes ask of an event."""
    conditions = [
        each
        for name in fields(prior)
        if (of := name.metadata)
        for each in condition(of["how"], of["features"], of["by"](getattr(prior, name.name)))
    ]
    names = prior.sources if isinstance(prior, HttpPrior) else []
    return [SourceInterest(name, conditions) for name in dict.fromkeys(names or [prior.source])]
