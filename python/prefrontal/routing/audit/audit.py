"""The rules of routing as checks: on this program, and on the files of a project."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...plural import many
from . import exercise as audit_exercise
from . import program as audit_program
from . import project as audit_project

if TYPE_CHECKING:
    from ...protocols import Runner
    from ...settings.routing import Routing
    from ..layout import Layout

FLAGS = frozenset(
    {
        "--dry-run",
        "--non-interactive",
        "--explain",
        "--plan",
        "--cache",
        "--no-cache",
        "--rag",
        "--no-rag",
    }
)
"""Options that the command line must have."""


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """One rule. evidence: what was looked at; problems: sentences, none when the rule holds."""

    rule: str
    evidence: str
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


def audit(
    layout: Layout, settings: Routing, *, runner: Runner, flags: Collection[str]
) -> list[AuditCheck]:
    """Every rule, in a fixed order, those of the checklist first.

    Leaves the project unchanged: trials run in a temporary project. flags: the options of the
    command line's `route`. Raises SourceError when the temporary folder cannot be made.
    """
    return list(_checks(layout, settings, runner, flags))


def _checks(
    layout: Layout, settings: Routing, runner: Runner, flags: Collection[str]
) -> Iterator[AuditCheck]:
    tried = audit_exercise.exercise(settings, runner)
    yield _check(
        "shared types are defined in one module",
        f"{len(audit_program.shared_types())} types",
        audit_program.twin_types(),
    )
    yield _check(
        "logs lie in app, runs, validation and metrics only",
        str(layout.logs),
        [*audit_project.stray_logs(layout), *tried.stray_logs],
    )
    yield _check(
        "a tool of a domain comes before a shared one, with a warning",
        tried.shadowing or "no warning",
        tried.precedence,
    )
    yield _check(
        "threshold, weights and tie-breakers are shown",
        f"τ={settings.ranker.threshold:g}, {_weights(settings)}",
        [*tried.explanation, *audit_program.tie_rules(settings)],
    )
    yield _check(
        "at most one question is asked",
        f"{tried.questions} asked for a prompt that says little",
        [*tried.clarification, *audit_project.runs_with_questions(layout)],
    )
    yield _check(
        "generated code is held to its template and its imports",
        f"{len(audit_program.REFUSED)} bad modules",
        audit_program.unguarded(),
    )
    yield _check(
        "a module passes ruff, mypy, import and dry run, in the sandbox, within time",
        f"level {runner.level}; {'; '.join(tried.steps)}",
        [*tried.validation, *audit_program.missing_tools(settings)],
    )
    yield _check(
        "promotion writes a record and a change log, and none twice",
        "promoted twice, then changed",
        tried.promotion,
    )
    yield _check(
        "the command line has its options",
        ", ".join(sorted(FLAGS)),
        [f"{flag} is missing" for flag in sorted(FLAGS - set(flags))],
    )
    yield _check(
        "cache, hints, embeddings and manifests are optional",
        audit_program.switches(settings),
        tried.optional,
    )
    yield from _project_checks(layout, settings)


def _project_checks(layout: Layout, settings: Routing) -> Iterator[AuditCheck]:
    """The rules for the files of this project."""
    tools, unread = audit_project.unreadable_tools(layout)
    yield _check("every tool can be read", many(tools, "tool"), unread)
    records, broken = audit_project.broken_records(layout)
    yield _check(
        "records hold and promoted files are what they say", many(records, "record"), broken
    )
    yield _check("no promotion is half done", str(layout.tmp), audit_project.half_done(layout))
    yield _check("nothing leads out of the root", str(layout.root), audit_project.ways_out(layout))
    network = settings.sandbox.network
    open_network = ["modules on trial reach the network"] if network != "off" else []
    yield _check("the network is off for modules on trial", f"network={network}", open_network)


def _check(rule: str, evidence: str, problems: Collection[str]) -> AuditCheck:
    return AuditCheck(rule, evidence, tuple(problems))


def _weights(settings: Routing) -> str:
    weights = settings.ranker.weights.model_dump()
    return " ".join(f"{name}={value:g}" for name, value in weights.items())
