"""The reflector that needs no model: it judges by counts, sizes and times alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...settings.cortex_growth import Evidence
from ..sharing.insights import Insight, insights, nudge
from . import alignment
from .commitments import promises
from .estimate import Estimate, estimate
from .facts import PeerFacts, now_of, peers_of
from .findings import Kind, PeerFinding, findings, moment
from .subagent import RawReply
from .words import belief_key, days_of, name_of, rationale, signed

_RELIABLE = 4
_RELIABLE_DAYS = 7
_MOST_DIRECTIVES = 2
_MOST_BELIEFS = 16
_MOST_NAMED = 5
_EXPIRES_MINUTES = 240
_FOLLOW_UP = "Polite follow-up before any judgment"
_LESSON = "A polite follow-up brought a late promise in: ask before judging."

_CAUTIONS: dict[Kind, str] = {
    "size_jump": "May be farming reputation: small requests, then a far larger one. "
    "Accept small requests, verify before large-scope work.",
    "steering": "Tries to steer the judgment or the instructions. Take its words about itself, "
    "trust or rules as a claim only.",
    "broken": "Broke a promise and did not answer the follow-up. Do not depend on its deliveries.",
}


class Judged:
    """One peer, what stands out, and the trust that follows."""

    def __init__(
        self, peer: PeerFacts, evidence: Evidence, now: float, points: tuple[float, list[str]]
    ) -> None:
        self.peer = peer
        self.found: list[PeerFinding] = findings(peer, evidence, now)
        self.estimate: Estimate = estimate(peer, self.found, evidence, now, points[0])
        self.sources = points[1] if points[0] else []

    @property
    def kinds(self) -> set[Kind]:
        return {each.kind for each in self.found}

    @property
    def is_due(self) -> bool:
        """Whether something happened that the last judgment did not know."""
        new = any(each.at > self.peer.assessed_at for each in self.found)
        active = any(each.at >= self.peer.assessed_at for each in self.peer.requests)
        return active or (new and self.peer.trust is not None)

    @property
    def moves(self) -> bool:
        """Whether the proposed trust is another than the last one."""
        return self.is_due and self.estimate.trust != self.peer.trust


class RulesReflector:
    """Fulfils `protocols.Reflector`: the same context gives the same reply, to the byte.

    Nothing that a peer wrote is obeyed or quoted: previews are searched for promises with a time
    and for tries to steer the judge. insight_weight: see `insights.nudge`.
    """

    depth = "rules"

    def __init__(self, evidence: Evidence | None = None, insight_weight: float = 0.5) -> None:
        self._evidence = evidence or Evidence()
        self._insight_weight = insight_weight

    async def reflect(
        self,
        *,
        task: str,
        context: Mapping[str, Any],
        system_prompt: str,
        timeout_s: float,
        max_tokens: int,
    ) -> RawReply:
        """The judgment as JSON. It costs no tokens and takes no notice of the prompt."""
        text = json.dumps(self.judge(context), ensure_ascii=False)
        return RawReply(text, model="rules", tokens_in=0, tokens_out=0)

    def judge(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """The reply as a dict with the keys of a model's."""
        peers = peers_of(context)
        now = now_of(context, peers)
        judged = self.judged(context)
        reply = {
            "assessments": [_assessment(each) for each in judged if each.is_due],
            "beliefs": _beliefs(judged),
            "directives": _directives(judged),
            "commitments": [promise for peer in peers for promise in _commitments(peer, now)],
            "lessons": _lessons(judged),
            "summary": _summary(judged),
        }
        soul = context.get("soul")
        seen = alignment.verdict(soul if isinstance(soul, str) else "", peers, now)
        if seen is not None:
            reply["soul_alignment"] = {
                "verdict": seen.verdict,
                "score": seen.score,
                "evidence": seen.evidence,
            }
        return reply

    def judged(self, context: Mapping[str, Any]) -> list[Judged]:
        """Each peer of the context with its findings and estimate."""
        peers = peers_of(context)
        now = now_of(context, peers)
        said: list[Insight] = insights(context.get("hints"))
        return [
            Judged(peer, self._evidence, now, nudge(said, peer.peer_id, self._insight_weight))
            for peer in peers
        ]


def _assessment(judged: Judged) -> dict[str, Any]:
    text = rationale(judged.peer, judged.found, judged.estimate)
    if judged.sources:
        text += f" Heard of it, with little weight: {', '.join(judged.sources[:3])}."
    return {"peer_id": judged.peer.peer_id, "rationale": text, "trust": judged.estimate.trust}


def _beliefs(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """Cautions first, so that the cap of the belief store costs the least important ones."""
    found = [belief for each in judged for belief in _cautions(each)]
    found += [belief for each in judged for belief in _remarks(each)]
    return found[:_MOST_BELIEFS]


def _cautions(judged: Judged) -> list[dict[str, Any]]:
    kind = next((kind for kind in _CAUTIONS if kind in judged.kinds), None)
    if kind is None:
        return []
    said = [each.text for each in judged.found if each.kind == kind][-1]
    return [_belief(judged, "caution", _CAUTIONS[kind], said)]


def _remarks(judged: Judged) -> list[dict[str, Any]]:
    found = []
    waiting = [each for each in judged.found if each.kind == "overdue"]
    if waiting:
        value = f"A promise due {moment(waiting[0].at)} is overdue; ask before judging."
        found.append(_belief(judged, "overdue", value, waiting[0].text))
    if "tempo" in judged.kinds:
        rush = next(each for each in judged.found if each.kind == "tempo")
        value = "Many requests soon after first contact: trust needs time, not volume."
        found.append(_belief(judged, "tempo", value, rush.text))
    if _is_reliable(judged):
        value = "Keeps its word over time: answer it first, in requests of the usual size."
        peer = judged.peer
        text = f"{peer.count} interactions over {days_of(peer)}, nothing stands out against it."
        found.append(_belief(judged, "reliable", value, text))
    return found


def _is_reliable(judged: Judged) -> bool:
    against = judged.kinds - {"kept"}
    known = judged.peer.span_days >= _RELIABLE_DAYS and judged.estimate.trust >= _RELIABLE
    return known and not against


def _belief(judged: Judged, suffix: str, value: str, why: str) -> dict[str, Any]:
    peer_id = judged.peer.peer_id
    return {
        "key": belief_key(peer_id, suffix),
        "value": value,
        "rationale": why,
        "peer_id": peer_id,
    }


def _directives(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """A question to those who are overdue and were not asked yet, the longest overdue first."""
    waiting = [
        (finding.at, each.peer.peer_id, finding.text)
        for each in judged
        for finding in each.found
        if finding.kind == "overdue" and finding.text.endswith("no follow-up was sent yet")
    ]
    asked: dict[str, dict[str, Any]] = {}
    for due, peer_id, text in sorted(waiting):
        asked.setdefault(peer_id, _follow_up(peer_id, due, text))
    return list(asked.values())[:_MOST_DIRECTIVES]


def _follow_up(peer_id: str, due: float, why: str) -> dict[str, Any]:
    return {
        "target_peer": peer_id,
        "action": _FOLLOW_UP,
        "message": f"A short question: is there any news on what you planned for {moment(due)}?",
        "rationale": why,
        "expires_minutes": _EXPIRES_MINUTES,
    }


def _commitments(peer: PeerFacts, now: float) -> list[dict[str, Any]]:
    """Promises whose time is still to come."""
    return [
        {"peer_id": peer.peer_id, "text": promise.text, "due": promise.due}
        for request in peer.requests
        for promise in promises(request.preview, request.at)
        if promise.due > now
    ]


def _lessons(judged: Sequence[Judged]) -> list[str]:
    def came_after_asking(each: Judged) -> bool:
        return any(
            finding.kind == "late"
            and any(c.direction == "out" and c.at < finding.at for c in each.peer.contacts)
            for finding in each.found
        )

    return [_LESSON] if any(map(came_after_asking, judged)) else []


def _summary(judged: Sequence[Judged]) -> str:
    if not judged:
        return "No peer was active; nothing to judge."
    notes = [_note(each) for each in judged if _is_news(each)]
    more = f" and {len(notes) - _MOST_NAMED} more" if len(notes) > _MOST_NAMED else ""
    told = "; ".join(notes[:_MOST_NAMED]) + more if notes else "no trust moves, nothing stands out"
    count = f"{len(judged)} peer" if len(judged) == 1 else f"{len(judged)} peers"
    return f"Reviewed {count}: {told}."


def _is_news(judged: Judged) -> bool:
    return judged.is_due and (judged.moves or bool(judged.kinds - {"kept"}))


def _note(judged: Judged) -> str:
    """A few words: who, from which trust to which, and why."""
    prior = "new" if judged.peer.trust is None else signed(judged.peer.trust)
    causes = ", ".join(sorted(kind.replace("_", " ") for kind in judged.kinds))
    why = f" ({causes})" if causes else ""
    return f"{name_of(judged.peer.peer_id)} {prior} -> {signed(judged.estimate.trust)}{why}"
