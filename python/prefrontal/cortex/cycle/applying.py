"""What a reflection proposed, brought into effect: assessments, beliefs, directives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..context.context import Gathered
from ..lineage import Evidence
from ..memory.beliefs import BeliefChanges
from ..models import ProposedAssessment, Reflection
from ..reflectors import alignment

if TYPE_CHECKING:
    from .life import CortexLife


@dataclass(slots=True)
class Applied:
    """What came of a reflection. assessments, directives: a dict for each proposal."""

    assessments: list[dict[str, Any]] = field(default_factory=list)
    beliefs: BeliefChanges = field(default_factory=BeliefChanges)
    directives: list[dict[str, Any]] = field(default_factory=list)

    @property
    def assessed(self) -> list[str]:
        """Peers for whom a row was written."""
        return [each["peer_id"] for each in self.assessments if each["outcome"] == "recorded"]

    @property
    def useful(self) -> bool:
        """Whether anything is now otherwise."""
        moved = any(
            each["outcome"] == "recorded" and each["clamped"] != (each["previous"] or 0)
            for each in self.assessments
        )
        issued = any(each["status"] in ("queued", "pending") for each in self.directives)
        return moved or bool(self.beliefs.added) or issued


async def apply(
    cortex: CortexLife, cycle: int, reflection: Reflection, gathered: Gathered, provenance: str
) -> Applied:
    """Assessments first, then beliefs, then directives; a failure of one entry stops no other."""
    applied = Applied()
    entries = {gathered.peers[each["peer_id"]]: each for each in gathered.context["peers"]}
    counts = {peer_id: _count(cortex, peer_id, entry) for peer_id, entry in entries.items()}
    for peer_id, entry in entries.items():
        trust = _trust_of(cortex, peer_id, entry)
        if trust is not None and trust != cortex.limiter.last(peer_id):
            cortex.limiter.seed(peer_id, trust)  # somebody else judged since
    for proposed in reflection.assessments:
        applied.assessments.append(await _assess(cortex, cycle, proposed, counts))
    evidence = Evidence(entries, counts)
    if provenance != "rules":
        reflection = _wary(reflection, evidence)
    applied.beliefs = _believe(cortex, cycle, reflection, evidence, provenance)
    applied.directives = await _direct(cortex, cycle, reflection)
    now = cortex.clock.now()
    taken = cortex.triggers.commit(
        [each for each in reflection.commitments if each.peer_id in entries], now
    )
    if taken:
        cortex.log_debug(f"Promises watched: {len(taken)}")
    settings = cortex.settings.lessons
    cortex.lessons.update(reflection.lessons, settings=settings, cycle=cycle, now=now)
    return applied


def _wary(reflection: Reflection, evidence: Evidence) -> Reflection:
    """The reflection of a model: no lesson in a peer's own words, and no directive without a look.

    Both would outlast the quarantine of beliefs: a lesson by standing in every later context, a
    directive by being an order to the agent.
    """
    directives = [
        replace(
            each,
            own_words=evidence.repeats(each.action)
            or evidence.repeats(each.message, besides=each.target_peer),
        )
        for each in reflection.directives
    ]
    lessons = tuple(each for each in reflection.lessons if not evidence.repeats(each))
    return replace(reflection, directives=tuple(directives), lessons=lessons)


def _trust_of(cortex: CortexLife, peer_id: str, entry: Mapping[str, Any]) -> int | None:
    """The trust on record now; as it was in the context when it cannot be read."""
    latest = entry["latest"]
    try:
        latest = cortex.ledger.get_peer_assessment_summary(peer_id).get("latest")
    except Exception as error:  # noqa: BLE001 - writing will say what is wrong
        cortex.log_debug(f"The trust of {peer_id} cannot be read again: {error}")
    return None if latest is None else int(latest["trust"])


def _count(cortex: CortexLife, peer_id: str, entry: Mapping[str, Any]) -> int:
    """How much is known of a peer, as a number that only grows."""
    return int(entry.get("interaction_count") or 0) + cortex.triggers.broken.get(peer_id, 0)


async def _assess(
    cortex: CortexLife, cycle: int, proposed: ProposedAssessment, counts: Mapping[str, int]
) -> dict[str, Any]:
    """Limit and write one; what became of it."""
    peer_id, now = proposed.peer_id, cortex.clock.now()
    told: dict[str, Any] = {
        "peer_id": peer_id,
        "proposed": proposed.trust,
        "previous": cortex.limiter.last(peer_id),
        "clamped": None,
        "rationale": proposed.rationale,
        "outcome": "dropped",
        "why": "",
    }
    if peer_id not in counts and _is_known(cortex, peer_id):
        return {**told, "why": "not in this reflection's context"}
    count = counts.get(peer_id, 0)
    limited = cortex.limiter.limit(peer_id, proposed.trust, now=now, evidence=count)
    told["clamped"] = limited.trust
    if limited.reason == "evidence":
        return {**told, "outcome": "unchanged", "why": "nothing new since the latest assessment"}
    try:
        written = await cortex.in_thread(
            cortex.ledger.record_assessment, peer_id, limited.trust, proposed.rationale
        )
    except Exception as error:  # noqa: BLE001 - one entry must not stop the others
        cortex.log_error(f"Failed to record assessment for {peer_id}: {error}")
        return {**told, "outcome": "failed", "why": str(error)}
    cortex.limiter.record(peer_id, limited.trust, now, count, proposed=proposed.trust)
    payload = {
        "peer_id": peer_id,
        "trust": limited.trust,
        "rationale": proposed.rationale,
        "info_score": _info_score(cortex, peer_id),
        "cycle": cycle,
    }
    await cortex.announce("cortex.after_assess", payload)
    return {**told, "outcome": "recorded", "why": limited.reason, "assessment_id": written}


def _is_known(cortex: CortexLife, peer_id: str) -> bool:
    try:
        cortex.ledger.get_peer_assessment_summary(peer_id)
    except Exception:  # noqa: BLE001 - then writing says what is wrong
        return False
    return True


def _info_score(cortex: CortexLife, peer_id: str) -> int:
    """The score that the ledger wrote with the assessment."""
    try:
        summary = cortex.ledger.get_peer_assessment_summary(peer_id)
    except Exception as error:  # noqa: BLE001 - it is written; only the score cannot be told
        cortex.log_warn(f"The info score of {peer_id} cannot be read: {error}")
        return 0
    return int((summary.get("latest") or summary).get("info_score", 0))


def _believe(
    cortex: CortexLife, cycle: int, reflection: Reflection, evidence: Evidence, provenance: str
) -> BeliefChanges:
    proposed = list(reflection.beliefs)
    if reflection.soul_alignment is not None:
        proposed.append(alignment.belief(reflection.soul_alignment))
    judged = [evidence.judge(each) for each in proposed]
    if provenance == "rules":  # written from counts and times, whatever words they share
        judged = [each.trusted() for each in judged]
    return cortex.beliefs.update(judged, cycle=cycle, now=cortex.clock.now(), provenance=provenance)


async def _direct(cortex: CortexLife, cycle: int, reflection: Reflection) -> list[dict[str, Any]]:
    if not reflection.directives:
        return []
    told = cortex.directives.add(
        reflection.directives,
        settings=cortex.settings.directives,
        cycle=cycle,
        now=cortex.clock.now(),
        peers=_known_peers(cortex),
    )
    for each in told:
        if each["status"] != "dropped":
            await cortex.announce("cortex.after_directive", each)
    return told


def _known_peers(cortex: CortexLife) -> set[str]:
    try:
        return {peer.peer_id for peer in cortex.ledger.list_peers()}
    except Exception as error:  # noqa: BLE001 - then nobody is told to do anything
        cortex.log_warn(f"The peers cannot be read: {error}")
        return set()
