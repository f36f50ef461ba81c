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
from ..ledger.location import file_name, ledger_path
from ..origins import peer_origin
from ..runtime.conversation.store import ConversationStore, conversations_path
from ..storage.text_memory import TextMemory, open_memory

FORGOTTEN = "[forgotten]"
_OWN = ("cortex-", "session-channels")
"""Beginnings of the keys under which the agent keeps what it made of peers."""
_SENTENCES = ("summary", "input_summary")
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Erasure:
    """What went, and which files still hold the peer's id: notes, logs, copies."""

    peer_id: str
    rows: int
    messages: int
    documents: tuple[str, ...]
    left: tuple[Path, ...]


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
        names = _names(book, peer_id)
        rows = book.forget(peer_id)
        messages = 0
        if conversations_path(folder).exists():
            with ConversationStore(conversations_path(folder)) as store:
                messages = store.forget(peer_id)
        keys = notes.keys()
        own = [key for key in keys if key.startswith(_OWN)]
        changed = tuple(key for key in own if _scrub(notes, key, peer_id, names))
        _drop_evidence(notes)
    left = tuple(_holders([folder, *others], peer_id))
    if not rows and not messages and not changed:
        rule = "be one that the ledger, the conversations or the cortex know"
        where = f"; its id stands in {left[0]}" if left else ""
        raise InputError(f"peer must {rule}, got {peer_id!r:.80}{where}")
    return Erasure(peer_id, rows, messages, changed, left)


def _names(book: Ledger, peer_id: str) -> tuple[str, ...]:
    """The id, and the name where it is long enough to mean one."""
    peer = book.peer(peer_id)
    name = "" if peer is None else peer.display_name.strip()
    return (peer_id, name) if len(name) > 2 else (peer_id,)


def _scrub(notes: TextMemory, key: str, peer_id: str, names: tuple[str, ...]) -> bool:
    """Take the peer out of a document; whether it held it. One that is no JSON goes whole."""
    text = notes.retrieve(key) or ""
    mention = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names))
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    clean = _Scrubber(peer_id, mention).without(document)
    if document is not None and clean == document:
        return False
    if document is None and not mention.search(text):
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
    """Takes a peer out of a document of JSON."""

    def __init__(self, peer_id: str, mention: re.Pattern[str]) -> None:
        self._peer_id = peer_id
        self._origin = peer_origin(peer_id)
        self._mention = mention

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
        return isinstance(sources, list) and self._origin in sources

    def _names(self, text: str) -> bool:
        return bool(self._mention.search(text)) or self._peer_id.encode() in _decoded(text)


def _without_words(record: dict[str, Any]) -> dict[str, Any]:
    """What is left of a model's reflection that had read the peer: no reasons and no keys."""
    assessments = record.get("assessments")
    judgments = [
        {**each, "rationale": FORGOTTEN}
        for each in (assessments if isinstance(assessments, list) else [])
        if isinstance(each, dict)
    ]
    keys: dict[str, Any] = {
        name: [] for name, each in record.items() if "beliefs_" in name and each
    }
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
