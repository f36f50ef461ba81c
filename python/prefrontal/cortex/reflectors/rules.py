"""The reflector that needs no model: it judges by counts, sizes and times alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...plural import many
from ...settings.cortex_growth import Evidence
from ..sharing.insights import insights, nudge
from . import alignment
from .commitments import promises
from .estimate import estimate
from .facts import PeerFacts, now_of, peers_of
from .findings import findings
from .judgment import Estimate, Kind, PeerFinding, moment
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


class PeerJudgment:
    """One peer, what stands out, and the trust that follows."""

    def __init__(
        self, peer: PeerFacts, evidence: Evidence, now: float, points: tuple[float, list[str]]
    ) -> None:
        self.peer = peer
        self.findings: list[PeerFinding] = findings(peer, evidence, now)
        self.estimate: Estimate = estimate(peer, self.findings, evidence, now, points[0])
        self.sources = points[1] if points[0] else []

    @property
    def kinds(self) -> set[Kind]:
        return {each.kind for each in self.findings}

    @property
    def is_due(self) -> bool:
        """Whether anything happened since the last judgment."""
        new = any(each.at > self.peer.assessed_at for each in self.findings)
        active = any(each.at >= self.peer.assessed_at for each in self.peer.requests)
        return active or (new and self.peer.trust is not None)

    @property
    def moves(self) -> bool:
        """Whether the proposed trust differs from the last one."""
        return self.is_due and self.estimate.trust != self.peer.trust


class RulesReflector:
    """Fulfils `protocols.Reflector`: the same context gives the same reply, to the byte.

    Neither obeys nor quotes what a peer wrote: it searches previews for promises with a time and
    for tries to steer the judge. insight_weight: see `insights.nudge`.
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
        """The judgment as JSON; costs no tokens and ignores the prompt."""
        text = json.dumps(self.judge(context), ensure_ascii=False)
        return RawReply(text, model="rules", tokens_in=0, tokens_out=0)

    def judge(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """The reply as a dict with the keys of a model's."""
        peers = peers_of(context)
        now = now_of(context, peers)
        judgments = self.judgments(context)
        reply = {
            "assessments": [_assessment(each) for each in judgments if each.is_due],
            "beliefs": _beliefs(judgments),
            "directives": _directives(judgments),
            "commitments": [promise for peer in peers for promise in _commitments(peer, now)],
            "lessons": _lessons(judgments),
            "summary": _summary(judgments),
        }
        soul = context.get("soul")
        verdict = alignment.verdict(soul if isinstance(soul, str) else "", peers, now)
        if verdict is not None:
            reply["soul_alignment"] = {
                "verdict": verdict.verdict,
                "score": verdict.score,
                "evidence": verdict.evidence,
            }
        return reply

    def judgments(self, context: Mapping[str, Any]) -> list[PeerJudgment]:
        """Each peer of the context with its findings and estimate."""
        peers = peers_of(context)
        now = now_of(context, peers)
        reports = insights(context.get("hints"))
        return [
            PeerJudgment(
                peer, self._evidence, now, nudge(reports, peer.peer_id, self._insight_weight)
            )
            for peer in peers
        ]


def _assessment(judgment: PeerJudgment) -> dict[str, Any]:
    text = rationale(judgment.peer, judgment.findings, judgment.estimate)
    if judgment.sources:
        text += f" Heard of it, with little weight: {', '.join(judgment.sources[:3])}."
    return {"peer_id": judgment.peer.peer_id, "rationale": text, "trust": judgment.estimate.trust}


def _beliefs(judgments: Sequence[PeerJudgment]) -> list[dict[str, Any]]:
    """Cautions first: the cap of the belief store cuts the end."""
    beliefs = [belief for each in judgments for belief in _cautions(each)]
    beliefs += [belief for each in judgments for belief in _remarks(each)]
    return beliefs[:_MOST_BELIEFS]


def _cautions(judgment: PeerJudgment) -> list[dict[str, Any]]:
    kind = next((kind for kind in _CAUTIONS if kind in judgment.kinds), None)
    if kind is None:
        return []
    reason = [each.text for each in judgment.findings if each.kind == kind][-1]
    return [_belief(judgment, "caution", _CAUTIONS[kind], reason)]


def _remarks(judgment: PeerJudgment) -> list[dict[str, Any]]:
    beliefs = []
    waiting = [each for each in judgment.findings if each.kind == "overdue"]
    if waiting:
        value = f"A promise due {moment(waiting[0].at)} is overdue; ask before judging."
        beliefs.append(_belief(judgment, "overdue", value, waiting[0].text))
    if "tempo" in judgment.kinds:
        rush = next(each for each in judgment.findings if each.kind == "tempo")
        value = "Many requests soon after first contact: trust needs time, not volume."
        beliefs.append(_belief(judgment, "tempo", value, rush.text))
    if _is_reliable(judgment):
        value = "Keeps its word over time: answer it first, in requests of the usual size."
        peer = judgment.peer
        text = f"{peer.count} interactions over {days_of(peer)}, nothing stands out against it."
        beliefs.append(_belief(judgment, "reliable", value, text))
    return beliefs


def _is_reliable(judgment: PeerJudgment) -> bool:
    against = judgment.kinds - {"kept"}
    lasting = judgment.peer.span_days >= _RELIABLE_DAYS and judgment.estimate.trust >= _RELIABLE
    return lasting and not against


def _belief(judgment: PeerJudgment, suffix: str, value: str, why: str) -> dict[str, Any]:
    peer_id = judgment.peer.peer_id
    return {
        "key": belief_key(peer_id, suffix),
        "value": value,
        "rationale": why,
        "peer_id": peer_id,
    }


def _directives(judgments: Sequence[PeerJudgment]) -> list[dict[str, Any]]:
    """A follow-up to peers with an overdue promise, the longest overdue first."""
    waiting = [
        (finding.at, each.peer.peer_id, finding.text)
        for each in judgments
        for finding in each.findings
        if finding.kind == "overdue" and finding.text.endswith("no follow-up was sent yet")
    ]
    directives: dict[str, dict[str, Any]] = {}
    for due, peer_id, text in sorted(waiting):
        directives.setdefault(peer_id, _follow_up(peer_id, due, text))
    return list(directives.values())[:_MOST_DIRECTIVES]


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


def _lessons(judgments: Sequence[PeerJudgment]) -> list[str]:
    def came_after_asking(each: PeerJudgment) -> bool:
        return any(
            finding.kind == "late"
            and any(c.direction == "out" and c.at < finding.at for c in each.peer.contacts)
            for finding in each.findings
        )

    return [_LESSON] if any(map(came_after_asking, judgments)) else []


def _summary(judgments: Sequence[PeerJudgment]) -> str:
    if not judgments:
        return "No peer was active; nothing to judge."
    notes = [_note(each) for each in judgments if _is_news(each)]
    rest = f" and {len(notes) - _MOST_NAMED} more" if len(notes) > _MOST_NAMED else ""
    outcome = (
        "; ".join(notes[:_MOST_NAMED]) + rest if notes else "no trust moves, nothing stands out"
    )
    return f"Reviewed {many(len(judgments), 'peer')}: {outcome}."


def _is_news(judgment: PeerJudgment) -> bool:
    return judgment.is_due and (judgment.moves or bool(judgment.kinds - {"kept"}))


def _note(judgment: PeerJudgment) -> str:
    """A few words: who, from which trust to which, and why."""
    prior = "new" if judgment.peer.trust is None else signed(judgment.peer.trust)
    causes = ", ".join(sorted(kind.replace("_", " ") for kind in judgment.kinds))
    why = f" ({causes})" if causes else ""
    return f"{name_of(judgment.peer.peer_id)} {prior} -> {signed(judgment.estimate.trust)}{why}"
