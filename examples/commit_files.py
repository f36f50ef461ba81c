"""The files of a repository commit by commit, in a folder of their own, and signals of them."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from prefrontal.git_access import git_command, git_environment
from prefrontal.replay.histories.git_history import Commit
from prefrontal.types import SignalEvent

MOST_BYTES = 1 << 20
"""Files with more are cut, or left out of the first commit."""


class CommitFiles:
    """Writes what each commit changed; the repository itself is only read.

    folder: gets files/ (as the last commit left them), changes/ (a diff of each commit) and
    versions/ (each changed file before and after). first: the commit that comes first.
    """

    def __init__(self, repository: Path, folder: Path, first: str) -> None:
        self._repository = repository
        self._folder = folder
        for name in ("files", "changes", "versions"):
            (folder / name).mkdir()
        archive = self._git("archive", "--format=tar", f"{first}^")
        if archive is not None:
            self._unpack(archive)

    def signals(self, commit: Commit, now: float, most: int) -> Iterator[SignalEvent]:
        """One for the commit, then one for each of its first `most` files; all lie there by now.

        Paths of the diff and of both versions are in the features, for tools that ask for them.
        """
        diff = self._folder / "changes" / f"{commit.key[:12]}.diff"
        shown = self._git("show", "--format=", "-m", "--first-parent", commit.key) or b""
        diff.write_bytes(shown[:MOST_BYTES])
        for event in commit.events:
            gone = event.delta_type == "deleted"
            self._put(event.location, None if gone else self._version(commit.key, event.location))
            if old := event.features.get("old_location"):
                self._put(str(old), None)
        told = {"actor": commit.actor, "text": commit.text, "commit": commit.key}
        features = {**told, "diff": str(diff), "extension": ".diff"}
        yield SignalEvent("filesystem", str(diff), "created", 1.0, now, features)
        for event in commit.events[:most]:
            path = self._folder / "files" / event.location
            features = {**told, **self._versions(commit.key, event), "extension": path.suffix}
            yield SignalEvent("filesystem", str(path), event.delta_type, 1.0, now, features)

    def _versions(self, key: str, event: SignalEvent) -> dict[str, str]:
        old = str(event.features.get("old_location", event.location))
        found = {}
        for name, revision, place in (("before", f"{key}^", old), ("after", key, event.location)):
            path = self._folder / "versions" / key[:12] / name / event.location
            self._put(path.relative_to(self._folder), self._version(revision, place) or b"", "")
            found[name] = str(path)
        return found

    def _version(self, revision: str, place: str) -> bytes | None:
        data = self._git("cat-file", "blob", f"{revision}:{place}")
        return None if data is None else data[:MOST_BYTES]

    def _put(self, place: str | Path, data: bytes | None, below: str = "files") -> None:
        """Write or remove a file, nowhere but in the folder."""
        path = self._folder / below / place
        with suppress(OSError):  # a file where a folder was, a name too long for this system
            if not path.resolve().is_relative_to(self._folder) or path.is_dir():
                return
            if data is None:
                path.unlink(missing_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)

    def _unpack(self, archive: bytes) -> None:
        """Plain files only: a link may lead anywhere."""
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            plain = [each for each in tar if each.isfile() and each.size <= MOST_BYTES]
            tar.extractall(self._folder / "files", members=plain, filter="data")

    def _git(self, *words: str) -> bytes | None:
        """What git prints; None when it refuses."""
        done = subprocess.run(
            git_command(str(self._repository), words), env=git_environment(),
            stdin=subprocess.DEVNULL, capture_output=True, check=False,
        )  # fmt: skip
        return done.stdout if done.returncode == 0 else None
