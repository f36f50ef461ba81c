"""The server name in the first message of TLS (RFC 8446, 4.1.2; RFC 6066, 3)."""

from __future__ import annotations

_HANDSHAKE, _CLIENT_HELLO, _SERVER_NAME, _HOST_NAME = 22, 1, 0, 0


class NoClientHelloError(ValueError):
    """The bytes are not the first message of TLS."""


def hello_length(begin: bytes) -> int:
    """The bytes of the first record, from its first five. Raises NoClientHelloError."""
    if len(begin) < 5 or begin[0] != _HANDSHAKE or begin[1] != 3:
        raise NoClientHelloError("a tunnel must begin with TLS")
    return 5 + int.from_bytes(begin[3:5])


def server_name(record: bytes) -> str:
    """The name the client asks for, empty when it names none. Raises NoClientHelloError.

    A hello that spans more than one record is refused: nobody's first message is that long.
    """
    try:
        return _name(_extensions(_body(record)))
    except IndexError:
        raise NoClientHelloError("the first message of TLS is cut off") from None


def _body(record: bytes) -> bytes:
    message = record[5 : hello_length(record)]
    if message[0] != _CLIENT_HELLO:
        raise NoClientHelloError("a tunnel must begin with the hello of a client")
    length = int.from_bytes(message[1:4])
    if length > len(message) - 4:
        raise NoClientHelloError("the first message of TLS must be one record")
    return message[4 : 4 + length]


def _extensions(body: bytes) -> bytes:
    at = 2 + 32  # version, random
    at += 1 + body[at]  # session
    at += 2 + _two(body, at)  # ciphers
    at += 1 + body[at]  # compression
    return body[at + 2 : at + 2 + _two(body, at)]


def _name(extensions: bytes) -> str:
    at = 0
    while at < len(extensions):
        kind, length = _two(extensions, at), _two(extensions, at + 2)
        if kind == _SERVER_NAME:
            names = extensions[at + 4 : at + 4 + length]
            if names[2] != _HOST_NAME or 5 + _two(names, 3) != len(names):
                raise NoClientHelloError("TLS must name one server")
            return names[5:].decode("ascii", errors="replace").lower()
        at += 4 + length
    return ""


def _two(text: bytes, at: int) -> int:
    return text[at] << 8 | text[at + 1]
