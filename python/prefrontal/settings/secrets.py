"""Secrets stand in the environment; the settings only name the variable."""

from __future__ import annotations

import os

from ..errors import InputError


def environment_secret(key: str, variable: str | None) -> str | None:
    """What the variable holds; None when none is named. Raises InputError when it is not set.

    key: of the settings, for the error.
    """
    if variable is None:
        return None
    if not (secret := os.environ.get(variable)):
        raise InputError(f"{key} must name a variable that is set, got {variable!r}")
    return secret
