"""What becomes of a question's own words around a field that is empty: they leave with it.

With the field go the brackets or quotation marks around it, and before it the punctuation that
leads up to it, a label ("Author: "), and one of the small words below with its article ("by the",
"from"). Nothing else is touched: a template says the rest on purpose.
"""

from __future__ import annotations

import re

_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">", '"': '"', "'": "'", "`": "`"}
_PAIRS |= {"“": "”", "‘": "’", "«": "»"}
_SMALL = "about|after|and|as|at|before|by|for|from|in|into|of|on|or|to|via|with"
_FIELDS = "actor|author|committer|message|person|sender|source|subject|text|title|user"
_BEFORE = re.compile(
    rf"(?:^|(?<=[\s(\[,;:.!?]))"
    rf"(?:(?:{_SMALL})(?:\s+(?:the|an?))?(?:\s+(?:{_FIELDS}))?|(?:{_FIELDS}))$",
    re.IGNORECASE,
)
_JOINT = re.compile(r"(?<![,;:–—])(?:[,;:–—]|(?:^|(?<=\s))-)+$")
_LABEL = re.compile(r"(?:^|(?<=[(\[,;.!?]))\s*\w+:$")
_OPENING = re.compile(r"(?:[(\[{<“‘«]|(?<=[\s(\[])[\"'`])$")
_GOES_ON = re.compile(r"[,;:.!?)\]}>”’»]")
_FOLLOWING = re.compile(r"^(?:['’]s\b)?[\s,;:–—.!?-]+")


def without_field(left: str, right: str, *, first: bool) -> str:
    """A template's words on both sides of an empty field, as one text.

    first: whether nothing stands before `left`.
    """
    spaced = left[-1:].isspace() or right[:1].isspace()
    before, after = left.rstrip(), right.lstrip()
    if before and after and _PAIRS.get(before[-1]) == after[0]:
        before, after = before[:-1], after[1:]
        spaced = before[-1:].isspace() or after[:1].isspace()
    before, after = _led_up(before), after.lstrip()
    if (first and not before) or _OPENING.search(before):
        return before + _FOLLOWING.sub("", after)
    if before.endswith((".", "!", "?")):
        return f"{before} {_FOLLOWING.sub('', after)}"
    if _GOES_ON.match(after):
        return before + after
    return before + " " * spaced + after


def _led_up(left: str) -> str:
    """Without what leads up to the field."""
    text = left.rstrip()
    while True:
        shorter = text
        for ending in (_LABEL, _JOINT, _BEFORE):
            shorter = ending.sub("", shorter).rstrip()
        if shorter == text:
            return text
        text = shorter
