"""An IMAP server that says what a test wants it to, on the loopback address, in the clear."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from select import select
from socketserver import StreamRequestHandler, ThreadingTCPServer

from prefrontal.pulse.sources.imap_session import ImapAddress

TOLD = (
    b'* %(number)d FETCH (UID %(number)d INTERNALDATE "23-Nov-2026 10:00:00 +0000"'
    b" BODY[] {%(size)d}\r\n%(headers)s)\r\n"
)


class ImapStandIn(ThreadingTCPServer):
    """One folder of `messages`, number n being messages[n - 1]. Answers are built from:

    fetched: how a message is told, with {number}, {size} and {headers}. said: by command, what is
    answered instead; "" ends the connection. asked: released when somebody waits or asks.
    """

    daemon_threads = False
    block_on_close = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.capabilities = "IMAP4rev1 IDLE"
        self.messages: list[bytes] = []
        self.fetched = TOLD
        self.examined = "* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT {next}] x\r\n"
        self.said: dict[str, str] = {}
        self.commands: list[str] = []
        self.asked = threading.Semaphore(0)

    def address(self) -> ImapAddress:
        port = self.server_address[1]
        return ImapAddress("127.0.0.1", port, "ada", "secret word", tls="none")


class _Conversation(StreamRequestHandler):
    """known: how many messages were told of."""

    server: ImapStandIn
    known = 0

    def handle(self) -> None:
        self.connection.settimeout(20)
        self._say(f"* OK [CAPABILITY {self.server.capabilities}] hello\r\n")
        with suppress(OSError):
            while line := self.rfile.readline():
                tag, _, command = line.decode("ascii", "replace").strip().partition(" ")
                self.server.commands.append(command)
                if not self._answer(tag, command):
                    return

    def _answer(self, tag: str, command: str) -> bool:
        site = self.server
        name = command.removeprefix("UID ").partition(" ")[0].upper()
        if name in site.said:
            if site.said[name]:
                self._say(site.said[name].replace("TAG", tag))
            return bool(site.said[name])
        if name == "IDLE":
            return self._idle(tag)
        if name == "CAPABILITY":
            self._say(f"* CAPABILITY {site.capabilities}\r\n")
        elif name == "EXAMINE":
            self._say(site.examined.format(next=len(site.messages) + 1))
        elif name == "SEARCH":
            self._say(f"* SEARCH {self._found(command)}\r\n")
        elif name == "FETCH":
            self._fetch(command)
        elif name == "NOOP":
            site.asked.release()
        self._say(f"{tag} OK done\r\n")
        return True

    def _idle(self, tag: str) -> bool:
        self._say("+ idling\r\n")
        self.server.asked.release()
        while self.known == len(self.server.messages):
            if select([self.connection], [], [], 0.01)[0]:
                break
        else:
            self.known = len(self.server.messages)
            self._say(f"* {self.known} EXISTS\r\n")
        if self.rfile.readline().strip() != b"DONE":
            return False
        self._say(f"{tag} OK done\r\n")
        return True

    def _found(self, command: str) -> str:
        self.known = count = len(self.server.messages)
        if "SINCE" in command:
            return " ".join(map(str, range(1, count + 1)))
        first = re.search(r"UID (\d+):\*", command)
        lowest = min(int(first[1]), count) if first else count
        return " ".join(str(number) for number in range(max(1, lowest), count + 1))

    def _fetch(self, command: str) -> None:
        for number in map(int, re.findall(r"\d+", command.partition("(")[0])):
            headers = self.server.messages[number - 1]
            facts = {b"number": number, b"size": len(headers), b"headers": headers}
            self.wfile.write(self.server.fetched % facts)

    def _say(self, words: str) -> None:
        self.wfile.write(words.encode())
        self.wfile.flush()


@contextmanager
def imap_stand_in() -> Iterator[ImapStandIn]:
    with ImapStandIn() as site:
        thread = threading.Thread(target=site.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()
