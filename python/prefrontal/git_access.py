"""git, asked read-only: nothing of a set-up may page, colour, fetch, lock, run or hold it up."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from .errors import SourceError
from .plain_text import quote_for_shell

_SETTINGS = (
    "core.attributesFile=/dev/null",
    "diff.orderFile=/dev/null",
    "diff.relative=false",
    "log.showRoot=true",
    "log.showSignature=false",
    "mailmap.file=/dev/null",
)
_READ_IN_WORK_TREE = (".mailmap", ".gitattributes")
_READ_BY_GIT = (
    *("HEAD", "config", "config.worktree", "commondir", "packed-refs", "shallow", "index"),
    *("info/attributes", "info/grafts", "info/exclude"),
    *("objects/info/alternates", "objects/info/commit-graph"),
)
_MOST_REFS = 100_000
_POINTER = "gitdir: "
_POINTER_BYTES = 4096
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


def git_complaint(folder: str, stderr: str, code: int) -> str:
    """One sentence from what git wrote on standard error before it ended with `code`."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    if any("dubious ownership" in line or "unsafe repository" in line for line in lines):
        trust = [line for line in lines if line.startswith("git config")]
        name = quote_for_shell(str(Path(folder).resolve()))
        trust.append(f"git config --global --add safe.directory {name}")
        return (
            f"repository must belong to you or be trusted by git, got {folder!r} of another owner;"
            f" if you trust it, run: {trust[0]}"
        )
    if any("not a git repository" in line for line in lines):
        return f"path must be inside a git repository, got {folder!r}"
    sentences = [line for line in lines if not line.startswith(("warning:", "hint:"))] or lines
    first = (
        "".join(c if c.isprintable() else "?" for c in sentences[0])
        if sentences
        else f"exit code {code}"
    )
    return f"git could not read {folder!r}: {first}"


def commit_text(subject: str, body: str) -> str:
    """What a commit says of itself: its subject, and of a merged request the title behind it.

    body: the message below the subject, where hosts put that title.
    """
    title = body.lstrip().partition("\n")[0].strip()
    if subject.startswith("Merge pull request ") or (
        subject.startswith("Merge ") and "See merge request " in body
    ):
        return f"{subject}: {title}" if title else subject
    return subject


def check_files(folder: str) -> None:
    """SourceError where git would read from a pipe or a device, for ever, in the repository that
    holds `folder`. No repository at all is for git to tell.
    """
    for path in _read_files(folder):
        with suppress(OSError):
            mode = path.stat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise SourceError(
                    f"repository must hold plain files, got a pipe or a device: {str(path)!r:.300}"
                )


def small_text(path: Path, most: int = _POINTER_BYTES) -> str:
    """The first bytes of a plain file; "" of anything else."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return file.read(most).decode("utf-8", "replace")
    return ""


def _read_files(folder: str) -> Iterator[Path]:
    place = Path(os.path.realpath(folder))
    for top in (place, *place.parents):
        git_dir = top / ".git"
        if git_dir.exists():
            yield git_dir
            yield from (top / name for name in _READ_IN_WORK_TREE)
        elif (top / "objects").is_dir() and (top / "refs").is_dir():
            git_dir = top
        else:
            continue
        pointer = small_text(git_dir)
        if pointer.startswith(_POINTER):
            git_dir = top / pointer.removeprefix(_POINTER).strip()
        yield from _of_git_dir(git_dir)
        common = small_text(git_dir / "commondir").strip()
        if common:
            yield from _of_git_dir(git_dir / common)
        return


def _of_git_dir(git_dir: Path) -> Iterator[Path]:
    yield from (git_dir / name for name in _READ_BY_GIT)
    left = _MOST_REFS
    for place, _, names in os.walk(git_dir / "refs"):
        yield from (Path(place, name) for name in names[:left])
        left -= len(names)
        if left <= 0:
            return
