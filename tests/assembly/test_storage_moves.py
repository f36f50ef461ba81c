"""Stores move to a server and back, whole, or stay where they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from prefrontal.assembly import memory_moves
from prefrontal.assembly.shadow.adoption import open_shadow
from prefrontal.assembly.storage_moves import back_up, move_to_file, move_to_server, stores
from prefrontal.cli.command_group import main
from prefrontal.cli.doctor import storage_of
from prefrontal.decisions.log import DecisionLog, NewLabel
from prefrontal.decisions.payloads import WakePayload
from prefrontal.errors import InputError, SourceError
from prefrontal.ledger.ledger import Ledger
from prefrontal.storage import postgres_lease
from prefrontal.storage.database import FencedError
from prefrontal.storage.memory_files import MemoryFiles
from prefrontal.storage.memory_table import StoredText
from prefrontal.storage.postgres_url import PostgresUrl, read_link, write_link
from prefrontal.storage.state_folder import StateFolder
from prefrontal.storage.text_memory import files_folder, open_memory, table_path

from ..decisions.decision_samples import slept, woke
from ..storage.postgres_server import PostgresServer, running_server


def quiet(table: str, rows: int) -> None: ...


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_server() as server:
        yield server


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    """Decisions with all that may belong to them, ledger and memory in the same folder."""
    state = StateFolder(tmp_path / "state")
    state.make()
    records = [woke(float(n), subject="odd \udcff\x00") for n in range(1, 2200)]
    waiting = slept(3.0, payload=WakePayload(waits=True))
    with DecisionLog(state.decisions, owed_to=("ntfy",)) as log:
        log.keep([*records, waiting], [NewLabel(records[0].id, 1.0, 5.0, "user")])
        log.save_state("weights", b"\x00\xff", 1)
    with Ledger(state.path / "ledger.sqlite") as ledger:
        ledger.record_interaction("ada", "in", event_id="e1", preview="hi")
        ledger.record_assessment("ada", 4, "kind", ["peer:ada", "tool:web"])
        ledger.record_assessment("ada", 3, "late")
    memory = open_memory(state.path)
    memory.store("cortex-beliefs", '{"ada": "kind"}')
    memory.store("Odd \udcff/key", "text\x00")
    return state


def contents(state: StateFolder) -> list[object]:
    memory = open_memory(state.path)
    keys = memory.keys()
    with DecisionLog(state.decisions) as log, Ledger(state.path / "ledger.sqlite") as ledger:
        return [
            [(key, memory.retrieve(key)) for key in keys],
            list(log.records()),
            [(each.number, each.label) for each in log.labels_after(0)],
            log.load_states(""),
            [each.id for each in log.waiting_windows()],
            log.ends(),
            list(ledger.interactions()),
            list(ledger.assessments()),
        ]


def test_a_backup_is_a_store_again(state: StateFolder, tmp_path: Path) -> None:
    before = contents(state)
    copy = StateFolder(tmp_path / "copy")
    copy.make()
    for store in stores(state, state.path):
        assert back_up(store, copy.path, quiet).rows >= 2
        with pytest.raises(InputError, match="must be a new file"):
            back_up(store, copy.path, quiet)
    table_path(copy.path).parent.mkdir()
    (copy.path / "texts.sqlite").rename(table_path(copy.path))
    assert contents(copy) == before
    assert sorted(each.name for each in copy.path.iterdir()) == [
        "decisions.sqlite", "ledger.lock", "ledger.sqlite", "memory", "modules"
    ]  # fmt: skip


def test_a_file_is_no_server(state: StateFolder) -> None:
    [decisions, _, _] = stores(state, state.path)
    with pytest.raises(InputError, match="is an SQLite file already"):
        move_to_file(decisions, quiet)


@pytest.mark.exhaustive
def test_stores_move_to_a_server_and_back(state: StateFolder, server: PostgresServer) -> None:
    before, url = contents(state), PostgresUrl.parse(server.url())
    there = [move_to_server(each, url, quiet) for each in stores(state, state.path)]
    assert read_link(state.decisions) == url.of_part("decisions")
    assert contents(state) == before
    with pytest.raises(InputError, match="lies on a server already"):
        move_to_server(stores(state, state.path)[0], url, quiet)
    with DecisionLog(state.decisions) as log:
        log.append(late := woke(9000.0))
        assert log.ends()[0] == 2201  # numbered on from what was copied
    back = [move_to_file(each, quiet) for each in stores(state, state.path)]
    assert read_link(state.decisions) is None
    assert there[1].digests == back[1].digests and there[0].digests != back[0].digests
    assert there[2].digests == back[2].digests
    assert not table_path(state.path).exists()
    assert contents(state)[0] == before[0]
    with DecisionLog(state.decisions) as log:
        assert log.get(late.id) == late


def test_what_stays_on_the_machine_is_said(state: StateFolder) -> None:
    state.seen_files.write_text("12345")
    (state.modules / "mail.json").write_text("{}")
    places = ["--state", str(state.path), "--workspace", str(state.path), "--json"]
    said = json.loads(CliRunner().invoke(main, ["storage", "status", *places]).stdout)
    assert [each["rows"] for each in said["stores"]][2] == {"texts": 2}
    assert said["local"] == [
        {"path": str(state.modules), "files": 1, "bytes": 2},
        {"path": str(state.seen_files), "files": 1, "bytes": 5},
    ]


def test_texts_that_were_written_meanwhile_are_not_left_behind(
    state: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, table = files_folder(state.path), table_path(state.path)
    read = memory_moves.read_files

    def read_and_written(place: Path) -> list[StoredText]:
        texts = read(place)
        MemoryFiles(place).store("late", "text")
        return texts

    monkeypatch.setattr(memory_moves, "read_files", read_and_written)
    with pytest.raises(SourceError, match="differs from what it was copied from"):
        memory_moves.fold_files(folder, table)
    monkeypatch.undo()
    assert not table.exists()
    memory_moves.fold_files(folder, table)
    assert open_memory(state.path).retrieve("late") == "text" and not folder.exists()
    memory_moves.unfold_table(table, folder)
    assert open_memory(state.path).retrieve("late") == "text" and not table.exists()


@pytest.mark.exhaustive
def test_a_ledger_that_was_replaced_writes_nothing_more(
    state: StateFolder, server: PostgresServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    [_, ledger, _] = stores(state, state.path)
    move_to_server(ledger, PostgresUrl.parse(server.url()), quiet)
    link = read_link(ledger.path)
    assert link is not None
    elsewhere = tmp_path / "elsewhere.sqlite"
    write_link(elsewhere, link)
    monkeypatch.setattr(postgres_lease, "STALE_S", -1.0)  # as if the first one had hung
    with Ledger(ledger.path) as first, Ledger(elsewhere) as second:
        with pytest.raises(FencedError, match="has another owner since"):
            first.record_interaction("ada", "in", event_id="e2")
        assert second.record_interaction("ada", "in", event_id="e3") is not None
        assert [each.event_id for each in second.interactions()] == ["e1", "e3"]


@pytest.mark.exhaustive
def test_a_move_that_was_cut_off_goes_on(state: StateFolder, server: PostgresServer) -> None:
    before, url = contents(state), PostgresUrl.parse(server.url())
    [decisions, _, _] = stores(state, state.path)
    copied: list[int] = []

    def cut_off(table: str, rows: int) -> None:
        copied.append(rows)
        if len(copied) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move_to_server(decisions, url, cut_off)
    assert read_link(state.decisions) is None and contents(state) == before
    copied.clear()
    move_to_server(decisions, url, lambda table, rows: copied.append(rows))
    assert copied[0] == 200  # of 2,200; two pages were there
    assert contents(state) == before


@pytest.mark.exhaustive
def test_a_store_that_is_there_is_left_alone(state: StateFolder, server: PostgresServer) -> None:
    url = PostgresUrl.parse(server.url())
    [decisions, _, _] = stores(state, state.path)
    with closing(decisions.open_at(url.of_part("decisions"))) as other:
        other.execute(
            "INSERT INTO decisions (seq, id, time, kind, subject, acted, reason, propensity,"
            " events, why) VALUES (1, 'x', 1.0, 'wake', 's', ?, 'woke', 1.0, '[]', '[]')",
            (True,),
        )
        other.execute(
            "INSERT INTO states (name, content, through) VALUES ('weights', ?, 1)", (b"theirs",)
        )
    with pytest.raises(SourceError, match="holds a store already: name another schema"):
        move_to_server(decisions, url, quiet)
    assert read_link(state.decisions) is None
    with closing(decisions.open_at(url.of_part("decisions"))) as other:
        assert other.execute("SELECT content FROM states") == [(b"theirs",)]


@pytest.mark.exhaustive
def test_a_copy_that_differs_is_not_used(state: StateFolder, server: PostgresServer) -> None:
    url = PostgresUrl.parse(server.url())
    [decisions, _, _] = stores(state, state.path)

    def damage(table: str, rows: int) -> None:
        with closing(decisions.open_at(url.of_part("decisions"))) as other:
            other.execute("UPDATE decisions SET score = 0.5 WHERE seq = 7")

    with pytest.raises(SourceError, match="differs from .* in the table decisions"):
        move_to_server(decisions, url, damage)
    assert read_link(state.decisions) is None


@pytest.mark.exhaustive
def test_the_commands_say_where_it_lies(state: StateFolder, server: PostgresServer) -> None:
    def run(*words: str) -> str:
        places = ["--state", str(state.path), "--workspace", str(state.path)]
        done = CliRunner().invoke(main, ["storage", *words, *places])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert "2,200 decisions, 1 label" in run("status")
    moves = json.loads(run("migrate", "--to", server.url(), "--json"))["stores"]
    assert [each["store"] for each in moves] == ["decisions", "ledger", "memory"]
    assert "_ledger\n  1 peer, 1 interaction, 2 assessments" in run("status")
    assert "_memory\n  2 texts" in run("status")
    server.stop()
    try:
        assert "start the server (`systemctl start postgresql`" in run("status")
    finally:
        server.start()
    assert "copied to" in run("migrate", "--to", "sqlite")


@pytest.mark.exhaustive
def test_a_shadow_begins_with_what_is_on_the_server(
    state: StateFolder, server: PostgresServer
) -> None:
    for each in stores(state, state.path):
        move_to_server(each, PostgresUrl.parse(server.url()), quiet)
    shadow = open_shadow(state)
    assert read_link(shadow.decisions) is None
    with DecisionLog(state.decisions) as log, DecisionLog(shadow.decisions) as copy:
        assert list(copy.records()) == list(log.records())
        assert copy.waiting_windows() == []


@pytest.mark.exhaustive
def test_a_user_who_may_only_read_and_a_newer_schema_are_told_of(
    state: StateFolder, server: PostgresServer
) -> None:
    url = PostgresUrl.parse(server.url(tcp=True))
    [decisions, _, _] = stores(state, state.path)
    move_to_server(decisions, url, quiet)
    schema = url.of_part("decisions").schema
    with closing(decisions.open_at(url.of_part("decisions"))) as owner:
        for statement in (
            "CREATE ROLE reader LOGIN",
            f"GRANT USAGE ON SCHEMA {schema} TO reader",
            f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO reader",
        ):
            owner.execute(statement)
        assert storage_of(state.decisions)["fault"] is None
        name = str(url.of_part("decisions"))
        write_link(state.decisions, PostgresUrl.parse(name.replace("prefrontal@", "reader@")))
        assert "may only be read by this user of" in (storage_of(state.decisions)["fault"] or "")
        write_link(state.decisions, url.of_part("decisions"))
        owner.note_schema_version(99)
        assert "newer release (schema 99" in (storage_of(state.decisions)["fault"] or "")
        with pytest.raises(SourceError, match="newer release"):
            decisions.open_to_read()
