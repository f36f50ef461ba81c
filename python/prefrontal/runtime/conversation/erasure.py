"""One message erased, with all that was made of it; what was made of others stays."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ...origins import dump_origins, parse_origins
from . import condensing, facts, rows
from .condensing import Note
from .words import indexed, terms

if TYPE_CHECKING:
    from ...storage.database import Database
    from .models import Message

_COVERING = """\
SELECT notes.id, first, last, text, notes.origins FROM notes JOIN messages AS m ON m.id = ?
WHERE notes.wall = m.wall AND notes.conversation = m.conversation
  AND m.turn BETWEEN first AND last"""
_LATER = """\
SELECT later.id, later.content, later.created_at FROM messages AS later JOIN messages AS m
  ON m.id = ? WHERE later.wall = m.wall AND later.peer = m.peer AND later.direction = 'in'
  AND later.id > m.id ORDER BY later.id"""
_DRAWN = """\
SELECT facts.id, subject, attribute, s.content FROM facts JOIN messages AS m ON m.id = ?
  JOIN messages AS s ON s.id = source
WHERE facts.origins IS NOT NULL AND source <> m.id AND s.wall = m.wall
  AND s.conversation = m.conversation"""
_ELSEWHERE = """\
SELECT 1 FROM words WHERE words MATCH ? AND rowid <> ? LIMIT 1"""


def delete(database: Database, number: int) -> bool:
    """Delete one message with its words; whether it was there.

    Facts that it stated go, but for those that were stated again, and those that a model drew in
    words of it; of notes what may hold words of it, see `condensing.without`.
    """
    message = rows.select(database, [number]).get(number)
    if message is None:
        return False
    covering = database.execute(_COVERING, (number,))
    _delete_facts(database, message)
    database.execute("DELETE FROM words WHERE rowid = ?", (number,))
    database.execute("DELETE FROM messages WHERE id = ?", (number,))
    for row in covering:
        _rewrite(database, replace(Note(*row), origins=parse_origins(row[-1])))
    database.execute("INSERT INTO words (words) VALUES ('optimize')")
    return True


def _rewrite(database: Database, note: Note) -> None:
    left = condensing.without(note, rows.select(database, sorted(condensing.ids_in(note.text))))
    if left is None:
        database.execute("DELETE FROM notes WHERE id = ?", (note.id,))
    else:
        values = (left.text, dump_origins(left.origins), note.id)
        database.execute("UPDATE notes SET text = ?, origins = ? WHERE id = ?", values)


def _delete_facts(database: Database, message: Message) -> None:
    own = database.execute(
        "SELECT id, subject, attribute, value, confirmed_at > valid_from FROM facts"
        " WHERE source = ?",
        (message.id,),
    )
    for fact, subject, attribute, value, is_confirmed in own:
        statement = facts.Statement(subject, attribute, value)
        if not (is_confirmed and _inherit(database, message.id, fact, statement)):
            facts.delete(database, fact)
    for fact, subject, attribute, content in database.execute(_DRAWN, (message.id,)):
        words = _words(f"{subject} {attribute}") & _words(message.content) - _words(content)
        if any(not _is_elsewhere(database, message.id, word) for word in words):
            facts.delete(database, fact)


def _inherit(database: Database, message: int, fact: int, statement: facts.Statement) -> bool:
    """Let a fact come from the first later message that states it; whether there is one."""
    for number, content, at in database.execute(_LATER, (message,)):
        for each in facts.statements(content):
            if facts.is_same(each, statement):
                database.execute(
                    "UPDATE facts SET source = ?, value = ?, valid_from = ?, origins = NULL"
                    " WHERE id = ?",
                    (number, each.value, at, fact),
                )
                database.execute("UPDATE facts SET valid_until = ? WHERE ended_by = ?", (at, fact))
                return True
    return False


def _is_elsewhere(database: Database, message: int, word: str) -> bool:
    """Whether another message has the word, so that it is none of this one alone."""
    expression = " ".join(terms(f'"{indexed(word)}"'))
    return bool(database.execute(_ELSEWHERE, (f"content : {expression}", message)))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
