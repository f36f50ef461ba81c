"""`prefrontal push`: should a reviewer look at this push?"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import PrefrontalError, SourceError
from ...plain_text import one_line, shorten
from ...plural import many
from ..answers import answer
from ..candidates import presets

if TYPE_CHECKING:
    from ...replay.result import Outcome, ReplayResult

USUAL_RECALL = 0.9
MOST_COMMITS = 120
"""As many as a replay shows one by one; a longer push is reviewed."""
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class PushVerdict:
    """run: whether the reviewer should run. why: one sentence. commits: what the gate said of each.

    is_decided: off where the reviewer runs because nothing could be decided.
    """

    run: bool
    why: str
    commits: tuple[Outcome, ...] = ()
    is_decided: bool = True

    @property
    def highest(self) -> Outcome | None:
        """The commit that is furthest above its threshold, or least below it."""
        return max(self.commits, key=lambda each: each.score - each.threshold, default=None)

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "run": self.run,
            "why": self.why,
            "decided": self.is_decided,
            "commits": [
                {"commit": each.key, "score": each.score, "threshold": each.threshold,
                 "run": each.woke, "subject": each.text}
                for each in self.commits
            ],
        }  # fmt: skip


@click.command()
@click.option(
    "--git", "repository", metavar="PATH", default=".", show_default=True, help="The repository."
)
@click.option("--base", metavar="COMMIT", default="", help="The commit before the push.")
@click.option(
    "--recall",
    type=float,
    default=USUAL_RECALL,
    show_default=True,
    metavar="R",
    help="Share of the changes that mattered which must be reviewed.",
)
@click.option(
    "--relevant",
    metavar="PRESET",
    help="What mattered, as for `prefrontal replay`; found by itself when not given.",
    shell_complete=presets,
)
@click.option(
    "--github",
    is_flag=True,
    help="Write GITHUB_OUTPUT and GITHUB_STEP_SUMMARY; where nothing can be decided, review.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a sentence.")
def push(
    repository: str, base: str, recall: float, relevant: str | None, github: bool, as_json: bool
) -> None:
    """Should a reviewer run on what was pushed since COMMIT?

    Replays the history of the branch that is checked out; the gate decides about each commit of the
    push as it would have when it came. Exit code 0 says run, 1 that it need not; with --github it
    is 0 either way, and `run` of the step's outputs says it.

    \b
      prefrontal push --base origin/main
      prefrontal push --base "$BEFORE" --relevant message:fix --github
    """
    try:
        verdict = push_verdict(repository, base, recall, relevant)
    except PrefrontalError as error:
        if not github:
            raise
        verdict = PushVerdict(True, f"Nothing could be decided: {error}", is_decided=False)
    if github:
        _tell_runner(verdict)
    answer(as_json, verdict.to_dict(), ("review: " if verdict.run else "no review: ") + verdict.why)
    if not (github or verdict.run):
        raise SystemExit(1)


def push_verdict(repository: str, base: str, recall: float, relevant: str | None) -> PushVerdict:
    """What the gate says of the commits behind `base`. Raises InputError and SourceError."""
    from ...assembly.replay_gate import PulseGate
    from ...replay.session import Request, replay_git

    request = Request(recall=recall, relevant=relevant)
    commits = _commits(repository, base)
    if len(commits) > MOST_COMMITS:
        why = f"The push has {len(commits)} commits; up to {MOST_COMMITS} are decided about."
        return PushVerdict(True, why, is_decided=False)
    return decide(replay_git(repository, request, PulseGate()), commits)


def _commits(repository: str, base: str) -> set[str]:
    """The hashes of the push. Raises SourceError where they cannot be known."""
    from ...replay.histories import git_process

    if git_process.tell(repository, "rev-parse", "--is-shallow-repository") == "true":
        raise SourceError("the history was cut off; check it out with fetch-depth: 0")
    if not base:
        raise SourceError("the commit before the push is not known: name it with --base COMMIT")
    known = base.strip("0") and git_process.ask(
        repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}"
    )
    if not known:
        raise SourceError(f"the commit before the push is not known, got {base!r}")
    listed = git_process.tell(repository, "rev-list", "--max-count=1000", f"{known}..HEAD", "--")
    return set(listed.split())


def decide(result: ReplayResult, commits: set[str]) -> PushVerdict:
    """What a replay up to the end of the push says of its commits, by their hashes."""
    from ...replay.report.verdict import NOT_WORTH_IT, NOTHING_TO_MEASURE, verdict

    if not commits:
        return PushVerdict(False, "The push brings no commit.")
    trial = verdict(result)
    upper = 1.0 if result.recall_interval is None else result.recall_interval[1]
    if trial.kind in (NOT_WORTH_IT, NOTHING_TO_MEASURE) or upper < result.asked_recall:
        return PushVerdict(True, f"{trial.sentence} So every push is reviewed.", is_decided=False)
    decided = tuple(each for each in result.strip if _is_among(each.key, commits))
    if not decided:
        why = "The gate knows too little yet to decide about these commits."
        return PushVerdict(True, why, is_decided=False)
    draft = PushVerdict(any(each.woke for each in decided), "", decided)
    first = draft.highest
    assert first is not None
    subject = shorten(one_line(first.text), 80)
    side = "at or above" if first.woke else "below"
    why = (
        f'"{subject}" ({first.key[:10]}) scores {first.score:.2f}, {side} the threshold'
        f" {first.threshold:.2f} that keeps a recall of {result.asked_recall:g} for"
        f" {result.preset}; {sum(each.woke for each in decided)} of"
        f" {many(len(decided), 'commit')} would wake the reviewer."
    )
    return PushVerdict(draft.run, why, decided)


def _is_among(key: str, commits: set[str]) -> bool:
    return key in commits or any(each.startswith(key) for each in commits)


def _tell_runner(verdict: PushVerdict) -> None:
    """Outputs of the step and a part of the job's summary, where the runner says they go."""
    first = verdict.highest
    outputs = {
        "run": "true" if verdict.run else "false",
        "why": one_line(verdict.why),
        "score": "" if first is None else f"{first.score:.4f}",
        "threshold": "" if first is None else f"{first.threshold:.4f}",
    }
    _append("GITHUB_OUTPUT", [f"{name}={value}" for name, value in outputs.items()])
    _append("GITHUB_STEP_SUMMARY", _summary(verdict))


def _summary(verdict: PushVerdict) -> list[str]:
    lines = [f"### Review: {'yes' if verdict.run else 'no'}", "", _plain(verdict.why), ""]
    if not verdict.commits:
        return lines
    lines += ["| commit | score | threshold | review | subject |", "|---|---|---|---|---|"]
    for each in verdict.commits[-MOST_SHOWN:]:
        subject = _plain(shorten(one_line(each.text), 120))
        review = "yes" if each.woke else "no"
        row = f"`{each.key[:10]}` | {each.score:.2f} | {each.threshold:.2f} | {review} | {subject}"
        lines.append(f"| {row} |")
    if (more := len(verdict.commits) - MOST_SHOWN) > 0:
        lines += ["", f"and {more} earlier ones"]
    return lines


def _plain(text: str) -> str:
    """Text as Markdown shows it as it is: a commit's subject cannot draw or link."""
    return "".join(f"\\{each}" if each in "\\`*_{}[]<>#|~!&$@" else each for each in text)


def _append(variable: str, lines: list[str]) -> None:
    path = os.environ.get(variable)
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {error.strerror}") from None
