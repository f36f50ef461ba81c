"""The compiled program that confines a command, and the lines in which it reports."""

from __future__ import annotations

from pathlib import Path


def launcher() -> Path:
    """Where the program lies; it may be missing where it cannot be built."""
    return Path(__file__).resolve().parent.parent / "prefrontal-sbx"


def parse_report(text: bytes) -> dict[str, str]:
    """Lines of "word value" as a dict."""
    lines = text.decode(errors="replace").splitlines()
    return {word: value for word, _, value in (line.partition(" ") for line in lines)}
