"""`prefrontal memory search` and `show` on conversations, with no agent running."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.runtime.embedding_server import serving

from prefrontal.cli import main
from prefrontal.ledger import Ledger
from prefrontal.runtime.conversation.models import NewMessage, Viewer
from prefrontal.runtime.conversation.store import ConversationStore

NOON = 1_772_366_400.0  # 2026-03-01 12:00 UTC


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PREFRONTAL_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with ConversationStore(tmp_path / "conversations.sqlite") as store:
        for peer, text, at in (
            ("ann", "the boat is called Aurora\nand it is blue", NOON),
            ("bob", "which boat?", NOON + 86_400),
        ):
            viewer = Viewer(peer, "web", peer)
            turn = store.submit(NewMessage(viewer, "in", text, at)).result()
            store.submit(NewMessage(viewer, "out", f"Hi {peer}.", at, turn)).result()
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["memory", *words])


def texts(*words: str) -> list[str]:
    result = run("search", *words, "--json")
    assert result.exit_code == 0, result.output
    return [json.loads(line).get("content", "") for line in result.stdout.splitlines()]


def test_messages_stand_below_the_notes_that_fit() -> None:
    run("store", "vessels", "one boat")
    lines = run("search", "boat").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["key", "vessels", "id", "3", "1"]
    assert lines[-1].endswith("ann  the boat is called Aurora and it is blue")


def test_options_narrow_the_messages() -> None:
    assert texts("boat", "--peer", "ann") == ["the boat is called Aurora\nand it is blue"]
    assert texts("boat", "--since", "2026-03-02") == ["which boat?"]
    assert texts("boat", "--until", "2026-03-01") == ["the boat is called Aurora\nand it is blue"]
    assert texts("", "--until", "2026-03-01", "--limit", "1") == ["Hi ann."]
    assert texts("boat", "--channel", "mail") == []
    backwards = run("search", "boat", "--since", "2026-03-02", "--until", "2026-03-01")
    assert backwards.exit_code == 2
    assert "--until must not be before --since (2026-03-02), got '2026-03-01'" in backwards.stderr


def test_a_message_is_shown_whole_between_its_neighbours() -> None:
    result = run("show", "1")
    marks = [line.split()[0] for line in result.stdout.splitlines()]
    assert marks == [">", "the", "and", "2", "Hi"]
    [first, _] = map(json.loads, run("show", "1", "--json").stdout.splitlines())
    assert (first["peer_id"], first["scope"], first["turn"]) == ("ann", "peer", 1)


def test_slips_are_one_sentence() -> None:
    for words, sentence in (
        (("show", "99"), "ID must be one that `prefrontal memory search` shows, got 99"),
        (("search", "x", "--since", "soon"), "--since must be a date as 2026-03-01"),
        (("search", "x", "--limit", "0"), "limit must be a whole number in 1..1000, got 0"),
    ):
        result = run(*words)
        assert (result.exit_code, result.stdout) == (2, ""), words
        assert sentence in result.stderr


@pytest.mark.parametrize("option", ["--peer", "--channel"])
def test_a_name_that_is_no_utf8_is_refused_by_its_option(option: str) -> None:
    result = run("search", option, "\udcff", "eggs")
    assert result.exit_code == 2
    assert result.stderr == f"Error: {option} must be text in UTF-8, got '\\udcff'\n"


def test_where_nothing_was_said_nothing_is_made(workspace: Path) -> None:
    for file in workspace.glob("conversations*"):
        file.unlink()
    assert run("search", "boat").stdout == "Nothing that is remembered fits 'boat'.\n"
    assert not (workspace / "conversations.sqlite").exists()


def test_a_message_can_be_deleted(workspace: Path) -> None:
    assert run("delete", "--message", "1").stdout == (
        "Deleted message 1, and what was made of it. The ledger keeps its beginning."
        " The answer may repeat it: message 2.\n"
    )
    assert texts("aurora") == []
    assert b"Aurora" not in (workspace / "conversations.sqlite").read_bytes()
    assert run("delete", "--message", "1").exit_code == 2


def test_backups_that_still_hold_a_deleted_message_are_named(
    workspace: Path, tmp_path: Path
) -> None:
    Ledger(workspace / "ledger.sqlite").close()
    for name in ("copy", "gone", "later"):
        if name == "later":
            assert run("delete", "--message", "2").exit_code == 0
        words = ["storage", "backup", str(tmp_path / name), "--state", str(tmp_path / "state")]
        assert CliRunner().invoke(main, words).exit_code == 0
    shutil.rmtree(tmp_path / "gone")
    copies = [str(tmp_path / name / "conversations.sqlite") for name in ("copy", "later")]
    told = json.loads(run("delete", "--message", "1", "--json").stdout)
    assert (told["message"], told["deleted"], told["answers"]) == (1, True, [])
    assert (told["left"], told["unseen"]) == (copies, [str(tmp_path / "gone")])
    Path(copies[0]).write_bytes(b"damaged")
    lines = run("delete", "--message", "3").stdout.splitlines()
    assert f"It still stands in {copies[0]}." in lines, "nobody can tell"
    assert f"A backup went to {tmp_path / 'gone'}, which is not there." in lines


def test_damaged_conversations_are_repaired_while_no_agent_runs(workspace: Path) -> None:
    path = workspace / "conversations.sqlite"
    assert run("repair").stdout == f"{path} is not damaged.\n"
    path.write_bytes(b"no database at all" * 99)
    for words in (("search", "boat"), ("facts",), ("delete", "--message", "1")):
        result = run(*words)
        assert result.exit_code == 2
        assert "end the agent, then `prefrontal memory repair` saves what" in result.stderr
    with Ledger(workspace / "ledger.sqlite"):
        result = run("repair")
        assert result.exit_code == 2
        assert "repair must be alone: the agent runs as process" in result.stderr
    assert run("repair").stdout == (
        f"{path} was damaged: 0 messages were read from it, and it is kept as {path}-corrupt."
        " A copy that `prefrontal storage backup` made may hold more.\n"
    )
    assert run("search", "boat").exit_code == 0
    path.unlink()
    told = json.loads(run("repair", "--json").stdout)
    assert told == {"path": str(path), "damaged": False}


def test_a_text_can_be_deleted_and_the_agents_own_cannot(workspace: Path) -> None:
    run("store", "shopping", "eggs")
    assert json.loads(run("delete", "shopping", "--json").stdout) == {
        "key": "shopping",
        "deleted": True,
    }
    assert not (workspace / "memory/files/shopping.md").exists()
    for words, sentence in (
        (("delete", "shoping"), "key must be one that `prefrontal memory list` shows"),
        (("delete", "cortex-beliefs"), "key must not begin with cortex-"),
        (("delete",), "delete must be told a KEY or --message ID"),
    ):
        result = run(*words)
        assert (result.exit_code, result.stdout) == (2, ""), words
        assert sentence in result.stderr


def test_a_peer_is_forgotten_when_that_is_confirmed() -> None:
    result = CliRunner().invoke(main, ["ledger", "forget", "ann"])
    assert result.exit_code == 2
    assert "forget must be confirmed: type y, or say --yes" in result.stderr
    result = CliRunner().invoke(main, ["ledger", "forget", "ann", "--yes"])
    assert result.stdout == "Forgot ann: messages: 2, rows of the ledger: 0.\n"
    assert texts("boat") == ["which boat?"]
    result = CliRunner().invoke(main, ["ledger", "forget", "ann", "--yes"])
    assert result.exit_code == 2
    assert "peer must be one that the ledger, the conversations or the cortex know" in result.stderr


def test_backups_and_messages_to_others_are_told_when_a_peer_is_forgotten(
    workspace: Path, tmp_path: Path
) -> None:
    with Ledger(workspace / "ledger.sqlite") as ledger:
        ledger.record_interaction("ann", "in", preview="hi")
    with ConversationStore(workspace / "conversations.sqlite") as store:
        told = NewMessage(Viewer("bob", "web", "bob"), "out", "Hi.", NOON, None, ("peer:ann",))
        number = store.submit(told).result()
        for text in ("I met Ann.", "Annabel is here."):
            store.submit(NewMessage(Viewer("bob", "web", "bob"), "in", text, NOON)).result()
        store.submit(NewMessage(Viewer("bob", "web", "bob"), "in", "Ask ann.", NOON)).result()
    for name in ("copy", "gone"):
        words = ["storage", "backup", str(tmp_path / name), "--state", str(tmp_path / "state")]
        assert CliRunner().invoke(main, words).exit_code == 0
    shutil.rmtree(tmp_path / "gone")
    lines = CliRunner().invoke(main, ["ledger", "forget", "ann", "--yes"]).stdout.splitlines()
    assert lines[1:] == [
        f"Its id still stands in {workspace / 'conversations.sqlite'}.",
        f"Its id still stands in {tmp_path / 'copy' / 'conversations.sqlite'}.",
        f"Its id still stands in {tmp_path / 'copy' / 'ledger.sqlite'}.",
        f"A backup went to {tmp_path / 'gone'}, which is not there.",
        f"Its words may stand in messages to others: {number}; "
        "`prefrontal memory delete --message ID` deletes one.",
        f"Its id stands in messages of others: {number + 3}; "
        "`prefrontal memory delete --message ID` deletes one.",
    ]


def test_facts_are_shown_corrected_approved_and_deleted(workspace: Path) -> None:
    assert run("facts").stdout == "Nobody stated anything that is known yet.\n"
    assert run("facts", "--peer", "bob").stdout == "bob stated nothing that holds.\n"
    with ConversationStore(workspace / "conversations.sqlite") as store:
        for text in ("I live in Lisbon.", "I live in Porto."):
            store.submit(NewMessage(Viewer("ann", "web", "ann"), "in", text, NOON)).result()
    header, line = run("facts", "--peer", "ann").stdout.splitlines()
    assert header.split()[:5] == ["id", "by", "of", "what", "value"]
    assert line.split()[:5] == ["2", "ann", "itself", "home", "Porto"]
    assert len(run("facts", "--all", "--json").stdout.splitlines()) == 2
    assert run("fact", "2", "--value", "Braga").stdout == "Approved fact 2: Braga.\n"
    assert "Braga (approved by " in run("facts").stdout
    run("fact", "2", "--approve", "--by", "ada")
    assert "Braga (approved by ada)" in run("facts").stdout
    assert run("fact", "2", "--delete").stdout == "Deleted fact 2.\n"
    assert json.loads(run("facts", "--json").stdout)["value"] == "Lisbon"
    for words, sentence in (
        (("fact", "9", "--approve"), "ID must be one that `prefrontal memory facts` shows, got 9"),
        (("fact", "1"), "fact must be told --approve, --value TEXT or --delete"),
        (("fact", "1", "--value", " "), "--value must be a text that is not blank"),
    ):
        result = run(*words)
        assert (result.exit_code, result.stdout) == (2, ""), words
        assert sentence in result.stderr


def test_messages_are_embedded_and_found_by_what_they_mean(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = run("embed")
    assert refusal.exit_code == 2
    assert "memory.embeddings.provider must name who computes vectors, got none" in refusal.stderr
    with serving() as server:
        embeddings = {"provider": "openai-compatible", "model": "small", "base_url": server.url}
        settings = json.dumps({"memory": {"embeddings": embeddings}})
        (workspace / "prefrontal.yml").write_text(settings)
        server.status = 429
        failure = run("embed")
        assert failure.exit_code == 2
        assert "answers with the error 429" in failure.stderr
        by_words = run("search", "my vessel", "--json")
        assert by_words.stdout == ""
        assert by_words.stderr.startswith("Searched by words alone: the embedding model 'small'")
        server.status = 200
        assert run("embed").stdout == (
            "Added 4 vectors by openai-compatible:small; of 4 messages 4 have one.\n"
        )
        assert json.loads(run("embed", "--json").stdout)["added"] == 0
        assert texts("my vessel") == ["which boat?", "the boat is called Aurora\nand it is blue"]
        assert texts("my vessel", "--peer", "bob") == ["which boat?"]
    assert run("embed", "--remove").stdout == "Removed 4 vectors.\n"


def test_there_is_nothing_to_embed_before_anything_was_said(workspace: Path) -> None:
    (workspace / "conversations.sqlite").unlink()
    refusal = run("embed")
    assert refusal.exit_code == 2
    assert "messages must be there to be embedded" in refusal.stderr
