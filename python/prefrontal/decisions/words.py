"""A decision of any kind in words: one sentence, one line, and its facts one by one."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..plural import many, noun
from ..types import Reason
from .payloads import (
    ACT,
    ASSESSMENT,
    BELIEF,
    DIRECTIVE,
    ROUTE,
    WAKE,
    ActPayload,
    AssessmentPayload,
    BeliefPayload,
    Burst,
    ControlPick,
    CycleReference,
    DirectivePayload,
    FoldedWindow,
    RoutePayload,
    WakePayload,
)

if TYPE_CHECKING:
    from .decision import Decision

_VALUE_LIMIT = 1000
_LEAST_SECONDS = 0.05

SENTENCES: Mapping[str, str] = {
    Reason.WOKE: "It woke the agent: the score reached the threshold.",
    Reason.AUDIT: "It was an audit: the score stayed below the threshold, and it was drawn at"
    " random to learn what is slept through.",
    Reason.BELOW_THRESHOLD: "It woke nobody: the score stayed below the threshold.",
    Reason.NO_QUESTION: "It woke nobody: the module's template gave no question.",
    Reason.DUPLICATE: "It woke nobody: the same event had come before.",
    Reason.COALESCED: "It woke nobody: it became part of another event.",
    Reason.COOLDOWN: "It woke nobody: the module had woken the agent just before (cooldown).",
    Reason.GROUPED: "It woke nobody: it was gathered into another question.",
    Reason.QUIET_HOURS: "It woke nobody: these are quiet hours.",
    Reason.MODULE_BUDGET: "It woke nobody: the module's wakes for now were used up.",
    Reason.GLOBAL_BUDGET: "It woke nobody: all wakes for now were used up.",
    Reason.PEER_BUDGET: "It woke nobody: the wakes of who sent it were used up for now.",
    Reason.SOURCE_BUDGET: "It woke nobody: its source's wakes for now were used up.",
    Reason.BUSY: "It woke nobody: the agent was still busy with this module.",
    Reason.DROPPED: "It woke nobody: too much was waiting to be delivered.",
    Reason.REPLAYED: "It woke nobody: it was replayed when its history was adopted, and whether it"
    " mattered was not known yet.",
}
"""Of a wake, by its reason."""
HOLDS: Mapping[str, str] = {
    Reason.COOLDOWN: "the module had woken the agent just before (cooldown)",
    Reason.GROUPED: "what comes close together is asked as one",
    Reason.QUIET_HOURS: "these are quiet hours",
    Reason.MODULE_BUDGET: "the module's wakes for now were used up",
    Reason.GLOBAL_BUDGET: "all wakes for now were used up",
    Reason.PEER_BUDGET: "the wakes of who sent it were used up for now",
    Reason.SOURCE_BUDGET: "its source's wakes for now were used up",
    Reason.BUSY: "the agent was still busy with this module",
    Reason.DROPPED: "too much was waiting to be delivered",
}
"""What held a window back, by its reason; a question tells of it later."""
_SENTENCES: Mapping[str, Mapping[str, str]] = {
    WAKE: SENTENCES,
    ACT: {
        "done": "It was done.",
        "nothing": "It was done, and there was nothing to tell.",
        "invalid": "It was not run: the tool did not pass its trial.",
        "failed": "It failed.",
        "asked": "The agent was asked.",
        "deferred": "It was not done: it waits for somebody's word.",
    },
    ASSESSMENT: {
        "judged": "Nothing held the trust back.",
        "clamp": "The trust moved as far as one reflection may move it.",
        "policy": "The trust policy held it back.",
        "hour": "The trust moved as far as one hour may move it.",
    },
    BELIEF: {
        "added": "It is believed from now on.",
        "reaffirmed": "It was found again, and is believed for longer.",
        "revised": "It was believed before, in other words.",
        "expired": "It is not believed any more: its time was over.",
    },
    DIRECTIVE: {
        "queued": "It was handed to the agent.",
        "pending": "It waits for the operator's approval.",
        "dropped": "It was not handed on.",
        "edited": "A person would have asked so.",
    },
}
SUBJECTS: Mapping[str, str] = {
    WAKE: "module",
    ROUTE: "tool",
    ACT: "tool",
    ASSESSMENT: "peer",
    BELIEF: "belief",
    DIRECTIVE: "for",
}
"""What people call the subject of each kind."""
NOTHING_SAID: Mapping[str, str] = {
    WAKE: "No question was asked.",
    ROUTE: "Nothing was asked.",
    ACT: "Nothing came of it.",
}
"""Instead of the text at the heart of a decision that has none."""


class Fact(NamedTuple):
    """One thing that is known. at: Unix seconds, where the fact is a moment; then text is empty."""

    name: str
    text: str
    at: float | None = None


def sentence(decision: Decision) -> str:
    """Why it was decided so; the reason itself where there is no other word."""
    reason, payload = str(decision.reason), decision.payload
    text = _SENTENCES.get(decision.kind, {}).get(reason, reason)
    match payload:
        case WakePayload(waits=True):
            return f"It was held back: {HOLDS.get(reason, _plain(reason))}."
        case WakePayload(late=True, folded=folded) if _is_burst(folded):
            return f"{text} It waited for what else would come, and was asked once nothing did."
        case WakePayload(late=True):
            return f"{text} It had been held back, and was asked when that ended."
        case WakePayload() if reason == Reason.AUDIT:
            return f"{text} The chance was {decision.propensity:.1%}."
        case RoutePayload(consent=consent) if not decision.acted and consent is not None:
            return f"It was held back: {consent.decision}. {consent.reasoning}"
        case RoutePayload():
            return payload.sentence or reason
        case BeliefPayload(quarantined=True):
            return "It is kept back until more is known: it rests on a peer's own words."
        case DirectivePayload(why=why) if why:
            return f"{text} ({why})"
    return text


def _is_burst(folded: Sequence[FoldedWindow]) -> bool:
    """Whether nothing but what else came close to it held it back."""
    return bool(folded) and all(each.reason == Reason.GROUPED for each in folded)


def brief(decision: Decision) -> tuple[str, str]:
    """What it was, in a word or two, and what there is to say of it, for one line."""
    subject, question = decision.subject, decision.question or ""
    match decision.payload:
        case WakePayload():
            return subject, question or _plain(decision.reason)
        case RoutePayload(consent=consent) if not decision.acted:
            return "held back", f"{subject}: {'' if consent is None else consent.reasoning}"
        case RoutePayload(tool="") as route:
            return "route", f"asks the agent. {route.sentence}"
        case RoutePayload() as route:
            return "route", f"{subject} {decision.score:.2f}. {route.sentence}"
        case ActPayload(seconds=seconds):
            took = f" in {seconds:.1f} s" if seconds >= _LEAST_SECONDS else ""
            text = act_text(decision).removeprefix(f"{subject} ")
            return str(decision.reason), f"{subject}{took}: {text}"
        case AssessmentPayload() as assessment:
            return "trust", f"{subject} {trust_moved(assessment)}. {question}"
        case BeliefPayload():
            is_sure = decision.acted and math.isfinite(decision.score)
            sure = f" ({decision.score:.0%})" if is_sure else ""
            return "belief", f"{subject} {decision.reason}{sure}: {question}"
        case DirectivePayload():
            return "directive", f"for {subject}, {decision.reason}: {question}"


def asks_worth(id_: str, options: str = "") -> str:
    """How to answer a wake. id_: what is shown of its id. options: each behind a space."""
    return f"Was it worth it? prefrontal feedback{options} {id_} useful   (or useless)"


def windows_wait(count: int, watch: str) -> str:
    """How many windows are held back until a question tells of them. watch: which one asks it."""
    waits, them = ("waits", "it") if count == 1 else ("wait", "them")
    return f"{many(count, 'window')} held back {waits}; {watch} tells of {them}."


def act_text(decision: Decision) -> str:
    """What came of an act, for a line that has its reason already: texts of "asked" begin so."""
    return (decision.question or "").removeprefix(f"{decision.reason}: ")


def scored(decision: Decision) -> str | None:
    """The score and what it was held against; None where there is none."""
    if not math.isfinite(decision.score):
        return None
    if decision.kind == BELIEF:
        return f"{decision.score:.0%} sure"
    limit = f", threshold {decision.threshold:.3f}" if math.isfinite(decision.threshold) else ""
    return f"{decision.score:.3f}{limit}"


def facts(decision: Decision) -> Iterator[Fact]:
    """What is known besides what every decision has, in the order of a page."""
    return _FACTS[decision.kind](decision.payload)


def counted(decision: Decision) -> str:
    """What its window counts, "file" or "event", for the words of its features."""
    files = all(event.source == "filesystem" for event in decision.window)
    return "file" if files else "event"


def signed(trust: int) -> str:
    """`+3`, `0`, `-2`."""
    return f"{trust:+d}" if trust else "0"


def trust_moved(assessment: AssessmentPayload) -> str:
    """`new -> +2`, `+2 -> -1`."""
    before = "new" if assessment.before is None else signed(assessment.before)
    return f"{before} -> {signed(assessment.trust)}"


def _plain(reason: str) -> str:
    return str(reason).replace("_", " ")


def _wake(wake: WakePayload) -> Iterator[Fact]:
    if (standing := wake.standing) is not None:
        moved = f", which moved the score by {standing.shift:+.2f} log-odds"
        trust = f"{standing.peer}, trust {signed(standing.trust)}"
        yield Fact("peer", trust + (moved if standing.shift else ""))
        if (most := standing.wakes_per_hour) is not None:
            yield Fact("budget", f"{most:g} {noun(most, 'wake')} an hour for this peer")
    if wake.gathered:
        closed = ", before their time was up: the gate ended" if wake.closed else ""
        yield Fact("gathered", f"{len(wake.gathered)} wakes asked as one{closed}")
    if (burst := wake.burst) is not None and (burst.windows > 1 or wake.opening or wake.update):
        yield Fact("burst", _burst(burst, wake))
    for place, each in enumerate(wake.folded):
        held = f"{each.id[:8]} {each.name} (held back: {_plain(each.reason)})"
        yield Fact("tells of" if place == 0 else "", held)
    if wake.crowd:
        yield Fact("counts", f"{wake.crowd:,} more that were held back and are not named")
    if wake.crowded:
        yield Fact("crowded", "so many waited already that a question counts it and names it not")
    if wake.held_back is not None:
        yield Fact("audit", f"drawn, but not asked: {_plain(wake.held_back)}")
    if wake.wished:
        yield Fact("threshold", "as a person set it")


def _burst(burst: Burst, wake: WakePayload) -> str:
    count = "one window" if burst.windows == 1 else f"{burst.windows:,} alike windows"
    if wake.opening:
        over = ", and it is over" if wake.ended else ""
        return f"{count} so far, opened by {wake.opening[:8]}{over}"
    return f"{count}; asked again since the incident goes on" if wake.update else count


def _route(route: RoutePayload) -> Iterator[Fact]:
    yield Fact("policy", route.policy)
    if route.tool:
        yield Fact("file", route.tool)
    if route.arguments:
        yield Fact("arguments", _value(route.arguments))
    for place, each in enumerate(route.considered):
        mark = "taken: " if route.tool and place == route.picked else ""
        flags = f" ({'; '.join(each.flags)})" if each.flags else ""
        name = "considered" if place == 0 else ""
        yield Fact(name, f"{mark}{each.tool} {each.score:.3f}{flags}")
    if route.beliefs:
        yield Fact("beliefs heard", ", ".join(route.beliefs))
    if route.consent is not None:
        yield Fact("consulted", f"{route.consent.decision}: {route.consent.reasoning}")
    if route.control is not None:
        yield Fact("control agent", _control(route.control))
    if route.plan:
        yield Fact("plan", _value(route.plan))


def _control(pick: ControlPick) -> str:
    if not pick.committed:
        return "keeps the router's order until it has seen enough"
    why = ", ".join(f"{name} {amount:+.2f}" for name, amount in pick.why)
    return f"{'tries another one; ' if pick.probing else ''}by {why}"


def _act(act: ActPayload) -> Iterator[Fact]:
    if act.value is not None:
        yield Fact("value", _value(act.value))
    yield Fact("useful", _word(act.useful))
    yield Fact("right choice", _word(act.accepted))
    ran = act.tool_run
    if ran is not None and ran.level:
        yield Fact("sandbox", ran.level)
    if act.seconds:
        yield Fact("took", f"{act.seconds:.2f} s")
    if ran is not None:
        if ran.validation is not None:
            yield Fact("validation", ran.validation.summary)
        yield Fact("sha256", ran.sha256)


def _assessment(assessment: AssessmentPayload) -> Iterator[Fact]:
    yield Fact("trust", trust_moved(assessment))
    if assessment.clamped:
        yield Fact("proposed", f"{signed(assessment.proposed)}, which was held back")
    if assessment.info_score is not None:
        yield Fact("known", f"{assessment.info_score}/10")
    yield from _cycle(assessment.cycle)


def _belief(belief: BeliefPayload) -> Iterator[Fact]:
    named = {"before": belief.old, "about": belief.peer, "because": belief.rationale}
    yield from (Fact(name, text) for name, text in named.items() if text)
    if belief.evidence:
        yield Fact("evidence", "; ".join(belief.evidence))
    if belief.pinned:
        yield Fact("holds", "for as long as the operator pins it")
    elif belief.expires_at is not None:
        yield Fact("holds until", "", belief.expires_at)
    yield from _cycle(belief.cycle)


def _directive(directive: DirectivePayload) -> Iterator[Fact]:
    if directive.asked:
        yield Fact("instead of", directive.asked)
    if directive.rationale:
        yield Fact("because", directive.rationale)
    if directive.expires_at is not None:
        yield Fact("holds until", "", directive.expires_at)
    if directive.directive:
        yield Fact("directive", directive.directive)
    yield from _cycle(directive.cycle)


def _cycle(cycle: CycleReference | None) -> Iterator[Fact]:
    if cycle is not None:
        by = f", started by {cycle.trigger}" if cycle.trigger else ""
        yield Fact("reflection", f"{cycle.number}{by}")


def _word(answer: bool | None) -> str:
    return "nobody knows yet" if answer is None else "yes" if answer else "no"


def _value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _VALUE_LIMIT else f"{text[:_VALUE_LIMIT]}…"


_FACTS: Mapping[str, Callable[[Any], Iterator[Fact]]] = {
    WAKE: _wake,
    ROUTE: _route,
    ACT: _act,
    ASSESSMENT: _assessment,
    BELIEF: _belief,
    DIRECTIVE: _directive,
}
