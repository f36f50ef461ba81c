"""The experiments X1 to X11: each states its criterion, measures, and hands back a record.

An experiment is a module with NAME, TITLE, CRITERION, `run` and `draw`; it is loaded when it is
asked for, because running needs torch. This package itself does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .record import ExperimentRecord

EXPERIMENTS = {
    "anticipation": (".anticipation", "X1", "Precision weights rise before contact with a hazard."),
    "lead-time": (".lead_time", "X2", "How many steps the weights lead the slow harm stream."),
    "cue-only": (".cue_only", "X3", "The cue works from the world alone, and in unseen layouts."),
    "attribution": (".attribution", "X4", "The answer comes from the memory's slots."),
    "writing": (".writing", "X5", "Associations written online are recalled; the old rule fails."),
    "affordance": (".affordance", "X6", "The action bias turns proposals away from a hazard."),
    "persistence": (".persistence", "X7", "A rule outlives distractors as its gate says."),
    "write-gate": (".write_gate", "X8", "A shut gate keeps writes out, whatever the mode says."),
    "rule-head": (".rule_head", "X9", "A trained head turns a held rule into choices."),
    "gambling": (".gambling", "X10", "The Iowa Gambling Task, intact and with a lesion."),
    "allostasis": (".allostasis", "X11", "Drive raises the weight of goals, not that of harm."),
}
"""Name -> the module, the number, and a line for the help."""


class Experiment(Protocol):
    """What each experiment's module offers."""

    NAME: str
    TITLE: str
    CRITERION: str

    def run(
        self, seeds: Sequence[int], *, profile: str = "sound", report: Callable[[str], None] = ...
    ) -> ExperimentRecord:
        """Measure; the same seeds give the same record.

        report: called with the progress of the run, a text that begins with "seed N".
        """

    def draw(self, record: ExperimentRecord, figure: Figure) -> None:
        """Fill the figure with panels, from the record alone."""


def load_experiment(name: str) -> Experiment:
    """The module of an experiment. Raises ValueError for an unknown name."""
    if name not in EXPERIMENTS:
        raise ValueError(f"name must be one of {', '.join(EXPERIMENTS)}, got {name!r}")
    return cast("Experiment", import_module(EXPERIMENTS[name][0], __name__))
