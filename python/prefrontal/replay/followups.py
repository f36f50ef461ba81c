"""Changes that a later change reverted or repaired: the label that only time can tell."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..types import SignalEvent, Window
from .git_history import Commit

HORIZON_S = 30 * 86_400.0
"""Seconds after which a change that nothing followed counts as one that needed nothing."""

_SHA, _SHA_LENGTH = "sha:", 7
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BODY_HINT = re.compile(r"evert|ixes", re.IGNORECASE)
_BY_SHA = re.compile(
    r"This reverts (?:commit|merge) ([0-9a-f]{7,64})"
    r"|^[ \t]*Fixes:?[ \t]+(?:commit )?([0-9a-f]{7,64})\b",
    re.IGNORECASE | re.MULTILINE,
)
_BY_REQUEST = re.compile(
    r"^[ \t]*Reverts (?:[\w.-]+/[\w.-]+)?[#!](\d+)", re.IGNORECASE | re.MULTILINE
)
_REVERT_BRANCH = re.compile(r"Merge pull request #\d+ from [^\s/]+/revert-(\d+)-")
_OWN_REQUEST = re.compile(r"\(#(\d+)\)$|^Merge pull request #(\d+) ")
_REVERTED_TITLE = re.compile(r'(?:^|: )Revert(?:ed)?:? "(.+)"(?: \(#\d+\))?$', re.IGNORECASE)
_REPAIRED_TITLE = re.compile(r"^(?:(?:fixup|squash|amend)! +)+(.+)$")
_REQUEST_SUFFIX = re.compile(r"(?: \(#\d+\))+$")


@dataclass(slots=True, eq=False)
class _Waiting:
    """A window until its label is known, without what only labels need."""

    key: str
    time: float
    events: tuple[SignalEvent, ...]
    actor: str
    text: str
    names: tuple[str, ...]
    followed_at: float | None = None


_Bearers = dict[str, tuple[_Waiting, ...]]


@dataclass(frozen=True, slots=True)
class FollowupPreset:
    """Relevant: a later change reverted or fixed it within the horizon.

    A follow-up is a message that says "This reverts commit SHA", "Fixes: SHA", "Reverts #12",
    `Revert "subject"`, "fixup! subject" or "squash! subject" of a change before it. The label is
    known when the follow-up comes; that there is none is known only when the horizon has passed.
    """

    horizon_s: float = HORIZON_S

    @property
    def name(self) -> str:
        """As the user writes it."""
        return "followup"

    def apply(self, windows: Iterable[Window]) -> Iterator[Window]:
        """The windows in their order, labelled; those of one horizon are held at any time."""
        waiting: deque[_Waiting] = deque()
        bearers: _Bearers = {}
        for window in windows:
            while waiting and waiting[0].time + self.horizon_s < window.time:
                yield self._released(waiting.popleft(), bearers)
            body = window.body if isinstance(window, Commit) else ""
            for name in follows(window.text, body):
                found = _bearer(name, bearers)
                if found is not None and found.followed_at is None:
                    found.followed_at = window.time
            names = names_of(window.key, window.text)
            newcomer = _Waiting(
                window.key, window.time, window.events, window.actor, window.text, names
            )
            for name in names:
                bearers[name] = (newcomer, *bearers.get(name, ())) if _many(name) else (newcomer,)
            waiting.append(newcomer)
        while waiting:
            yield self._released(waiting.popleft(), bearers)

    def _released(self, oldest: _Waiting, bearers: _Bearers) -> Window:
        for name in oldest.names:
            others = tuple([each for each in bearers.get(name, ()) if each is not oldest])
            if others:
                bearers[name] = others
            else:
                bearers.pop(name, None)
        followed_at = oldest.followed_at
        return Window(
            oldest.key,
            oldest.time,
            oldest.events,
            oldest.actor,
            oldest.text,
            followed_at is not None,
            oldest.time + self.horizon_s if followed_at is None else followed_at,
        )


def follows(text: str, body: str) -> tuple[str, ...]:
    """The names of the earlier changes that this message says it reverts or fixes."""
    names = []
    if _BODY_HINT.search(body):
        names += [f"{_SHA}{(one or two).lower()}" for one, two in _BY_SHA.findall(body)]
        names += [f"request:{number}" for number in _BY_REQUEST.findall(body)]
    if branch := _REVERT_BRANCH.match(text):
        names.append(f"request:{branch[1]}")
    if title := _REVERTED_TITLE.search(text) or _REPAIRED_TITLE.search(text):
        names.append(_title(title[1]))
    return tuple(names)


def names_of(key: str, text: str) -> tuple[str, ...]:
    """What a later message may call this change: its hash, its subject, its request's number."""
    names = [_title(text)]
    if _HASH.fullmatch(key):
        names.append(_SHA + key[:_SHA_LENGTH])
    if request := _OWN_REQUEST.search(text):
        names.append(f"request:{request[1] or request[2]}")
    if text.startswith("Merge ") and ": " in text:
        request_number = _OWN_REQUEST.match(text)
        if request_number:
            names.append(_title(text.partition(": ")[2]))
    return tuple(dict.fromkeys(names))


def _title(text: str) -> str:
    return "title:" + _REQUEST_SUFFIX.sub("", text.strip()).casefold()


def _many(name: str) -> bool:
    """Whether several may be meant by a name: the beginning of a hash; else it is the latest."""
    return name.startswith(_SHA)


def _bearer(name: str, bearers: _Bearers) -> _Waiting | None:
    if not _many(name):
        return next(iter(bearers.get(name, ())), None)
    alike = bearers.get(name[: len(_SHA) + _SHA_LENGTH], ())
    return next((each for each in alike if each.key.startswith(name[len(_SHA) :])), None)
