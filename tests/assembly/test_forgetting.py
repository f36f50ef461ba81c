"""A peer is erased everywhere: proven by the bytes that are left."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from prefrontal.assembly.agent import build_runtime
from prefrontal.assembly.forgetting import forget
from prefrontal.errors import InputError, SourceError
from prefrontal.ledger import Ledger
from prefrontal.ledger.forgetting import FORGOTTEN
from prefrontal.plugin import IncomingMessage
from prefrontal.runtime.conversation.store import ConversationStore
from prefrontal.storage.memory_files import MemoryFiles
from prefrontal.storage.sqlite_database import SqliteDatabase
from prefrontal.testing import ManualClock, Reply, ScriptedSubagent

PEER, NAME, WORDS = "zelda-7f3a", "Zeldarina", "qwyjibo"
CANARIES = (PEER.encode(), NAME.encode(), WORDS.encode())


def message(sender: str, name: str, text: str, number: int) -> IncomingMessage:
    at = datetime.fromtimestamp(1_700_000_000, UTC)
    return IncomingMessage(str(number), "test", f"chat-{sender}", sender, name, text, at)


@pytest.fixture
async def workspace(tmp_path: Path) -> Path:
    """Where an agent with a cortex talked with two peers, one of whom is to be forgotten."""
    config = {"logging": {"level": "off"}, "cortex": {"interval_minutes": 1}}
    clock = ManualClock(1_700_000_000.0)
    runtime = build_runtime(config, clock=clock, workspace=tmp_path)
    await runtime.start()
    for number in range(8):
        await runtime.receive(message(PEER, NAME, f"{WORDS} number {number}", number))
        await runtime.receive(message("ann", "Ann", f"hello {number}", 100 + number))
        clock.advance(120)
        await runtime.tick()
    await runtime.stop()
    return tmp_path


def holders(folder: Path) -> dict[str, list[bytes]]:
    """Which files hold which of the canaries."""
    files = {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    return {
        name: held for name, data in files.items() if (held := [c for c in CANARIES if c in data])
    }


async def test_no_byte_of_a_forgotten_peer_is_left(workspace: Path) -> None:
    before = holders(workspace)
    assert {"conversations.sqlite", "ledger.sqlite", "session-channels.md"} <= set(before)
    assert any(name.startswith("cortex-") for name in before)
    erasure = forget(PEER, workspace, {})
    assert holders(workspace) == {}
    assert (erasure.messages, erasure.left) == (16, ())
    words = SqliteDatabase(workspace / "conversations.sqlite", application_id=0x50464356)
    words.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab (main, words, row)")
    terms = {term for (term,) in words.execute("SELECT term FROM temp.terms")}
    words.close()
    assert "hello" in terms
    assert WORDS not in terms


async def test_no_byte_is_left_in_the_reasons_of_others(tmp_path: Path) -> None:
    judgment = {"peer_id": "ann", "trust": 2, "rationale": f"As was said: {WORDS}."}
    reply = {"assessments": [judgment], "beliefs": [], "summary": "Well."}
    clock = ManualClock(1_700_000_000.0)
    runtime = build_runtime(
        {"logging": {"level": "off"}, "cortex": {"interval_minutes": 1}},
        clock=clock,
        workspace=tmp_path,
        subagent=ScriptedSubagent(reply, repeat=True),
    )
    await runtime.start()
    for number in range(6):
        await runtime.receive(message(PEER, NAME, f"{WORDS} number {number}", number))
        await runtime.receive(message("ann", "Ann", f"hello {number}", 100 + number))
        clock.advance(120)
        await runtime.tick()
    await runtime.stop()
    with Ledger(tmp_path / "ledger.sqlite", read_only=True) as book:
        [*_, before] = book.assessments("ann")
    assert WORDS in before.rationale
    assert before.origins == ("peer:ann", f"peer:{PEER}")
    erasure = forget(PEER, tmp_path, {})
    assert holders(tmp_path) == {}
    with Ledger(tmp_path / "ledger.sqlite", read_only=True) as book:
        judgments = [*book.assessments()]
    assert erasure.reasons == len(judgments) > 0
    assert (judgments[-1].trust, judgments[-1].rationale) == (before.trust, FORGOTTEN)


@pytest.mark.parametrize(
    "failure",
    [f"{WORDS}, no JSON", Reply(error=f"flagged: {WORDS}"), OSError(f"too long: {WORDS}")],
)
async def test_no_byte_is_left_in_the_reasons_of_reflections_that_failed(
    tmp_path: Path, failure: Any
) -> None:
    clock = ManualClock(1_700_000_000.0)
    subagent = ScriptedSubagent([failure])
    config = {"logging": {"level": "off"}}
    runtime = build_runtime(config, clock=clock, workspace=tmp_path, subagent=subagent)
    await runtime.start()
    await runtime.receive(message(PEER, NAME, WORDS, 1))
    clock.advance(3600)
    await runtime.tick()
    await runtime.stop()
    assert WORDS.encode() in holders(tmp_path)["cortex-history.md"]
    forget(PEER, tmp_path, {})
    assert holders(tmp_path) == {}
    assert FORGOTTEN in (tmp_path / "memory" / "files" / "cortex-history.md").read_text()


def test_what_was_made_of_more_origins_than_are_listed_goes_but_for_no_mistyped_id(
    tmp_path: Path,
) -> None:
    notes = MemoryFiles(tmp_path / "memory" / "files")
    beliefs = {"many": {"value": "x", "sources": ["more"]}, "own": {"value": "y", "sources": []}}
    notes.store("cortex-beliefs", json.dumps(beliefs))
    with pytest.raises(InputError, match="peer must be one"):
        forget(PEER, tmp_path, {})
    assert json.loads(notes.retrieve("cortex-beliefs") or "") == beliefs
    with Ledger(tmp_path / "ledger.sqlite") as book:
        book.record_interaction(PEER, "in", preview="hi")
    forget(PEER, tmp_path, {})
    assert list(json.loads(notes.retrieve("cortex-beliefs") or "")) == ["own"]


async def test_the_others_are_as_they_were(workspace: Path) -> None:
    with Ledger(workspace / "ledger.sqlite", read_only=True) as book:
        before = book.get_peer_assessment_summary("ann", 10)
    forget(PEER, workspace, {})
    with Ledger(workspace / "ledger.sqlite", read_only=True) as book:
        assert book.get_peer_assessment_summary("ann", 10) == before
        assert [peer.peer_id for peer in book.list_peers()] == ["ann"]
    runtime = build_runtime({"logging": {"level": "off"}}, workspace=workspace)
    await runtime.start()
    reply = await runtime.receive(message("ann", "Ann", "hello again", 999))
    assert reply is not None
    assert [line for line in runtime.logs if line[0] in ("warn", "error")] == []
    await runtime.stop()
    with ConversationStore(workspace / "conversations.sqlite", read_only=True) as store:
        assert {each.peer_id for each in store.around(2, 99, 99)} <= {"ann"}


async def test_what_still_names_the_peer_is_told(workspace: Path, tmp_path: Path) -> None:
    copy = workspace / "ledger.sqlite.bak"
    copy.write_bytes((workspace / "ledger.sqlite").read_bytes())
    notes = MemoryFiles(workspace / "memory" / "files")
    notes.store("my-note", f"ask {PEER} about lunch")
    notes.store("harmless", f"x{PEER} is somebody else")
    erasure = forget(PEER, workspace, {})
    assert [file.name for file in erasure.left] == ["ledger.sqlite.bak", "my-note.md"]


async def test_it_is_refused_while_an_agent_runs(workspace: Path) -> None:
    with Ledger(workspace / "ledger.sqlite"), pytest.raises(SourceError, match="in use by another"):
        forget(PEER, workspace, {})


def test_a_peer_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="peer must be one that the ledger"):
        forget("nobody", tmp_path, {})
    assert list(tmp_path.iterdir()) == []


def test_documents_lose_what_is_of_the_peer_and_sentences_that_name_it(tmp_path: Path) -> None:
    notes = MemoryFiles(tmp_path / "memory" / "files")
    beliefs: dict[str, Any] = {
        "a": {"peer_id": PEER, "value": "pays late"},
        "b": {"peer_id": "ann", "value": f"knows {PEER}", "rationale": "said so"},
        f"about-{PEER}": {"value": "x"},
    }
    record = {"cycle": 3, "peers_assessed": ["ann", PEER], "summary": "Somebody said qwyjibo."}
    notes.store("cortex-beliefs", json.dumps(beliefs))
    notes.store("cortex-history", json.dumps([record, {"cycle": 4, "summary": "Quiet."}]))
    notes.store("cortex-history-corrupt", f"{{broken {PEER}")
    notes.store("plain", f"mine, of {PEER}")
    erasure = forget(PEER, tmp_path, {})
    assert erasure.documents == ("cortex-beliefs", "cortex-history", "cortex-history-corrupt")
    assert json.loads(notes.retrieve("cortex-beliefs") or "") == {
        "b": {"peer_id": "ann", "value": FORGOTTEN, "rationale": "said so"}
    }
    assert json.loads(notes.retrieve("cortex-history") or "") == [
        {"cycle": 3, "peers_assessed": ["ann"], "summary": FORGOTTEN},
        {"cycle": 4, "summary": "Quiet."},
    ]
    assert notes.retrieve("cortex-history-corrupt") == ""
    assert notes.retrieve("plain") == f"mine, of {PEER}"


def test_what_was_made_of_a_peers_words_goes_whatever_words_it_has(tmp_path: Path) -> None:
    notes = MemoryFiles(tmp_path / "memory" / "files")
    own, both, other = [f"peer:{PEER}"], ["peer:ann", f"peer:{PEER}"], ["peer:ann"]
    beliefs = {name: {"value": "x", "sources": each} for name, each in
               (("own", own), ("both", both), ("other", other))}  # fmt: skip
    state: dict[str, Any] = {
        "lessons": [{"text": "y", "sources": both}, {"text": "z", "sources": other}]
    }
    state["promises"] = {
        name: {"peer_id": "ann", "text": "t", "due": 1.0, "sources": sources}
        for name, sources in (("both", both), ("other", other))
    }
    state["belief_evidence"] = {"both": 3, "other": 4}
    judgments = {"peer_id": "ann", "trust": 2, "rationale": "t"}
    record = {"cycle": 3, "summary": "w", "sources": both, "assessments": [judgments]}
    record["beliefs_added"] = ["both"]
    notes.store("cortex-beliefs", json.dumps(beliefs))
    notes.store("cortex-state", json.dumps(state))
    notes.store("cortex-history", json.dumps([record]))
    forget(PEER, tmp_path, {})
    assert list(json.loads(notes.retrieve("cortex-beliefs") or "")) == ["other"]
    left = json.loads(notes.retrieve("cortex-state") or "")
    assert [each["text"] for each in left["lessons"]] == ["z"]
    assert list(left["promises"]) == ["other"]
    assert left["belief_evidence"] == {"other": 4}
    assert json.loads(notes.retrieve("cortex-history") or "") == [
        {
            **record,
            "summary": FORGOTTEN,
            "sources": ["peer:ann"],
            "assessments": [{**judgments, "rationale": FORGOTTEN}],
            "beliefs_added": [],
        }
    ]
