"""The colours of the pictures, and what their font can draw."""

from __future__ import annotations

from .wording import printable

INK, SOFT, LINE, GREEN, RED = "#1b1f23", "#5a636c", "#e2e5e7", "#00875f", "#c8310f"


def drawable(text: str, limit: int = 64) -> str:
    """`text` with what the font cannot draw replaced, so that drawing never warns."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    font = get_font(findfont(FontProperties()))
    return "".join(c if font.get_char_index(ord(c)) else "?" for c in printable(text, limit))
