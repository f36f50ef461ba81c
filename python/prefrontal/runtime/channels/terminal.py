"""The channel of one person at a terminal."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime

from ...errors import PrefrontalError
from ...plain_text import one_line
from ...plugin import IncomingMessage, OutgoingMessage, Plugin, PluginMeta
from ..registry import registry_of
from .inbox import MessageInbox
from .line_reader import LineReader, standard_input
from .writer import Writer

FAREWELLS = frozenset({"/quit", "/exit", "/bye"})
HELP = "/help"
PROMPT = "> "
_COMMAND = re.compile(r"/[A-Za-z?-]*(?=\s|$)")
"""A slash and one word; does not match /etc/hosts."""
_HELP = """\
/help    this list
/quit    end, once everything is answered; also /exit, /bye and Ctrl-D
//text   send a line that begins with a slash
Anything else goes to {agent}.
"""


class TerminalChannel(Plugin):
    """Each line is a message of the peer `peer_id`; writes answers as they arrive.

    name, agent: the names of the person and the agent. stdin, stdout: file descriptors. prompt:
    shown when it is the person's turn. /quit or end of input stops the agent after the last
    answer; /help lists the other commands.
    """

    meta = PluginMeta(
        id="terminal",
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

    def __init__(
        self,
        *,
        peer_id: str = "operator",
        name: str = "you",
        agent: str = "agent",
        stdin: int | None = None,
        stdout: int | None = None,
        prompt: str = PROMPT,
    ) -> None:
        self._peer_id = peer_id
        self._name = name
        self._agent = agent
        self._stdin = stdin
        self._writer = Writer(stdout)
        self._prompt = prompt
        self._inbox = MessageInbox()
        self._reader: LineReader | None = None
        self._ended = False

    async def start(self) -> None:
        self._ended = False
        self._inbox.open()
        if self._reader is not None:  # started again in a new event loop: still reading
            return
        descriptor = standard_input() if self._stdin is None else self._stdin
        self._reader = LineReader(descriptor, self._take, self._end)
        self._reader.start()
        self._show(self._prompt)

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

    def send(self, message: OutgoingMessage) -> bool:
        """Show a message without control characters."""
        lines = [one_line(line) for line in message.content.splitlines()] or [""]
        text = "\n".join([f"{one_line(self._agent)}: {lines[0]}", *lines[1:]])
        self._show(f"{text}\n")
        return True

    def handled(self, ctx: dict[str, object]) -> None:
        """Show the prompt again."""
        message = ctx.get("message")
        if isinstance(message, IncomingMessage) and message.channel_type == self.meta.id:
            self._show(self._prompt)

    def _take(self, line: bytes | None) -> None:
        """Handle a line; runs in the reader's thread."""
        if self._ended:
            return
        text = (line or b"").decode("utf-8", "replace").strip()
        if text in FAREWELLS:
            self._end()
        elif not text:
            self._show(self._prompt)
        elif command := _COMMAND.match(text):
            self._show(f"{self._answer(command[0])}{self._prompt}")
        elif self._inbox.put(self._message(text.removeprefix("/") if text[:2] == "//" else text)):
            registry_of(self).wake()
        else:
            self._show("Too many lines are waiting.\n")

    def _answer(self, command: str) -> str:
        if command in (HELP, "/?"):
            return _HELP.format(agent=one_line(self._agent))
        return f"There is no command {one_line(command)}; {HELP} lists those there are.\n"

    def _message(self, text: str) -> IncomingMessage:
        return IncomingMessage(
            id=secrets.token_hex(8),
            channel_type=self.meta.id,
            channel_id="terminal",
            sender_id=self._peer_id,
            sender_name=self._name,
            content=text,
            timestamp=datetime.fromtimestamp(self.clock.now(), UTC),
        )

    def _show(self, text: str) -> None:
        try:
            self._writer.write(text)
        except PrefrontalError as error:
            self.log_warn(str(error))
            registry_of(self).request_stop()

    def _end(self) -> None:
        self._ended = True
        registry_of(self).request_stop(patient=True)


def create_plugin() -> TerminalChannel:
    return TerminalChannel()
