"""`prefrontal route tools promote`: a file of one's own, tried out and kept with its record."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError, SourceError
from ...plain_text import one_line
from ...routing.exit_codes import INVALID, NEEDS_APPROVAL, OK
from ...storage.files import write_atomic
from .person import Person

if TYPE_CHECKING:
    from ...routing.layout import Layout
    from ...routing.promotion.promotion_draft import PromotionRequest
    from ...routing.types import ValidationReport
    from ...settings.routing import Routing


def promote_file(
    settings: Routing, workflows: Path, file: Path, options: Mapping[str, Any], *, agreed: bool
) -> int:
    """Validate, ask unless it was agreed to, promote. Returns the exit code.

    Raises InputError and SourceError as promotion does.
    """
    from ... import __version__
    from ...assembly.router import build_layout
    from ...clock import SystemClock
    from ...routing.identity import Identities
    from ...routing.promotion.promotion import Promoter

    layout, clock = build_layout(settings, workflows), SystemClock()
    _check(layout, file, options)
    identities = Identities(layout, clock, secrets.token_bytes)
    route_id, run_id = identities.route_id(), identities.run_id()
    copy, digest = _copied(layout, route_id, file)
    report = _validated(layout, settings, route_id, run_id, copy, digest, options)
    outcome: dict[str, Any] = {"validation": report.summary, "steps": list(report.steps)}
    say = _silent if options["as_json"] else _say
    for step in report.steps:
        say(one_line(step))
    say(f"validation {one_line(report.summary)}")
    if not report.ok:
        return _ended(options, outcome, INVALID)
    place = f"{options['domain']}/{options['action']}/{copy.name}"
    if not (agreed or Person().agree(f"Keep it as {place}?")):
        return _ended(options, outcome, NEEDS_APPROVAL)
    promoter = Promoter(layout, clock, identities, f"prefrontal {__version__}")
    done = promoter.promote(_request(copy, digest, options, route_id, run_id))
    outcome |= {"path": layout.relative(done.path), "was": done.was, "why": done.why}
    outcome |= {"revision": done.revision, "version": done.version}
    say(f"promote → {layout.relative(done.path)} ({done.was}: {done.why})")
    say(f"revision={done.revision} version={done.version}")
    return _ended(options, outcome, OK)


def _say(sentence: str) -> None:
    click.echo(f"[PREFRONTAL] {sentence}")


def _silent(_: str) -> None: ...


def _ended(options: Mapping[str, Any], outcome: dict[str, Any], code: int) -> int:
    """Tell programs what came of it; the exit code."""
    if options["as_json"]:
        click.echo(json.dumps(outcome | {"exit_code": code}, ensure_ascii=False))
    return code


def _check(layout: Layout, file: Path, options: Mapping[str, Any]) -> None:
    """Refuse names that cannot be kept before anything is tried out. Raises InputError."""
    from ...routing.layout import is_slug

    layout.action(options["domain"], options["action"])
    if file.suffix != ".py" or not is_slug(file.stem):
        rule = "be named like a tool (lower-case letters, digits, underscores, then .py)"
        raise InputError(f"file must {rule}, got {file.name!r}")


def _copied(layout: Layout, route_id: str, file: Path) -> tuple[Path, str]:
    """A copy among the temporary modules, and its hash: what is tried out is what is kept."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror}") from None
    folder = layout.route_tmp(route_id)
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / file.name
    write_atomic(copy, content)
    return copy, sha256(content).hexdigest()


def _validated(
    layout: Layout,
    settings: Routing,
    route_id: str,
    run_id: str,
    copy: Path,
    digest: str,
    options: Mapping[str, Any],
) -> ValidationReport:
    from ...assembly.router import build_runner
    from ...clock import SystemClock
    from ...routing.local_time import LocalTime
    from ...routing.trace import Trace
    from ...routing.trials.validation import validate

    clock = SystemClock()
    weak = bool(options["allow_weak_sandbox"])
    return validate(
        copy,
        layout=layout,
        route_id=route_id,
        runner=build_runner(settings, allow_weak=weak),
        settings=settings,
        trace=Trace(layout, clock, run_id, route_id),
        clock=clock,
        day=LocalTime(clock).day(),
        generated=False,
        expected_sha256=digest,
        allow_weak_sandbox=weak,
    )


def _request(
    copy: Path, digest: str, options: Mapping[str, Any], route_id: str, run_id: str
) -> PromotionRequest:
    from ...clock import SystemClock
    from ...routing.local_time import LocalTime
    from ...routing.promotion.promotion_draft import PromotionRequest
    from ...routing.types import Approval

    return PromotionRequest(
        source=copy,
        domain=options["domain"],
        action=options["action"],
        name=copy.stem,
        description=f"promoted from {copy.name}",
        run_id=run_id,
        route_id=route_id,
        approval=Approval("operator", LocalTime(SystemClock()).stamp(), digest),
        bump=options["bump"] or "patch",
    )
