"""Durable facts that peers state about themselves and their projects, by rules, in English.

A fact has a subject ("" is the peer itself), an attribute, a value, the message it was said in, and
the time it holds. A newer statement of the same peer behind the same wall ends an older one with
another value; both are kept. What a question, a condition or a denial holds is no fact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from ...origins import foreign, parse_origins, peer_origin
from ...plain_text import one_line, shorten
from ...redaction import REDACTED
from .models import Wall

if TYPE_CHECKING:
    from ...storage.database import Database, Value

LONGEST_VALUE = 80
DECAY_S = 365 * 86_400.0
"""A fact that was not said again for so long is shown to no model, unless a person approved it."""
MOST_OF_A_WALL = 500
_READ = 4000
_SENTENCE = re.compile(r"[^.!?\n]*(?:\.(?=\w)[^.!?\n]*)*[.!?\n]?")
_NAME = r"[\w'’-]+(?: [\w'’-]+){0,3}?"
_CHANGED = r" was changed to| moved to| changed to"
_IS = rf"(?: is called| is| are|{_CHANGED}|'s|’s)(?: now| actually)?"
_VALUE = r"(?P<value>\S.{0,120}?)(?= but | and (?:my|i|the|we|[A-Z][\w-]+['’]s)\b|, |; |$)"
_AM = r"\bi(?:'m| am)?(?: now| just| have)?"
_PLACES = r"(?: live| living| moved| move)(?: now)? (?:in|to)"
_Rule: TypeAlias = "tuple[str, tuple[str, ...], re.Pattern[str]]"
_RULES: tuple[_Rule, ...] = tuple(
    (attribute, parts, re.compile(pattern + " " + _VALUE, re.IGNORECASE))
    for attribute, parts, pattern in (
        ("home", ("live", "living", "move"), _AM + _PLACES),
        ("employer", ("work",), _AM + r"(?: work| working)(?: now)? (?:at|for)"),
        ("origin", ("from",), r"\bi(?: am|'m| come) from"),
        ("name", ("call",), r"\b(?:call me|i(?: am|'m) called)"),
        ("", ("my ",), rf"\bmy (?P<attribute>{_NAME}){_IS}"),
        ("", ("the ",), rf"\bthe (?P<attribute>[\w-]+) (?:of|for) (?P<subject>{_NAME}){_IS}"),
        (
            "",
            ("'s ", "’s "),
            rf"\b(?P<subject>[A-Z][\w-]+)['’]s (?P<attribute>{_NAME})(?: is|{_CHANGED})",
        ),
    )
)
"""Attribute, parts of which a sentence must hold one before it is searched, pattern."""
_DOUBT = re.compile(
    r"\b(?:if|whether|suppose|not|isn['’]t|never|wish|maybe|perhaps|unless|would|used to)\b", re.I
)
_MEANS = {
    "home": "home live lives living moved city address where",
    "employer": "employer work works working job company",
    "origin": "origin from country born",
    "name": "name called",
}
"""Words by which a question may mean an attribute."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What somebody says is so. subject: "" for the one who says it."""

    subject: str
    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class PeerFact:
    """A statement on record. source: id of its message. valid_until: None while it holds.

    origins: whose words may be in it. approved_by: who approved it, where that is known. wall: who
    may see it.
    """

    id: int
    wall: Wall
    peer_id: str
    subject: str
    attribute: str
    value: str
    source: int
    valid_from: float
    valid_until: float | None
    confirmed_at: float
    approved: bool
    origins: tuple[str, ...]
    approved_by: str

    @property
    def foreign(self) -> tuple[str, ...]:
        """The origins other than its peer; none once it is approved."""
        return () if self.approved else foreign(self.origins, self.peer_id)

    @property
    def words(self) -> frozenset[str]:
        """The words by which it is asked for."""
        text = f"{self.subject} {self.attribute} {_MEANS.get(self.attribute, '')}"
        return words_of(text)


def statements(text: str) -> list[Statement]:
    """The facts that a message states."""
    made: list[Statement] = []
    text = text[:_READ]
    if not _rules_for(text):  # most messages state nothing
        return made
    for sentence in _SENTENCE.findall(text):
        rules = _rules_for(sentence)
        if not rules or sentence.endswith("?") or _DOUBT.search(sentence):
            continue
        words = sentence.rstrip(".!\n ")
        for attribute, _, pattern in rules:
            for match in pattern.finditer(words):
                each = _statement(attribute, match)
                if each not in made and REDACTED not in each.value:
                    made.append(each)
    return made


def is_same(one: Statement, other: Statement) -> bool:
    """Whether both say the same of the same, in any case."""
    return (one.subject, one.attribute, one.value.casefold()) == (
        *(other.subject, other.attribute),
        other.value.casefold(),
    )


def _rules_for(text: str) -> list[_Rule]:
    """The rules of which the text holds a part."""
    small = text.casefold()
    return [rule for rule in _RULES if any(part in small for part in rule[1])]


def _statement(attribute: str, match: re.Match[str]) -> Statement:
    groups = match.groupdict()
    name = attribute or groups["attribute"]
    subject = groups.get("subject") or ""
    value = shorten(one_line(match["value"]).strip(" \"'“”"), LONGEST_VALUE)
    return Statement(_clean(subject), _clean(name), value)


def _clean(name: str) -> str:
    return one_line(name).casefold().removeprefix("the ").replace("favorite", "favourite")


def learn(database: Database, message: int, text: str, at: float) -> None:
    """Note what a message states: again, anew, or instead of what was said before."""
    for each in statements(text):
        key = (message, each.subject, each.attribute)
        old = database.execute(_CURRENT, key)
        if old and old[0][1].casefold() == each.value.casefold():
            database.execute("UPDATE facts SET confirmed_at = ? WHERE id = ?", (at, old[0][0]))
            continue
        [(number,)] = database.execute(
            _NEW, (each.subject, each.attribute, each.value, at, message)
        )
        if old:
            database.execute(
                "UPDATE facts SET valid_until = ?, ended_by = ? WHERE id = ?",
                (at, number, old[0][0]),
            )


def delete(database: Database, number: int) -> bool:
    """Delete a fact; what it ended holds again, or as long as it did. Whether it was there."""
    database.execute(_INHERIT, (number,))
    return bool(database.execute("DELETE FROM facts WHERE id = ? RETURNING id", (number,)))


def correct(database: Database, number: int, value: str | None, by: str) -> bool:
    """Approve a fact, with another value where one is given. Whether it was there."""
    sql = (
        "UPDATE facts SET approved = 1, approved_by = ?, value = coalesce(?, value)"
        " WHERE id = ? RETURNING id"
    )
    return bool(database.execute(sql, (by, value, number)))


def select(
    database: Database, where: str, values: Sequence[Value], limit: int | None = None
) -> list[PeerFact]:
    """Facts that a condition of SQL holds for, the newest first; limit: None for all."""
    rows = database.execute(
        f"{_SELECT} WHERE {where} ORDER BY facts.id DESC LIMIT ?",
        (*values, -1 if limit is None else limit),
    )
    return [_fact(row) for row in rows]


def _fact(row: Sequence[Any]) -> PeerFact:
    fact = PeerFact(row[0], Wall(*row[-3:]), *row[1:-3])
    stored: str | None = row[-5]
    whose = (peer_origin(fact.peer_id),) if stored is None else parse_origins(stored)
    return replace(
        fact, approved=bool(fact.approved), origins=whose, approved_by=fact.approved_by or ""
    )


def fitting(known: Sequence[PeerFact], query: str, limit: int) -> list[PeerFact]:
    """The facts that a question asks for, best first, then the newest: those that still hold first.

    At least half of a fact's own words, or its value, must stand in the question.
    """
    wanted = words_of(query)
    scored = [(_fit(fact, wanted), fact) for fact in known]
    best = sorted(
        (each for each in scored if each[0] > 0),
        key=lambda each: (-each[0], each[1].valid_until is not None, -each[1].id),
    )
    return [fact for _, fact in best[:limit]]


def _fit(fact: PeerFact, wanted: frozenset[str]) -> float:
    own = words_of(f"{fact.subject} {fact.attribute}")
    shared = len(own & wanted) / max(1, len(own))
    has_word = fact.attribute in _MEANS and fact.words & wanted
    return max(shared if shared >= 0.5 else 0.0, 0.5 if has_word else 0.0)


def words_of(text: str) -> frozenset[str]:
    """Words without case and the plural's or the genitive's s."""
    words = re.findall(r"[^\W_]+", text.casefold().replace("'s", "").replace("’s", ""))
    return frozenset(word.removesuffix("s") if len(word) > 3 else word for word in words)


_SELECT = """\
SELECT facts.id, peer_id, subject, attribute, value, source, valid_from, valid_until, confirmed_at,
  approved, origins, approved_by, walls.scope, walls.channel_type, walls.name
FROM facts JOIN peers ON peers.id = facts.peer JOIN walls ON walls.id = facts.wall"""
_CURRENT = """\
SELECT facts.id, value FROM facts JOIN messages AS m ON m.id = ?
WHERE facts.wall = m.wall AND facts.peer = m.peer AND subject = ? AND attribute = ?
  AND valid_until IS NULL"""
_NEW = """\
INSERT INTO facts (wall, peer, subject, attribute, value, source, valid_from, confirmed_at)
SELECT wall, peer, ?1, ?2, ?3, id, ?4, ?4 FROM messages WHERE id = ?5 RETURNING id"""
_INHERIT = """\
UPDATE facts SET valid_until = gone.valid_until, ended_by = gone.ended_by
FROM (SELECT valid_until, ended_by FROM facts WHERE id = ?1) AS gone WHERE facts.ended_by = ?1"""
