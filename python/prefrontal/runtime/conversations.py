"""What was said in each conversation, bounded in length and number."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

MESSAGES = 40
CHARACTERS = 60_000
CONVERSATIONS = 1000

Key = tuple[str, str]
"""Channel type and channel id."""


class Conversations:
    """The newest messages of the conversations that were used last, as {"role", "content"}.

    Of each at most so many messages with at most so many characters, and of so many conversations.
    """

    def __init__(
        self,
        messages: int = MESSAGES,
        conversations: int = CONVERSATIONS,
        characters: int = CHARACTERS,
    ) -> None:
        self._messages = messages
        self._characters = characters
        self._conversations = conversations
        self._kept: OrderedDict[Key, list[dict[str, Any]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def history(self, key: Key) -> list[dict[str, Any]]:
        """A copy, oldest first."""
        return [dict(message) for message in self._kept.get(key, ())]

    def add(self, key: Key, question: str, answer: str) -> None:
        """Keep a question and its answer together, whatever else is being handled."""
        kept = self._kept.setdefault(key, [])
        self._kept.move_to_end(key)
        kept.append({"role": "user", "content": question})
        kept.append({"role": "assistant", "content": answer})
        del kept[: -self._messages]
        while sum(len(each["content"]) for each in kept) > self._characters:
            del kept[:2]
        while len(self._kept) > self._conversations:
            self._kept.popitem(last=False)
