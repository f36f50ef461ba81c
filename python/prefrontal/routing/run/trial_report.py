"""The fourth stage: validates the module in the sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..exit_codes import INVALID, NO_SANDBOX, OK
from ..trials.hosts import reaching
from ..trials.validation import validate
from .after_trial import list_as_pending, note_in_history
from .request import Ending
from .route import TrialModule, TrialReport

if TYPE_CHECKING:
    from .workbench import Workbench


def try_out(bench: Workbench, module: TrialModule) -> TrialReport:
    """Validate the module, if it can be run here."""
    request, tool = module.request, module.tool
    if tool is not None and not tool.runnable:
        sentence = f"{tool.name} cannot be run here; {tool.relative} says which server has it."
        return TrialReport(module, None, Ending(OK, sentence) if request.mode.dry_run else None)
    assert bench.runner is not None, "a route that validates needs a runner"
    with request.trace.held(), bench.waiting(f"trying {module.path.name} out"):
        validation = validate(
            module.path,
            layout=bench.layout,
            route_id=request.trace.route_id,
            runner=reaching(bench.runner, module.hosts),
            settings=bench.settings,
            trace=request.trace,
            clock=bench.clock,
            day=bench.time.day(),
            generated=tool is None,
            example=tool.example if tool else None,
            expected_sha256=module.sha256,
            parts=module.parts,
            allow_weak_sandbox=request.mode.allow_weak_sandbox,
        )
    weak = not (bench.runner.enforced or request.mode.allow_weak_sandbox)
    if not (weak or validation.lacks_check):  # what a machine lacks says nothing of the tool
        note_in_history(bench, module, "validation_ok" if validation.ok else "failed")
    if not validation.ok:
        list_as_pending(bench, module, "invalid", validation.summary)
        code = NO_SANDBOX if weak else INVALID
        return TrialReport(module, validation, Ending(code, f"validation {validation.summary}"))
    dry = Ending(OK, "dry run: nothing was kept.") if request.mode.dry_run else None
    return TrialReport(module, validation, dry)
