"""What the names of features mean to a person: `words=# $` is "the text ends in a number"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import groupby

from .plural import listed

USUAL = "what is usual here"
_RULE = re.compile(r"rule (?P<rule>.*): (?P<answer>yes|no)", re.DOTALL)
_EVERY_FILE = "**"
_PLAINLY = {
    "source=filesystem": "a file",
    "source=time": "a tick of the clock",
    "source=memory": "from the memory",
    "source=network": "from the network",
    "delta=created": "something created",
    "delta=modified": "something changed",
    "delta=deleted": "something deleted",
    "delta=tick": "a tick of the clock",
}
_KINDS = {"code": "code", "tests": "tests", "docs": "docs", "config": "configuration",
          "other": "other files"}  # fmt: skip
_DAYS = {"Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday",
         "Sat": "Saturday", "Sun": "Sunday"}  # fmt: skip
_SECONDS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_BYTES = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB"), (1, "B"))


def feature_words(name: str, thing: str = "file") -> str:
    """The words for a name that `contributions` gives; a name it does not know stays as it is.

    thing: what a window counts, "file" or "event".
    """
    if name == "bias":
        return USUAL
    if (rule := _RULE.fullmatch(name)) is not None:
        if rule["rule"] == _EVERY_FILE:
            return USUAL
        return "it fits the rule" if rule["answer"] == "yes" else "it does not fit the rule"
    if name in _PLAINLY:
        return _PLAINLY[name]
    kind, equals, value = name.partition("=")
    if kind == "count" and equals:
        return _count(value, thing)
    return _WORDS[kind](value) if equals and kind in _WORDS else name


def reason_words(why: Iterable[tuple[str, float]], thing: str = "file") -> list[tuple[str, float]]:
    """Reasons in words; those that say the same are one, with the sum of their log-odds.

    The order stays, but that within a run of one sign the largest comes first again.
    """
    reasons = list(why)
    names = {name for name, _ in reasons}
    pushes: dict[str, float] = {}
    for name, push in reasons:
        words = feature_words(_plainer(name, names), thing)
        pushes[words] = pushes.get(words, 0.0) + push
    ordered: list[tuple[str, float]] = []
    for _, run in groupby(pushes.items(), key=lambda each: each[1] > 0):
        ordered += sorted(run, key=lambda each: -abs(each[1]))
    return ordered


def _plainer(name: str, names: set[str]) -> str:
    """The one of `names` that says all this one does, or this one itself.

    "The text begins with fix" adds nothing to "the text says fix", nor "in docs" to "only in docs".
    """
    kind, _, value = name.partition("=")
    if kind == "words":
        plainer = f"word={value.removeprefix('^ ').removesuffix(' $')}"
    elif kind == "directory":
        plainer = f"only directory={'none' if value == '.' else value}"
    elif kind == "extension":
        plainer = f"only extension={value or 'none'}"
    elif kind == "token":
        file_names = (each for each in names if each.startswith("name="))
        holders = (
            each for each in file_names if value in re.split(r"[^a-z0-9]+", each[5:].lower())
        )
        return next(holders, name)
    else:
        return name
    return plainer if plainer in names else name


def _count(value: str, thing: str) -> str:
    if value == "1":
        return f"one {thing} only"
    if value.endswith("+"):
        return f"{value[:-1]} {thing}s or more"
    return f"{value.replace('-', ' to ')} {thing}s"


def _listed(value: str, empty: str) -> str:
    """Members joined by "+" as a list; "none" is the one without a name."""
    return listed([empty if each == "none" else each for each in value.split("+")])


def _file_kinds(value: str) -> str:
    members = [_KINDS.get(each, each) for each in value.split("+")]
    return f"{members[0]} only" if len(members) == 1 else listed(members)


def _word(value: str) -> str:
    return "the text has a number" if value == "#" else f"the text says '{value}'"


def _word_pair(value: str) -> str:
    first, _, second = value.partition(" ")
    if first == "^" and second == "$":
        return "the text has no words"
    if first == "^":
        return f"the text begins with {_quoted(second)}"
    if second == "$":
        return f"the text ends in {_quoted(first)}"
    if first == second == "#":
        return "the text has two numbers in a row"
    if "#" not in (first, second):
        return f"the text says '{value}'"
    return f"the text says {_quoted(first)}, then {_quoted(second)}"


def _quoted(word: str) -> str:
    return "a number" if word == "#" else f"'{word}'"


def _actor(value: str) -> str:
    hidden = re.fullmatch(r"[0-9a-f]{8,}", value) is not None
    return "by this author" if hidden else f"by {value}"


def _doubled(value: str) -> float | None:
    """The lower end of a bucket that doubles: 0 for "0", 8 for "2^3", None when unknown."""
    if value == "0":
        return 0.0
    match = re.fullmatch(r"(-?)2\^(\d{1,3})", value)
    return None if match is None else float(f"{match[1]}1") * 2.0 ** int(match[2])


def _about(value: str, units: tuple[tuple[int, str], ...], unknown: str) -> str:
    """The bucket in the largest unit that fits it, "about 4 min"."""
    amount = _doubled(value)
    if amount is None:
        return unknown
    if amount < 1:
        return f"under 1 {units[-1][1]}"
    size, unit = next(each for each in units if amount >= each[0])
    return f"about {amount / size:.0f} {unit}"


def _lasting(value: str) -> str:
    return _about(value, _SECONDS, "an unknown time")


def _idle(value: str) -> str:
    minutes = _doubled(value)
    if minutes is None:
        return "idle for an unknown time"
    if minutes < 1:
        return "idle for under a minute"
    if minutes < 120:
        return f"idle for about {minutes:.0f} min"
    return f"idle for about {minutes / 60:.0f} h"


def _magnitude(value: str) -> str:
    eighths = _doubled(value)
    if eighths is None:
        return "of unknown size"
    return "of size under 0.125" if eighths == 0 else f"of size about {eighths / 8:g}"


_QUIET = {"quiet_name": "such words", "quiet_kind": "such words in this place"}
_AGES = {
    "1h": "came in the last hour",
    "6h": "came in the last 6 hours",
    "24h": "came in the last day",
    "72h": "came in the last 3 days",
    "long": "did not come for 3 days",
    "never": "never came before",
    "first": "come for the first time since the gate began",
}


def _attribute(value: str) -> str:
    name, equals, amount = value.partition("=")
    if not equals:
        return value
    if name in _QUIET and amount in _AGES:
        return f"{_QUIET[name]} {_AGES[amount]}"
    if (lines := name.removeprefix("source_lines_")) != name and amount == "or more":
        return f"{lines} changed lines of code or more"
    rough = _doubled(amount) if amount != "0" else None
    return f"{name} is {amount}" if rough is None else f"{name} is about {rough:g}"


_WORDS: dict[str, Callable[[str], str]] = {
    "source": lambda value: f"from {value}",
    "delta": lambda value: f"'{value}' happened",
    "extension": lambda value: f"a {value} file" if value else "a file without extension",
    "directory": lambda value: "in the top folder" if value == "." else f"in {value}",
    "name": lambda value: f"it touches {value}",
    "token": lambda value: f"'{value}' in a name",
    "actor": _actor,
    "word": _word,
    "words": _word_pair,
    "only extension": lambda value: (
        "only files without extension" if value == "none" else f"only {value} files"
    ),
    "only directory": lambda value: (
        "only in the top folder" if value == "none" else f"only in {value}"
    ),
    "directories": lambda value: f"in {_listed(value, 'the top folder')} together",
    "extensions": lambda value: f"{_listed(value, 'no extension')} together",
    "file kinds": _file_kinds,
    "hour": lambda value: f"in the hour from {value}:00",
    "weekday": lambda value: f"on a {_DAYS.get(value, value)}",
    "span": lambda value: f"spread over {_lasting(value)}",
    "gap": lambda value: f"{_lasting(value)} after the one before",
    "size": lambda value: f"of {_about(value, _BYTES, 'unknown size')}",
    "idle minutes": _idle,
    "magnitude": _magnitude,
    "feature": _attribute,
}
