"""Timed jobs that a runtime keeps itself; its own program puts them in and takes them out."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ..errors import SourceError
from .places import checked_run


class TimedJob(Protocol):
    """All raise SourceError where the runtime's program is missing or refuses."""

    def commands(self) -> list[str]:
        """What will be run, line by line, for people."""
        ...

    def removals(self) -> list[str]:
        """What is run to take it out."""
        ...

    def is_there(self) -> bool: ...

    def add(self) -> None: ...

    def remove(self) -> None: ...


@dataclass(frozen=True, slots=True)
class HermesJob:
    """A job of Hermes' scheduler, known by its name.

    jobs_file: where Hermes keeps them; it is only read, as its documentation asks.
    """

    jobs_file: Path
    schedule: str
    prompt: str
    script: str
    name: str = "prefrontal"
    program: str = "hermes"

    def commands(self) -> list[str]:
        return [shlex.join(self._words())]

    def _words(self) -> list[str]:
        named = ["--name", self.name, "--script", self.script]
        return [self.program, "cron", "create", self.schedule, self.prompt, *named]

    def removals(self) -> list[str]:
        return [shlex.join([self.program, "cron", "remove", self.name])]

    def is_there(self) -> bool:
        return any(each.get("name") == self.name for each in _jobs(self._text()))

    def _text(self) -> str:
        try:
            return self.jobs_file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return "[]"
        except (OSError, ValueError) as error:
            raise SourceError(f"{self.jobs_file} cannot be read: {error}") from None

    def add(self) -> None:
        checked_run(self._words())

    def remove(self) -> None:
        checked_run([self.program, "cron", "remove", self.name])


@dataclass(frozen=True, slots=True)
class OpenClawJob:
    """A job of OpenClaw's scheduler with a condition script, known by its declaration key.

    script: JavaScript, handed over on standard input. Its gateway must be running. It takes seconds
    to list jobs, so they are listed once until something changes.
    """

    every: str
    event: str
    script: str
    key: str = "prefrontal.gate"
    program: str = "openclaw"
    _listed: list[list[str]] = field(default_factory=list, compare=False, repr=False)

    def commands(self) -> list[str]:
        return [shlex.join(self._words()), *(f"  {line}" for line in self.script.splitlines())]

    def _words(self) -> list[str]:
        return [
            *(self.program, "cron", "add", "--name", "prefrontal", "--declaration-key", self.key),
            *("--every", self.every, "--session", "main", "--wake", "now"),
            *("--system-event", self.event, "--trigger-script", "-", "--json"),
        ]

    def removals(self) -> list[str]:
        return [shlex.join([self.program, "cron", "remove", each]) for each in self._ids()]

    def is_there(self) -> bool:
        return bool(self._ids())

    def _ids(self) -> list[str]:
        if not self._listed:
            jobs = _jobs(checked_run([self.program, "cron", "list", "--all", "--json"]))
            ours = [each for each in jobs if each.get("declarationKey") == self.key]
            self._listed.append([str(each["id"]) for each in ours])
        return self._listed[0]

    def add(self) -> None:
        self._listed.clear()
        checked_run(self._words(), self.script)

    def remove(self) -> None:
        ids = self._ids()
        self._listed.clear()
        for each in ids:
            checked_run([self.program, "cron", "remove", each])


@dataclass(frozen=True, slots=True)
class SystemdJob:
    """A unit of the user's systemd that runs now and from each login on."""

    unit: str
    links: Path
    program: str = "systemctl"

    def commands(self) -> list[str]:
        reload, enable = self._words()
        return [shlex.join(reload), shlex.join(enable)]

    def _words(self) -> tuple[list[str], list[str]]:
        user = [self.program, "--user"]
        return [*user, "daemon-reload"], [*user, "enable", "--now", self.unit]

    def removals(self) -> list[str]:
        return [shlex.join([self.program, "--user", "disable", "--now", self.unit])]

    def is_there(self) -> bool:
        return (self.links / self.unit).is_symlink()

    def add(self) -> None:
        for words in self._words():
            checked_run(words)

    def remove(self) -> None:
        checked_run([self.program, "--user", "disable", "--now", self.unit])


def _jobs(text: str) -> list[dict[str, Any]]:
    """The jobs of a listing: a list, or an object with one. Raises SourceError."""
    try:
        listed = json.loads(text)
    except ValueError:
        raise SourceError(f"a list of jobs must be JSON, got {text[:60]!r}") from None
    if isinstance(listed, dict):
        listed = listed.get("jobs", [])
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
