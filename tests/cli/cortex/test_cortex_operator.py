"""What the operator may say: `cortex forget`, `pin`, `approve`, `reject`, `reflect`, `patterns`."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prefrontal.cli import main
from prefrontal.cortex.state import CortexState
from prefrontal.ledger import Ledger

from ..refusals import refusal
from .cortex_samples import FARMING, Kept, belief, directive, record

KEY = "PREFRONTAL_SHARING_KEY"

pytestmark = pytest.mark.usefixtures("kept")


@pytest.fixture
def held(kept: Kept, now: float) -> Kept:
    directives = [directive("directive-9-1", now), directive("directive-9-2", now, "queued")]
    kept.write(
        [belief("alice-reliable", 60, now), belief("says-so", 60, now, quarantined=True)],
        [record(9, now - 60, **FARMING)],
        CortexState(cycle=9, directives=directives),
    )
    return kept


def run(*words: str, data: str | None = None) -> Result:
    return CliRunner().invoke(main, ["cortex", *words], input=data)


def done(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def said(*words: str, data: str | None = None) -> str:
    return refusal(run(*words, data=data))


def statuses() -> dict[str, str]:
    told = json.loads(run("beliefs", "--json").stdout)["beliefs"]
    return {each["key"]: each["status"] for each in told}


@pytest.mark.usefixtures("held")
def test_what_is_forgotten_is_held_no_longer() -> None:
    sentence = "Forgotten: alice-reliable. The agent takes it up when it runs next.\n"
    assert done("forget", "alice-reliable") == sentence
    assert statuses() == {"says-so": "quarantined"}
    assert "got 'alice-reliable'" in said("forget", "alice-reliable")


def test_a_belief_that_is_formed_anew_after_it_was_forgotten_is_held(
    held: Kept, now: float
) -> None:
    done("forget", "alice-reliable")
    held.write([belief("alice-reliable", -60, now)])
    assert statuses() == {"alice-reliable": "active"}


def test_a_belief_is_pinned_as_it_is_or_with_other_words(held: Kept, now: float) -> None:
    assert done("pin", "alice-reliable").startswith("Pinned: alice-reliable.")
    assert done("pin", "house-rule", "--value", "Be kind.").startswith("Pinned: house-rule.")
    assert done("pin", "says-so", "--value", "Is so.").startswith("Pinned: says-so.")
    held.write([belief("alice-reliable", 9_999_999, now), belief("says-so", 0, now)])
    told = json.loads(run("beliefs", "--json").stdout)["beliefs"]
    assert {each["key"]: each["value"] for each in told if each["status"] == "pinned"} == {
        "alice-reliable": "What is held of alice-reliable.",
        "house-rule": "Be kind.",
        "says-so": "Is so.",
    }
    done("forget", "house-rule")
    assert "house-rule" not in statuses()


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["pin", "alice-reliabel"], "(or have --value), got 'alice-reliabel' (did you mean 'alice"),
        (["pin", "House Rule", "--value", "x"], "key must be lowercase words joined by -"),
        (["pin", "a" * 65, "--value", "x"], "at most 64 characters, got 'aaa"),
        (["pin", "a", "--value", " "], "--value must be one line of 1 to 240 characters, got ' '"),
        (["pin", "a", "--value", "x" * 241], "--value must be one line of 1 to 240 characters"),
        (["pin", "a", "--value", "x\n## y"], r"240 characters, got 'x\n## y'"),
        (["forget", "nobody"], "key must be one that `prefrontal cortex beliefs` shows, got"),
        (["approve", "alice-reliable"], "ID or KEY must be one that `prefrontal cortex status`"),
        (["approve", "directive-9-2"], "(did you mean 'directive-9-1'?)"),
        (["reject", "nothing"], "ID or KEY must be one that"),
    ],
)
def test_a_slip_is_told(words: list[str], sentence: str, held: Kept) -> None:
    assert sentence in said(*words)
    assert not (held.files / "cortex-operator.md").exists()


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize(
    "words",
    [
        ["pin", "k" * 5000, "--value", "x"],
        ["pin", "a", "--value", "x" * 5000],
        ["pin", "k" * 5000],
        ["forget", "k" * 5000],
    ],
)
def test_what_is_far_too_long_is_shortened_where_it_is_refused(words: list[str]) -> None:
    text = said(*words)
    assert len(text) < 600
    assert "..." in text
    assert ("(5,000 characters)" in text) == (words[1] == "a")


def test_what_the_settings_pin_is_forgotten_there(tmp_path: Path) -> None:
    (tmp_path / "prefrontal.yml").write_text("cortex: {pinned_beliefs: {house-rule: Be kind.}}\n")
    assert "key must be unpinned in prefrontal.yml" in said("forget", "house-rule")
    assert statuses() == {"house-rule": "pinned"}


def test_a_belief_leaves_quarantine_and_a_directive_is_let_out(held: Kept) -> None:
    assert done("approve", "says-so").startswith("Approved: says-so.")
    assert statuses()["says-so"] == "active"
    told = json.loads(done("approve", "directive-9-1", "--json"))
    assert told == {"outcome": "approved", "name": "directive-9-1", "running": False}
    assert set(held.wishes()["approved"]) == {"says-so", "directive-9-1"}


def test_damaged_wishes_are_kept_before_they_are_overwritten(held: Kept) -> None:
    held.text("cortex-operator", '{"pinned": {"rule": 7}, "forgotten": {}}')
    result = run("pin", "alice-reliable")
    assert result.exit_code == 0
    assert "its text is under cortex-operator-corrupt: it.pinned.rule must be" in result.stderr
    aside = (held.files / "cortex-operator-corrupt.md").read_text(encoding="utf-8")
    assert aside == '{"pinned": {"rule": 7}, "forgotten": {}}'
    assert run("pin", "alice-reliable").stderr == ""


def test_what_is_rejected_is_dropped(held: Kept) -> None:
    done("reject", "says-so")
    done("reject", "directive-9-1")
    assert "says-so" not in statuses()
    assert set(held.wishes()["rejected"]) == {"says-so", "directive-9-1"}
    assert set(held.wishes()["forgotten"]) == {"says-so"}


@pytest.mark.exhaustive
def test_two_commands_at_once_lose_no_wish(kept: Kept) -> None:
    command = [sys.executable, "-m", "prefrontal", "cortex", "pin"]
    keys = [f"key-{number}" for number in range(6)]
    running = [subprocess.Popen([*command, key, "--value", key], stdout=-3) for key in keys]
    assert [each.wait(60) for each in running] == [0] * 6
    assert set(kept.wishes()["pinned"]) == set(keys)


def test_a_running_agent_is_asked_to_reflect(kept: Kept) -> None:
    kept.workspace.mkdir()
    with (kept.workspace / "ledger.lock").open("wb", buffering=0) as lock:
        lock.write(b"4711\n")
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert done("reflect").startswith("Asked the running agent (process 4711);")
        assert "The running agent takes it up" in done("pin", "a", "--value", "b")
        assert "asked for" in done("status")
    asked = kept.wishes()["reflect_requested_at"]
    assert abs(asked - time.time()) < 60


def test_without_an_agent_the_reflection_happens_here(kept: Kept) -> None:
    kept.workspace.mkdir()
    with Ledger(kept.workspace / "ledger.sqlite") as ledger:
        for number in range(6):
            ledger.record_interaction("ann", "in", preview=f"question {number}", size=40)
    told = json.loads(done("reflect", "--json"))
    assert (told["trigger"], told["status"], told["depth"]) == ("manual", "ok", "rules")
    assert [each["peer_id"] for each in told["assessments"]] == ["ann"]
    with Ledger(kept.workspace / "ledger.sqlite", read_only=True) as ledger:
        latest = ledger.get_peer_assessment_summary("ann")["latest"]
    assert latest["trust"] == told["assessments"][0]["clamped"]
    assert json.loads(done("history", "--json"))["cycle"] == told["cycle"]
    assert done("reflect").startswith("Cycle 2: ")


def test_a_cortex_that_is_switched_off_does_not_reflect(tmp_path: Path) -> None:
    (tmp_path / "prefrontal.yml").write_text("cortex: {enabled: false}\n")
    assert "the cortex is switched off" in said("reflect")


def test_settings_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    (tmp_path / "prefrontal.yml").write_text("cortex: {max_trust_delta: 0}\n")
    assert "max_trust_delta" in said("reflect")


SHARING = "cortex: {sharing: {enabled: true, source: alpha}}\n"


def test_patterns_go_from_one_workspace_to_another(
    kept: Kept, tmp_path: Path, now: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "prefrontal.yml").write_text(SHARING)
    monkeypatch.setenv(KEY, "a shared secret of both")
    kept.write(history=[record(number, now, **FARMING) for number in range(1, 5)])
    assert done("patterns", "export", "shared.json") == "Wrote shared.json.\n"
    text = (tmp_path / "shared.json").read_text()
    assert "npub" not in text
    monkeypatch.setenv("PREFRONTAL_HOME", str(tmp_path / "other"))
    imported = done("patterns", "import", "shared.json")
    assert imported.startswith("Imported ")
    assert "pattern:alpha" in imported
    told = json.loads(done("patterns", "import", "shared.json", "--json"))
    assert told["sources"] == ["pattern:alpha"]
    hints = Kept(tmp_path / "other").wishes()["hints"]
    assert {each["trigger"] for each in hints} == {"farming"}
    assert len(hints) == len({each["finding"] for each in hints})


def test_insights_name_peers_and_trust_and_no_words(
    kept: Kept, tmp_path: Path, now: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "prefrontal.yml").write_text(SHARING)
    monkeypatch.setenv(KEY, "a shared secret of both")
    kept.write(history=[record(1, now, **FARMING)])
    text = done("patterns", "export", "--insights")
    said_of = {each["peer_id"]: each["stance"] for each in json.loads(text)["insights"]}
    assert said_of == {"npub-farm1": 0.0, "npub-7x9k": 0.4}
    assert "Five small requests" not in text
    result = run("patterns", "import", "-", data=text)
    assert result.stdout.startswith("Imported 2 hints of insight:alpha.")


def test_sharing_must_be_wished_for_and_signed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "cortex.sharing.enabled must be true" in said("patterns", "export")
    (tmp_path / "prefrontal.yml").write_text(SHARING)
    assert f"the variable {KEY} must hold the shared key" in said("patterns", "export")
    monkeypatch.setenv(KEY, "a shared secret of both")
    text = done("patterns", "export")
    (tmp_path / "shared.json").write_text(text.replace("alpha", "omega"))
    assert "signature" in said("patterns", "import", "shared.json")
    assert "cannot be read" in said("patterns", "import", "missing.json")
    assert "must be JSON" in said("patterns", "import", "-", data="x")
    assert not (tmp_path / "workspace" / "memory").exists()
