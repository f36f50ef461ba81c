"""One connection to an IMAP server: IDLE on top of the standard library's client."""

from __future__ import annotations

import base64
import imaplib
import re
import socket
import ssl
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from ...errors import InputError, SourceError
from ...http_door import LOOPBACK

Tls = Literal["implicit", "starttls", "none"]
ANSWER_S = 30.0
"""How long an answer may take, while none is waited for without end."""
_LONGEST_LINE = 2**20
_NOT_ASCII = re.compile(r"([^\x20-\x7e]+)")


@dataclass(frozen=True, slots=True)
class ImapAddress:
    """Where a folder of mail is, and who reads it. ca_file: certificates to trust besides, or "".

    Raises InputError for a password that would go over the network in the clear.
    """

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    folder: str = "INBOX"
    tls: Tls = "implicit"
    ca_file: str = ""

    def __post_init__(self) -> None:
        if self.tls == "none" and self.host not in LOOPBACK:
            rule = "be implicit or starttls unless the host is this machine"
            raise InputError(f"tls must {rule}, got 'none' for {self.host!r}")

    @property
    def name(self) -> str:
        """How events and errors call it."""
        return f"{self.user}/{self.folder}"


class ImapSession:
    """A folder that is looked at and never changed. Raises SourceError when it cannot be opened.

    validity: what numbers of messages are valid for. next: at most the next message's number.
    """

    def __init__(self, address: ImapAddress) -> None:
        self._address = address
        self._tags = 0
        with _Sentences(address.host):
            self._client = _connected(address)
        try:
            with _Sentences(address.host):
                self._log_in()
                self._examine()
        except BaseException:
            self.close()
            raise

    @property
    def can_idle(self) -> bool:
        """Whether the server tells of new mail by itself."""
        return "IDLE" in self._client.capabilities

    def hang_up(self) -> None:
        """End what is waited for, from any thread: whoever waits gets a SourceError."""
        with suppress(OSError):
            self._client.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the connection back."""
        self.hang_up()
        with suppress(OSError):
            self._client.sock.close()

    def has_news(self) -> bool:
        """Whether an answer said that messages came, since it was asked for last."""
        return self._client.response("EXISTS")[1] != [None]

    def numbers(self, *criteria: str) -> list[int]:
        """The numbers (UID) of the messages that match, ascending."""
        with _Sentences(self._address.host):
            data = _checked(self._client.uid("SEARCH", *criteria), "SEARCH")
            parts = [part for part in data if isinstance(part, bytes)]
            return sorted(int(each) for part in parts for each in part.split())

    def fetch(self, numbers: list[int], items: str) -> list[tuple[bytes, bytes]]:
        """For each message that is still there what was said about it, and its literal."""
        with _Sentences(self._address.host):
            data = _checked(self._client.uid("FETCH", ",".join(map(str, numbers)), items), "FETCH")
        messages: list[tuple[bytes, bytes]] = []
        for index, part in enumerate(data):
            if isinstance(part, tuple):  # what follows the literal may name the number
                after = data[index + 1] if index + 1 < len(data) else b""
                messages.append((part[0] + (after if isinstance(after, bytes) else b""), part[1]))
        return messages

    def idle(self, timeout_s: float) -> None:
        """Wait until messages come, at most so long."""
        self._tags += 1
        tag = b"W%d" % self._tags
        client = self._client
        with _Sentences(self._address.host):
            client.send(tag + b" IDLE\r\n")
            while not (line := client.readline()).startswith(b"+"):
                self._check(line, tag)
            deadline = time.monotonic() + timeout_s
            with suppress(TimeoutError):
                while (left_s := deadline - time.monotonic()) > 0:
                    client.sock.settimeout(left_s)
                    line = client.readline()
                    self._check(line, tag)
                    if line.rstrip().upper().endswith(b" EXISTS"):
                        break
            client.sock.settimeout(ANSWER_S)
            client.send(b"DONE\r\n")
            while not (line := client.readline()).startswith(tag):
                self._check(line, tag)

    def noop(self) -> None:
        """Ask whether there is anything new."""
        with _Sentences(self._address.host):
            _checked(self._client.noop(), "NOOP")

    def _check(self, line: bytes, tag: bytes) -> None:
        """That the line goes on with a wait."""
        if not line.startswith(b"*") or line[2:5].upper() == b"BYE":
            words = line.removeprefix(tag).strip().decode("utf-8", "replace")
            raise imaplib.IMAP4.abort(f"it ended the wait ({words:.200})")

    def _log_in(self) -> None:
        address = self._address
        if "LOGINDISABLED" in self._client.capabilities:
            raise SourceError(f"{address.host} takes no password without TLS")
        try:
            self._client.login(address.user, address.password)
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error as error:
            words = _words(error).replace(address.password, "...")
            raise LoginError(f"{address.host} refuses {address.user!r}: {words:.200}") from None
        except UnicodeEncodeError:
            raise LoginError(f"the password of {address.user!r} must be ASCII") from None
        self._client.capability()
        answer = self._client.response("CAPABILITY")[1]
        if answer and answer[-1]:  # what there is may be more after the login
            self._client.capabilities = tuple(answer[-1].decode("ascii", "replace").upper().split())

    def _examine(self) -> None:
        client, folder = self._client, self._address.folder
        kind, _ = client.select(_quoted(folder), readonly=True)
        if kind != "OK":
            raise SourceError(f"{self._address.host} has no folder {folder!r}")
        self.validity = _number(client, "UIDVALIDITY")
        self.next = _number(client, "UIDNEXT")
        if not self.next:
            self.next = max(self.numbers("UID", "*"), default=0) + 1


class LoginError(SourceError):
    """The server does not know the user with this password: trying often may lock the account."""


class _ServerLines:
    """Reads a socket line by line; after a time-out it goes on where it was."""

    def __init__(self) -> None:
        self.rest = bytearray()

    def line(self, connection: socket.socket) -> bytes:
        start = 0
        while (end := self.rest.find(b"\n", start)) < 0:
            start = len(self.rest)
            if start > _LONGEST_LINE or not (chunk := connection.recv(2**16)):
                return self._next(len(self.rest))
            self.rest += chunk
        return self._next(end + 1)

    def read(self, connection: socket.socket, size: int) -> bytes:
        while len(self.rest) < size and (chunk := connection.recv(2**16)):
            self.rest += chunk
        return self._next(size)

    def _next(self, size: int) -> bytes:
        part = bytes(self.rest[:size])
        del self.rest[:size]
        return part


class _PlainClient(imaplib.IMAP4):
    def open(self, host: str = "", port: int = 143, timeout: float | None = None) -> None:
        self.lines = _ServerLines()
        super().open(host, port, timeout)

    def read(self, size: int) -> bytes:
        return self.lines.read(self.sock, size)

    def readline(self) -> bytes:
        return self.lines.line(self.sock)


class _TlsClient(imaplib.IMAP4_SSL):
    def open(self, host: str = "", port: int | None = 993, timeout: float | None = None) -> None:
        self.lines = _ServerLines()
        super().open(host, port or 993, timeout)

    def read(self, size: int) -> bytes:
        return self.lines.read(self.sock, size)

    def readline(self) -> bytes:
        return self.lines.line(self.sock)


class _Sentences:
    """What fails inside is a SourceError that names the server."""

    def __init__(self, host: str) -> None:
        self._host = host

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, SourceError) or not isinstance(
            error, OSError | imaplib.IMAP4.error | ValueError
        ):
            return
        words = "no answer in time" if isinstance(error, TimeoutError) else _words(error)
        raise SourceError(f"{self._host} cannot be read: {words:.200}") from None


def _connected(address: ImapAddress) -> imaplib.IMAP4:
    if address.tls == "none":
        return _PlainClient(address.host, address.port, ANSWER_S)
    context = ssl.create_default_context()
    if address.ca_file:
        context.load_verify_locations(address.ca_file)
    if address.tls == "implicit":
        return _TlsClient(address.host, address.port, ssl_context=context, timeout=ANSWER_S)
    client = _PlainClient(address.host, address.port, ANSWER_S)
    try:
        client.starttls(context)
        if client.lines.rest:  # somebody put words before the encryption
            raise imaplib.IMAP4.abort("it spoke in the clear after STARTTLS")
    except BaseException:
        client.sock.close()
        raise
    return client


def _words(error: Exception) -> str:
    """What the server or the system said."""
    first = error.args[0] if len(error.args) == 1 else str(error)
    text = first.decode("utf-8", "replace") if isinstance(first, bytes) else str(first)
    return " ".join(text.split()) or type(error).__name__


def _checked(answer: tuple[str, list[Any]], command: str) -> list[Any]:
    kind, data = answer
    if kind != "OK":
        raise imaplib.IMAP4.error(f"{command} was answered {kind}")
    return data


def _number(client: imaplib.IMAP4, name: str) -> int:
    values = client.response(name)[1]
    value = values[-1] if values else None
    return int(value) if isinstance(value, bytes) and value.isdigit() else 0


def _quoted(folder: str) -> str:
    """The name in the UTF-7 of IMAP (RFC 3501, 5.1.3), in quotation marks."""
    parts = []
    for index, part in enumerate(_NOT_ASCII.split(folder)):
        if index % 2:
            coded = base64.b64encode(part.encode("utf-16-be")).decode("ascii")
            parts.append(f"&{coded.rstrip('=').replace('/', ',')}-")
        else:
            parts.append(part.replace("&", "&-"))
    escaped = "".join(parts).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
