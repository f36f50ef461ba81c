"""A bare repository from a stream of `git fast-import`, for benchmarks without one at hand."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from prefrontal.git_access import git_environment


def import_repository(folder: Path, stream: Iterable[bytes]) -> Path:
    """Make `folder`/made-up from the stream; its branch is main."""
    repository = folder / "made-up"
    git = ["git", "-c", "init.defaultBranch=main"]
    environment = git_environment()
    subprocess.run([*git, "init", "-q", "--bare", str(repository)], check=True, env=environment)
    subprocess.run(
        [*git, "-C", str(repository), "fast-import", "--quiet", "--date-format=raw-permissive"],
        input=b"".join(stream),
        check=True,
        env=environment,
    )
    return repository
