"""Who wrote a message, and its subject, from what an IMAP server says of it."""

from __future__ import annotations

import imaplib
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import parseaddr
from hashlib import blake2b

from ...plain_text import visible
from ...types import SignalEvent

ITEMS = (
    "(UID INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS"
    " (FROM TO SUBJECT DATE MESSAGE-ID LIST-ID)])"
)
"""What is asked of a message: nothing of its body, and it stays unread."""

MOST_ADDRESS = 1_000
"""Characters of an address that are read: Python's parser takes a call for each comma."""

_UID = re.compile(rb"\bUID (\d+)")
_SIZE = re.compile(rb"\bRFC822\.SIZE (\d+)")


@dataclass(frozen=True, slots=True)
class MailMessage:
    """A message. came: when the server got it, Unix seconds; digest: of its id."""

    number: int
    came: float
    digest: str
    event: SignalEvent


def read_message(facts: bytes, literal: bytes, place: str, now: float) -> MailMessage | None:
    """The message of a server's answer to ITEMS; None when it does not say its number.

    facts: what stands around the literal; literal: the headers. place: of the event.
    """
    number = _UID.search(facts)
    if number is None:
        return None
    headers = BytesHeaderParser().parsebytes(literal)
    size = _SIZE.search(facts)
    name, sender = _address(headers, "From")
    features: dict[str, object] = {
        "actor": visible(f"{name} <{sender}>" if name else sender, 200),
        "sender": visible(sender.lower(), 200),
        "text": visible(_header(headers, "Subject"), 2_000),
        "to": visible(_address(headers, "To")[1].lower(), 200),
        "list": visible(_header(headers, "List-Id"), 200),
        "size_bytes": int(size[1]) if size is not None else 0,
    }
    present = {key: value for key, value in features.items() if value}
    identity = _header(headers, "Message-ID").encode("utf-8", "replace") or literal
    came = now
    with suppress(TypeError, ValueError, OverflowError):
        came = time.mktime(imaplib.Internaldate2tuple(facts))  # type: ignore[arg-type]
    return MailMessage(
        int(number[1]),
        came,
        blake2b(identity.strip(), digest_size=8).hexdigest(),
        SignalEvent("mail", place, "received", 1.0, now, present),
    )


def _address(headers: Message, name: str) -> tuple[str, str]:
    """(name, address) of the first that stands there; neither where its brackets have no end."""
    try:
        return parseaddr(_header(headers, name)[:MOST_ADDRESS])
    except RecursionError:
        return "", ""


def _header(headers: Message, name: str) -> str:
    """The header as text, whatever a sender wrote there."""
    raw = headers.get(name, "")
    try:
        text = str(make_header(decode_header(raw)))
    except (HeaderParseError, LookupError, ValueError, AttributeError):
        text = str(raw)
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
