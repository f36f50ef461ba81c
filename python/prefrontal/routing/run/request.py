"""What is asked of a router: a prompt, how far to take it, and the trace that it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...plain_text import one_line
from ..plans.plan import MOST_LETTERS
from ..prompt.denials import affirmed, denied, to_be_done

if TYPE_CHECKING:
    from ..trace import Trace


@dataclass(frozen=True, slots=True)
class Mode:
    """How far a route goes and who is asked.

    plan_only: parse and discover, no more. dry_run: validate, keep nothing. interactive: somebody
    answers; otherwise only the rule of `auto_approval` keeps a route.
    """

    plan_only: bool = False
    dry_run: bool = False
    interactive: bool = True
    allow_generated: bool = False
    allow_weak_sandbox: bool = False

    @property
    def may_generate(self) -> bool:
        """Whether a model may write a tool: what it writes is tried out, and kept after a yes."""
        return not self.plan_only and (self.interactive or self.dry_run or self.allow_generated)


NOTHING_ASKED = "nothing is to be done: the prompt says only what not to do."
ANSWER_ALONE = (
    "an answer alone asks for nothing: a route asks whether to use the tool that it found, and"
    " `prefrontal route resume ROUTE_ID` asks again (without ROUTE_ID it lists those that wait)."
)
NO_REQUEST = frozenset({NOTHING_ASKED, ANSWER_ALONE})
"""Reasons of a decision about a prompt that asks for nothing."""
_ANSWERS = ["accept", "approve", "reject", "decline", "yes", "no", "y", "n", "ok", "okay"]


@dataclass(frozen=True, slots=True)
class RouteRequest:
    """One prompt on its way to a tool. resumed: its route waited and is taken up again."""

    prompt: str
    mode: Mode
    trace: Trace
    resumed: bool = False

    @property
    def asked(self) -> str:
        """What is to be done: the prompt without what it says is not, unless nothing else is."""
        return to_be_done(self.prompt)

    @property
    def denied(self) -> tuple[str, ...]:
        """What the prompt says is not to be done."""
        return denied(self.prompt)

    @property
    def asks_nothing(self) -> bool:
        """Whether the prompt says only what is not to be done."""
        return not affirmed(self.prompt)

    @property
    def is_answer(self) -> bool:
        """Whether the prompt is one word that answers a question, such as "accept"."""
        return self.prompt.strip(" \t\n.!\"'").casefold() in _ANSWERS

    @property
    def description(self) -> str:
        """The prompt in one line, for docstrings and logs."""
        return one_line(" ".join(self.prompt.split()))[:MOST_LETTERS]


@dataclass(frozen=True, slots=True)
class Ending:
    """Where a route stops. sentence: why."""

    exit_code: int
    sentence: str
