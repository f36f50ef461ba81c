"""Which steps of the agent are worth a second thought: by name, words and size, without judging."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ...settings.cortex_growth import Consultations

Kind = Literal["money", "irreversible", "commitment", "scope"]

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_PLAIN = re.compile(r"[a-z]+")
_SHELLS = frozenset({"shell", "bash", "exec", "execute", "command", "terminal", "run", "sh", "cmd"})
_SHORT_FORMS = (("i'll", "i will"), ("we'll", "we will"), ("you'll", "you will"))
_DEEPEST = 4


def kind_of_tool(tool: str, args: object, settings: Consultations) -> Kind | None:
    """Why a tool call should wait; None when it need not.

    A word of its name decides ("sendPayment" has "payment"), money before what cannot be undone.
    For tools that run commands the words of the arguments count as well.
    """
    words = {word.lower() for word in _WORD.findall(tool)}
    if words & _SHELLS:
        words |= {word for text in _texts(args) for word in _PLAIN.findall(text.lower())}
    if words & _lower(settings.money_tools):
        return "money"
    return "irreversible" if words & _lower(settings.irreversible_tools) else None


def kind_of_reply(
    reply: str, request_size: int, trust: int | None, settings: Consultations
) -> Kind | None:
    """Why a reply should wait: it spends the agent's means, or helps much where trust is low.

    request_size: characters of what the peer asked for. trust: None counts as 0.
    """
    words = " ".join(reply.casefold().replace("’", "'").split())
    for short, long in _SHORT_FORMS:
        words = words.replace(short, long)
    if any(_stands_in(phrase, words) for phrase in settings.commitment_words):
        return "commitment"
    is_low = (trust or 0) < settings.low_trust
    return "scope" if is_low and request_size >= settings.large_scope else None


def _stands_in(phrase: str, words: str) -> bool:
    pattern = re.escape(" ".join(phrase.casefold().split()))
    return re.search(rf"(?<!\w){pattern}(?!\w)", words) is not None


def _lower(words: tuple[str, ...]) -> set[str]:
    return {word.lower() for word in words}


def _texts(value: object, depth: int = 0) -> Iterator[str]:
    """All texts in plain values, down to a limited depth."""
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST and isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each, depth + 1)
    elif depth < _DEEPEST and isinstance(value, list | tuple):
        members: list[Any] = list(value)
        for each in members:
            yield from _texts(each, depth + 1)
