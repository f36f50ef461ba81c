"""Vectors of messages while an agent runs: after a message is on the disk, in nobody's way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...errors import PrefrontalError
from ..threads import in_thread
from .semantics import Semantics, close_to

if TYPE_CHECKING:
    from .store import ConversationStore
    from .vectors import Meaning

STOP_S = 5.0
"""What is not embedded so long after the end is embedded at the next start."""


class BackgroundEmbedding:
    """Embeds what is said from now on, and what was left since the newest vector.

    warn: told a failure once, until something else fails; the next message tries again.
    """

    def __init__(
        self, semantics: Semantics, store: ConversationStore, warn: Callable[[str], object]
    ) -> None:
        self._semantics = semantics
        self._store = store
        self._warn = warn
        self._fault = ""
        self._task: asyncio.Task[None] | None = None
        self._wanted = False
        newest = store.newest_vector(semantics.name)
        self._after = store.newest_message() if newest is None else newest
        self.go_on()

    def go_on(self) -> None:
        """Embed what has no vector, in a task of its own."""
        self._wanted = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._embed())

    async def meaning(self, query: str) -> Meaning | None:
        """What a query means; None, with a line in the log, when the model fails."""
        meaning, fault = await in_thread(close_to, self._semantics, query)
        self._tell(fault)
        return meaning

    async def stop(self) -> None:
        """Give what is under way a little time."""
        task, self._task = self._task, None
        if task is not None:
            await asyncio.wait({task}, timeout=STOP_S)
            task.cancel()

    async def _embed(self) -> None:
        while self._wanted:
            self._wanted = False
            try:
                while await self._embed_some():
                    """There may be more."""
                self._fault = ""
            except PrefrontalError as error:
                self._tell(str(error))

    async def _embed_some(self) -> bool:
        last = await in_thread(self._semantics.embed_new, self._store, self._after)
        went_on, self._after = last > self._after, last
        return went_on

    def _tell(self, fault: str) -> None:
        if fault and fault != self._fault:
            self._warn(f"Messages are searched by words alone: {fault}")
        self._fault = fault
