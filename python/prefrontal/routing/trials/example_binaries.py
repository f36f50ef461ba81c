"""Small valid files that are no text: images, a page, a sound, an archive, a database."""

from __future__ import annotations

import gzip
import io
import sqlite3
import struct
import tarfile
import wave
import zipfile
import zlib
from base64 import b64decode
from collections.abc import Callable, Mapping
from functools import cache

MEMBER, TEXT = "example.txt", b"1\n"
_SIDE = 16
"""Pixels of each side of an image."""
_JPEG = (
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERX"
    "RTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/wAALCAAQABABAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAA"
    "AAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AAP/Z"
)
"""Of grey pixels, without Exif."""


@cache
def binary(kind: str) -> bytes:
    """What a small file of the kind holds; kind: one of BINARIES."""
    return BINARIES[kind]()


def _png() -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        end = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + end

    head = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)
    rows = (b"\x00" + b"\x80" * (3 * _SIDE)) * _SIDE
    chunks = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def _jpeg() -> bytes:
    return b64decode(_JPEG)


def _gif() -> bytes:
    head = b"GIF89a" + struct.pack("<HH", 1, 1) + b"\x80\x00\x00" + b"\x00\x00\x00\xff\xff\xff"
    return head + b"\x2c" + struct.pack("<HHHH", 0, 0, 1, 1) + b"\x00\x02\x02\x44\x01\x00\x3b"


def _bmp() -> bytes:
    pixels = b"\x80" * (3 * _SIDE * _SIDE)
    head = struct.pack("<IiiHHIIiiII", 40, _SIDE, _SIDE, 1, 24, 0, len(pixels), 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54) + head + pixels


def _pdf() -> bytes:
    """One page with the text 1."""
    drawn = b"BT /F1 12 Tf 72 720 Td (1) Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    text, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(text))
        text += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    tail = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(text))
    return text + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (size, table, tail)


def _wav() -> bytes:
    """A tenth of a second of silence."""
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8_000)
        sound.writeframes(bytes(1_600))
    return out.getvalue()


def _zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo(MEMBER), TEXT)
    return out.getvalue()


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo(MEMBER)
        member.size = len(TEXT)
        archive.addfile(member, io.BytesIO(TEXT))
    return out.getvalue()


def _gz() -> bytes:
    return gzip.compress(TEXT, mtime=0)


def _tgz() -> bytes:
    return gzip.compress(_tar(), mtime=0)


def _sqlite() -> bytes:
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE example (number INTEGER)")
        database.execute("INSERT INTO example VALUES (1)")
        database.commit()
        content = database.serialize()
    database.close()
    return content


BINARIES: Mapping[str, Callable[[], bytes]] = {
    "png": _png,
    "jpg": _jpeg,
    "gif": _gif,
    "bmp": _bmp,
    "pdf": _pdf,
    "wav": _wav,
    "zip": _zip,
    "tar": _tar,
    "tgz": _tgz,
    "gz": _gz,
    "sqlite": _sqlite,
}
"""By the ending of their names."""
