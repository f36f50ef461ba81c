"""A repository before its history is read: where it is, what is missing, what is going on in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...errors import SourceError
from ...git_access import check_files
from ...plain_text import quote_for_shell
from . import git_process

_UNDER_WAY = (
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisection"),
)

_LATEST = 99
"""Commits whose times tell whether that of HEAD can be right."""

EXACT = "only renames without a change of content are seen as renames"


@dataclass(frozen=True, slots=True)
class Repository:
    """What has to be known about a repository before its log is read.

    newest: no commit can be later, Unix seconds: the committer's time of HEAD as git has it (any
    value), or, where that is before most of the commits that led up to it, theirs.
    cut: commits whose parents a shallow clone left behind; what they changed cannot be known.
    partial: file contents may be missing (a partial clone).
    """

    folder: str
    newest: float
    cut: frozenset[str]
    partial: bool
    notes: tuple[str, ...]


def open_repository(path: str | Path, revision: str = "HEAD") -> Repository:
    """The repository that holds `path` (a work tree or a folder in it, a bare one, a worktree).

    revision: whose history is asked for. Raises SourceError in one sentence when there is none, git
    refuses it, or it has no commits.
    """
    folder = str(path)
    if not Path(folder).is_dir():
        rule = "be a folder" if Path(folder).exists() else "exist"
        raise SourceError(f"repository must {rule}, got {folder!r}")
    check_files(folder)
    shallow, _, git_dir = git_process.tell(
        folder, "rev-parse", "--is-shallow-repository", "--absolute-git-dir"
    ).partition("\n")
    branch = git_process.ask(folder, "symbolic-ref", "--quiet", "HEAD")
    if not _has_head(folder):
        _refuse_unborn(folder, branch)
    # The log dies on a HEAD that cannot be read, and says why.
    latest = ("log", f"-{_LATEST}", "--first-parent", "--format=%ct", revision, "--")
    times = [float(line or 0) for line in git_process.tell(folder, *latest).split("\n")]
    cut = _cut(folder) if shallow == "true" else frozenset()
    promised = git_process.ask(
        folder, "config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$"
    )
    return Repository(
        folder=folder,
        newest=_newest(times),
        cut=cut,
        partial=promised is not None,
        notes=tuple(_notes(folder, git_dir, branch, cut, promised is not None)),
    )


def has_commits(folder: str) -> bool:
    """Whether the branch checked out has any. Raises SourceError where git cannot say."""
    check_files(folder)
    git_process.tell(folder, "rev-parse", "--git-dir")  # says why where nothing can be read
    return _has_head(folder)


def _has_head(folder: str) -> bool:
    return git_process.ask(folder, "rev-parse", "--verify", "--quiet", "HEAD") is not None


def _newest(times: list[float]) -> float:
    """Of the committers' times from HEAD back; a HEAD by a clock that was slow is not believed."""
    in_order = sorted(times)
    if times[0] >= in_order[(len(times) - 1) // 2]:
        return times[0]
    return in_order[(len(times) - 1) * 9 // 10]  # not the last: that clock may have been fast


def lack(repository: Repository) -> str:
    """What to say of a repository without the trees that tell which files a commit changed."""
    folder = quote_for_shell(str(Path(repository.folder).resolve()))
    if not repository.partial:
        return (
            f"repository must be whole, got {repository.folder!r} with objects missing; to see"
            f" which, run: git -C {folder} fsck"
        )
    return (
        f"repository must have the trees of its commits, got {repository.folder!r}, a partial clone"
        " without them; to get them without the files' contents, run:"
        f" git -C {folder} fetch --refetch --filter=blob:none"
    )


def _refuse_unborn(folder: str, branch: str | None) -> None:
    somewhere = git_process.ask(
        folder, "for-each-ref", "--count=1", "--format=%(refname:short)", "refs/heads"
    )
    if not somewhere:
        raise SourceError(
            f"repository must have commits, got {folder!r} without any; try"
            " `prefrontal replay --git ~/longer-project` or `prefrontal replay --sample`"
        )
    here = (branch or "HEAD").removeprefix("refs/heads/")
    raise SourceError(
        f"the branch checked out must have commits, got {here!r} without any in {folder!r};"
        f" check out another, such as {somewhere!r}"
    )


def _cut(folder: str) -> frozenset[str]:
    where = git_process.tell(folder, "rev-parse", "--git-path", "shallow")
    text = Path(folder, where).read_text(encoding="ascii", errors="replace")
    return frozenset(text.split())


def _notes(
    folder: str, git_dir: str, branch: str | None, cut: frozenset[str], partial: bool
) -> list[str]:
    notes = []
    if cut:
        day = git_process.ask(folder, "log", "-1", "--date=short", "--format=%cd", min(cut), "--")
        where = f"history before {day}" if len(cut) == 1 and day else "older history"
        notes.append(f"shallow clone: {where} is not here; to get it, run: git fetch --unshallow")
    if partial:
        notes.append(f"partial clone: {EXACT}")
    going_on = [what for name, what in _UNDER_WAY if Path(git_dir, name).exists()]
    if going_on:
        notes.append(f"{going_on[0]} is under way: this is the history of HEAD as it stands")
    elif branch is None:
        notes.append("no branch is checked out: this is the history of HEAD")
    return notes
