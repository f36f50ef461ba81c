"""What Claude Code's hooks are told: https://code.claude.com/docs/en/hooks."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from zlib import crc32

from ...errors import SourceError
from ...home_folder import expanded
from ...installation.programs import Caller, own_program
from ...settings.agent_file import settings_file, whole_path
from ...storage.files import write_atomic

LIMIT_S = 8.0
"""For the gate to decide in: nobody sits at a heartbeat, and being busy is no reason to wake."""
PATIENCE_S = 25.0
"""For its answer, start and all; less than the hook itself has."""
TAIL = 1 << 20
SLEPT = "prefrontal: nothing that matters since the last time, so the model was not asked."
ENDING = "If there is nothing to do, answer HEARTBEAT_OK and no more."

Payload = Mapping[str, Any]


class ClaudeHooks:
    """config: the settings of the gate, None for those it finds. state: its folder, if another
    than theirs."""

    def __init__(self, config: str | Path | None, state: str | None) -> None:
        self._config, self._state = settings_file(config), state

    def answer(self, payload: Payload) -> dict[str, Any] | None:
        """What the hook prints; None for nothing. Raises what goes wrong."""
        event = payload.get("hook_event_name")
        if event == "UserPromptSubmit":
            return self._prompt(payload)
        if event == "Stop":
            self._label(payload)
        elif event == "PreToolUse":
            return self._consult(payload)
        return None

    def _prompt(self, payload: Payload) -> dict[str, Any] | None:
        if not is_heartbeat(str(payload.get("prompt", ""))):
            return None
        verdict = self._asked()
        if not verdict["wake"]:
            return {"decision": "block", "reason": SLEPT}
        questions = [each for each in verdict["questions"] if isinstance(each, dict)]
        self._remember(payload, [str(each["id"]) for each in questions])
        lines = [str(each.get("question")) for each in questions]
        if verdict.get("fault"):
            lines.append(f"prefrontal could not decide ({verdict['fault']}); look yourself.")
        context = "\n".join([*lines, ENDING])
        output = {"hookEventName": "UserPromptSubmit", "additionalContext": context}
        return {"hookSpecificOutput": output}

    def _asked(self) -> dict[str, Any]:
        """The gate's verdict. Raises SourceError when it gives none."""
        config = None if self._config is None else whole_path(expanded(self._config))
        words = [*own_program(), "gate"] + ([] if self._state is None else ["--state", self._state])
        if config is not None:
            words = Caller(own_program(), config, self._state).words("gate")
        done = subprocess.run(
            [*words, "--limit", f"{LIMIT_S:g}", "--format", "json"],
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            cwd=None if config is None else config.parent,
        )
        try:
            verdict = json.loads(done.stdout)
            assert isinstance(verdict["wake"], bool) and isinstance(verdict["questions"], list)
        except (ValueError, KeyError, TypeError, AssertionError):
            lines = done.stderr.strip().splitlines()
            raise SourceError(f"the gate did not answer: {lines[-1] if lines else done}") from None
        return dict(verdict)

    def _label(self, payload: Payload) -> None:
        """The answer says whether the wake was worth it."""
        ids = [*self._woken_for(payload), *filter(None, [os.environ.get("PREFRONTAL_ID")])]
        worth = worth_of(payload) if ids else None
        if worth is None:
            return
        from ...clock import SystemClock
        from ...decisions.log import DecisionLog
        from ...storage.state_folder import StateFolder

        with DecisionLog(StateFolder(self._folder()).decisions) as log:
            for each in ids:
                if log.get(each) is not None:
                    log.add_label(each, worth, SystemClock().now(), once=True)
        with suppress(FileNotFoundError):
            self._note(payload).unlink()

    def _consult(self, payload: Payload) -> dict[str, Any] | None:
        """Asks the person where the record speaks against what is hard to take back."""
        from ...assembly.agent_records import AgentRecords
        from ...cortex.consultation.deferral import kind_of_tool
        from ...settings.agent_file import read_agent_config, workspace_folder

        config = None if self._config is None else str(self._config)
        agent = read_agent_config(config, keys={"workspace", "ledger", "cortex"})
        records = AgentRecords(workspace_folder(None, agent), agent)
        tool, call = str(payload.get("tool_name", "")), payload.get("tool_input")
        kind = kind_of_tool(tool, call, records.settings.consultation)
        if kind is None:
            return None
        verdict = records.verdict(kind, f"call {tool} with {json.dumps(call)}", "")
        if verdict.decision == "approve":
            return None
        return {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "ask",
                "permissionDecisionReason": f"prefrontal: {verdict.reasoning}",
            }
        }

    def _folder(self) -> Path:
        if self._state is not None:
            return expanded(self._state)
        from ...settings import load_settings

        return Path(load_settings(self._config).state_folder())

    def _note(self, payload: Payload) -> Path:
        name = f"{crc32(str(payload.get('session_id')).encode()):08x}.json"
        return self._folder() / "woken-sessions" / name

    def _remember(self, payload: Payload, ids: Sequence[str]) -> None:
        path = self._note(payload)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(path, json.dumps(ids))

    def _woken_for(self, payload: Payload) -> list[str]:
        try:
            return [str(each) for each in json.loads(self._note(payload).read_text())]
        except FileNotFoundError:
            return []


def is_heartbeat(prompt: str) -> bool:
    """Whether a timer sent it, as a replay of sessions reads it."""
    from ...replay.histories.openclaw import kind_of_text

    return kind_of_text(prompt) == "heartbeat"


def worth_of(payload: Payload) -> float | None:
    """1 where the agent had something to say, 0 where not, None where it did not answer.

    The answer is in the payload; earlier versions have it only in the transcript.
    """
    from ...replay.histories.agent_replies import is_noop

    text = payload.get("last_assistant_message")
    if isinstance(text, str):
        return 0.0 if is_noop(text, woken=True) else 1.0
    return _worth_in(expanded(str(payload.get("transcript_path", ""))))


def _worth_in(transcript: Path) -> float | None:
    from collections import Counter

    from ...replay.histories.agent_turns import Turns
    from ...replay.histories.claude import ClaudeSession

    session, turns = ClaudeSession(transcript.parent.name), Turns(Counter())
    with transcript.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
        lines = file.read().decode(errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        with suppress(ValueError):
            entry = json.loads(line)
            if isinstance(entry, dict):
                turns.take(session.read(number, entry))
    turn = turns.end()
    return None if turn is None else float(turn.relevant)
