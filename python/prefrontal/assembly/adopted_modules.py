"""The modules of adopted histories, as the live gate finds them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..pulse.modules.fingerprint import ModuleFingerprint, parse_fingerprint

if TYPE_CHECKING:
    from ..decisions.log import DecisionLog
    from ..settings import Settings

MODULE = "adopted "
"""States with the fingerprint of an adopted module begin so; its id follows."""


def adopted_modules(settings: Settings, log: DecisionLog) -> Iterator[ModuleFingerprint]:
    """The modules of the adopted histories, with the recall and the question of the settings.

    Raises InputError where the state folder does not hold what was learned.
    """
    for entry in settings.adopted:
        state = log.load_state(MODULE + entry.module)
        if state is None:
            option = f" --git {entry.git}" if entry.git else ""
            raise InputError(
                f"adopted module {entry.module!r} must be in {log.path}, where nothing of it is;"
                f" `prefrontal adopt{option}` replays its history and puts it into the state folder"
                " of the settings"
            )
        raw: dict[str, Any] = json.loads(state[0])
        raw["question_template"] = entry.question
        raw["signal_priors"]["history"]["recall"] = entry.recall
        yield parse_fingerprint(raw)
