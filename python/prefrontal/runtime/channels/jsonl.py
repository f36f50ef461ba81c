"""The channel for programs: one JSON object a line, in and out."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from ...errors import InputError, PrefrontalError
from ...plugin import IncomingMessage, OutgoingMessage, Plugin, PluginMeta
from ..registry import registry_of
from ..threads import in_thread
from .documents import parse_message, reply_document, silence_document
from .inbox import MessageInbox
from .line_reader import LONGEST, LineReader, standard_input
from .writer import Writer


class JsonLinesChannel(Plugin):
    """Reads a message a line and writes a reply a line, an empty one where there is no answer.

    An invalid line gets {"type": "error", "line": its number, "error": a sentence}. Stops the agent
    at end of input, after the last answer.
    """

    meta = PluginMeta(
        id="jsonl",
        version="1",
        capabilities=["channel"],
        dependencies=["session"],
        priority=30,
        implements={
            "session.receive": "receive",
            "session.send": "send",
            "session.handled": "handled",
        },
        timeouts={"session.send": None, "session.handled": None},  # who reads may take their time
    )

    def __init__(self, stdin: int | None = None, stdout: int | None = None) -> None:
        self._stdin = stdin
        self._writer = Writer(stdout)
        self._inbox = MessageInbox()
        self._reader: LineReader | None = None
        self._lines = 0
        self._answered: set[tuple[str, str]] = set()

    async def start(self) -> None:
        self._inbox.open()
        if self._reader is not None:  # started again in a new event loop: still reading
            return
        descriptor = standard_input() if self._stdin is None else self._stdin
        self._reader = LineReader(descriptor, self._take, self._end)
        self._reader.start()

    async def stop(self) -> None:
        self._inbox.close()
        if self._reader is not None:
            self._reader.stop()
            self._reader = None

    @property
    def output_failed(self) -> bool:
        """Whether writing an answer failed."""
        return self._writer.failed

    def receive(self) -> list[IncomingMessage]:
        return self._inbox.take_all()

    async def send(self, message: OutgoingMessage) -> bool:
        """Write a message as a line."""
        if message.reply_to:
            self._answered.add((message.channel_id, message.reply_to))
        await in_thread(self._write, reply_document(message))
        return True

    async def handled(self, ctx: dict[str, Any]) -> None:
        """Write an empty reply where there is no answer."""
        message: IncomingMessage = ctx["message"]
        if message.channel_type != self.meta.id:
            return
        key = message.channel_id, message.id
        if key not in self._answered:
            await in_thread(self._write, silence_document(message))
        self._answered.discard(key)

    def _take(self, line: bytes | None) -> None:
        """Handle a line; runs in the reader's thread."""
        self._lines += 1
        if line is not None and not line.strip():
            return
        try:
            if line is None:
                raise InputError(f"a line must have at most {LONGEST:,} bytes")
            message = parse_message(line, self.meta.id, self.clock.now())
        except InputError as error:
            with suppress(PrefrontalError):  # nobody reads
                self._write({"type": "error", "line": self._lines, "error": str(error)})
            return
        if not self._inbox.put(message):
            registry_of(self).wake()
            self._inbox.put(message, wait=True)
        registry_of(self).wake()

    def _end(self) -> None:
        registry_of(self).request_stop(patient=True)

    def _write(self, document: dict[str, Any]) -> None:
        """Write a line; stops the agent when the output is closed."""
        try:
            self._writer.write(json.dumps(document, ensure_ascii=False) + "\n")
        except PrefrontalError:
            registry_of(self).request_stop()
            raise


def create_plugin() -> JsonLinesChannel:
    return JsonLinesChannel()
