"""Promotes an approved module: file, record, change log and history in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from ...errors import InputError, SourceError
from ...storage.lock_file import locked
from ..catalog.history import history_file, history_line, past_line, read_history
from ..layout import Layout, is_slug
from ..local_time import LocalTime
from ..trials.entry_point import entry_point
from ..trials.trial import short_line
from .journal import Change, append_change, perform, recover
from .metadata import Revision, tokens_estimate
from .promotion_draft import Draft, PromotionRequest

if TYPE_CHECKING:
    from ...clock import Clock
    from ..identity import Identities
    from ..types import Finding

MOST_MOVED = 500
"""Events of a tool, the newest, that go with it to another folder."""

Outcome = Literal["new", "changed", "same", "back", "moved", "accepted"]


@dataclass(frozen=True, slots=True)
class Promotion:
    """The outcome. was: "new" in its place, "changed", "same" (no new record), "back" (to a
    content that has a record), "moved", or "accepted" (a shared tool stays where it is).

    revision, version: of the record that now holds; None for "accepted". why: of the version.
    """

    path: Path
    was: Outcome
    version: str | None
    revision: str | None
    sha256: str
    why: str
    findings: tuple[Finding, ...] = ()


class Promoter:
    """Promotes into one project, one promotion at a time across processes and threads."""

    def __init__(
        self,
        layout: Layout,
        clock: Clock,
        identities: Identities,
        created_by: str,
        tz: tzinfo | None = None,
    ) -> None:
        """created_by: program and version, for the records."""
        self._layout = layout
        self._identities = identities
        self._created_by = created_by
        self._time = LocalTime(clock, tz)

    def recover(self) -> tuple[Finding, ...]:
        """Finish an interrupted promotion; call it at the start. Raises SourceError."""
        with locked(self._layout.tmp / ".promotion.lock"):
            return tuple(recover(self._layout))

    def promote(self, request: PromotionRequest) -> Promotion:
        """Keep an approved file.

        Raises InputError for names that are no slugs, a place outside workflows_root or a file
        there that no record knows; SourceError when the source is not what was approved or
        something cannot be written. Then nothing was changed, or the error says that the
        promotion is noted and will be finished.
        """
        with locked(self._layout.tmp / ".promotion.lock"):
            findings = recover(self._layout)
            content = self._approved(request)
            target = self._target(request)
            draft = Draft(self._layout, request, content, target)
            promotion, changes = self._plan(draft)
            findings += perform(self._layout, changes)
        return replace(promotion, findings=(*findings, *draft.revisions.findings))

    def _approved(self, request: PromotionRequest) -> bytes:
        """The approved bytes, with \\n as line ends; none when it or a tool it calls changed."""
        self._layout.relative(request.source)
        digest = request.approval.sha256.removeprefix("sha256:")
        content = _unchanged(request.source, digest)
        for part, digest in request.parts.items():
            _unchanged(part, digest)
        return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _target(self, request: PromotionRequest) -> Path:
        in_tmp = request.source.is_relative_to(self._layout.tmp)
        if request.placement == "keep" and not in_tmp:
            return _a_tool(self._layout, request.source)
        if not is_slug(request.name):
            rule = "be lower-case letters, digits and underscores, at most 64, a letter first"
            raise InputError(f"name must {rule}, got {request.name!r}")
        target = self._layout.action(request.domain, request.action) / f"{request.name}.py"
        if target.is_symlink() or not self._layout.holds(target):
            raise InputError(f"target must be no link out of {self._layout.root}, got {target}")
        return target

    def _plan(self, draft: Draft) -> tuple[Promotion, list[Change]]:
        if draft.shared:
            accepted = Promotion(draft.target, "accepted", None, None, draft.digest, "")
            return accepted, [self._event(draft)]
        known = draft.known()
        if known is not None and draft.moved_from is None:
            return self._again(draft, known)
        return self._revision(draft)

    def _again(self, draft: Draft, known: Revision) -> tuple[Promotion, list[Change]]:
        """The same name and content as a record: no new record."""
        back = draft.current != draft.digest or known != draft.revisions.of(known.name)[-1]
        was: Outcome = "back" if back else "same"
        why = "this content has a record already"
        changes: list[Change] = [*draft.write(), self._event(draft)]
        if back:
            words = f"back to {known.version} ({known.id}, {draft.request.run_id})"
            changes.append(draft.note(draft.target, f"{self._time.day()} {draft.place}: {words}"))
        changes += draft.remove()
        done = Promotion(draft.target, was, known.version, known.id, draft.digest, why)
        return done, changes

    def _revision(self, draft: Draft) -> tuple[Promotion, list[Change]]:
        version, why = draft.version()
        record = self._record(draft, version)
        changes: list[Change] = [*draft.write(), draft.append(draft.target, record)]
        changes += self._moved(draft, record)
        changes.append(self._event(draft))
        words = f"{version} {draft.place}: {record['description'] or 'no description'}"
        words += f" ({why}; {record['id']}, {self._time.day()})"
        changes.append(draft.note(draft.target, words))
        changes += draft.remove()
        was: Outcome = "changed" if draft.revisions.version(draft.target.name) else "new"
        if draft.moved_from is not None:
            was = "moved"
        done = Promotion(draft.target, was, version, record["id"], draft.digest, why)
        return done, changes

    def _record(self, draft: Draft, version: str) -> dict[str, Any]:
        request = draft.request
        domain, action = draft.folders(draft.target)
        return {
            "id": self._identities.revision(),
            "run_id": request.run_id,
            "route_id": request.route_id,
            "name": draft.target.name,
            "domain": domain,
            "action": action,
            "description": short_line(request.description),
            "status": request.status,
            "created_by": self._created_by,
            "created_at": self._time.stamp(),
            "version": version,
            "tool_hash": f"sha256:{draft.digest}",
            "tokens_estimate": tokens_estimate(draft.content),
            "model": dict(request.model),
            "rag": dict(request.rag),
        }

    def _moved(self, draft: Draft, record: Mapping[str, Any]) -> list[Change]:
        """The record and the note in the folder that a relocated tool leaves; its history comes."""
        old = draft.moved_from
        if old is None:
            return []
        domain, action = draft.folders(old)
        left = {
            **record,
            "id": self._identities.revision(),
            "name": old.name,
            "domain": domain,
            "action": action,
            "status": "moved",
        }
        words = (
            f"{record['version']} {action}/{old.name}: moved to {record['domain']}/{draft.place}"
        )
        words += f" ({left['id']}, {self._time.day()})"
        events = read_history(old.parent).of(old.stem)[-MOST_MOVED:]
        path = draft.below(history_file(draft.target.parent))
        history = [append_change(path, past_line(event, draft.target.stem)) for event in events]
        return [draft.append(old, left), draft.note(old, words), *history]

    def _event(self, draft: Draft) -> Change:
        """The history event "accepted", with the signature that the next version is compared to."""
        entry = entry_point(draft.content)
        line = history_line(
            self._time.now(),
            draft.target.stem,
            "accepted",
            draft.digest,
            run_id=draft.request.run_id,
            route_id=draft.request.route_id,
            intent=draft.request.intent,
            signature=entry.stub() if entry else None,
        )
        return append_change(draft.below(history_file(draft.target.parent)), line)


def _unchanged(path: Path, digest: str) -> bytes:
    """The bytes of the file. Raises SourceError when they are not those that were validated."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from None
    if sha256(content).hexdigest() != digest:
        raise SourceError(f"{path} has changed since it was validated; validate it again")
    return content


def _a_tool(layout: Layout, path: Path) -> Path:
    """The path, checked to be that of a domain's or a shared tool."""
    parts = PurePosixPath(layout.relative(path)).parts
    if (len(parts), parts[0]) in {(4, "domains"), (3, "shared_tools")}:
        return path
    rule = "lie in domains/<domain>/<action>/ or shared_tools/<action>/"
    raise InputError(f"source must {rule}, got {layout.relative(path)!r}")
