"""`prefrontal cortex status`: whether the agent runs, what comes next, what waits, what it used."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prefrontal.cli import main

from .cortex_samples import MINUTE, Kept, belief, full_state, record

pytestmark = pytest.mark.usefixtures("kept")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["cortex", *words])


@pytest.fixture
def agent_running(kept: Kept) -> Iterator[None]:
    """Holds the lock that a running agent holds."""
    kept.workspace.mkdir(exist_ok=True)
    descriptor = os.open(kept.workspace / "ledger.lock", os.O_RDWR | os.O_CREAT)
    os.write(descriptor, b"4711\n")
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield
    os.close(descriptor)


def status_lines(*words: str) -> dict[str, str]:
    lines = run("status", *words).stdout.splitlines()
    facts = (line.partition("  ") for line in lines if "  " in line)
    return {name: value.strip() for name, _, value in facts}


@pytest.mark.usefixtures("agent_running")
def test_status_tells_what_runs_and_what_comes_next(kept: Kept, now: float) -> None:
    quarantined = belief("says-so", 0, now, quarantined=True)
    kept.write([quarantined], [record(9, now - 12 * MINUTE)], full_state(now))
    facts = status_lines()
    assert facts["agent"] == "running (process 4711)"
    assert facts["last reflection"] == "12 min ago (cycle 9, timer)"
    assert facts["next"] == "in 18 min at the latest"
    assert facts["reflections"] == "9 started, not completed: timeout 2, parse 1"
    assert facts["lost events"] == "12 since the start"
    assert facts["today"] == "4 reflections, 10,600 tokens, $0.05"
    assert facts["directive-9-1"] == "a directive to bob: ask"
    assert facts["says-so"] == f"a belief in quarantine: {quarantined.value}"
    assert facts["bob"].endswith("(overdue)  the report")
    assert "directive-8-1" not in facts


def test_what_was_decided_or_has_expired_waits_no_more(kept: Kept, now: float) -> None:
    state = full_state(now)
    state.directives = [
        {**state.directives[0], "id": f"directive-9-{number}", "sources": ["peer:ann"], **more}
        for number, more in enumerate(({}, {}, {"expires_at": now - 1}))
    ]
    kept.write((), (), state)
    assert run("approve", "directive-9-0").exit_code == 0
    facts = status_lines()
    assert facts["directive-9-1"] == "a directive to bob, with words of ann: ask"
    assert "directive-9-0" not in facts and "directive-9-2" not in facts
    assert run("reject", "directive-9-0").exit_code == 0, "it did not go out yet"


def test_what_goes_out_as_a_quote_can_be_stopped_before(kept: Kept, now: float) -> None:
    state = full_state(now)
    made = {**state.directives[0], "status": "queued", "created_at": now}
    state.directives = [
        {**made, "id": "directive-9-1", "sources": ["peer:ann"]},
        {**made, "id": "directive-9-2", "sources": []},
    ]
    kept.write((), (), state)
    facts = status_lines()
    told = "a directive to bob, with words of ann, on its way as a quote: ask"
    assert facts["directive-9-1"] == told
    assert "directive-9-2" not in facts
    assert run("reject", "directive-9-1").exit_code == 0
    assert "directive-9-1" not in status_lines()


def test_a_damaged_directive_is_shown_with_what_is_wrong_and_can_be_dropped(
    kept: Kept, now: float
) -> None:
    state = full_state(now)
    whole = state.directives[0]
    state.directives = [
        {**whole, "id": "directive-9-1", "action": 7},
        {name: whole[name] for name in ("status", "target_peer")} | {"id": "directive-9-2"},
        "no directive at all",  # type: ignore[list-item]
    ]
    kept.write((), (), state)
    facts = status_lines()
    why = "damaged, it does not go out: it.action must be text, got 7"
    assert facts["directive-9-1"] == f"a directive to bob: ; {why}"
    assert "it must have the keys action, message, " in facts["directive-9-2"]
    first, second = json.loads(run("status", "--json").stdout)["approval"]
    assert (first["expires_at"], second["expires_at"]) == (whole["expires_at"], None)
    assert run("reject", "directive-9-1").exit_code == 0
    assert "directive-9-1" not in status_lines()


def test_beliefs_tell_whose_words_they_are_or_who_approved_them(kept: Kept, now: float) -> None:
    about = {"sources": ("peer:ann", "tool:fetch")}
    kept.write([belief("one", 0, now, **about), belief("two", 1, now, **about)], (), None)
    assert run("approve", "two", "--by", "ada").exit_code == 0
    told = run("beliefs").stdout
    assert "What is held of one. (quoted, with words of ann, the tool fetch)" in told
    assert "What is held of two. (approved by ada)" in told


def test_status_without_an_agent(kept: Kept, now: float) -> None:
    assert status_lines()["agent"] == "not running"
    assert status_lines()["last reflection"] == "none yet"
    assert not kept.workspace.exists()
    kept.write((), [record(9, now)], full_state(now))
    assert status_lines()["next"] == "not before the agent runs"
    told = json.loads(run("status", "--json").stdout)
    assert (told["process"], told["skips"]) == (None, {"timeout": 2, "parse": 1})
    assert told["today"]["dollars"] == pytest.approx(0.051)


def test_a_lock_that_was_left_behind_is_no_running_agent(kept: Kept) -> None:
    kept.workspace.mkdir()
    (kept.workspace / "ledger.lock").write_text("4711\n")
    assert status_lines()["agent"] == "not running"


def test_a_moved_ledger_has_its_lock_beside_it(
    kept: Kept, tmp_path: Path, agent_running: None
) -> None:
    (tmp_path / "prefrontal.yml").write_text("ledger: {path: books/ledger.sqlite}\n")
    assert status_lines()["agent"] == "not running"
    books = kept.workspace / "books"
    books.mkdir()
    with (books / "ledger.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert status_lines()["agent"] == "running"


def test_a_cortex_that_is_switched_off_is_told(tmp_path: Path) -> None:
    (tmp_path / "prefrontal.yml").write_text("cortex: {enabled: false}\n")
    assert "switched off" in status_lines()["agent"]
