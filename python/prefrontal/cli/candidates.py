"""What a shell may complete: names that are kept on this machine. Never an error, never slow."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import TypeAlias
from urllib.parse import unquote

import click
from click.shell_completion import CompletionItem

from ..errors import PrefrontalError
from ..settings.home import Home
from ..storage.state_folder import StateFolder
from .state import decision_log, state_folder

Candidates: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
NEWEST = 30
"""Decisions that are offered."""
PRESETS = ("path:", "message:", "followup", "fixed-later", "noop", "recorded")


def _quiet(produce: Candidates) -> Candidates:
    """Those that begin with what was typed; none where something cannot be read."""

    @wraps(produce)
    def candidates(
        context: click.Context, parameter: click.Parameter, typed: str
    ) -> list[CompletionItem]:
        with suppress(PrefrontalError, OSError):
            items = produce(context, parameter, typed)
            return [item for item in items if item.value.startswith(typed)]
        return []

    return candidates


def _state(context: click.Context) -> StateFolder:
    return state_folder(context.params.get("state"), context.params.get("config"))


@_quiet
def module_names(context: click.Context, _: click.Parameter, __: str) -> list[CompletionItem]:
    """Modules of the state folder, by the names of their files."""
    folder = _state(context).modules
    names = sorted(unquote(path.stem) for path in folder.glob("*.json"))
    return [CompletionItem(name) for name in names]


@_quiet
def decision_ids(context: click.Context, _: click.Parameter, __: str) -> list[CompletionItem]:
    """The newest decisions, with what each was about."""
    with decision_log(_state(context)) as log:
        newest = log.recent(NEWEST, acted=None, kind=None)
    return [CompletionItem(each.id[:8], help=f"{each.kind} {each.subject}") for each in newest]


@_quiet
def memory_keys(context: click.Context, _: click.Parameter, __: str) -> list[CompletionItem]:
    """What the agent remembers."""
    params = context.params
    memory = Home.open(params.get("workspace"), params.get("config"), keys=()).memory()
    return list(map(CompletionItem, memory.keys()))


@_quiet
def presets(_: click.Context, __: click.Parameter, ___: str) -> list[CompletionItem]:
    """What --relevant takes."""
    return [CompletionItem(each) for each in PRESETS]
