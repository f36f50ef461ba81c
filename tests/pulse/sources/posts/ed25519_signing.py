"""Signs as RFC 8032 says, section 5.1.6; for tests alone."""

from __future__ import annotations

from hashlib import sha512

from prefrontal.pulse.sources.posts.ed25519 import BASE, NEUTRAL, ORDER, P, Point, added


def public_key(secret: bytes) -> bytes:
    return compressed(multiplied(_scalar(secret)))


def signature(secret: bytes, message: bytes) -> bytes:
    number = int.from_bytes(sha512(sha512(secret).digest()[32:] + message).digest(), "little")
    nonce = compressed(multiplied(number % ORDER))
    challenge = sha512(nonce + public_key(secret) + message).digest()
    s = (number + int.from_bytes(challenge, "little") * _scalar(secret)) % ORDER
    return nonce + s.to_bytes(32, "little")


def compressed(point: Point) -> bytes:
    inverse = pow(point.z, -1, P)
    x, y = point.x * inverse % P, point.y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def multiplied(number: int) -> Point:
    result = NEUTRAL
    for digit in f"{number:b}":
        result = added(result, result)
        if digit == "1":
            result = added(result, BASE)
    return result


def _scalar(secret: bytes) -> int:
    number = int.from_bytes(sha512(secret).digest()[:32], "little")
    return number & (2**254 - 8) | 2**254
