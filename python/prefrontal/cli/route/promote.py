"""`prefrontal route tools promote` and `move`: a file tried out and kept with its record."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ...errors import InputError, SourceError
from ...plain_text import one_line
from ...routing.exit_codes import INVALID, NEEDS_APPROVAL, OK
from ...storage.files import write_atomic
from ..answers import even_unread, printable_json
from .person import Person

if TYPE_CHECKING:
    from ...clock import Clock
    from ...routing.identity import Identities
    from ...routing.layout import Layout
    from ...routing.promotion.promotion_draft import PromotionRequest
    from ...routing.types import Tool, ValidationReport
    from ...settings.routing import Routing


def promote_file(
    settings: Routing, workflows: Path, file: Path, options: Mapping[str, Any], *, agreed: bool
) -> int:
    """Validate, ask unless it was agreed to, promote. Returns the exit code.

    Raises InputError and SourceError as promotion does.
    """
    project = _project(settings, workflows)
    _check(project.layout, file, options)
    route_id, run_id = project.identities.route_id(), project.identities.run_id()
    copy, digest = _copied(project.layout, route_id, file)
    request = _request(copy, digest, options, route_id, run_id)
    place = f"{options['domain']}/{options['action']}/{copy.name}"
    return _keep(project, request, options, f"Keep it as {place}?", agreed=agreed)


def move_tool(
    settings: Routing, workflows: Path, tool: Tool, options: Mapping[str, Any], *, agreed: bool
) -> int:
    """Validate a domain's tool, ask unless it was agreed to, move it. Returns the exit code.

    Raises InputError and SourceError as promotion does.
    """
    project = _project(settings, workflows)
    target = project.layout.action(options["domain"], options["action"]) / tool.spec.path.name
    if tool.shared or not tool.runnable:
        rule = "be a tool of a domain: a shared tool and a server's stay where they are"
        raise InputError(f"TOOL must {rule}, got {tool.relative!r}")
    if target == tool.spec.path:
        raise InputError(f"--domain and --action must name another folder, got {tool.relative!r}")
    route_id, run_id = project.identities.route_id(), project.identities.run_id()
    request = _request(tool.spec.path, tool.sha256, options, route_id, run_id)
    request = replace(
        request, description=f"moved from {tool.relative}", placement="relocate", status="stable"
    )
    place = f"{options['domain']}/{options['action']}/{tool.spec.path.name}"
    question = f"Move it to {place}?"
    code = _keep(project, request, options, question, agreed=agreed, example=tool.example)
    if code == OK and tool.manifest is not None:
        manifest = project.layout.relative(tool.manifest.path)
        rule = f"move the entry of {tool.name} to {place.rpartition('/')[0]}/tool.yaml"
        click.echo(one_line(f"Warning: {manifest} stays where it is; {rule}"), err=True)
    return code


class _Project(NamedTuple):
    layout: Layout
    settings: Routing
    identities: Identities
    clock: Clock


def _project(settings: Routing, workflows: Path) -> _Project:
    from ...assembly.router import build_layout
    from ...clock import SystemClock
    from ...routing.identity import Identities

    layout, clock = build_layout(settings, workflows), SystemClock()
    return _Project(layout, settings, Identities(layout, clock, secrets.token_bytes), clock)


def _keep(
    project: _Project,
    request: PromotionRequest,
    options: Mapping[str, Any],
    question: str,
    *,
    agreed: bool,
    example: Mapping[str, Any] | None = None,
) -> int:
    """Validate the source, ask, promote it. Returns the exit code."""
    from ... import __version__
    from ...routing.promotion.promotion import Promoter

    layout = project.layout
    report = _validated(project, request, options, example)
    outcome: dict[str, Any] = {"validation": report.summary, "steps": list(report.steps)}
    say = _silent if options["as_json"] else _say
    with even_unread(agreed):
        for step in report.steps:
            say(one_line(step))
        say(f"validation {one_line(report.summary)}")
    if not report.ok:
        return _ended(options, outcome, INVALID)
    if not (agreed or Person().agree(question)):
        return _ended(options, outcome, NEEDS_APPROVAL)
    promoter = Promoter(layout, project.clock, project.identities, f"prefrontal {__version__}")
    done = promoter.promote(request)
    outcome |= {"path": layout.relative(done.path), "was": done.was, "why": done.why}
    outcome |= {"revision": done.revision, "version": done.version}
    say(f"promote → {layout.relative(done.path)} ({done.was}: {done.why})")
    say(f"revision={done.revision} version={done.version}")
    for finding in (*project.identities.findings, *done.findings):
        click.echo(one_line(f"Warning: {finding}"), err=True)
    return _ended(options, outcome, OK)


def _say(sentence: str) -> None:
    click.echo(f"[PREFRONTAL] {sentence}")


def _silent(_: str) -> None: ...


def _ended(options: Mapping[str, Any], outcome: dict[str, Any], code: int) -> int:
    """Tell programs what came of it; the exit code."""
    if options["as_json"]:
        click.echo(printable_json(outcome | {"exit_code": code}))
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
    project: _Project,
    request: PromotionRequest,
    options: Mapping[str, Any],
    example: Mapping[str, Any] | None,
) -> ValidationReport:
    from ...assembly.router import build_runner
    from ...routing.local_time import LocalTime
    from ...routing.trace import Trace
    from ...routing.trials.validation import validate

    weak = bool(options["allow_weak_sandbox"])
    return validate(
        request.source,
        layout=project.layout,
        route_id=request.route_id,
        runner=build_runner(project.settings, allow_weak=weak),
        settings=project.settings,
        trace=Trace(project.layout, project.clock, request.run_id, request.route_id),
        clock=project.clock,
        day=LocalTime(project.clock).day(),
        generated=False,
        example=example,
        expected_sha256=request.approval.sha256.removeprefix("sha256:"),
        allow_weak_sandbox=weak,
    )


def _request(
    source: Path, digest: str, options: Mapping[str, Any], route_id: str, run_id: str
) -> PromotionRequest:
    from ...clock import SystemClock
    from ...routing.local_time import LocalTime
    from ...routing.promotion.promotion_draft import PromotionRequest
    from ...routing.types import Approval

    return PromotionRequest(
        source=source,
        domain=options["domain"],
        action=options["action"],
        name=source.stem,
        description=f"promoted from {source.name}",
        run_id=run_id,
        route_id=route_id,
        approval=Approval("operator", LocalTime(SystemClock()).stamp(), digest),
        bump=options.get("bump") or "patch",
    )
