"""How others call prefrontal, and with which settings."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import SourceError
from ..home_folder import expanded
from ..settings.agent_file import FILE_NAME, whole_path

NAME = "prefrontal"


@dataclass(frozen=True, slots=True)
class Caller:
    """program: the words that start prefrontal, with whole paths. config: its settings. state: its
    state folder, None for the one of the settings."""

    program: Sequence[str]
    config: Path
    state: str | None = None

    def words(self, command: str, *more: str) -> list[str]:
        """A command line of prefrontal under these settings."""
        state = [] if self.state is None else ["--state", self.state]
        name, *rest = command.split()
        return [*self.program, name, *rest, "--config", str(self.config), *state, *more]

    def line(self, command: str, *more: str) -> str:
        """The same for a shell."""
        return shlex.join(self.words(command, *more))


def own_program(argv0: str | None = None) -> list[str]:
    """The program that is running, so that a cron without PATH finds it again."""
    own = Path(sys.argv[0] if argv0 is None else argv0)
    places = [str(own) if own.name == NAME else None, shutil.which(NAME)]
    places.append(str(Path(sys.executable).with_name(NAME)))
    for each in places:
        if each is not None and Path(each).is_file() and os.access(each, os.X_OK):
            return [str(Path(each).absolute())]
    return [sys.executable, "-m", NAME]


def usual_config(named: str | None) -> Path:
    """The settings that were named, those of this folder, or those of the home.

    Raises SourceError where there are none.
    """
    places = (
        [Path(FILE_NAME), Path("~/.prefrontal") / FILE_NAME] if named is None else [Path(named)]
    )
    for each in places:
        path = expanded(each)
        if path.is_file():
            return whole_path(path)
    if named is not None:
        raise SourceError(f"{named} cannot be read: No such file or directory")
    raise SourceError(
        f"there are no settings yet, neither ./{FILE_NAME} nor ~/.prefrontal/{FILE_NAME}:"
        " `prefrontal init` writes them, --config names others"
    )
