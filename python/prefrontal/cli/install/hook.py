"""`prefrontal hook`: what the hooks of an agent call; `prefrontal install` writes them."""

from __future__ import annotations

import json

import click

from ...standard_input import input_bytes
from ..option_group import settings_option
from ..state import settings_state_option


@click.command()
@click.argument("agent", type=click.Choice(["claude-code"]))
@settings_option()
@settings_state_option
def hook(agent: str, config: str | None, state: str | None) -> None:
    """Answer a hook of an agent: its JSON on standard input, ours on standard output.

    UserPromptSubmit: a heartbeat reaches the model only when the gate says wake. Stop: the answer
    is the label of the wake. PreToolUse: what is hard to take back is asked about. Whatever goes
    wrong ends with 1, and the agent goes on as if there were no hook.
    """
    from .claude_hooks import ClaudeHooks

    try:
        payload = json.load(input_bytes())
        if not isinstance(payload, dict):
            raise ValueError("an object is expected")
        output = ClaudeHooks(config, state).answer(payload)
    except Exception as error:  # noqa: BLE001 - exit code 2 would stop the agent
        click.echo(f"prefrontal hook {agent}: {error}; the agent goes on without it", err=True)
        raise SystemExit(1) from None
    if output is not None:
        click.echo(json.dumps(output))
