"""`prefrontal hook claude-code`: heartbeats are gated, answers are labels, steps are weighed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from prefrontal import PulseRegistry, SignalEvent, cli
from prefrontal.cli.install import claude_hooks
from prefrontal.cli.install.claude_hooks import LIMIT_S, PATIENCE_S, is_heartbeat, worth_of
from prefrontal.decisions.log import DecisionLog
from prefrontal.installation.targets.claude_code import PROMPT_TIMEOUT_S

MODULE = {
    "module_id": "invoices",
    "cluster": "money",
    "version": "1",
    "question_template": "Is {location} an invoice to file?",
    "default_threshold": 0.6,
    "signal_priors": {
        "filesystem": {"watch_directories": ["/srv/inbox"], "relevant_extensions": [".pdf"]}
    },
}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def wake(state: Path) -> str:
    """The id of a wake in the log."""
    state.mkdir()
    with DecisionLog(state / "decisions.sqlite") as log:
        registry = PulseRegistry(log=log, audit_share=0)
        registry.register_module("invoices", MODULE)
        registry.start()
        registry.push(SignalEvent("filesystem", "/srv/inbox/bill.pdf", "created", 1.0, 1.75e9))
        registry.stop()
        [decision] = log.recent(1)
    return decision.id


def label(state: Path, decision: str) -> float | None:
    with DecisionLog(state / "decisions.sqlite") as log:
        record = log.get(decision)
    assert record is not None
    return record.label


def gate_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    """The gate's program prints this."""
    program = tmp_path / "prefrontal"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{output}\nEND\n")
    program.chmod(0o755)
    monkeypatch.setattr(claude_hooks, "own_program", lambda: [str(program)])


def hook(state: Path, event: str, **more: Any) -> Result:
    payload = {"hook_event_name": event, "session_id": "s", **more}
    words = ["hook", "claude-code", "--state", str(state)]
    return CliRunner().invoke(cli.main, words, input=json.dumps(payload))


def answer(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout) if result.stdout else None


def test_a_heartbeat_sleeps_where_the_gate_says_so(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate_says(tmp_path, monkeypatch, '{"wake": false, "questions": [], "fault": null}')
    told = answer(hook(state, "UserPromptSubmit", prompt="HEARTBEAT"))
    assert told == {"decision": "block", "reason": claude_hooks.SLEPT}


def test_a_wake_brings_its_question_and_the_answer_is_its_label(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decision = wake(state)
    question = {"id": decision, "question": "Is bill.pdf an invoice to file?"}
    gate_says(tmp_path, monkeypatch, json.dumps({"wake": True, "questions": [question]}))
    told = answer(hook(state, "UserPromptSubmit", prompt="HEARTBEAT"))["hookSpecificOutput"]
    assert told["hookEventName"] == "UserPromptSubmit"
    assert told["additionalContext"].startswith(f"{question['question']}\n")
    assert answer(hook(state, "Stop", last_assistant_message="HEARTBEAT_OK")) is None
    assert label(state, decision) == 0.0
    answer(hook(state, "Stop", last_assistant_message="Filed bill.pdf."))
    assert label(state, decision) == 0.0  # only the answer to the wake is its label


def test_without_a_config_the_hook_and_its_gate_know_the_same_state(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decision = wake(state)
    program = tmp_path / "prefrontal"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/words\n')
    program.chmod(0o755)
    monkeypatch.setattr(claude_hooks, "own_program", lambda: [str(program)])
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    hook(state, "UserPromptSubmit", prompt="HEARTBEAT")
    assert f"gate --state {state}" in (tmp_path / "words").read_text()
    (tmp_path / "prefrontal.yml").write_text("state: state\n")
    monkeypatch.setenv("PREFRONTAL_ID", decision)
    payload = {"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": "Filed."}
    answer(CliRunner().invoke(cli.main, ["hook", "claude-code"], input=json.dumps(payload)))
    assert label(state, decision) == 1.0


def test_settings_named_by_way_of_a_parent_folder_are_named_whole(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "prefrontal"
    program.write_text(f'#!/bin/sh\necho "$PWD $@" >> {tmp_path}/words\n')
    program.chmod(0o755)
    monkeypatch.setattr(claude_hooks, "own_program", lambda: [str(program)])
    (tmp_path / "prefrontal.yml").write_text("state: state\n")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "HEARTBEAT"}
    words = ["hook", "claude-code", "--config", "../prefrontal.yml"]
    CliRunner().invoke(cli.main, words, input=json.dumps(payload))
    asked = (tmp_path / "words").read_text()
    assert asked.startswith(f"{tmp_path} gate --config {tmp_path}/prefrontal.yml ")


def test_who_was_started_by_a_wake_labels_it(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decision = wake(state)
    monkeypatch.setenv("PREFRONTAL_ID", decision)
    answer(hook(state, "Stop", last_assistant_message="Filed bill.pdf."))
    assert label(state, decision) == 1.0


def test_what_a_person_types_is_not_gated(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claude_hooks, "own_program", lambda: ["/nowhere"])
    assert answer(hook(state, "UserPromptSubmit", prompt="Fix the heartbeat, please.")) is None
    assert answer(hook(state, "Notification")) is None


@pytest.mark.parametrize("output", ["", "no JSON", '{"wake": "yes", "questions": []}', "[]"])
def test_a_gate_that_does_not_answer_lets_the_prompt_through_and_says_so(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    gate_says(tmp_path, monkeypatch, output)
    result = hook(state, "UserPromptSubmit", prompt="HEARTBEAT")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the agent goes on without it" in result.stderr


@pytest.mark.parametrize("text", ["", "{", "[]", "null"])
def test_whatever_comes_in_never_stops_the_agent(state: Path, text: str) -> None:
    words = ["hook", "claude-code", "--state", str(state)]
    result = CliRunner().invoke(cli.main, words, input=text)
    assert (result.exit_code, result.stdout) == (1, "")


@pytest.mark.parametrize(
    ("command", "asks"), [("rm -rf build", True), ("ls", False), ("git log", False)]
)
def test_a_step_that_is_hard_to_take_back_is_asked_about(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, asks: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    call = {"tool_name": "Bash", "tool_input": {"command": command}}
    told = answer(hook(state, "PreToolUse", **call))
    assert (told is not None) == asks
    if asks:
        assert told["hookSpecificOutput"]["permissionDecision"] == "ask"
        assert told["hookSpecificOutput"]["permissionDecisionReason"].startswith("prefrontal: ")


@pytest.mark.parametrize(
    ("prompt", "heartbeat"),
    [
        ("HEARTBEAT", True),
        ("Look at the inbox. If nothing needs you, reply HEARTBEAT_OK", True),
        ("Read HEARTBEAT.md and follow it", True),
        ("What is a HEARTBEAT?", False),
        ("", False),
    ],
)
def test_a_heartbeat_is_known_as_in_a_replay(prompt: str, heartbeat: bool) -> None:
    assert is_heartbeat(prompt) == heartbeat


def test_an_earlier_version_has_the_answer_in_its_transcript(tmp_path: Path) -> None:
    lines = [
        {"type": "user", "timestamp": "2026-01-01T00:00:00Z", "message": {"content": "HEARTBEAT"}},
        {
            "type": "assistant",
            "timestamp": "2026-01-01T00:00:05Z",
            "message": {
                "content": [{"type": "text", "text": "Filed it."}],
                "stop_reason": "end_turn",
            },
        },
    ]
    path = tmp_path / "session.jsonl"
    path.write_text("broken\n" + "".join(f"{json.dumps(each)}\n" for each in lines))
    assert worth_of({"transcript_path": str(path)}) == 1.0
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines[:1]))
    assert worth_of({"transcript_path": str(path)}) is None


def test_a_gate_that_could_not_decide_wakes_and_says_why(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate_says(tmp_path, monkeypatch, '{"wake": true, "questions": [], "fault": "the disk is full"}')
    told = answer(hook(state, "UserPromptSubmit", prompt="HEARTBEAT"))["hookSpecificOutput"]
    assert told["additionalContext"].splitlines()[0] == (
        "prefrontal could not decide (the disk is full); look yourself."
    )


def test_the_gate_has_time_on_a_busy_machine_and_less_than_the_hook(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate_says(tmp_path, monkeypatch, '{"wake": true, "questions": [], "fault": "$*"}')
    program = tmp_path / "prefrontal"
    program.write_text(program.read_text().replace("<<'END'", "<<END").replace("'\"$*\"'", "$*"))
    told = answer(hook(state, "UserPromptSubmit", prompt="HEARTBEAT"))["hookSpecificOutput"]
    assert f"--limit {LIMIT_S:g} --format json" in told["additionalContext"]
    assert LIMIT_S < PATIENCE_S < PROMPT_TIMEOUT_S
