"""Changes that a later change reverted or repaired: the label that only time can tell."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ...types import Window
from ..histories.git_history import Commit

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
class Followed:
    """A change until its horizon has passed. followed_at: of the first follow-up."""

    window: Window
    names: tuple[str, ...]
    followed_at: float | None = None


_Bearers = dict[str, tuple[Followed, ...]]


class Followups:
    """The changes of one horizon, and which of them a later one followed."""

    def __init__(self, horizon_s: float = HORIZON_S) -> None:
        self.waiting: deque[Followed] = deque()
        self._horizon_s = horizon_s
        self._bearers: _Bearers = {}

    def due(self, now: float) -> Iterator[Followed]:
        """Those whose horizon has passed, the oldest first; they can no longer be followed."""
        while self.waiting and self.waiting[0].window.time + self._horizon_s < now:
            yield self._released()

    def rest(self) -> Iterator[Followed]:
        """All that are left."""
        while self.waiting:
            yield self._released()

    def take(self, window: Window) -> list[Followed]:
        """Take in the next change; those that it is the first to follow."""
        body = window.body if isinstance(window, Commit) else ""
        followed = []
        for name in follows(window.text, body):
            bearer = _bearer(name, self._bearers)
            if bearer is not None and bearer.followed_at is None:
                bearer.followed_at = window.time
                followed.append(bearer)
        self.add(Followed(_bare(window), names_of(window.key, window.text)))
        return followed

    def add(self, newcomer: Followed) -> None:
        """Wait for what follows it."""
        for name in newcomer.names:
            earlier = self._bearers.get(name, ()) if _many(name) else ()
            self._bearers[name] = (newcomer, *earlier)
        self.waiting.append(newcomer)

    def _released(self) -> Followed:
        oldest = self.waiting.popleft()
        for name in oldest.names:
            others = tuple([each for each in self._bearers.get(name, ()) if each is not oldest])
            if others:
                self._bearers[name] = others
            else:
                self._bearers.pop(name, None)
        return oldest


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
        followups = Followups(self.horizon_s)
        for window in windows:
            for each in followups.due(window.time):
                yield self._labelled(each)
            followups.take(window)
        for each in followups.rest():
            yield self._labelled(each)

    def _labelled(self, change: Followed) -> Window:
        at = change.followed_at
        known_at = change.window.time + self.horizon_s if at is None else at
        return replace(change.window, relevant=at is not None, known_at=known_at)


def _bare(window: Window) -> Window:
    """Without what only labels need."""
    return Window(window.key, window.time, window.events, window.actor, window.text)


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


def _bearer(name: str, bearers: _Bearers) -> Followed | None:
    if not _many(name):
        return next(iter(bearers.get(name, ())), None)
    alike = bearers.get(name[: len(_SHA) + _SHA_LENGTH], ())
    begin = name[len(_SHA) :]
    return next((each for each in alike if each.window.key.startswith(begin)), None)
