"""What "relevant" means: presets that label a history without anybody labelling it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from ...errors import InputError
from ...types import SignalEvent, Window
from ..histories.agent_replies import is_noop
from ..histories.windows import LoggedLine
from .fixed_later import FixedLaterPreset
from .followups import FollowupPreset
from .globs import compile_glob, globs_in
from .hiding import events_without
from .timed_search import TEXTS, timed_search

WRITTEN = ("created", "modified")
"""Kinds of change that leave something new in a file at its place."""

EXCEPTED = "excepted"
"""Stands for such a change of a file that is an exception."""

_EXPECTED = "path:GLOB, message:REGEX, followup, fixed-later, noop or recorded"


class Preset(Protocol):
    """One meaning of relevant."""

    @property
    def name(self) -> str:
        """As the user writes it, such as "path:changelog/**"."""
        ...

    def apply(self, windows: Iterable[Window]) -> Iterator[Window]:
        """The windows in their order, with `relevant` set and what gives it away taken out."""
        ...


@dataclass(frozen=True, slots=True)
class PathPreset:
    """Relevant: the window created or changed a file that one of the globs means.

    Events on such files are hidden from the gate; a window that had no others is left out. A glob
    after "!" means files that are hidden, too, but do not matter. Deleting or moving such files
    alone is not relevant, nor is editing those of one glob while those of another are deleted: a
    release that collects its changelog entries does that.
    """

    globs: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...]
    exceptions: tuple[re.Pattern[str], ...] = ()

    @property
    def name(self) -> str:
        return f"path:{','.join(self.globs)}"

    def apply(self, windows: Iterable[Window]) -> Iterator[Window]:
        for window in windows:
            others = []
            changes = []
            for event in window.events:
                if patterns := [p for p in self.patterns if p.match(event.location)]:
                    exception = any(p.match(event.location) for p in self.exceptions)
                    delta = event.delta_type
                    changes.append(
                        (patterns, EXCEPTED if exception and delta in WRITTEN else delta)
                    )
                else:
                    others.append(event)
            if others:
                yield _labelled(window, tuple(others), writes_entry(changes))


def writes_entry(changes: Iterable[tuple[Collection[object], str]]) -> bool:
    """Whether changes of files, each with what means it, write anything: see `PathPreset`."""
    edits, deletions = [], []
    for lines, delta in changes:
        if delta == "created":
            return True
        if delta in WRITTEN:
            edits.append(lines)
        elif delta == "deleted":
            deletions.append(lines)
    return any(all(any(one in lost for one in lines) for lost in deletions) for lines in edits)


@dataclass(frozen=True, slots=True)
class MessagePreset:
    """Relevant: the window's text matches; the gate is shown no text at all."""

    pattern: re.Pattern[str]

    @property
    def name(self) -> str:
        return f"message:{self.pattern.pattern}"

    def apply(self, windows: Iterable[Window]) -> Iterator[Window]:
        search = timed_search(self.pattern)
        at_once = 1 if search.is_quick else TEXTS
        remaining = iter(windows)
        while batch := list(islice(remaining, at_once)):
            matches = search.matches([window.text for window in batch])
            for window, relevant in zip(batch, matches, strict=True):
                yield _labelled(window, events_without(window.events, ("text",)), relevant)


@dataclass(frozen=True, slots=True)
class NoopPreset:
    """Relevant: the agent's reply said something. The reply itself is never shown to the gate."""

    @property
    def name(self) -> str:
        return "noop"

    def apply(self, windows: Iterable[Window]) -> Iterator[Window]:
        for window in windows:
            if not isinstance(window, LoggedLine):
                raise InputError(f"{window.key}: reply must be there for noop, got nothing")
            yield _labelled(window, window.events, not is_noop(window.reply))


@dataclass(frozen=True, slots=True)
class RecordedPreset:
    """Relevant: the file says so, in the field `relevant` of every line."""

    @property
    def name(self) -> str:
        return "recorded"

    def apply(self, windows: Iterable[Window]) -> Iterator[Window]:
        for window in windows:
            if window.relevant is None:
                raise InputError(
                    f"{window.key}: relevant must be true, false or the name of an incident in"
                    " every line, got nothing; say what matters with --relevant"
                    " 'message:(?i)fix', or see a history that says so with `prefrontal replay"
                    " --sample`"
                )
            yield window


def parse_preset(text: str) -> Preset:
    """The preset a user wrote: path:GLOB[,GLOB...], message:REGEX, followup, fixed-later, noop or
    recorded.

    A GLOB after "!" is an exception. A comma within a GLOB is written `\\,` or `[,]`. Capitals
    matter in both GLOB and REGEX; a REGEX that starts with (?i) ignores them.
    Raises InputError that says what was expected.
    """
    kind, colon, rest = text.strip().partition(":")
    if kind == "path" and rest:
        return path_preset(globs_in(rest))
    if kind == "message" and rest:
        return MessagePreset(_compiled(rest))
    if not colon and kind == "followup":
        return FollowupPreset()
    if not colon and kind == "fixed-later":
        return FixedLaterPreset()
    if not colon and kind == "noop":
        return NoopPreset()
    if not colon and kind == "recorded":
        return RecordedPreset()
    raise InputError(f"relevant must be {_EXPECTED}, got {text!r}")


def path_preset(globs: Iterable[str]) -> PathPreset:
    """The preset of these globs. Raises InputError when one is malformed or all are exceptions."""
    globs = tuple(dict.fromkeys(globs))
    patterns = tuple([compile_glob(glob) for glob in globs if not glob.startswith("!")])
    exceptions = tuple([compile_glob(glob[1:]) for glob in globs if glob.startswith("!")])
    if not patterns:
        raise InputError(f"path must name a glob besides the exceptions, got {','.join(globs)!r}")
    return PathPreset(globs, patterns, exceptions)


def _compiled(regex: str) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # hints for the writers of programs
            return re.compile(regex)
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(f"message must be a regular expression ({error}), got {regex!r}") from None


def _labelled(window: Window, events: tuple[SignalEvent, ...], relevant: bool) -> Window:
    return Window(window.key, window.time, events, window.actor, window.text, relevant)
