"""Where the state folder lies, for commands that need no other setting."""

from __future__ import annotations

import os
from pathlib import Path

from ..home_folder import expanded
from ..storage.state_folder import default_state
from .agent_file import folder_of, read_settings_file, settings_file


def state_path(
    state: str | os.PathLike[str] | None = None, config: str | os.PathLike[str] | None = None
) -> Path:
    """The folder `state`, else the one that the settings name, else the default.

    config: the settings; None for the one of the usual files that counts most. They name the same
    folder as `Settings.state_folder`, which takes half a second to check all other keys. Raises
    InputError and SourceError for settings that cannot be used.
    """
    if state:
        return Path(state)
    file = settings_file(config)
    if file is None:
        return default_state()
    document = read_settings_file(file)
    named = document.get("state") if isinstance(document, dict) else document
    if named is None:
        return default_state()
    if isinstance(named, str) and named.strip():
        return folder_of(file) / expanded(named)
    from .loading import load_settings

    return load_settings(file).state_folder()
