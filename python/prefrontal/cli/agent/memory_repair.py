"""`prefrontal memory repair`: conversations whose file is damaged."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ...errors import InputError
from ..answers import answer, json_option
from ..workspace import agent_process, home_options

if TYPE_CHECKING:
    from ...settings.home import Home


@click.command(short_help="Save what can be read of damaged conversations.")
@json_option
@home_options("ledger")
def repair(as_json: bool, home: Home) -> None:
    """Write conversations.sqlite anew with all messages, notes and facts that can be read.

    The damaged file is kept beside it as conversations.sqlite-corrupt. One that is not damaged
    stays as it is. The agent must not run meanwhile.
    """
    from ...runtime.conversation.repair import is_damaged
    from ...runtime.conversation.repair import repair as write_anew
    from ...runtime.conversation.store import conversations_path

    if process := agent_process(home):
        raise InputError(f"repair must be alone: the agent runs as process {process}, end it first")
    path = conversations_path(home.folder)
    if not path.exists() or not is_damaged(path):
        done = {"path": str(path), "damaged": False}
        why = "is not damaged" if path.exists() else "is not there: nothing was said yet"
        answer(as_json, done, f"{path} {why}.")
        return
    outcome = write_anew(path)
    answer(as_json, {**asdict(outcome), "damaged": True}, f"{outcome.sentence()}.")
