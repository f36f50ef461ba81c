"""Changes that a later change reverted or repaired: the label that only time can tell."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..types import Window
from .git_history import Commit

HORIZON_S = 30 * 86_400.0
"""Seconds after which a change that nothing followed counts as one that needed nothing."""

_SHA_LENGTH = 7
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
_REPAIRED_TITLE = re.compile(r"^(?:fixup|squash|amend)! +(.+)$")
_REQUEST_SUFFIX = re.compile(r"(?: \(#\d+\))+$")


@dataclass(slots=True, eq=False)
class _Waiting:
    window: Window
    names: tuple[str, ...]
    followed_at: float | None = None


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
        # The latest bearer of a name last; the first seven digits of a hash are a name as well.
        bearers: dict[str, deque[_Waiting]] = {}
        for window in windows:
            while waiting and waiting[0].window.time + self.horizon_s < window.time:
                yield self._released(waiting.popleft(), bearers)
            body = window.body if isinstance(window, Commit) else ""
            for name in follows(window.text, body):
                found = _bearer(name, bearers)
                if found is not None and found.followed_at is None:
                    found.followed_at = window.time
            newcomer = _Waiting(window, names_of(window.key, window.text))
            for name in newcomer.names:
                bearers.setdefault(name, deque()).append(newcomer)
            waiting.append(newcomer)
        while waiting:
            yield self._released(waiting.popleft(), bearers)

    def _released(self, oldest: _Waiting, bearers: dict[str, deque[_Waiting]]) -> Window:
        for name in oldest.names:
            same = bearers[name]
            same.popleft()  # first come, first gone: it is the oldest
            if not same:
                del bearers[name]
        window, followed_at = oldest.window, oldest.followed_at
        known_at = window.time + self.horizon_s if followed_at is None else followed_at
        return Window(
            window.key,
            window.time,
            window.events,
            window.actor,
            window.text,
            followed_at is not None,
            known_at,
        )


def follows(text: str, body: str) -> tuple[str, ...]:
    """The names of the earlier changes that this message says it reverts or fixes."""
    names = []
    if _BODY_HINT.search(body):
        names += [f"sha:{(one or two).lower()}" for one, two in _BY_SHA.findall(body)]
        names += [f"request:{number}" for number in _BY_REQUEST.findall(body)]
    if branch := _REVERT_BRANCH.match(text):
        names.append(f"request:{branch[1]}")
    if title := _REVERTED_TITLE.search(text) or _REPAIRED_TITLE.search(text):
        names.append(_title(title[1]))
    return tuple(names)


def names_of(key: str, text: str) -> tuple[str, ...]:
    """What a later message may call this change: its hash, its subject, its request's number."""
    names = [f"sha:{key[:_SHA_LENGTH]}", _title(text)]
    if request := _OWN_REQUEST.search(text):
        names.append(f"request:{request[1] or request[2]}")
    if text.startswith("Merge ") and ": " in text:
        request_number = _OWN_REQUEST.match(text)
        if request_number:
            names.append(_title(text.partition(": ")[2]))
    return tuple(dict.fromkeys(names))


def _title(text: str) -> str:
    return "title:" + _REQUEST_SUFFIX.sub("", text.strip()).casefold()


def _bearer(name: str, bearers: dict[str, deque[_Waiting]]) -> _Waiting | None:
    kind, _, sha = name.partition(":")
    if kind != "sha":
        same = bearers.get(name)
        return same[-1] if same else None
    alike = bearers.get(name[: len("sha:") + _SHA_LENGTH], ())
    return next((each for each in alike if each.window.key.startswith(sha)), None)
