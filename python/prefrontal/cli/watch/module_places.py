"""Built-in modules are named after their folder; two places of one name are two modules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...assembly.adopted_modules import MODULE

if TYPE_CHECKING:
    from ...decisions.log import DecisionLog
    from ...pulse.modules.fingerprint import ModuleFingerprint

BUILT_IN = "built-in "
"""States that say where the place of a built-in module lies begin so; its id follows."""


def place_of(module: ModuleFingerprint) -> str | None:
    """The folder, repository or file that a built-in module is for; None for any other module."""
    if module.cluster != BUILT_IN.strip():
        return None
    priors = module.to_dict()["signal_priors"]
    names = (("filesystem", "watch_directories"), ("git", "repositories"), ("logs", "files"))
    return next((priors[kind][key][0] for kind, key in names if kind in priors), None)


def taken_by(log: DecisionLog, module_id: str) -> str | None:
    """The place that the built-in module of that name is for, while that is there."""
    state = log.load_state(BUILT_IN + module_id)
    place = "" if state is None else state[0].decode("utf-8", "surrogateescape")
    return place if place and Path(place).exists() else None


def apart(log: DecisionLog, modules: Iterable[ModuleFingerprint]) -> list[ModuleFingerprint]:
    """The modules, called `other/app.log` where the state folder knows another `app.log`.

    Settings of several projects share a state folder by default; what one taught must not decide
    about the other.
    """
    modules = list(modules)
    names = {each.module_id for each in modules}
    for number, module in enumerate(modules):
        place = place_of(module)
        if place is None or place in names or _is_free(log, module.module_id, place):
            continue
        path = Path(place)
        longer = [f"{path.parent.name}/{path.name}"] if path.parent.name else []
        free = (each for each in longer if each not in names and _is_free(log, each, place))
        name = next(free, place)
        modules[number] = replace(module, module_id=name)
        names.add(name)
    return modules


def _is_free(log: DecisionLog, module_id: str, place: str) -> bool:
    """Whether no history was adopted and no other place is watched under that name."""
    has_history = log.load_state(MODULE + module_id) is not None
    return not has_history and taken_by(log, module_id) in (None, place)


def remember(log: DecisionLog, modules: Iterable[ModuleFingerprint]) -> None:
    """Keep which places the built-in modules are for. Raises SourceError."""
    for module in modules:
        place = place_of(module)
        if place is not None and taken_by(log, module.module_id) != place:
            name = BUILT_IN + module.module_id
            log.save_state(name, place.encode("utf-8", "surrogateescape"), 0)
