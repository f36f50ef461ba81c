"""A person's word on a belief, a directive or a fact, kept where the agent looks for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING

from ..cortex.memory.wishes import OPERATOR_KEY, OPERATOR_LOCK, OperatorWishes, wishes_damage
from ..cortex.state import CORRUPT_SUFFIX
from ..errors import InputError
from ..runtime.conversation.store import ConversationStore, conversations_path
from ..storage.lock_file import locked
from ..storage.text_memory import open_memory

if TYPE_CHECKING:
    from ..assembly.agent_records import AgentRecords
    from ..runtime.conversation.facts import PeerFact


def pin_belief(records: AgentRecords, key: str) -> str:
    """Keep the belief as it is: it never expires, and no reflection changes it; a sentence.

    Raises InputError for a belief that is not held, SourceError when it cannot be written.
    """
    _held(records, key)
    with _changing(records.folder) as wishes:
        wishes.pin(key, None, records.clock.now())
    return f"Pinned: {key}. The agent takes it up at its next look."


def approve_belief(records: AgentRecords, key: str) -> str:
    """Let the belief pass as the agent's own; the system's user has approved it. A sentence.

    Raises InputError for a belief that does not wait for it, SourceError when it cannot be written.
    """
    waiting = {
        belief.key
        for belief, status in records.beliefs()
        if belief.tainted or status == "quarantined"
    }
    if key not in waiting:
        raise InputError(f"key must be that of a belief that waits for approval, got {key!r:.80}")
    with _changing(records.folder) as wishes:
        wishes.approve(key, records.clock.now(), f"{getuser()} on the page")
    return f"Approved: {key}. The agent takes it up at its next look."


def forget_belief(records: AgentRecords, key: str) -> str:
    """Hold the belief no longer, pinned or not; a later reflection may form it anew.

    Raises InputError for one that is not held or that the settings pin, SourceError.
    """
    _held(records, key)
    if key in dict(records.settings.pinned_beliefs):
        rule = "be unpinned in prefrontal.yml (cortex.pinned_beliefs), where it stands"
        raise InputError(f"key must {rule}, got {key!r:.80}")
    with _changing(records.folder) as wishes:
        wishes.forget(key, records.clock.now())
    return f"Forgotten: {key}. A later reflection may form it anew."


def approve_directive(records: AgentRecords, directive: str) -> str:
    """Let the directive go out; the system's user has approved it. A sentence.

    Raises InputError for one that does not wait for it, SourceError when it cannot be written.
    """
    _waiting(records, directive)
    with _changing(records.folder) as wishes:
        wishes.approve(directive, records.clock.now(), f"{getuser()} on the page")
    return f"Approved: {directive}. The agent takes it up at its next look."


def reject_directive(records: AgentRecords, directive: str) -> str:
    """Drop the directive. A sentence. Raises as `approve_directive`."""
    _waiting(records, directive)
    with _changing(records.folder) as wishes:
        wishes.reject(directive, records.clock.now())
    return f"Rejected: {directive}. It does not go out."


def approve_fact(records: AgentRecords, number: int, was: str, value: str | None = None) -> str:
    """Take a fact for true, with another value where one is given; a sentence.

    was: its value as the person saw it. Raises InputError for one that is not kept, that holds no
    more or that has another value by now, SourceError.
    """
    with _fact(records, number, was) as (store, fact):
        if fact.valid_until is not None:
            raise InputError(f"fact must be one that still holds, got {number}")
        store.correct_fact(number, value, f"{getuser()} on the page")
    verb, value = ("Approved", fact.value) if value is None else ("Corrected and approved", value)
    return f"{verb}: {fact.attribute} of {fact.subject or fact.peer_id} is {value}."


def forget_fact(records: AgentRecords, number: int, was: str) -> str:
    """Delete a fact, byte for byte; what it had ended holds again. A sentence.

    was: its value as the person saw it. Raises InputError for one that is not kept or that has
    another value by now, SourceError.
    """
    with _fact(records, number, was) as (store, fact):
        store.delete_fact(number)
    whose = f"{fact.attribute} of {fact.subject or fact.peer_id}"
    return f"Forgotten: {whose} is {fact.value}. Message {fact.source} stays as it was said."


@contextmanager
def _fact(
    records: AgentRecords, number: int, was: str
) -> Iterator[tuple[ConversationStore, PeerFact]]:
    """The conversations, to write, and the fact of that number and value."""
    path = conversations_path(records.folder)
    if path.exists():
        with ConversationStore(path) as store:
            if (fact := store.fact(number)) is not None:
                if fact.value != was:
                    rule = f"be as the page showed it, {was!r:.90}"
                    raise InputError(f"fact must {rule}, got {fact.value!r:.90} meanwhile")
                yield store, fact
                return
    raise InputError(f"fact must be one that is kept, got {number}")


def _waiting(records: AgentRecords, directive: str) -> None:
    if directive not in {each.directive.id for each in records.directives()}:
        rule = "be that of a directive that waits for approval"
        raise InputError(f"id must {rule}, got {directive!r:.80}")


def _held(records: AgentRecords, key: str) -> None:
    if key not in {belief.key for belief, _ in records.beliefs()}:
        raise InputError(f"key must be that of a belief that is held, got {key!r:.80}")


@contextmanager
def _changing(folder: Path) -> Iterator[OperatorWishes]:
    """The wishes so far; what is changed in them is stored."""
    memory = open_memory(folder)
    with locked(folder / OPERATOR_LOCK):
        text = memory.retrieve(OPERATOR_KEY)
        if wishes_damage(text):
            memory.store(OPERATOR_KEY + CORRUPT_SUFFIX, text or "")
        wishes = OperatorWishes.from_text(text)
        yield wishes
        memory.store(OPERATOR_KEY, wishes.to_text())
