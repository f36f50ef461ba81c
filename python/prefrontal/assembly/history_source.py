"""The history of an adopted repository as it grows: each new commit is the window of a replay."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import SourceError
from ..home_folder import expanded
from ..pulse.followed import FollowedWindow, Place
from ..pulse.sources.git_signs import branch_signs, head_signs
from ..pulse.sources.polling import Poller
from ..replay.histories import git_process
from ..replay.histories.git_history import Commit, GitHistory, Reached
from ..replay.presets.fix_labeller import FixLabeller
from ..replay.presets.fixed_later import FixedLaterPreset, blamed_by, size_of
from ..replay.presets.labelled import Labelled
from ..replay.presets.labeller import Labeller

if TYPE_CHECKING:
    from ..pulse.sources.running import Outlet
    from ..replay.presets.presets import Preset

TIPS = 256
"""Commits it came to that are remembered, so that going back and forth tells nothing twice."""

log = logging.getLogger("prefrontal.pulse")


@dataclass(slots=True)
class HistoryPlace:
    """How far a branch was read, and which labels are still to come.

    branch: as refs/heads/main; HEAD when none was checked out. tips, time: as of `Reached`.
    repository: its folder, through links; "" where an earlier release wrote this.
    """

    branch: str
    tips: tuple[str, ...]
    time: float
    labeller: Labeller | FixLabeller
    repository: str = ""

    def to_dict(self) -> Place:
        """Plain values, which `from_dict` reads back."""
        return {
            "branch": self.branch,
            "tips": list(self.tips),
            "time": self.time,
            "labeller": self.labeller.to_dict(),
            "repository": self.repository,
        }

    @classmethod
    def from_dict(cls, raw: Place) -> HistoryPlace:
        """What `to_dict` gave."""
        kind = FixLabeller if raw["labeller"]["relevant"] == FixedLaterPreset().name else Labeller
        labeller = kind.from_dict(raw["labeller"])
        tips, repository = tuple(raw["tips"]), raw.get("repository", "")
        return cls(raw["branch"], tips, raw["time"], labeller, repository)

    @classmethod
    def before(cls, branch: str, preset: Preset, repository: str = "") -> HistoryPlace:
        """Before the first change of a branch. Raises InputError for a preset that needs more."""
        if isinstance(preset, FixedLaterPreset):
            return cls(branch, (), 0.0, FixLabeller(preset), repository)
        return cls(branch, (), 0.0, Labeller(preset), repository)

    def move(self, commit: Commit) -> None:
        """To behind that commit."""
        self.tips = (*self.tips, commit.key)[-TIPS:]
        self.time = commit.time


class HistorySource:
    """Follows one branch of a repository for one module; the role `Source`.

    A look reads a few small files; git runs only when one of them changed. What it pushes are
    `FollowedWindow`s; after one that was refused it goes on with that one at the next look.
    place: where the replay, or the watch before this one, ended.
    """

    def __init__(
        self,
        module_id: str,
        folder: str | os.PathLike[str],
        place: HistoryPlace,
        interval_s: float = 2.0,
    ) -> None:
        self._module_id = module_id
        self._folder = os.path.realpath(expanded(folder))
        self._place = place
        self._waiting: FollowedWindow | None = None
        self._git_dir: Path | None = None
        self._signs: tuple[object, ...] = ()
        self._windows = 0
        self._poller = Poller(f"prefrontal-history {self._folder}"[:200], interval_s, self._ask)

    def start(self, push: Callable[[Any], object]) -> None:
        """Begin; a repository that cannot be read is looked for again."""
        self._poller.start(push)

    def stop(self, timeout_s: float = 5.0) -> None:
        self._poller.stop(timeout_s)

    def caught_up(self, timeout_s: float) -> bool:
        """Wait for the first look; whether all there was has been handed on."""
        return self._poller.looked(timeout_s) and self._waiting is None

    def status(self) -> dict[str, object]:
        """repository, branch, windows handed on, and what went wrong."""
        status = {
            "repository": self._folder,
            "branch": self._place.branch,
            "windows": self._windows,
        }
        return status | self._poller.status()

    def _ask(self, outlet: Outlet) -> None:
        if self._waiting is not None and not self._push(outlet, self._waiting):
            return
        signs = self._look()
        if signs == self._signs:
            return
        for window in self.windows():
            if not self._push(outlet, window):
                return
        self._signs = signs  # only now: after a failure it is asked again

    def windows(self) -> Iterator[FollowedWindow]:
        """What the branch has that was not told yet."""
        for commit in self._news():
            if (window := self._next(commit)) is not None:
                yield window

    def _push(self, outlet: Outlet, window: FollowedWindow) -> bool:
        accepted = outlet(window)  # type: ignore[arg-type]
        self._waiting = None if accepted else window
        self._windows += accepted
        return accepted

    def _next(self, commit: Commit) -> FollowedWindow | None:
        """The window of a commit; None when the preset hides all of it."""
        labelled = self._labelled(commit)
        self._place.move(commit)
        window = labelled.window
        if window is None:
            return None
        return FollowedWindow(
            self._module_id,
            commit.key,
            window.events,
            window.relevant,
            labelled.due,
            self._place.to_dict(),
        )

    def _labelled(self, commit: Commit) -> Labelled:
        labeller = self._place.labeller
        if isinstance(labeller, FixLabeller):
            folder = self._folder
            return labeller.take(
                commit, lambda key: blamed_by(folder, key), lambda key: size_of(folder, key)
            )
        return labeller.take(commit)

    def _look(self) -> tuple[object, ...]:
        if self._git_dir is None:
            answer = git_process.tell(self._folder, "rev-parse", "--absolute-git-dir")
            self._git_dir = Path(answer)
        branch = self._place.branch
        return (
            head_signs(self._git_dir) if branch == "HEAD" else branch_signs(self._git_dir, branch)
        )

    def _news(self) -> list[Commit]:
        branch = self._place.branch
        tip = git_process.ask(self._folder, "rev-parse", "--verify", "--quiet", branch)
        if tip is None:
            raise SourceError(
                f"{branch.removeprefix('refs/heads/')} must be a branch of {self._folder!r}, which"
                " is followed, and is gone; `prefrontal adopt` follows another"
            )
        # The commit, not the branch, which may move while git is asked several things.
        if not self._leads_on(tip):
            whole = GitHistory(self._folder, revision=tip)
            news = [commit for commit in whole if commit.time > self._place.time]
            log.warning(
                "%s holds no commit that was judged before: its history was rewritten, or it is"
                " another repository; of its commits count the %s dated after the last that was",
                self._folder, len(news),
            )  # fmt: skip
            return news
        return list(GitHistory(self._folder, revision=tip, reached=self._reached()))

    def _reached(self) -> Reached:
        return Reached(self._place.tips, self._place.time)

    def _leads_on(self, tip: str) -> bool:
        """Whether a commit follows any that was judged; else all before it would be news."""
        if not (tips := self._place.tips):
            return True
        answer = git_process.ask(self._folder, "merge-base", "--is-ancestor", tips[-1], tip)
        if answer is not None:
            return True
        new = GitHistory(self._folder, revision=tip, reached=self._reached()).count()
        return new < GitHistory(self._folder, revision=tip).count()


def checked_out(folder: str | os.PathLike[str]) -> str:
    """The branch that HEAD is on, as refs/heads/main; HEAD when it is on none."""
    return git_process.ask(os.fspath(folder), "symbolic-ref", "--quiet", "HEAD") or "HEAD"
