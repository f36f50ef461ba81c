"""Stands in for `claude -p`: the hooks of settings.json around a model that says one thing.

Follows https://code.claude.com/docs/en/hooks: JSON on standard input, exit code 2 or a decision
"block" stops, any other code but 0 only shows a line. CLAUDE_SAYS is what the model answers,
CLAUDE_RUNS a command that it would run.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
PLACES = (FOLDER / "settings.json", Path(".claude") / "settings.json")


def hooks(event: str, more: dict[str, Any], tool: str = "") -> list[dict[str, Any]]:
    """What the hooks of an event answer."""
    payload = {"hook_event_name": event, "session_id": "s1", "cwd": str(Path.cwd()), **more}
    answers = []
    for place in PLACES:
        groups = json.loads(place.read_text()).get("hooks", {}) if place.exists() else {}
        for group in groups.get(event, []):
            if not re.fullmatch(group.get("matcher") or ".*", tool):
                continue
            for hook in group["hooks"]:
                words = ["sh", "-c", hook["command"]]
                done = subprocess.run(
                    words, check=False, input=json.dumps(payload), capture_output=True, text=True
                )
                sys.stderr.write(done.stderr)
                if done.returncode == 2:
                    answers.append({"decision": "block", "reason": done.stderr})
                elif done.returncode == 0 and done.stdout.strip():
                    answers.append(json.loads(done.stdout))
    return answers


def main(option: str, prompt: str) -> None:
    assert option == "-p"
    context = []
    for answer in hooks("UserPromptSubmit", {"prompt": prompt}):
        if answer.get("decision") == "block":
            print(answer["reason"])
            return
        context.append(answer["hookSpecificOutput"]["additionalContext"])
    print(f"The model is asked: {prompt}")
    print("".join(f"{each}\n" for each in context), end="")
    if command := os.environ.get("CLAUDE_RUNS"):
        call = {"tool_name": "Bash", "tool_input": {"command": command}}
        for answer in hooks("PreToolUse", call, "Bash"):
            output = answer["hookSpecificOutput"]
            print(f"{output['permissionDecision']}: {output['permissionDecisionReason']}")
    said = os.environ.get("CLAUDE_SAYS", "HEARTBEAT_OK")
    print(f"It says: {said}")
    hooks("Stop", {"stop_hook_active": False, "last_assistant_message": said})


main(*sys.argv[1:])
