"""A trace as lines for people; what is shown live and what `explain` shows later are the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...plain_text import one_line
from ...plural import many
from ..plans.steps import denial_notes, step_name, wiring_notes
from ..ranking.coverage import in_turns
from .request import NO_REQUEST

PREFIX = "[PREFRONTAL]"
LAST_STEP = "dry-run"
"""The last step of a validation, also when skipped."""
NO_GENERATOR, NOT_ASKED = "none", "not asked"
"""Where no tool fits: no model is configured, or the mode lets none write a tool."""
_FALLBACKS = {NO_GENERATOR: "; no model is configured to write one", NOT_ASKED: ""}

Event = Mapping[str, Any]


class Transcript:
    """Takes the events of one run in order.

    explained: also show features, weights, the map, ties and findings. steps: also show each step
    of a validation.
    """

    def __init__(self, explained: bool = False, steps: bool = False) -> None:
        self._explained = explained
        self._shows_steps = steps or explained
        self._steps: list[Mapping[str, Any]] = []
        self._shadowed: list[Mapping[str, str]] = []

    def take(self, event: Event) -> list[str]:
        """The lines of one event, each with the prefix; control characters left out."""
        tell = getattr(self, f"_{event['phase']}", None)
        lines: Iterable[str] = tell(event, event["detail"]) if tell else ()
        return [f"{PREFIX} {one_line(line)}" for line in lines]

    def _parse(self, event: Event, detail: Mapping[str, Any]) -> list[str]:
        place = f"domain={detail['domain'] or '?'} action={detail['action'] or '?'}"
        lines = [f"{place} (confidence={two_places(detail['confidence'])})"]
        lines += denial_notes(detail.get("denied", ()))
        if self._explained:
            clauses = " | ".join(detail["clauses"])
            lines.append(f"  clauses: {clauses}; threshold of confidence {detail['threshold']:.2f}")
            lines += [
                f"  hint: {hit['file']}:{hit['line']} ({hit['score']:.2f})"
                for hit in detail["rag_hits"]
            ]
        return lines

    def _clarify(self, event: Event, detail: Mapping[str, Any]) -> list[str]:
        if detail["answer"] is None:
            return [f"question: {detail['question']} (skipped: nobody is asked; best guess)"]
        if not detail["answer"].strip():
            return [f"question: {detail['question']} (no answer; best guess)"]
        exchange = f"question: {detail['question']} answer: {detail['answer']}"
        if not detail.get("understood", True):  # runs of earlier versions do not say
            return [f"{exchange} (none of these; best guess)"]
        place = f"domain={detail['domain'] or '?'} action={detail['action'] or '?'}"
        return [f"{exchange} -> {place} (confidence={two_places(detail['confidence'])})"]

    def _discover(self, event: Event, detail: Mapping[str, Any]) -> list[str]:
        lines = []
        if detail["search"] == "widened":
            lines.append("search=widened: what was found beyond the folder needs a person's yes")
        if detail["search"] == "everywhere" and detail.get("unsure"):
            lines.append("search=everywhere: the folder is only a guess, so all tools are ranked")
        self._shadowed = detail["shadowed"]
        if self._explained:
            lines.append(f"  looked at {many(event['candidates'], 'tool')}")
        return lines + self._warnings(detail["findings"], "more files are not tools")

    def _rank(self, event: Event, detail: Mapping[str, Any]) -> list[str]:
        ranked = detail["ranked"]
        order = in_turns([one["score"] for one in ranked], [one["clauses"] for one in ranked])
        first = sorted((ranked[place] for place in order[:5]), key=_top, reverse=True)
        best = [f"{one['name']}({two_places(_top(one))})" for one in first]
        lines = [*self._shadows(detail), f"candidates: {', '.join(best) or 'none'}"]
        if self._explained and detail["ranked"]:
            lines += _explained(event, detail)
        return lines + self._warnings(detail["findings"], "more of these")

    def _warnings(self, findings: Sequence[str], others: str) -> list[str]:
        listed = findings if self._explained else findings[:3]
        rest = len(findings) - len(listed)
        more = [f"{rest} {others} (--explain)"] * bool(rest)
        return [f"warning: {text}" for text in (*listed, *more)]

    def _shadows(self, detail: Mapping[str, Any]) -> list[str]:
        """Shared tools that give way to a domain's: where one of the two may serve the prompt."""
        if not self._shadowed:
            return []
        least = detail["threshold"] - detail["compose_margin"]
        able = {one["tool"] for one in detail["ranked"] if _top(one) >= least}
        return [
            f"warning: {pair['shared']} is shadowed by {pair['chosen']}; chosen: {pair['chosen']}"
            for pair in self._shadowed
            if self._explained or able & set(pair.values())
        ]

    def _select(self, event: Event, detail: Mapping[str, Any]) -> list[str]:
        one = detail["selected"][0]
        path, _, remote = one["tool"].partition("#")
        file = path.rpartition("/")[2]
        entry = f"{remote} of {file}" if remote else f"{file}::{one['entry']}"
        return [
            f"select {entry} score={two_places(one['score'])}  τ={detail['threshold']:.2f}",
            *_left_open(detail),
            *self._reason(event),
        ]

    def _compose(self, event: Event, detail: Mapping[str, Any]) -> list[str]:
        steps = detail["plan"]["plan"]["steps"]
        names = [f"{step['id']} {step_name(step)}" for step in steps]
        scores = ", ".join(two_places(one["score"]) for one in detail["selected"])
        loose = [f"  {note}" for note in wiring_notes(detail["plan"])]
        return [f"compose plan={len(steps)} steps ({' -> '.join(names)}) scores {scores}"
                f"  τ={detail['threshold']:.2f}",
                *loose, *_left_open(detail), *self._reason(event)]  # fmt: skip

    def _generate(self, event: Event, detail: Mapping[str, Any]) -> list[str]:
        if event["decision"] in NO_REQUEST:
            return []
        if "threshold" in detail:
            reaches = (event["top_score"] or 0.0) >= detail["threshold"]
            what = (
                "No candidate may be taken unasked" if reaches else "No candidates above threshold"
            )
            falls_back = "; falling back to generator (allowlist: stdlib)"
            line = f"{what}{_FALLBACKS.get(detail.get('generator', ''), falls_back)}"
            return [line, *self._reason(event)]
        by = f"{detail['provider']} {detail['model'] or ''}".rstrip()
        if not detail["reasons"]:
            return [f"generated by {by}"]
        logs = f"; see {event['artifacts'][-1]}" if event["artifacts"] else ""
        return [f"generated by {by}: REFUSED by the guardrails{logs}",
                *(f"  {reason}" for reason in detail["reasons"])]  # fmt: skip

    def _validate(self, event: Event, detail: Mapping[str, Any]) -> list[str]:
        self._steps.append({**detail, "line": event["decision"]})
        lines = [f"  {event['decision']}"] if self._shows_steps else []
        if detail["step"] != LAST_STEP:
            return lines
        steps, self._steps = self._steps, []
        return lines + _passed(steps) if all(step["passes"] for step in steps) else lines

    def _approve(self, event: Event, detail: Mapping[str, Any]) -> list[str]:
        return [f"approval: {detail['sentence']}"]

    def _promote(self, event: Event, detail: Mapping[str, Any]) -> list[str]:
        if "path" not in detail:
            return [f"accepted {detail['tool']}"]
        revision = f"revision={detail['revision']} version={detail['version']}  "
        phrases = {
            "same": "already kept, no new record",
            "accepted": "shared tool, stays where it is",
        }
        was = phrases.get(detail["was"], detail["was"])
        return [f"promote → {event['artifacts'][0]} ({was})",
                f"{revision if detail['revision'] else ''}route_id={event['route_id']}",
                *(f"warning: {finding}" for finding in detail["findings"])]  # fmt: skip

    def _end(self, event: Event, detail: Mapping[str, Any]) -> list[str]:
        sentence = [event["decision"]] if event["decision"] else []
        failed = detail["validation"] is False
        lines = sentence if failed else []
        plan = detail["plan"]
        steps = f" plan={len(plan['plan']['steps'])} steps" if plan else ""
        state = {None: "none", True: "OK", False: "FAILED"}[detail["validation"]]
        policy = event["policy"] or "none"
        lines.append(f"policy={policy}{steps}  validation={state}  route_id={event['route_id']}")
        return lines if failed else [*lines, *sentence]

    def _reason(self, event: Event) -> list[str]:
        return [f"  because {event['decision']}"] if self._explained else []


def _left_open(detail: Mapping[str, Any]) -> list[str]:
    """A line for each act or clause that is asked for and that nothing selected does."""
    acts = detail.get("open_acts", ())
    return [
        *(f"warning: no selected tool is known to {one['act']}: {one['clause']!r}" for one in acts),
        *(f"warning: nothing covers {clause!r}" for clause in detail.get("uncovered", ())),
    ]


def two_places(score: float) -> str:
    """A score cut to two decimals: 0.5999 is below 0.60 and must not look like it."""
    return f"{int(score * 1_000_000 + 0.5) // 10_000 / 100:.2f}"


def _passed(steps: list[Mapping[str, Any]]) -> list[str]:
    """One line for a validation that passed, before anybody is asked; then the steps' remarks."""
    names = [step["step"] for step in steps if step["state"] == "ok"]
    took = f"{LAST_STEP}={steps[-1]['duration_s']:.2f}s"
    passed = ",".join(took if name == LAST_STEP else name for name in names)
    levels = sorted({step["level"] for step in steps if step["level"]})
    notes = [f"  {step['line']}" for step in steps if step["state"] != "ok" or step.get("reason")]
    return [f"validation OK ({passed})  sandbox={', '.join(levels)}", *notes]


def _top(one: Mapping[str, Any]) -> float:
    """What a candidate is worth: for the prompt, or for the clause that it serves best."""
    return float(max([one["score"], *one["clauses"]]))


def _explained(event: Event, detail: Mapping[str, Any]) -> list[str]:
    weights = event["weights"]
    sums = " + ".join(f"{weights[name]:g} {name}" for name in weights)
    curve = detail["calibration"]
    lines = [
        f"  score = map({sums}), τ={detail['threshold']:.2f},"
        f" steps of a composition from {detail['threshold'] - detail['compose_margin']:.2f}",
        f"  map: logistic, slope {curve['slope']:g}, 0.60 where the sum is {curve['reached']:.3f}"
        + (f", {curve['others']:.3f} for all but the best" if _differs(curve) else ""),
        f"  is any tool needed: {detail['relevance']:.2f}",
    ]
    for one in detail["ranked"]:
        features = " ".join(f"{name}={value:.2f}" for name, value in one["features"].items())
        lines.append(f"  {one['tool']} {one['score']:.6f}: {features}")
        more = list(one["flags"])
        if one["matched"]:
            more.append(f"matched {', '.join(one['matched'])}")
        if one["clauses"]:
            more.append("clauses " + ", ".join(map(two_places, one["clauses"])))
        lines += [f"    {'; '.join(more)}"] * bool(more)
    lines += [f"  tie: {tie['first']} before {tie['second']} by {tie['rule']}"
              for tie in detail["ties"]]  # fmt: skip
    return lines if detail["ties"] else [*lines, "  ties: none"]


def _differs(curve: Mapping[str, float]) -> bool:
    """Whether the map of the best tool is not that of the others. Older logs have one only."""
    return curve.get("others", curve["reached"]) != curve["reached"]
