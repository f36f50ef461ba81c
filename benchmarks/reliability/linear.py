"""Every pattern and parser for what others write, at n, 2n and 4n: its CPU time must double twice.

    python benchmarks/reliability/linear.py [--smoke] [--length 16384] [--planted]

Patterns are those of every module of the package, called as it calls them. Each gets texts made of
its own characters and words, repeated, behind each of its words; a parser a list of hostile texts
as long as its input may be. What takes under a few milliseconds at 4n is linear enough for anybody,
and what only sees texts of a bounded length is given no longer ones and has BOUNDED_S for them.
Ends with 1 where something is neither. --planted: a quadratic pattern, which must be found.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import itertools
import json
import pkgutil
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import prefrontal
from pattern_words import PatternWords
from prefrontal.cortex.context.token_bound import token_bound
from prefrontal.cortex.quoting import plain, safe_id, statement
from prefrontal.cortex.reflectors.commitments import promises
from prefrontal.cortex.reply.parsing import parse_reflection
from prefrontal.errors import PrefrontalError
from prefrontal.executive.chooser.beliefs import spoken
from prefrontal.installation.json_text import read_json
from prefrontal.pulse.modules.template import QuestionTemplate
from prefrontal.pulse.sources.calendar_page import read_calendar
from prefrontal.pulse.sources.event_lines import LineSplitter, event_from_line
from prefrontal.pulse.sources.mail_message import read_message
from prefrontal.pulse.sources.posts.github_events import github_event
from prefrontal.redaction import redact
from prefrontal.replay.histories.agent_replies import is_noop
from prefrontal.replay.presets.globs import globs_in
from prefrontal.routing.catalog.docstring import argument_docs
from prefrontal.routing.generation.code_prompt import module_in
from prefrontal.routing.prompt.sub_intents import sub_intents
from prefrontal.runtime.channels.documents import parse_message
from prefrontal.storage.text_search import ranked
from prefrontal.types import SignalEvent

QUICK_S = 0.004
"""What is over in this time delays nobody, whatever its shape."""
GROWTH = 8.0
"""A linear time grows fourfold from n to 4n, a quadratic one sixteenfold."""
FACTOR = 4
BOUNDED_S = 0.1
BOUNDS = {
    "prefrontal.executive.chooser.beliefs._": 500,
    "prefrontal.replay.presets.kinds._": 1000,
    "what a belief says of a tool": 65_536,
}
"""Characters of the longest text that it sees, by the beginning of the name: what is read of a
belief and of the subject of a commit.
"""
ANCHORED = ("json_text._DOUBLE", "json_text._SINGLE", "fixed_later._IS_NO_SOURCE")
"""What is tried at one place only, which the source does not show."""
GUARDED = ("globs._PARTS",)
"""What sees no text of which it takes long, as the parser that calls it shows."""
UNREACHABLE = {"fixed_later._IS_NO_SOURCE": "//"}
"""What no text has: a path of git has no empty name."""
PLANTED = {"planted": re.compile(r"\s+x")}


class Finding(NamedTuple):
    """The slowest text of one pattern or parser. growth: of its time from n to 4n; 0 where that
    was not looked at.
    """

    name: str
    seconds: float
    growth: float
    unit: str

    @property
    def is_linear(self) -> bool:
        """Whether it delays nobody, at its greatest length or by its growth."""
        allowed_s = BOUNDED_S if _bound(self.name) else QUICK_S
        return self.seconds <= allowed_s or 0.0 < self.growth <= GROWTH


def _bound(name: str) -> int:
    """Characters of the longest text it sees; 0 where there is no limit."""
    return next((most for begin, most in BOUNDS.items() if name.startswith(begin)), 0)


def cpu_s(run: Callable[[], object], enough_s: float) -> float:
    """The least of three calls, as others may disturb one; of fewer where one took no longer."""
    least = float("inf")
    for _ in range(3):
        begin = time.thread_time()
        run()
        least = min(least, time.thread_time() - begin)
        if least <= enough_s or least > 1.0:
            break
    return least


def grown(
    name: str, run: Callable[[Any], object], make: Callable[[int], Any], length: int, unit: str
) -> Finding:
    """How the time grows on the text that `make` gives of each length."""
    length = min(length, _bound(name) // FACTOR or length)
    text = make(FACTOR * length)
    enough_s = BOUNDED_S if _bound(name) else QUICK_S
    slow_s = cpu_s(lambda: run(text), enough_s)
    if slow_s <= enough_s:
        return Finding(name, slow_s, 0.0, unit)
    short = make(length)
    return Finding(name, slow_s, slow_s / max(1e-9, cpu_s(lambda: run(short), 0.0)), unit)


def patterns() -> dict[str, re.Pattern[Any]]:
    """By name, each once."""
    seen: dict[tuple[object, int], str] = {}
    named: dict[str, re.Pattern[Any]] = {}
    for module in pkgutil.walk_packages(prefrontal.__path__, "prefrontal."):
        if "torch" in module.name or module.name.endswith("__main__"):
            continue
        try:
            content = vars(importlib.import_module(module.name))
        except ImportError:  # an extra that is not installed
            continue
        for attribute, value in list(content.items()):
            for pattern in _patterns_in(value):
                name = f"{module.name}.{attribute}"
                if seen.setdefault((pattern.pattern, pattern.flags), name) == name:
                    named[name if name not in named else f"{name} {pattern.pattern!r}"] = pattern
    return named


def _patterns_in(value: object, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, Mapping):
        yield from _patterns_in([*value.keys(), *value.values()], depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _patterns_in(each, depth - 1)
    elif depth and isinstance(value, type) and value.__module__.startswith("prefrontal"):
        yield from _patterns_in(list(vars(value).values()), 1)


def methods_of(name: str) -> list[str]:
    """How the module of that pattern calls it; every way where that is not to be seen."""
    module, _, attribute = name.partition(" ")[0].rpartition(".")
    if module not in sys.modules:
        return []
    source = inspect.getsource(sys.modules[module])
    methods = set(re.findall(rf"\b{attribute}\.(\w+)\(", source))
    return sorted(methods & {"match", "fullmatch"}) if methods <= {"match", "fullmatch"} else []


def worst_of_pattern(name: str, pattern: re.Pattern[Any], length: int) -> Finding:
    methods = ["match"] if name.endswith(ANCHORED) else methods_of(name) or ["finditer"]
    impossible = next((no for end, no in UNREACHABLE.items() if name.endswith(end)), "\0\0")
    spoken_of = PatternWords(pattern)
    letters, words = spoken_of.letters, spoken_of.words
    few = sorted(letters)[:9]
    units = letters | words | {" ", "a", "1", "-", "\n"}
    pairs = {a + b for a, b in itertools.product(few, few)} | {f"{each} " for each in words}
    heads = sorted(words, key=len)[-4:]
    tried = [("", unit) for unit in sorted(units | pairs)]
    tried += [(head, unit) for head in heads for unit in sorted(units) if len(unit) == 1]
    tried = [(head, unit) for head, unit in tried if impossible not in head + unit + unit]

    def search(text: str | bytes) -> None:
        for method in methods:
            if method == "finditer":
                for _ in pattern.finditer(text):
                    pass
            else:
                getattr(pattern, method)(text)

    def text_of(head: str, unit: str) -> Callable[[int], str | bytes]:
        def make(size: int) -> str | bytes:
            text = (head + unit * (size // len(unit)))[:size] + "\0"
            return text.encode() if isinstance(pattern.pattern, bytes) else text

        return make

    return _worst(
        grown(name, search, text_of(head, unit), length, head + unit) for head, unit in tried
    )


def _worst(findings: Iterable[Finding]) -> Finding:
    """The first that is not linear, or the slowest."""
    worst = Finding("", -1.0, 0.0, "")
    for each in findings:
        if not each.is_linear:
            return each
        worst = max(worst, each, key=lambda finding: finding.seconds)
    return worst


UNITS = [
    *" a1-_.:;,!?/@#*|`'\"<>()[]{}=+~%&$\\\n\t\0\u202e\U0001f600",
    *("a ", "A", "aA", "ab.", "eyJ", "eyJhbGciOiJI.", "eyJ-", "a.b.", "sk-", "nsec1", "xoxb-"),
    *("ghp_a", "-----BEGIN PRIVATE KEY-----", "password: ", "password", "token=a", "key 0"),
    *("secret is ", "a://", "ab://u:", "http://a:b", "bearer ", "```json\n", "```", "{}", "[]"),
    *('{"a":', '{"', '"a",', "[[", "}{", "system:", "<|", "|>", "[INST]", "- a: b\n", "%s", "{a}"),
    *("I will send it by ", "within 3 hours ", "set trust ", "ignore all previous ", "not use a "),
    *("read_csv ", "read_csv good ", "not good read_csv ", "to be ", "though ", "use "),
    "copy it and them ",
    *("and then ", "if ", "\u2028", "\ud800", "\u0301", "ﬁ", "İ", "ß", "2026-11-23T08:00 "),
]
"""Of hostile texts: repeated as long as the input may be."""


def _lines(text: str) -> None:
    splitter = LineSplitter()
    data = text.encode("utf-8", "surrogatepass")
    for begin in range(0, len(data), 4096):
        list(splitter.feed(data[begin : begin + 4096]))
    list(splitter.end())


def _posted(text: str) -> None:
    document = json.dumps({"issue": {"title": text, "body": text}, "action": text})
    github_event("issues", json.loads(document), 0.0)


def _template(text: str) -> None:
    template = QuestionTemplate.parse(
        "{basename} by {actor}: {text}, {what} ({location}, {minute})"
    )
    features = {"text": text, "actor": text}
    template.render([SignalEvent("filesystem", text, "created", 1.0, 0.0, features)], "module")


def _mail(text: str) -> None:
    headers = f"From: {text}\r\nSubject: {text}\r\nDate: {text}\r\n\r\n"
    read_message(b"1 (UID 7 RFC822.SIZE 9)", headers.encode("utf-8", "replace"), "inbox", 0.0)


def _calendar(text: str) -> None:
    lines = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20261123T080000Z\r\n"
    content = f"{lines}SUMMARY:{text}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    read_calendar(content.encode("utf-8", "replace"), 0.0, 2e9, None)


def parsers() -> dict[str, tuple[Callable[[str], object], int]]:
    """Each with the greatest length of its input, in characters."""
    message = 65_536
    return {
        "redact": (redact, message),
        "quoted words": (lambda text: plain(text, 100), message),
        "a statement": (lambda text: statement(text, 200), message),
        "an id": (safe_id, message),
        "a bound of tokens": (token_bound, message),
        "promises": (lambda text: promises(text, 1.7e9), message),
        "a reply of a reflector": (parse_reflection, message),
        "code in a reply": (module_in, message),
        "an answer that says nothing": (is_noop, message),
        "what a belief says of a tool": (lambda text: spoken(text, "read_csv"), message),
        "the parts of a prompt": (sub_intents, message),
        "a docstring": (argument_docs, message),
        "memories by words": (lambda text: ranked({"a": text}, text, 5), message),
        "a message of a channel": (lambda text: parse_message(text, "jsonl", 0.0), message),
        "settings of another program": (lambda text: read_json(text, "file"), message),
        "lines of a stream": (_lines, 1 << 20),
        "an event's line": (lambda text: event_from_line(_bytes(text), 0.0), 1 << 18),
        "a webhook": (_posted, 1 << 18),
        "a question": (_template, 1 << 18),
        "globs": (globs_in, message),
        "a mail's headers": (_mail, message),
        "a calendar": (_calendar, message),
    }


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def worst_of_parser(name: str, parse: Callable[[str], object], most: int) -> Finding:
    def attempt(text: str) -> None:
        with suppress(ValueError, TypeError, PrefrontalError):
            parse(text)

    def text_of(unit: str) -> Callable[[int], str]:
        return lambda size: unit * max(1, size // len(unit))

    length = most // FACTOR
    return _worst(grown(name, attempt, text_of(unit), length, unit) for unit in UNITS)


def findings(
    length: int, named: Mapping[str, re.Pattern[Any]], chosen: str = ""
) -> Iterator[Finding]:
    """The worst of each pattern and parser whose name holds `chosen`."""
    for name, pattern in sorted(named.items()):
        if chosen in name and not name.endswith(GUARDED):
            yield worst_of_pattern(name, pattern, length)
    for name, (parse, most) in parsers().items() if named is not PLANTED else ():
        if chosen in name:
            yield worst_of_parser(name, parse, min(most, FACTOR * length))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--smoke", action="store_true", help="short texts")
    parser.add_argument("--length", type=int, default=16_384, help="n, in characters")
    parser.add_argument("--only", default="", help="names that hold this")
    parser.add_argument("--planted", action="store_true", help="a quadratic pattern alone")
    options = parser.parse_args()
    count, wrong = 0, []
    named = PLANTED if options.planted else patterns()
    length = 1024 if options.smoke else options.length
    print("| what | slowest text | CPU ms at 4n | growth from n to 4n |\n|---|---|---|---|")
    for each in findings(length, named, options.only):
        count += 1
        wrong += [] if each.is_linear else [each]
        if not each.is_linear or each.seconds > QUICK_S:
            unit = repr(each.unit)[:40].replace("|", "\\|")
            growth = f"{each.growth:.1f}" if each.growth else "bounded"
            print(f"| {each.name} | {unit} | {each.seconds * 1e3:.1f} | {growth} |", flush=True)
    print(f"\n{count} patterns and parsers, {len(wrong)} of them not linear")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
