"""The index of tools in plain Python, without any short cut: every tool, every word."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from prefrontal._core.routing import is_stop_word, tokens

from .twin_experience import Experience, paired
from .twin_lexicon import lexical_weight, related_words
from .twin_numbers import UNIT, edits, exp, ln, logistic, millionths, scale, units
from .twin_word_vectors import VECTORS, likeness, meaning
from .twin_word_vectors import cosine as near_meaning


def content(words: list[str]) -> list[str]:
    """Without stop words, unless there are no others."""
    return [word for word in words if not is_stop_word(word)] or words


def by_bytes(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=lambda text: text.encode("utf-8", "surrogatepass"))


class Alike(NamedTuple):
    """Likeness of a word of the prompt to one of a text and to one of a name. slip: how surely it
    is that one, misspelt.
    """

    text: float
    name: float
    slip: float


def alike(asked: str, word: str, *, is_known: bool, is_name: bool) -> Alike:
    """is_known: whether any tool has the word of the prompt, so that it is no misspelt one.
    is_name: whether a name has the other.
    """
    a, b = asked.encode(), word.encode()
    if a == b:
        return Alike(1.0, 1.0, 0.0)
    longer = max(len(a), len(b))
    prefix = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
    prefix = min(len(a), len(b)) if prefix is None else prefix
    text = 0.7 * prefix / longer if prefix >= 4 and 2 * prefix >= longer else 0.0
    turned = not is_known and is_turned(a, b)
    apart = 1 if turned else edits(a, b)
    near = 4 * apart <= longer and (text > 0.0 or not is_known) and (is_name or turned)
    name = 1.0 - apart / longer if near else 0.0
    slip = 0.0 if is_known or asked in VECTORS else name
    return Alike(max(text, slip), max(text, name), slip)


def is_turned(a: bytes, b: bytes) -> bool:
    """Whether two neighbouring letters stand the other way round."""
    differ = [i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y]
    return (
        len(a) == len(b) >= 4
        and len(differ) == 2
        and differ[1] == differ[0] + 1
        and a[differ[0]] == b[differ[1]]
        and a[differ[1]] == b[differ[0]]
    )


FACTS = (
    *("one", "gap", "covered", "known", "description", "name", "phrasing", "linear", "text"),
    *("phrasings", "words", "tools", "learned", "accepted"),
    *("share", "linear_lead", "description_lead", "covered_lead", "heard"),
    *("likeness", "meaning_lead"),
)
EVEN = 0.40546510810816438
MAP = Path(__file__).parents[2] / "csrc/routing/score_map.cpp"
TERM = re.compile(r"\{(-?[\d.]+), Fact::(\w+), Fact::(\w+), ([\d.]+)\}")
TERMS = [
    (float(weight), FACTS.index(one), FACTS.index(other), float(knot))
    for weight, one, other, knot in TERM.findall(MAP.read_text())
]


def log_odds(evidence: list[float]) -> float:
    total = 0.0
    for weight, one, other, knot in TERMS:
        total += weight * max(0.0, evidence[one] - knot) * evidence[other]
    return total


def nearer(odds: float, evidence: list[float]) -> float:
    """Below tau, of many tools with much learned."""
    learned = min(1.0, max(0.0, (evidence[FACTS.index("learned")] - 0.85) / (0.95 - 0.85)))
    many = min(1.0, max(0.0, (evidence[FACTS.index("tools")] - 4.0) / (4.6 - 4.0)))
    return odds + min(-0.6 * odds, 0.6) * (learned * many) if odds < 0.0 else odds


def meant_share(learned: float, tools: int, held: float) -> float:
    """The part of doc_keywords that likeness gets among few tools. held: the largest part of the
    prompt that a tool's texts cover.
    """
    if tools < 5:
        return 0.0
    many = min(1.0, max(0.0, (ln(float(tools)) - 3.0) / (4.1 - 3.0)))
    square = learned * learned
    most = held * held * (held * held)
    return 0.45 * (1.0 - square * square) * (1.0 - many) * (1.0 - most)


class Row(NamedTuple):
    """A tool in a ranking; called and raw are below 0, so that rows sort best first. fit: raw, not
    below 0, if no tool had been tried.
    """

    called: int
    raw: int
    tool: int
    features: dict[str, float]
    matched: set[str]
    plain: float
    accepted: float
    facts: list[float]
    linear: float
    description: float
    likeness: float
    fit: int


def gap(rows: list[Row]) -> float:
    best, *others = (row.fit / 1e6 for row in rows)
    return min(0.5, max(0.0, best - max(others, default=0.0)))


def mean(rates: list[float]) -> float:
    total = 0.0
    for rate in rates:
        total += rate
    return total / len(rates) if rates else 0.5


def lead(rows: list[Row], learned: bool) -> list[float]:
    """share, linear_lead, description_lead and covered_lead of the first row."""
    best, *others = rows
    total = 1.0
    for row in others:
        total += exp(-20.0 * max(0.0, (best.fit - row.fit) / 1e6))
    linear = best.linear - max([0.0, *(row.linear for row in others)]) if learned else 0.0
    description = best.description - max([0.0, *(row.description for row in others)])
    covered = best.facts[0] - max([0.0, *(row.facts[0] for row in others)])
    return [1.0 / total, *(0.5 * (1.0 + one) for one in (linear, description, covered))]


class Described(NamedTuple):
    """What the words of a tool say to a prompt. held: words of the prompt that it has."""

    description: float
    name: float
    held: set[str]
    covered: float
    known: float
    name_coverage: float
    text: float


class PlainIndex:
    """The twin of prefrontal.routing.ToolIndex, for few tools."""

    def __init__(self, tools: list[dict[str, Any]]) -> None:
        given = {tool.get("key", tool["name"]): tool for tool in tools}
        self.keys = by_bytes(given)
        self.typed = [given[key]["name"] for key in self.keys]
        self.names: list[set[str]] = []
        self.texts: list[Counter[str]] = []
        for key in self.keys:
            name = content(tokens(given[key]["name"]))
            doc = [word for word in tokens(given[key].get("doc") or "") if not is_stop_word(word)]
            self.names.append(set(name))
            self.texts.append(Counter(name + doc))
        holders = Counter(word for text in self.texts for word in text)
        self.idf = {
            word: (ln((1.0 + len(self.keys)) / (1.0 + holders[word])) + 1.0) * lexical_weight(word)
            for word in by_bytes(holders)
        }
        self.unknown = ln((1.0 + len(self.keys)) / 2.0) + 1.0
        self.experience = Experience(len(self.keys))
        for i, key in enumerate(self.keys):
            if given[key].get("history") is not None:
                self.experience.given[i] = given[key]["history"]
        intents = [list(given[key].get("intents", [])) for key in self.keys]
        turns = max((len(own) for own in intents), default=0)
        self.experience.teach(
            [
                (i, own[turn])
                for turn in range(turns)
                for i, own in enumerate(intents)
                if turn < len(own)
            ]
        )

    def accept(self, text: str, key: str, now: float | None = None, days: float = 30.0) -> None:
        self.experience.accept(self.keys.index(key), text, now, days)

    def reject(self, text: str, key: str, now: float | None = None, days: float = 30.0) -> None:
        self.experience.reject(self.keys.index(key), text, now, days)

    def name_words(self, i: int, text: str) -> int:
        """How many words the tool's name has, if it stands in the text as one identifier."""
        words = len(tokens(self.typed[i]))
        return words if words > 1 and self.typed[i] in text.split() else 0

    def same_name(self, one: Row, other: Row) -> bool:
        names = [
            [word for word in self.typed[row.tool].split("_") if tokens(word)]
            for row in (one, other)
        ]
        return names[0] == names[1] != []

    def is_copy(self, one: Row, other: Row) -> bool:
        return one.description == other.description and self.same_name(one, other)

    def known(self, asked: Counter[str], slips: Mapping[str, float]) -> float:
        total = 0.0
        for token in asked:
            unknown = self.unknown / 2.0 * lexical_weight(token)
            total += self.idf[token] if token in self.idf else slips[token] * unknown
        return total

    def add_relatives(self, asked: Counter[str], likeness: dict[str, tuple[float, float]]) -> None:
        """What words that no tool has are near to, where no word is like that by its letters."""
        of_names = {word for own in self.names for word in own}
        letters = {
            word
            for word, (text, name) in likeness.items()
            if text > 0.0 or (name > 0.0 and word in of_names)
        }
        for token, times in asked.items():
            for word, near in () if token in self.idf else related_words(token):
                if word in likeness and word not in letters:
                    likeness[word] = likeness[word][0] + times * near, likeness[word][1]

    def described(self, asked: Counter[str]) -> list[Described]:
        likeness = dict.fromkeys(self.idf, (0.0, 0.0))
        near: dict[str, set[str]] = {word: set() for word in self.idf}
        slips = dict.fromkeys(asked, 0.0)
        of_names = {word for own in self.names for word in own}
        for token, times in asked.items():
            for word in self.idf:
                is_known, is_name = token in self.idf, word in of_names
                one = alike(token, word, is_known=is_known, is_name=is_name)
                text, name = likeness[word]
                likeness[word] = text + times * one.text, name + times * one.name
                slips[token] = max(slips[token], one.slip)
                if one.text > 0.0 or one.name > 0.0:
                    near[word].add(token)
        self.add_relatives(asked, likeness)
        squares = total = 0.0
        for word, (text, _) in likeness.items():
            squares += (text * self.idf[word]) * (text * self.idf[word])
        for token in asked:
            total += self.idf.get(token, self.unknown / 2.0 * lexical_weight(token))
        known = self.known(asked, slips) / total if total else 0.0
        total = total or 1.0
        out = []
        for own, doc in zip(self.names, self.texts, strict=True):
            product = covered = named = 0
            length = weight = 0.0
            held: set[str] = set()
            for word, idf in self.idf.items():
                in_text, in_name = likeness[word]
                if word in doc:
                    product += units(in_text * idf * idf) * min(255, doc[word])
                    covered += units(min(1.0, in_text) * idf) if in_text > 0.0 else 0
                    length += (min(255, doc[word]) * idf) * (min(255, doc[word]) * idf)
                    held |= near[word] if in_text > 0.0 else set()
                if word in own:
                    named += units(min(1.0, in_name) * idf)
                    weight += idf
                    held |= near[word]
            cosine = product / UNIT * scale(squares) * scale(length)
            share = min(1.0, covered / UNIT / total)
            part = named / UNIT
            said = min(1.0, part / weight) if named else 0.0
            fit = said * min(1.0, part / total)
            size = scale(length) * self.unknown
            text_size = ln(1.0 + 1.0 / (size * size)) if size > 0.0 else 0.0
            whole = 0.3 * (share * share) * (share * share)
            description = min(1.0, (1.3 / 1.5) * (cosine + 0.5 * share) + whole)
            out.append(Described(description, fit, held, share, known, said, text_size))
        return out

    def nearness_of_meaning(self, intent: list[int]) -> list[float]:
        """Of each tool, to the meaning of a prompt."""
        asked = [self.experience.newest.get(i, []) for i in range(len(self.keys))]
        return [
            near_meaning(intent, meaning(text), [phrasing.words for phrasing in own])
            for text, own in zip(self.texts, asked, strict=True)
        ]

    def rank(
        self,
        text: str,
        weights: Mapping[str, float],
        now: float | None = None,
        days: float = 30.0,
        calibration: tuple[float, float, float] = (11.0, 0.40, 0.52),
        word_vectors: bool = True,
    ) -> list[tuple[str, float, dict[str, float], set[str]]]:
        """(key, score, features, stems matched) of all tools, best first."""
        counts = Counter(tokens(text))
        words = list(counts)
        chosen = set(content(words))
        asked = Counter({w: n for w, n in counts.items() if w in chosen})
        described = self.described(asked)
        intent = meaning(asked)
        experience, n = self.experience, len(self.experience.phrasings)
        near_by = self.nearness_of_meaning(intent) if word_vectors else [0.0] * len(self.keys)
        alike = [likeness(one) if word_vectors else 0.0 for one in near_by]
        nearness = experience.nearness(words) if n else {}
        known = experience.features(words, unknown=True) if n else {}
        shares, rest = experience.shares(known)
        margins = experience.margins_of(paired(words, known))
        learned = n / (n + len(self.keys)) if n else 0.0
        held = max((own.covered for own in described), default=0.0)
        meant = meant_share(learned, len(self.keys), held) if word_vectors else 0.0
        rows = []
        for i, own in enumerate(described):
            part = 0.7 * learned
            near, phrasings, accepted = nearness.get(i, (0.0, [], 0.0))
            if phrasings:
                above = max(0.8, min(1.6, own.text)) - 0.8
                part = (0.7 + 0.2 - 0.2 / (1.6 - 0.8) * above) * learned
            matched = own.held | {w for w in words if any(w in best.words for best in phrasings)}
            name = max(own.name, near)
            linear = math.sqrt(shares.get(i, rest))
            text_part = own.description
            if alike[i] > text_part:
                share = 0.4 * (1.0 - own.covered)
                text_part = text_part + share * (alike[i] - text_part)
            margin = max(0.0, min(1.0, margins.get(i, 0.0)))
            both = 0.7 * margin + (1.0 - 0.7) * linear
            doc = min(1.0, (1.0 - part) * text_part + part * both + 0.4 * learned * alike[i])
            if meant > 0.0:
                doc = doc + meant * (alike[i] - doc)
            plain = weights["name"] * name + weights["doc"] * doc + weights["history"] * 0.5
            refused = experience.refusal(i, words)
            kept = 1.0 - refused * refused * refused
            ok, failed, _ = experience.faded(i, now, days)
            history = experience.given.get(i, (ok + 1.0) / (ok + failed + 2.0))
            name, doc = name * kept, doc * kept
            called = self.name_words(i, text)
            if called:
                name = doc = 1.0
            raw = millionths(
                weights["name"] * name + weights["doc"] * doc + weights["history"] * history
            )
            untried = millionths(
                weights["name"] * name + weights["doc"] * doc + weights["history"] * 0.5
            )
            features = {"name_similarity": name, "doc_keywords": doc, "history_success": history}
            rounded = {key: millionths(value) / 1e6 for key, value in features.items()}
            facts = [own.covered, own.known, own.description, own.name_coverage, near]
            facts += [
                linear if n else 0.0,
                min(5.0, own.text),
                ln(1.0 + len(experience.newest.get(i, []))),
            ]
            told_by = (linear, own.description, millionths(alike[i]) / 1e6, untried)
            rows.append(Row(-called, -raw, i, rounded, matched, plain, accepted, facts, *told_by))
        rows.sort(key=lambda row: row[:3])
        best = rows[0]
        first = [best, *(row for row in rows[1:5] if not self.is_copy(best, row))]
        usual = lowest = calibration[1] + (calibration[2] - calibration[1]) * learned
        if not best.called:
            facts = [1.0, gap(first), *best.facts, min(3.4, ln(1.0 + len(asked)))]
            facts += [min(5.9, max(1.6, ln(float(len(rows)))))]
            facts += [learned, best.accepted, *lead(first, n > 0), experience.heard(words)]
            others = [near_by[row.tool] for row in rows[1:] if not self.same_name(best, row)]
            ahead = min(1.0, max(-1.0, near_by[best.tool] - max(others, default=0.0)))
            facts += [best.likeness, 0.5 * (1.0 + ahead)]
            evidence = [millionths(fact) / 1e6 for fact in facts]
            moved = usual - (0.40 + (0.52 - 0.40) * learned)
            odds = nearer(log_odds(evidence) - EVEN, evidence)
            fitted = millionths(best.plain - odds / 11.0 + moved) / 1e6
            if fitted < usual:
                lowest = fitted if len(rows) >= 5 else usual
            elif best.accepted < 0.6 and not (evidence[2] == 1.0 == evidence[5]):
                lowest = fitted
            else:
                lowest = max(usual, min(fitted, millionths(best.plain) / 1e6))
        successes = [row.features["history_success"] for row in rows[:5]]
        shared = min(successes[0], mean(successes[1:]))
        lowest += weights["history"] * max(0.0, shared - 0.5)
        usual += weights["history"] * max(0.0, mean(successes) - 0.5)
        told = []
        for row in rows:
            reached = lowest if row.raw == best.raw else max(lowest, usual)
            score = logistic(calibration[0] * (-row.raw / 1e6 - reached) + EVEN)
            told.append((self.keys[row.tool], millionths(score) / 1e6, row.features, row.matched))
        return told
