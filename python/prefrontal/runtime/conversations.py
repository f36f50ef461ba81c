"""The history of each conversation, bounded in length and number."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

MESSAGES = 40
CHARACTERS = 60_000
CONVERSATIONS = 1000

Key = tuple[str, str]
"""Channel type and channel id."""


class Conversations:
    """The newest messages of the most recent conversations, as {"role", "content"}.

    messages, characters: limits for each conversation. conversations: how many to remember.
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
        self._histories: OrderedDict[Key, list[dict[str, Any]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._histories)

    def history(self, key: Key) -> list[dict[str, Any]]:
        """A copy of the messages, oldest first."""
        return [dict(message) for message in self._histories.get(key, ())]

    def add(self, key: Key, question: str, answer: str) -> None:
        """Append a question and its answer together."""
        history = self._histories.setdefault(key, [])
        self._histories.move_to_end(key)
        history.append({"role": "user", "content": question})
        history.append({"role": "assistant", "content": answer})
        del history[: -self._messages]
        while sum(len(message["content"]) for message in history) > self._characters:
            del history[:2]
        while len(self._histories) > self._conversations:
            self._histories.popitem(last=False)
