"""What a tool is called with for a wake: by the names of its arguments, then by their types.

| arguments called | get |
|---|---|
| path, file, filename, location, target, document, ... | the last event's location |
| paths, files, locations, ... | the locations of all events of the window, each once |
| folder, directory, root, repository, repo, workspace, project | the event's "repository" or \
"root", else the watched folder that holds the location |
| text, message, subject; actor, author, sender | the event's "text"; its "actor" |
| question, prompt; count; timestamp, time; source; delta_type, change | those of the wake |
| any other name (diff, before, after, commit, ...) | the event's feature of that very name |

A feature of the argument's own name comes first. An argument with a default takes only that. A
value whose type contradicts the hint is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..routing.plans.type_hints import contradicts
from ..types import SignalEvent

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..routing.types import ArgSpec

_PLAIN = (str, int, float, bool, list, dict, type(None))


@dataclass(frozen=True, slots=True)
class Filled:
    """What was found for a tool. missing: the required arguments that nothing fits."""

    arguments: Mapping[str, Any]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EventArguments:
    """Fills arguments for one wake. roots: the watched folders, absolute."""

    wake: Decision
    roots: Sequence[Path] = ()

    def fill(self, args: Sequence[ArgSpec]) -> Filled:
        """The arguments that the wake has something for."""
        values: dict[str, Any] = {}
        missing = []
        for arg in args:
            value = self._value(arg)
            if value is not None:
                values[arg.name] = value
            elif arg.required:
                missing.append(arg.name)
        return Filled(values, tuple(missing))

    def _value(self, arg: ArgSpec) -> Any:
        """None when there is nothing for it."""
        event = self.wake.window[-1] if self.wake.window else None
        if event is None:
            return None
        own = event.features.get(arg.name)
        if isinstance(own, _PLAIN) and own is not None and _is_of(own, arg.type_hint):
            return own
        make = _BY_NAME.get(arg.name.lower()) if arg.required else None
        value = make(self, event) if make else None
        return value if value is not None and _is_of(value, arg.type_hint) else None

    def fits(self, patterns: Sequence[str]) -> bool:
        """Whether the last event's file is one of those that a tool is for; none: for any."""
        name = self.wake.window[-1].location.rpartition("/")[2] if self.wake.window else ""
        return not patterns or any(fnmatchcase(name.lower(), each.lower()) for each in patterns)

    def place(self, event: SignalEvent) -> str:
        """Where the event was: a file's path absolute where it lies below a watched folder."""
        beside = event.source == "filesystem" and not Path(event.location).is_absolute()
        return str(self.roots[0] / event.location) if beside and self.roots else event.location

    def places(self, _: SignalEvent) -> list[str]:
        return list(dict.fromkeys(self.place(each) for each in self.wake.window))

    def folder(self, event: SignalEvent) -> str | None:
        path = event.features.get("repository", event.features.get("root"))
        if isinstance(path, str):
            return path
        place = Path(self.place(event))
        holding = [root for root in self.roots if place.is_relative_to(root)]
        holding.sort(key=lambda root: -len(root.parts))
        return str(holding[0]) if holding else str(self.roots[0]) if self.roots else None


Make = Callable[[EventArguments, SignalEvent], Any]


def _feature(name: str) -> Make:
    return lambda _, event: event.features.get(name)


_GROUPS: tuple[tuple[str, Make], ...] = (
    (
        "path file filename file_name filepath file_path location target document source_file",
        EventArguments.place,
    ),
    ("paths files filenames file_paths locations targets documents", EventArguments.places),
    (
        "folder directory dir root repository repo repo_path repository_path workspace project",
        EventArguments.folder,
    ),
    ("text message subject", _feature("text")),
    ("actor author sender user who", _feature("actor")),
    ("question prompt", lambda self, _: self.wake.question),
    ("count number_of_events", lambda self, _: len(self.wake.window)),
    ("timestamp time moment", lambda _, event: event.timestamp),
    ("source", lambda _, event: event.source),
    ("delta_type change change_type", lambda _, event: event.delta_type),
    ("module module_id", lambda self, _: self.wake.subject),
)
_BY_NAME = {name: make for names, make in _GROUPS for name in names.split()}


def _is_of(value: Any, hint: str | None) -> bool:
    """Whether the hint allows the value, as far as it says something."""
    if isinstance(value, str):
        return not contradicts("str | Path | PathLike", hint) and not _only(hint, "bytes")
    if isinstance(value, bool):
        return not contradicts("bool", hint)
    kinds = {int: "int", float: "float", list: "list", dict: "dict"}
    return not contradicts(kinds[type(value)], hint)


def _only(hint: str | None, name: str) -> bool:
    return (hint or "").strip() == name
