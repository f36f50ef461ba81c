"""What `prefrontal replay` replays: the sample, repositories, files, sessions, or where one is."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import InputError, SourceError
from ...home_folder import expanded

if TYPE_CHECKING:
    from ...replay.backtest import Step
    from ...replay.result import ReplayResult
    from ...replay.session import Request

WITHOUT_A_REPOSITORY = {
    "replay": "`prefrontal replay --sample` (a recorded history) or `prefrontal replay --git PATH`",
    "adopt": "`prefrontal adopt PATH` (a repository, what OpenClaw or Claude Code kept, or recorded"
    " windows)",
}
"""Command -> what works where no repository is."""


@dataclass(frozen=True, slots=True)
class ReplaySources:
    """Histories as a person gave them; places: those of which the kind was not said."""

    sample: bool
    repositories: tuple[str, ...]
    files: tuple[str, ...]
    places: tuple[str, ...]

    def __len__(self) -> int:
        return self.sample + len(self.repositories) + len(self.files) + len(self.places)

    @property
    def named(self) -> tuple[str, ...]:
        """Each as a person named it, in the order of the results; empty for the sample and for the
        folder one is in.
        """
        sample = ("",) * self.sample
        return (*sample, *self.repositories, *self.files, *self.places) or ("",)

    def replayed(self, request: Request, step: Step) -> list[ReplayResult]:
        """Their results in the order of the fields; without any, that of the folder one is in."""
        from ...assembly.replay_gate import PulseGate
        from ...replay.histories.history_kind import is_of_git
        from ...replay.session import replay_events, replay_git, replay_history, replay_sample

        results = []
        if self.sample:
            results.append(replay_sample(request, PulseGate(), step))
        for path in self.repositories if self else (here(),):
            results.append(replay_git(path, request, PulseGate(), step))
        for path in self.files:
            results.append(replay_events(path, request, PulseGate(), step))
        for path in self.places:
            if is_of_git(path):
                folder = str(expanded(path))
                results.append(replay_git(folder, request, PulseGate(), step))
                continue
            try:
                results.append(replay_history(path, request, PulseGate(), step))
            except InputError as error:
                raise InputError(_either(path, error)) from None
        return results


def _either(path: str, error: InputError) -> str:
    """Why neither sessions nor a repository was found in a folder."""
    nothing = str(error).startswith("history must be a folder or a file of sessions")
    if nothing and expanded(path).is_dir():
        return f"{error}; no git repository holds it either"
    return str(error)


def here(command: str = "replay") -> str:
    """The repository one is in. command: one of WITHOUT_A_REPOSITORY.

    Raises InputError outside of one and SourceError without git, and says what to do instead.
    """
    from ...replay.histories.history_kind import top_level

    top = top_level()
    if top is None:
        raise InputError(
            f"{command} must be run in a git repository or be told what to {command}, got neither;"
            f" try {WITHOUT_A_REPOSITORY[command]}"
        )
    if shutil.which("git") is None:
        raise SourceError(
            "git must be installed and on the PATH, got no git to run; without it there is"
            " `prefrontal replay --sample` (a recorded history)"
        )
    return str(top)
