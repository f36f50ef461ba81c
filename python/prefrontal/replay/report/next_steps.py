"""What to try next: two commands, chosen by what a replay lacked, or to switch the gate on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...plain_text import quote_for_shell
from ..presets.kinds import REPAIRS
from .verdict import (
    NOT_KEPT,
    NOT_WORTH_IT,
    NOTHING_TO_MEASURE,
    TOO_EARLY,
    WORTH_IT,
    WORTH_LITTLE,
    verdict,
)

if TYPE_CHECKING:
    from ..result import ReplayResult

SHALLOW = "shallow clone: "
"""What the note on a clone without its whole history begins with."""
REPORT = " --report replay.html"
USUAL_RECALL = 0.9
"""What `replay` and `adopt` ask for unless told."""
LAST_RESORT = f"message:{REPAIRS}"
"""The meaning of "relevant" that is taken where no other was found either."""
FEW = 100
"""Windows below which a longer history helps more than another meaning of "relevant"."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """A command that can be typed as it stands, and what it is good for."""

    command: str
    reason: str


SAMPLE = NextStep("prefrontal replay --sample", "a recorded public history, as an example")


def next_steps(
    result: ReplayResult, place: str = "", relevant: str | None = None, has_report: bool = False
) -> tuple[NextStep, ...]:
    """The commands worth trying next, two at most; of a gate that was worth it, to switch it on.

    place: the repository, file or folder that was replayed, as the person named it. relevant: the
    preset that was asked for; None when it was found. has_report: whether a report was asked for,
    so that none is offered.
    """
    steps = _steps(result, place, relevant)
    return tuple(each for each in steps if not (has_report and each.command.endswith(REPORT)))


def _steps(result: ReplayResult, place: str, relevant: str | None) -> tuple[NextStep, ...]:
    kind = verdict(result).kind
    origin = result.origin or {"recorded": "events", "noop": "sessions"}.get(result.preset, "git")
    command = _command(origin, place)
    meaning = _other_meaning(origin, result.preset, command)
    if kind in (NOTHING_TO_MEASURE, TOO_EARLY) and result.windows < FEW:
        return (_longer(origin, result.notes, place), SAMPLE)
    if kind == NOTHING_TO_MEASURE and (origin, result.preset) == ("git", LAST_RESORT):
        return (_live(place), SAMPLE)
    if kind in (NOTHING_TO_MEASURE, TOO_EARLY, NOT_WORTH_IT):
        return (meaning, SAMPLE)
    recall = result.asked_recall
    if result.budget is not None:
        return () if kind == WORTH_IT else (meaning,)
    if relevant is not None:
        command += f" --relevant {quote_for_shell(relevant)}"
    if recall != USUAL_RECALL and kind == WORTH_IT:
        command += f" --recall {recall:g}"
    if kind == WORTH_IT:
        return _switch_on(origin, command)
    if kind == NOT_KEPT:
        more = f"{command} --recall {min(0.99, recall + 0.05):.2g}"
        report = command + REPORT
        return (
            NextStep(more, "ask for more than is needed"),
            NextStep(report, "see what was missed, and why"),
        )
    if kind == WORTH_LITTLE:
        less = f"{command} --recall {max(0.05, recall - 0.1):.2g}"
        return (NextStep(less, "ask for less and sleep more"), meaning)
    return ()


def _command(origin: str, place: str) -> str:
    """The command that replays the same again; without a place, the repository one is in."""
    named = quote_for_shell(place)
    if origin == "sample":
        return SAMPLE.command
    if origin == "events":
        return f"prefrontal replay --events {named if place else 'FILE'}"
    if origin == "sessions":
        return f"prefrontal replay {named if place else '~/.claude'}"
    return f"prefrontal replay --git {named}" if place else "prefrontal replay"


def _switch_on(origin: str, command: str) -> tuple[NextStep, ...]:
    """From a replay that was worth it to the live gate; from the sample to one's own history."""
    if origin == "sample":
        return (NextStep("prefrontal replay", "your own history, in the folder of a repository"),)
    reason = "keep what it learned for the live gate"
    if origin == "git":
        reason = "switch it on, from the next commit on (it shows what it writes, and asks)"
    adopt = command.replace("replay", "adopt", 1)
    report = command + REPORT
    return (NextStep(adopt, reason), NextStep(report, "see what another recall would cost"))


def _longer(origin: str, notes: Sequence[str], place: str) -> NextStep:
    if any(each.startswith(SHALLOW) for each in notes):
        git = f"git -C {quote_for_shell(place)}" if place else "git"
        return NextStep(f"{git} fetch --unshallow", "the rest of this history, then replay again")
    if origin == "sessions":
        return NextStep("prefrontal replay ~/.claude", "every session that was kept")
    return NextStep("prefrontal replay --git ~/longer-project", "a repository with more behind it")


def _live(place: str) -> NextStep:
    """Where every meaning of "relevant" was looked for and none was found."""
    reason = "nothing here says what mattered: let a watch ask about commits, and answer"
    return NextStep(
        f"prefrontal init {quote_for_shell(place)}" if place else "prefrontal init", reason
    )


def _other_meaning(origin: str, preset: str, command: str) -> NextStep:
    """Another meaning of "relevant" than the one that told so little; the sample has but one."""
    if origin == "sample":
        return NextStep("prefrontal replay", "the repository you are in")
    if not preset.startswith("message:"):
        reason = "count as relevant whatever says fix"
        return NextStep(f"{command} --relevant 'message:(?i)fix'", reason)
    if origin == "git":
        reason = "count as relevant what was mended later"
        return NextStep(f"{command} --relevant followup", reason)
    if origin == "sessions":
        reason = "count as relevant what was answered"
        return NextStep(f"{command} --relevant noop", reason)
    reason = "count as relevant what its record says is"
    return NextStep(f"{command} --relevant recorded", reason)
