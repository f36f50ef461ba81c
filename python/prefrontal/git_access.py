"""git, asked read-only: nothing of the user's set-up may page, colour, fetch, lock or execute."""

from __future__ import annotations

import os
from collections.abc import Iterable

_SETTINGS = ("diff.relative=false", "log.showRoot=true", "log.showSignature=false")
_KEPT = ("GIT_CONFIG_", "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS")


def git_command(folder: str, arguments: Iterable[str], settings: Iterable[str] = ()) -> list[str]:
    """The words that run git in `folder`; settings: more of them, as "name=value"."""
    words = [word for setting in (*_SETTINGS, *settings) for word in ("-c", setting)]
    return ["git", "--no-optional-locks", "--no-pager", *words, "-C", folder, *arguments]


def git_environment() -> dict[str, str]:
    """The user's, less what points git elsewhere (GIT_DIR in a hook) or makes it talk or run."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT)
    }
    return environment | {
        # What a partial clone left on its server stays there; older gits know only the first.
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
