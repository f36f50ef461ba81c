"""`prefrontal adopt --shadow`: the gate goes on where its shadow ended."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import InputError
from ...plain_text import command_line, visible
from ..answers import answer
from ..paths import home_short
from ..state import state_folder

if TYPE_CHECKING:
    from ...assembly.shadow.adoption import AdoptedShadow, ShadowMark
    from ...storage.state_folder import StateFolder


def adopt_the_shadow(config: str, state: str | None, yes: bool, as_json: bool) -> None:
    """Show what goes on, ask, and write it. Raises InputError and SourceError."""
    from ...assembly.shadow.adoption import adopt_shadow, check_alone, shadow_log
    from ...standard_input import is_terminal
    from ...storage.state_folder import FIRST_END_IT

    folder = state_folder(state, config if Path(config).is_file() else None)
    with shadow_log(folder) as (_, mark):
        pass
    if not (yes or as_json or is_terminal()):
        raise InputError("adopt must be asked from a terminal; --yes asks nothing")
    with folder.shadow.watched(FIRST_END_IT), folder.watched(FIRST_END_IT):
        check_alone(folder, mark)
        if not (yes or as_json):
            _show(folder, mark)
            if not _agreed():
                click.echo("Nothing was written.")
                return
        adopted = adopt_shadow(folder)
    answer(as_json, _done(folder, adopted), _sentence(folder, adopted))


def _agreed() -> bool:
    try:
        return click.confirm("Switch it on?", default=True)
    except click.Abort:
        raise KeyboardInterrupt from None  # told as every interrupt is


def _show(state: StateFolder, mark: ShadowMark) -> None:
    names = ", ".join(visible(str(each["module_id"]), 80) for each in mark.modules)
    place = visible(home_short(str(state.path)), 500)
    click.echo(f"{place} gets what the shadow learned for {names}, and how far it read.")
    click.echo("Nothing of the shadow's time is asked; what comes from now on is delivered.")


def _done(state: StateFolder, adopted: AdoptedShadow) -> dict[str, object]:
    return {
        "state": str(state.path),
        "began": adopted.mark.began,
        "modules": sorted(adopted.thresholds),
        "thresholds": adopted.thresholds,
        "labels_on_top": adopted.labels,
        "next": [_command(adopted)],
    }


def _sentence(state: StateFolder, adopted: AdoptedShadow) -> str:
    place = visible(home_short(str(state.path)), 500)
    return f"{place} goes on where its shadow ended. Next:\n  {visible(_command(adopted), 1000)}"


def _command(adopted: AdoptedShadow) -> str:
    return command_line(["prefrontal", "watch", *adopted.mark.watched])
