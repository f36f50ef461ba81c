"""A promotion before it is applied: its version and its changes to files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...errors import InputError, SourceError
from ..catalog.history import PastEvent, read_history
from .change_notes import NAME as CHANGELOG
from .journal import Change, append_change, digest_of, note_change, remove_change, write_change
from .metadata import Revision, Revisions, Status, metadata_file, read_revisions
from .versioning import FIRST_VERSION, Bump, bump_between, grown, larger, version_parts

if TYPE_CHECKING:
    from ..layout import Layout
    from ..types import Approval

Placement = Literal["keep", "adopt", "relocate"]


@dataclass(frozen=True, slots=True)
class PromotionRequest:
    """What to promote, and where. source: the validated file.

    domain, action, name: slugs; the file becomes domains/{domain}/{action}/{name}.py.
    description: one line. placement, for a source that is a tool already: "keep" it where it is
    (the place asked for is then not used), "adopt" a copy, or "relocate" it. bump: at least this
    one. replace: also over a file that no record knows. parts: files it calls, with the hashes
    they had when it was validated. model, rag: as they go into the record.
    """

    source: Path
    domain: str
    action: str
    name: str
    description: str
    run_id: str
    route_id: str
    approval: Approval
    intent: str | None = None
    parts: Mapping[Path, str] = field(default_factory=dict)
    status: Status = "stable"
    placement: Placement = "keep"
    bump: Bump = "patch"
    plan_changed: bool = False
    replace: bool = False
    model: Mapping[str, Any] = field(
        default_factory=lambda: {"provider": "none", "name": None, "temperature": 0.0}
    )
    rag: Mapping[str, Any] = field(default_factory=lambda: {"enabled": False, "index": None})


class Draft:
    """One promotion before anything is changed.

    content: the new content, digest its hash, current the hash at the target (None: no file).
    shared: the target is a shared tool, which has no records. moved_from: the old path of a
    relocated tool.
    """

    def __init__(
        self, layout: Layout, request: PromotionRequest, content: bytes, target: Path
    ) -> None:
        """Raises InputError when the target is a file that no record knows."""
        self.layout = layout
        self.request = request
        self.content = content
        self.target = target
        self.digest = sha256(content).hexdigest()
        self.current = digest_of(target)
        self.shared = target.is_relative_to(layout.shared_tools)
        self.revisions = Revisions(()) if self.shared else read_revisions(target.parent)
        source = request.source
        relocated = request.placement == "relocate" and source.is_relative_to(layout.domains)
        self.moved_from = source if relocated and source != target else None
        self._check()

    def _check(self) -> None:
        """Refuse to overwrite a file without a record."""
        source = self.request.source
        if self.request.placement == "relocate" and not source.is_relative_to(self.layout.domains):
            raise InputError("placement must be 'adopt' for what is not a tool of a domain")
        known = {one.sha256 for one in self.revisions.of(self.target.name)} | {self.digest, None}
        if self.current in known or self.request.replace or self.target == self.request.source:
            return
        rule = "be free or hold a promoted tool"
        raise InputError(f"target must {rule}, got a file that no record knows: {self.target}")

    @property
    def place(self) -> str:
        """The target below its domain."""
        return f"{self.target.parent.name}/{self.target.name}"

    def below(self, path: Path) -> str:
        """The path below workflows_root."""
        return path.relative_to(self.layout.root).as_posix()

    def folders(self, path: Path) -> tuple[str, str]:
        """Domain and action of a path below domains/."""
        return path.parent.parent.name, path.parent.name

    def known(self) -> Revision | None:
        """The newest record with this name and content."""
        same = [o for o in self.revisions.of(self.target.name) if o.sha256 == self.digest]
        return same[-1] if same else None

    def version(self) -> tuple[str, str]:
        """The version of the new record, and why."""
        last = self.revisions.version(self.target.name)
        if self.moved_from is not None:
            before = read_revisions(self.moved_from.parent).version(self.moved_from.name)
            versions = [version for version in (before, last, "0.0.0") if version]
            bump, why = bump_between(self.content, self.content, relocated=True)
            return max((grown(version, bump) for version in versions), key=version_parts), why
        if last is None:
            return FIRST_VERSION, "the first version"
        computed, why = bump_between(
            self._old_source(), self.content, plan_changed=self.request.plan_changed
        )
        bump = larger(computed, self.request.bump)
        return grown(last, bump), why if bump == computed else f"{why}; raised to {bump}"

    def _old_source(self) -> bytes | str | None:
        """The replaced source: the file, or the signature noted when it was accepted."""
        if self.current not in {None, self.digest} and self.target != self.request.source:
            try:
                return self.target.read_bytes()
            except OSError as error:
                reason = error.strerror or "unreadable"
                raise SourceError(f"{self.target} cannot be read: {reason}") from error
        last = self.revisions.of(self.target.name)[-1:]
        events = read_history(self.target.parent).of(self.target.stem) if last else ()
        noted = [one.signature for one in events if _is_of(one, last[0])]
        return noted[-1] if noted else None

    def write(self) -> list[Change]:
        """Write the target, unless it has the content."""
        on_disk = self.current == self.digest
        path = self.below(self.target)
        return [] if on_disk else [write_change(path, self.content, self.current)]

    def append(self, path: Path, record: Mapping[str, Any]) -> Change:
        """Append the record to those of the tool at `path`."""
        return append_change(self.below(metadata_file(path.parent)), record)

    def note(self, path: Path, words: str) -> Change:
        """Add the words to the change log of the domain of the tool at `path`."""
        domain = path.parent.parent
        return note_change(self.below(domain / CHANGELOG), f"Changes of {domain.name}", words)

    def remove(self) -> list[Change]:
        """Remove the temporary or relocated source; other tools stay."""
        source = self.request.source
        leaves = source.is_relative_to(self.layout.tmp) or self.moved_from is not None
        if source == self.target or not leaves:
            return []
        digest = self.request.approval.sha256.removeprefix("sha256:")
        return [remove_change(self.below(source), digest)]


def _is_of(event: PastEvent, revision: Revision) -> bool:
    return event.sha256 == revision.sha256 and event.signature is not None
