"""What a text says once its disguise is taken off: encodings, lookalikes, letters set apart."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator
from unicodedata import category, combining, normalize
from urllib.parse import unquote

_DEPTH = 3
_MOST = 40
"""Readings of one text."""
_LONGEST = 4000
_LATIN = str.maketrans(
    "авеёзікмнорстухѕјһԁԛԝгАВЕЗІКМНОРСТУХЅЈαβεικνορτυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aBeeзikmHopctyxsjhdqwrABEзIKMHOPCTYXSJaβeikvoptuxwABEZHIKMNOPTYX",
)
_WORD = re.compile(r"[^\W\d_]+")
_APART = re.compile(r"(?<!\S)\S(?:[ .\-_*][^\s.\-_*](?![^\s.\-_*])){3,}")
_WIDE = re.compile(r"\s{2,}")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]{0,80}>|<!--|-->|[*_~`]{1,3}")
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?<!\w)(?<![0-9a-fA-F]{2}[ :])(?:0x)?((?:[0-9a-fA-F]{2}[ :]?+){12,}+)(?!\w)")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|=([0-9A-F]{2})")
_TAG = range(0xE0020, 0xE007F)


def readings(text: str) -> Iterator[str]:
    """The text itself, then what it says by each disguise that it may wear, also several at once.

    Decoded are base64, hex, percent and backslash escapes, quoted-printable and entities, where
    they give a text. Looked through are invisible characters, compatibility forms, marks on
    letters, Cyrillic and Greek letters in Latin words, letters set apart, and markup.
    """
    texts = {text}
    waiting = [(text[:_LONGEST], 0)]
    yield text
    while waiting and len(texts) < _MOST:
        current, depth = waiting.pop(0)
        if depth == _DEPTH:
            continue
        for undo in _WAYS:
            for raw in undo(current):
                new = raw[:_LONGEST]
                if new not in texts and new.strip():
                    texts.add(new)
                    waiting.append((new, depth + 1))
                    yield new


def _folded(text: str) -> Iterator[str]:
    if text.isascii():
        return
    visible = "".join(
        chr(ord(each) - 0xE0000) if ord(each) in _TAG else each
        for each in text
        if ord(each) in _TAG or category(each) != "Cf"
    )
    composed = normalize("NFKC", visible)
    plain = "".join(each for each in composed if not _is_laid_over(each))
    yield plain
    yield _WORD.sub(_one_script, plain)


def _is_laid_over(character: str) -> bool:
    """A mark that no letter is written with, or it would be one character with it by now."""
    return "\u0300" <= character <= "\u036f" and combining(character) in (1, 220, 230)


def _one_script(match: re.Match[str]) -> str:
    """A word of Latin letters and lookalikes of other scripts, in Latin letters."""
    word = match[0]
    latin = word.translate(_LATIN)
    if latin == word or not _is_latin(latin):
        return word
    return latin if len(word) <= 2 or any(map(_is_latin, word)) else word


def _is_latin(text: str) -> bool:
    return all(each.isascii() or combining(each) for each in normalize("NFD", text))


def _joined(text: str) -> Iterator[str]:
    """Letters set apart, as words: a wider gap parts two of them."""
    if _APART.search(text) is not None:
        yield " ".join(map(_word_of, _WIDE.split(text)))


def _word_of(part: str) -> str:
    for separator in " .-_*":
        letters = part.split(separator)
        if len(letters) > 1 and all(len(each) <= 1 for each in letters):
            return "".join(letters)
    return part


def _bare(text: str) -> Iterator[str]:
    """Without markup and entities."""
    yield _MARKUP.sub("", html.unescape(text))


def _unescaped(text: str) -> Iterator[str]:
    if "%" in text:
        yield unquote(text)
    if _ESCAPE.search(text) is not None:
        units = _ESCAPE.sub(lambda match: chr(int(match[1] or match[2] or match[3], 16)), text)
        yield units.replace("=\n", "")
        yield from _text(units.replace("=\n", "").encode("latin-1", "ignore"))


def _from_base64(text: str) -> Iterator[str]:
    for match in _BASE64.finditer(text):
        word = match[0].replace("-", "+").replace("_", "/").rstrip("=")
        try:
            yield from _text(base64.b64decode(word + "=" * (-len(word) % 4), validate=True))
        except binascii.Error:
            continue


def _from_hex(text: str) -> Iterator[str]:
    for match in _HEX.finditer(text):
        yield from _text(bytes.fromhex(re.sub(r"[ :]", "", match[1])))


def _text(data: bytes) -> Iterator[str]:
    """The bytes as a text, where they are one."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if text.replace("\n", " ").isprintable():
        yield text


_WAYS: tuple[Callable[[str], Iterator[str]], ...] = (
    _folded,
    _joined,
    _bare,
    _unescaped,
    _from_base64,
    _from_hex,
)
