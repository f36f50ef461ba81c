"""`prefrontal storage`: what it copies and prints, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prefrontal.cli import main
from prefrontal.cli.storage.storage import ONE
from prefrontal.decisions.log import DecisionLog
from prefrontal.decisions.stored_tables import TABLES as OF_DECISIONS
from prefrontal.ledger.ledger import Ledger
from prefrontal.ledger.stored_tables import TABLES as OF_LEDGER
from prefrontal.plural import noun
from prefrontal.runtime.conversation.models import MessageQuery, NewMessage, Viewer
from prefrontal.runtime.conversation.store import ConversationStore
from prefrontal.storage.memory_table import TABLES as OF_MEMORY
from prefrontal.storage.state_folder import StateFolder

from ...decisions.decision_samples import woke

NOWHERE = "postgresql://127.0.0.1:1/none"
"""A server on a port at which nobody listens."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with two decisions and a ledger of one interaction."""
    state = StateFolder(tmp_path / "state")
    state.make()
    with DecisionLog(state.decisions) as log:
        log.keep([woke(1.0), woke(2.0)], [])
    (tmp_path / "agent").mkdir()
    with Ledger(tmp_path / "agent" / "ledger.sqlite") as ledger:
        ledger.record_interaction("ada", "in", event_id="e1", preview="hi")
    return tmp_path


def run(home: Path, *words: str) -> Result:
    places = ["--state", str(home / "state"), "--workspace", str(home / "agent")]
    return CliRunner().invoke(main, ["storage", *words, *places])


def test_a_backup_says_what_it_copied_and_where(home: Path) -> None:
    copied = run(home, "backup", str(home / "copy"))
    assert copied.exit_code == 0, copied.output
    assert copied.stdout.splitlines() == [
        f"decisions: 2 rows, copied to {home / 'copy' / 'decisions.sqlite'}",
        f"ledger: 2 rows, copied to {home / 'copy' / 'ledger.sqlite'}",
    ]
    with DecisionLog(home / "copy" / "decisions.sqlite") as log:
        assert [each.time for each in log.records()] == [1.0, 2.0]


def test_as_json_each_store_has_its_rows_and_the_hash_of_each_table(home: Path) -> None:
    stores = json.loads(run(home, "backup", str(home / "copy"), "--json").stdout)["stores"]
    assert [(each["store"], each["rows"]) for each in stores] == [("decisions", 2), ("ledger", 2)]
    assert all(len(digest) == 64 for each in stores for digest in each["sha256"].values())


def test_a_backup_holds_the_conversations_which_may_be_in_use(home: Path) -> None:
    ada = Viewer("ada", "web", "ada")
    with ConversationStore(home / "agent" / "conversations.sqlite") as store:
        for text in ("the boat is called Aurora", "it is blue"):
            store.submit(NewMessage(ada, "in", text, 1.0)).result()
        copied = run(home, "backup", str(home / "copy"), "--json")
    copy = home / "copy" / "conversations.sqlite"
    [*_, last] = json.loads(copied.stdout)["stores"]
    assert last == {"store": "conversations", "place": str(copy), "rows": 2}
    with ConversationStore(copy) as store:
        found = store.search(MessageQuery("aurora"), ada)
    assert [each.message.content for each in found] == ["the boat is called Aurora"]
    assert {each.name for each in copy.parent.iterdir() if each.name.startswith("conv")} == {
        "conversations.sqlite"
    }
    again = run(home, "backup", str(home / "copy"))
    assert (again.exit_code, again.stderr) == (
        2,
        f"Error: backup must be a new file, got {str(copy)!r}\n",
    )


def test_a_backup_overwrites_nothing_and_needs_a_folder_that_can_be_made(home: Path) -> None:
    assert run(home, "backup", str(home / "copy")).exit_code == 0
    again = run(home, "backup", str(home / "copy"))
    assert (again.exit_code, again.stdout) == (2, "")
    assert again.stderr.startswith("Error: backup must be a new file, got '")
    (home / "file").touch()
    below = run(home, "backup", str(home / "file" / "copy"))
    assert below.exit_code == 2
    assert below.stderr == f"Error: {home / 'file' / 'copy'} cannot be made: Not a directory\n"


@pytest.mark.parametrize("place", ["workspace: ", "ledger: {path: "])
def test_the_agents_folder_and_ledger_are_found_by_the_settings(
    home: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("PREFRONTAL_HOME", raising=False)
    monkeypatch.delenv("PREFRONTAL_STATE", raising=False)
    monkeypatch.chdir(home)
    where = home / "agent" if place == "workspace: " else home / "agent" / "ledger.sqlite"
    end = "}" * place.count("{")
    Path("prefrontal.yml").write_text(f"state: state\n{place}{where}{end}\n")
    for words in (["status"], ["backup", "copy"]):
        done = CliRunner().invoke(main, ["storage", *words])
        assert done.exit_code == 0, done.output
        assert "\nledger: " in done.stdout
    with Ledger(home / "copy" / "ledger.sqlite", read_only=True) as copy:
        assert [each.peer_id for each in copy.list_peers()] == ["ada"]
    named = CliRunner().invoke(main, ["storage", "status", "--config", str(home / "none.yml")])
    assert "none.yml cannot be read: No such file" in named.stderr


def test_where_nothing_is_stored_nothing_is_made(tmp_path: Path) -> None:
    refused = run(tmp_path, "backup", str(tmp_path / "copy"))
    assert refused.exit_code == 2
    assert "storage must be there, and " in refused.stderr
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("sqlite", "decisions.sqlite is an SQLite file already"),
        ("mysql://localhost/none", "storage must be postgresql://[USER@]HOST[:PORT]/DATABASE"),
    ],
)
def test_a_move_to_where_it_lies_or_cannot_lie_is_refused(
    home: Path, target: str, sentence: str
) -> None:
    refused = run(home, "migrate", "--to", target)
    assert refused.exit_code == 2
    assert sentence in refused.stderr
    with DecisionLog(home / "state" / "decisions.sqlite") as log:
        assert len(list(log.records())) == 2


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ("{}", "storage.url must be in the settings: partitions lie on a server"),
        (f"storage: {{url: '{NOWHERE}'}}", f"cannot reach PostgreSQL at {NOWHERE}"),
    ],
)
def test_partitions_need_a_server_that_answers(
    tmp_path: Path, settings: str, sentence: str
) -> None:
    (tmp_path / "prefrontal.yml").write_text(settings)
    words = ["storage", "partitions", "--config", str(tmp_path / "prefrontal.yml")]
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 2
    assert sentence in refused.stderr


def test_a_row_of_every_table_has_its_noun() -> None:
    tables = {each.name for each in (*OF_DECISIONS, *OF_LEDGER, *OF_MEMORY)}
    assert set(ONE) == tables
    assert all(noun(2, one) == many for many, one in ONE.items())


def test_a_store_that_cannot_be_read_is_told_beside_the_others(home: Path) -> None:
    (home / "state" / "decisions.sqlite").write_bytes(b"no database, nor a name of one")
    told = run(home, "status")
    assert told.exit_code == 0
    assert "is not a database" in told.stdout
    assert "1 interaction, 0 assessments" in told.stdout
