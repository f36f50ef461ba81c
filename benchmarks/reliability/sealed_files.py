"""The checksums of saved weights and of a saved tool index, made right again after a change.

Whoever bends a file without them is refused at its checksum, and what lies behind is never read.
"""

from __future__ import annotations

import struct
from zlib import crc32

HEADER = struct.Struct("<4sIQQ")
"""Of an index: magic, version, bytes, checksum."""
ODD, WORD = 0x9E3779B97F4A7C15, (1 << 64) - 1


def sealed_weights(data: bytes) -> bytes:
    """With the CRC-32 of all but the last four bytes there."""
    body = data[:-4]
    return body + crc32(body).to_bytes(4, "little")


def sealed_index(data: bytes) -> bytes:
    """With its size and its checksum; what is shorter than a header stays."""
    if len(data) < HEADER.size:
        return data
    rest = data[HEADER.size :]
    rest += bytes(-len(data) % 64)
    magic, version, _, _ = HEADER.unpack_from(data)
    return HEADER.pack(magic, version, HEADER.size + len(rest), index_checksum(rest)) + rest


def index_checksum(rest: bytes) -> int:
    """Four streams of multiply and rotate over eight bytes at a time; csrc/routing/saved_index.cpp.

    rest: a multiple of eight bytes.
    """
    blocks = struct.unpack(f"<{len(rest) // 8}Q", rest)
    streams = [len(rest), 1, 2, 3]
    for number, block in enumerate(blocks):
        stream = number % 4 if number < len(blocks) // 4 * 4 else 0
        streams[stream] = _turned((streams[stream] ^ block) * ODD, 29)
    total = 0
    for each in streams:
        total = _turned((total ^ each) * ODD, 31)
    return total


def _turned(value: int, bits: int) -> int:
    value &= WORD
    return (value << bits | value >> (64 - bits)) & WORD
