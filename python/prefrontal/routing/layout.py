"""Where the files of routing lie; names from prompts become slugs, and nothing leaves the root."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..errors import InputError

SLUG = re.compile(r"[a-z][a-z0-9_]{0,63}\Z")


def is_slug(text: str) -> bool:
    """Whether the text may name a domain, an action or a tool: [a-z][a-z0-9_]*, at most 64."""
    return SLUG.match(text) is not None


def slug(text: str, default: str = "tool") -> str:
    """The text as a slug: lower case, other characters as single underscores."""
    plain = re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_")
    plain = plain if plain[:1].isalpha() else f"{default}_{plain}".rstrip("_")
    return plain[:64].rstrip("_")


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one project.

    root: workflows_root, absolute, links resolved. logs: log_dir, absolute. tmp_dirname: the
    folder of unapproved modules below root.
    """

    root: Path
    logs: Path
    tmp_dirname: str = "_tmp"

    @classmethod
    def of(cls, root: Path, log_dir: str = "logs", tmp_dirname: str = "_tmp") -> Layout:
        """The layout of a project; a relative log_dir lies beside workflows_root."""
        resolved = root.resolve()
        if tmp_dirname in {"", ".", ".."} or "/" in tmp_dirname or "\\" in tmp_dirname:
            raise InputError(f"tmp_dirname must be the name of one folder, got {tmp_dirname!r}")
        return cls(resolved, (resolved.parent / log_dir).resolve(), tmp_dirname)

    @property
    def domains(self) -> Path:
        return self.root / "domains"

    @property
    def shared_tools(self) -> Path:
        return self.root / "shared_tools"

    @property
    def tmp(self) -> Path:
        return self.root / self.tmp_dirname

    def action(self, domain: str, action: str) -> Path:
        """The folder of a domain's action. Raises InputError for what is no slug."""
        return self.domains / _checked("domain", domain) / _checked("action", action)

    def shared_action(self, action: str) -> Path:
        return self.shared_tools / _checked("action", action)

    def route_tmp(self, route_id: str) -> Path:
        """The one folder a route may write before it is approved."""
        return self.tmp / _plain("route_id", route_id)

    def run_log(self, run_id: str) -> Path:
        return self.logs / "runs" / _plain("run_id", run_id) / "steps.log"

    def app_log(self, day: str) -> Path:
        """day: YYYY-MM-DD."""
        return self.logs / "app" / _plain("day", day) / "app.log"

    def validation_logs(self, day: str) -> Path:
        return self.logs / "validation" / _plain("day", day)

    @property
    def metrics(self) -> Path:
        return self.logs / "metrics"

    def relative(self, path: Path) -> str:
        """The path below root with forward slashes. Raises InputError when it is not below it."""
        try:
            return PurePosixPath(path.resolve().relative_to(self.root)).as_posix()
        except ValueError:
            raise InputError(f"path must lie below {self.root}, got {str(path)!r}") from None

    def holds(self, path: Path) -> bool:
        """Whether the path, its links followed, lies below root."""
        return path.resolve().is_relative_to(self.root)


def _checked(what: str, text: str) -> str:
    if not is_slug(text):
        rule = "be lower-case letters, digits and underscores, at most 64, a letter first"
        raise InputError(f"{what} must {rule}, got {text!r}")
    return text


def _plain(what: str, text: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", text) is None:
        raise InputError(f"{what} must be a plain file name, got {text!r}")
    return text
