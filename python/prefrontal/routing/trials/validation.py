"""Validates a module: ruff, mypy, import, dry run; each in the sandbox, with its log."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...storage.files import write_atomic
from ..catalog.tool_facts import read_facts
from ..types import ValidationReport
from .entry_point import EntryPoint, entry_point
from .execution_checks import GUESSED, try_call, try_import
from .static_checks import check_with_mypy, check_with_ruff
from .trial import ModuleTrial, TrialStep, short_line

if TYPE_CHECKING:
    from ...clock import Clock
    from ...protocols import Runner
    from ...settings.routing import Routing
    from ..layout import Layout
    from ..trace import Trace

SIZE_LIMIT = 1 << 20
"""Most bytes of a module."""
NEEDS_EXAMPLE = "it must run once: give it, or the tools that it calls, an Example"


def validate(
    path: Path,
    *,
    layout: Layout,
    route_id: str,
    runner: Runner,
    settings: Routing,
    trace: Trace,
    clock: Clock,
    day: str,
    generated: bool,
    example: Mapping[str, Any] | None = None,
    expected_sha256: str | None = None,
    parts: Mapping[Path, str] | None = None,
    allow_weak_sandbox: bool = False,
) -> ValidationReport:
    """Run the four steps on the bytes that the file holds now; whatever it does, a report.

    ruff and mypy both run; when one is not ok nothing is executed, and without an import there is
    no dry run. A sandbox that does not confine executes nothing either, unless
    `allow_weak_sandbox`. example: arguments for the dry run, by default those of the docstring.
    expected_sha256: another content fails; parts: so for each of the files it calls. day:
    YYYY-MM-DD, names the folder of the logs. Raises SourceError when logs cannot be written,
    InputError for a route_id or day that is no file name.
    """
    started = clock.monotonic()
    source = _source(path, layout, expected_sha256)
    for part, digest in (parts or {}).items():
        read = _source(part, layout, digest)
        source = read if isinstance(read, str) else source
    if isinstance(source, str):
        steps = _skipped("ruff", "mypy", "import", "dry-run", why=source)
    else:
        trial = ModuleTrial(path, source, layout, route_id, runner, settings, generated)
        steps = _steps(trial, example, allow_weak_sandbox)
    logs = _written(steps, layout.validation_logs(day), route_id)
    for step, log in zip(steps, logs, strict=True):
        trace.add(
            "validate",
            decision=step.line(),
            artifacts=[log],
            step=step.name,
            state=step.state,
            level=step.level,
            duration_s=round(step.duration_s, 3),
            passes=_passes(step, settings, generated),
            reason=step.reason,
            path=str(path),
            sha256=sha256(source).hexdigest() if isinstance(source, bytes) else None,
        )
    bad = {step.state for step in steps if not _passes(step, settings, generated)}
    ok, lacks_check = not bad, "missing" in bad and bad <= {"missing", "skipped"}
    duration_ms = round((clock.monotonic() - started) * 1000)
    summary = _summary(ok, steps, logs, settings, generated, layout)
    lines = [step.line() for step in steps]
    return ValidationReport(ok, lines, duration_ms, logs, summary, lacks_check)


def _source(path: Path, layout: Layout, expected_sha256: str | None) -> bytes | str:
    """The bytes on trial, or a sentence why there are none."""
    try:
        if not layout.holds(path):
            return f"{path} lies outside {layout.root}"
        with path.open("rb") as file:
            source = file.read(SIZE_LIMIT + 1)
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a circle of links
        return f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"
    if len(source) > SIZE_LIMIT:
        return f"{path} has more than {SIZE_LIMIT} bytes"
    if expected_sha256 not in {None, sha256(source).hexdigest()}:
        return f"{path} has changed since it was found"
    return source


def _steps(
    trial: ModuleTrial, example: Mapping[str, Any] | None, allow_weak: bool
) -> list[TrialStep]:
    static = [check_with_ruff(trial), check_with_mypy(trial)]
    failed = [s.name for s in static if not _passes(s, trial.settings, trial.generated)]
    if failed:
        return [*static, *_skipped("import", "dry-run", why=f"{' and '.join(failed)} not ok")]
    entry = _entry(trial)
    if isinstance(entry, str):
        return [*static, TrialStep("import", "failed", entry, log=entry + "\n"), *_no_dry_run()]
    if not (trial.runner.enforced or allow_weak):
        reason = _too_weak(trial)
        return [*static, TrialStep("import", "failed", reason, log=reason + "\n"), *_no_dry_run()]
    imported = try_import(trial, entry)
    if imported.state != "ok":
        return [*static, imported, *_no_dry_run()]
    arguments = (
        read_facts(trial.source, trial.path.stem).get("example") if example is None else example
    )
    return [*static, imported, try_call(trial, entry, arguments)]


def _too_weak(trial: ModuleTrial) -> str:
    if trial.settings.sandbox.network == "on":
        rule = "--allow-weak-sandbox and a person's yes are needed"
        return f"routing.sandbox.network is on, so nothing keeps a module from the network; {rule}"
    return f"the sandbox level {trial.runner.level!r} confines too little to run a module in"


def _entry(trial: ModuleTrial) -> EntryPoint | str:
    try:
        entry = entry_point(trial.source)
    except InputError as error:
        return short_line(str(error))
    if entry is None:
        return "the module defines neither run() nor main()"
    return f"{entry.name}() must not be async" if entry.waits else entry


def _no_dry_run() -> list[TrialStep]:
    return _skipped("dry-run", why="import not ok")


def _skipped(*names: Any, why: str) -> list[TrialStep]:
    return [TrialStep(name, "skipped", short_line(why), log=f"skipped: {why}\n") for name in names]


def _passes(step: TrialStep, settings: Routing, generated: bool) -> bool:
    """Whether the report can be ok with that step: a person's tool needs no example."""
    if step.state == "missing":
        return settings.validators.allow_missing
    return step.state == "ok" or (step.state == "not runnable" and not generated)


def _written(steps: list[TrialStep], folder: Path, route_id: str) -> list[Path]:
    """One log a step: <route_id>-<n>-<step>.log, n counted on for a route's next module."""
    pattern = re.compile(rf"{re.escape(route_id)}-(\d+)-")
    folder.mkdir(parents=True, exist_ok=True)
    known = [int(match[1]) for match in map(pattern.match, sorted(_names(folder))) if match]
    first = max(known, default=0) + 1
    logs = []
    for number, step in enumerate(steps, start=first):
        log = folder / f"{route_id}-{number}-{step.name}.log"
        write_atomic(log, step.log.encode("utf-8", "backslashreplace"))
        logs.append(log)
    return logs


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def _summary(
    ok: bool,
    steps: list[TrialStep],
    logs: list[Path],
    settings: Routing,
    generated: bool,
    layout: Layout,
) -> str:
    """One sentence: what is not ok with the log that says more, or what all was tried."""
    remarks = [step for step in steps if step.reason and step.state != "skipped"]
    if ok:
        took = sum(step.duration_s for step in steps)
        names = ", ".join(step.name for step in steps if step.state == "ok")
        notes = "".join(f"; {step.name}: {step.state}: {step.reason}" for step in remarks)
        return f"OK ({names}: {took:.1f} s){notes}"
    bad = [step for step in steps if not _passes(step, settings, generated)]
    worst = next((step for step in bad if step.state != "skipped"), bad[0])
    log = logs[steps.index(worst)]
    below = log.is_relative_to(layout.logs.parent)
    path = log.relative_to(layout.logs.parent) if below else log
    more = [step.name for step in bad if step is not worst and step.state != "skipped"]
    also = f"; also {', '.join(more)}" if more else ""
    need = f"; {NEEDS_EXAMPLE}" if worst.state == "not runnable" and GUESSED in worst.reason else ""
    return f"FAILED: {worst.name} {worst.state}: {worst.reason}{also}{need}; see {path.as_posix()}"
