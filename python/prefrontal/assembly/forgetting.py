"""A peer erased from everything that the agent keeps of it, and what else still names it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..cortex.state import BELIEFS_KEY, STATE_KEY
from ..errors import InputError
from ..ledger import Ledger
from ..ledger.forgetting import FORGOTTEN, mention_of
from ..ledger.location import file_name, ledger_path
from ..origins import may_hold, peer_origin
from ..runtime.conversation.models import MessageQuery
from ..runtime.conversation.store import ConversationStore, conversations_path
from ..storage.text_memory import TextMemory, open_memory

_OWN = ("cortex-", "session-channels")
"""Beginnings of the keys under which the agent keeps what it made of peers."""
_SENTENCES = ("summary", "input_summary")
_QUOTING = ("parse", "unavailable", "error")
"""How reflections end whose reason is in words of a model or a library."""
_CHUNK = 1 << 20
_MOST_NAMING = 1000


@dataclass(frozen=True, slots=True)
class Erasure:
    """What went, and which files still hold the peer's id: notes, logs, copies.

    reasons: how many judgments of others lost theirs. repeating: ids of messages to others that may
    hold its words. naming: ids of other messages that name it.
    """

    peer_id: str
    rows: int
    reasons: int
    messages: int
    documents: tuple[str, ...]
    left: tuple[Path, ...]
    repeating: tuple[int, ...] = ()
    naming: tuple[int, ...] = ()


def forget(
    peer_id: str, folder: Path, config: Mapping[str, Any], others: Iterable[Path] = ()
) -> Erasure:
    """Erase a peer from the ledger, the conversations and the cortex's documents.

    folder: the workspace. others: files and folders beside it that are only looked through. Beliefs
    and directives about the peer go, sentences that name it become "[forgotten]". Raises InputError
    for a peer that nothing knows, SourceError while an agent runs in the workspace.
    """
    notes = open_memory(folder)
    path = ledger_path(file_name(config), folder)
    book = Ledger(path) if isinstance(path, Path) and path.exists() else Ledger()
    with book:  # the writer's lock: no agent runs beside
        mention = mention_of(peer_id, book.peer(peer_id))
        gone = book.forget(peer_id)
        messages, repeating, naming = 0, list[int](), list[int]()
        if conversations_path(folder).exists():
            with ConversationStore(conversations_path(folder)) as store:
                repeating = store.repeating(peer_id)
                messages = store.forget(peer_id)
                naming = _naming(store, peer_id, mention)
        scrubber = _Scrubber(peer_id, mention, is_known=gone.rows + messages > 0)
        own = [key for key in notes.keys() if key.startswith(_OWN)]  # noqa: SIM118 - no mapping
        changed = tuple(key for key in own if _scrub(notes, key, scrubber))
        _drop_evidence(notes)
    left = tuple(_holders([folder, *others], peer_id))
    if not (gone.rows or gone.reasons or messages or changed):
        rule = "be one that the ledger, the conversations or the cortex know"
        where = f"; its id stands in {left[0]}" if left else ""
        raise InputError(f"peer must {rule}, got {peer_id!r:.80}{where}")
    counts = (gone.rows, gone.reasons, messages)
    return Erasure(peer_id, *counts, changed, left, tuple(repeating), tuple(naming))


def _naming(store: ConversationStore, peer_id: str, mention: re.Pattern[str]) -> list[int]:
    """Ids of the messages that are left and name the peer by its id."""
    hits = store.search(MessageQuery(f'"{peer_id}"', limit=_MOST_NAMING))
    return sorted(hit.message.id for hit in hits if mention.search(hit.message.content))


def _scrub(notes: TextMemory, key: str, scrubber: _Scrubber) -> bool:
    """Take the peer out of a document; whether it held it. One that is no JSON goes whole."""
    text = notes.retrieve(key) or ""
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    clean = scrubber.without(document)
    if document is not None and clean == document:
        return False
    if document is None and not scrubber.mention.search(text):
        return False
    notes.store(key, "" if document is None else json.dumps(clean, ensure_ascii=False))
    return True


def _drop_evidence(notes: TextMemory) -> None:
    """Of beliefs that are gone: their keys may be words of the peer."""
    try:
        state = json.loads(notes.retrieve(STATE_KEY) or "")
        beliefs = json.loads(notes.retrieve(BELIEFS_KEY) or "{}")
        before = state["belief_evidence"]
        state["belief_evidence"] = {key: before[key] for key in before if key in beliefs}
    except (ValueError, KeyError, TypeError):
        return
    if state["belief_evidence"] != before:
        notes.store(STATE_KEY, json.dumps(state, ensure_ascii=False))


class _Scrubber:
    """Takes a peer out of a document of JSON.

    is_known: whether the peer ever wrote; else origins that nobody listed are not its.
    """

    def __init__(self, peer_id: str, mention: re.Pattern[str], *, is_known: bool) -> None:
        self._peer_id = peer_id
        self._origin = peer_origin(peer_id)
        self._is_known = is_known
        self.mention = mention

    def without(self, value: Any) -> Any:
        """The value without entries of the peer; a sentence that names it is "[forgotten]"."""
        if isinstance(value, dict):
            return self._mapping(value)
        if isinstance(value, list):
            return [self.without(each) for each in value if not self._is_of_peer(each)]
        return FORGOTTEN if isinstance(value, str) and self._names(value) else value

    def _mapping(self, value: dict[str, Any]) -> dict[str, Any]:
        entries = {
            key: self.without(each)
            for key, each in value.items()
            if not self._names(key) and not (isinstance(each, dict) and self._is_of_peer(each))
        }
        if entries != value:  # what was summed up there was made from the peer's words, too
            entries |= {key: FORGOTTEN for key in _SENTENCES if entries.get(key)}
        if "summary" in value and self._is_source_of(value):
            entries |= _without_words(entries)
        return {
            key: "" if key == "engine" and each == FORGOTTEN else each
            for key, each in entries.items()
        }

    def _is_of_peer(self, value: object) -> bool:
        if isinstance(value, dict):
            return value.get("peer_id") == self._peer_id or self._is_made_of(value)
        return isinstance(value, str) and self._names(value)

    def _is_made_of(self, entry: dict[str, Any]) -> bool:
        """Whether words of the peer went into a belief, a lesson or the like; a record stays."""
        return self._is_source_of(entry) and "summary" not in entry

    def _is_source_of(self, entry: dict[str, Any]) -> bool:
        sources = entry.get("sources")
        if not isinstance(sources, list):
            return False
        return may_hold(sources, self._origin) if self._is_known else self._origin in sources

    def _names(self, text: str) -> bool:
        return bool(self.mention.search(text)) or self._peer_id.encode() in _decoded(text)


def _without_words(record: dict[str, Any]) -> dict[str, Any]:
    """What is left of a model's reflection that had read the peer: no reasons and no keys.

    Nor what a failed one said, which may quote its question.
    """
    assessments = record.get("assessments")
    judgments = [
        {**each, "rationale": FORGOTTEN}
        for each in (assessments if isinstance(assessments, list) else [])
        if isinstance(each, dict)
    ]
    keys: dict[str, Any] = {
        name: [] for name, each in record.items() if "beliefs_" in name and each
    }
    if record.get("skip_reason") and record.get("status") in _QUOTING:
        keys["skip_reason"] = FORGOTTEN
    return {**keys, **({"assessments": judgments} if judgments else {})}


def _decoded(text: str) -> bytes:
    """The bytes of a text in base64, as the state of the triggers is; empty for any other."""
    try:
        return base64.b64decode(text, validate=True) if len(text) >= 16 else b""
    except ValueError:
        return b""


def _holders(places: Iterable[Path], peer_id: str) -> list[Path]:
    """The plain files that still hold the id, sorted."""
    needles = {peer_id.encode(), json.dumps(peer_id)[1:-1].encode()}
    files = {
        file
        for place in places
        for file in ([place] if place.is_file() else place.rglob("*"))
        if file.is_file() and not file.is_symlink()
    }
    return sorted(file for file in files if _holds(file, needles))


def _holds(file: Path, needles: set[bytes]) -> bool:
    """Whether a file holds one of them as a word of its own."""
    mention = re.compile(
        b"|".join(
            rb"(?<![A-Za-z0-9_])" + re.escape(each) + rb"(?![A-Za-z0-9_])" for each in needles
        )
    )
    rest = b""
    try:
        with file.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                if mention.search(rest + chunk):
                    return True
                rest = chunk[-4096:]
    except OSError:
        return False
    return False
