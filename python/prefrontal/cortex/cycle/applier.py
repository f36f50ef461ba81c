"""Applies the proposals of a reflection: assessments, beliefs, directives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ...origins import foreign
from ...plugin import hookspecs
from ..lineage import Lineage
from ..memory.beliefs import BeliefChanges
from ..quoting import quote
from ..reflectors import alignment
from ..reply.parsing import RATIONALE_LIMIT

if TYPE_CHECKING:
    from ..context.material import Gathered
    from ..host import Host
    from ..memory.memory import CortexMemory
    from ..models import ProposedAssessment, Reflection


@dataclass(slots=True)
class Effects:
    """The effects of a reflection. assessments, directives: a dict for each proposal."""

    assessments: list[dict[str, Any]] = field(default_factory=list)
    beliefs: BeliefChanges = field(default_factory=BeliefChanges)
    directives: list[dict[str, Any]] = field(default_factory=list)

    @property
    def assessed(self) -> list[str]:
        """Peers for whom a row was written."""
        return [row["peer_id"] for row in self.assessments if row["outcome"] == "recorded"]

    @property
    def useful(self) -> bool:
        """Whether anything changed."""
        moves = any(
            row["outcome"] == "recorded" and row["clamped"] != (row["previous"] or 0)
            for row in self.assessments
        )
        orders = any(row["status"] in ("queued", "pending") for row in self.directives)
        return moves or bool(self.beliefs.added) or orders


class Applier:
    """Writes the proposals of a cycle into the memory and the ledger."""

    def __init__(self, memory: CortexMemory, host: Host, cycle: int) -> None:
        self._memory = memory
        self._host = host
        self._cycle = cycle

    async def apply(
        self,
        reflection: Reflection,
        gathered: Gathered,
        provenance: str,
        sources: tuple[str, ...] = (),
    ) -> Effects:
        """Assessments first, then beliefs, then directives; a failure of one entry stops no other.

        provenance: "reflection" or "rules". sources: the origins of the reflection's words; none
        for the rules, which repeat nobody's.
        """
        memory, effects = self._memory, Effects()
        entries = {gathered.peers[entry["peer_id"]]: entry for entry in gathered.context["peers"]}
        counts = {peer_id: self._count(peer_id, entry) for peer_id, entry in entries.items()}
        for peer_id, entry in entries.items():
            trust = self._trust(peer_id, entry)
            if trust is not None and trust != memory.limiter.last(peer_id):
                memory.limiter.seed(peer_id, trust)  # somebody else judged since
        for proposal in reflection.assessments:
            effects.assessments.append(await self._assess(proposal, counts, sources))
        evidence = Lineage(entries, counts)
        if provenance != "rules":
            reflection = _wary(reflection, evidence)
        effects.beliefs = self._believe(reflection, evidence, provenance, sources)
        effects.directives = await self._direct(reflection, sources)
        now = self._host.clock.now()
        commitments = [
            replace(each, sources=sources)
            for each in reflection.commitments
            if each.peer_id in entries
        ]
        promises = memory.triggers.commit(commitments, now)
        for promise in commitments:
            memory.origins.hear(promise.peer_id, sources)
        if promises:
            self._host.log_debug(f"Promises watched: {len(promises)}")
        memory.lessons.update(
            reflection.lessons,
            settings=memory.settings.lessons,
            cycle=self._cycle,
            now=now,
            sources=sources,
        )
        return effects

    def _trust(self, peer_id: str, entry: Mapping[str, Any]) -> int | None:
        """The trust on record; that of the context when it cannot be read."""
        latest = entry["latest"]
        try:
            latest = self._host.ledger.get_peer_assessment_summary(peer_id).get("latest")
        except Exception as error:  # noqa: BLE001 - writing will say what is wrong
            self._host.log_debug(f"The trust of {peer_id} cannot be read again: {error}")
        return None if latest is None else int(latest["trust"])

    def _count(self, peer_id: str, entry: Mapping[str, Any]) -> int:
        """The count of known facts of a peer, which only grows."""
        broken = self._memory.triggers.broken.get(peer_id, 0)
        return int(entry.get("interaction_count") or 0) + broken

    async def _assess(
        self, proposal: ProposedAssessment, counts: Mapping[str, int], sources: tuple[str, ...]
    ) -> dict[str, Any]:
        """Limit and write one proposal; returns its row of `Effects.assessments`."""
        host, memory = self._host, self._memory
        peer_id, now = proposal.peer_id, host.clock.now()
        row: dict[str, Any] = {
            "peer_id": peer_id,
            "proposed": proposal.trust,
            "previous": memory.limiter.last(peer_id),
            "clamped": None,
            "rationale": proposal.rationale,
            "outcome": "dropped",
            "why": "",
        }
        if peer_id not in counts and self._is_known(peer_id):
            return {**row, "why": "not in this reflection's context"}
        count = counts.get(peer_id, 0)
        limit = memory.limiter.limit(peer_id, proposal.trust, now=now, evidence=count)
        row["clamped"] = limit.trust
        if limit.reason == "evidence":
            return {**row, "outcome": "unchanged", "why": "nothing new since the latest assessment"}
        rationale = proposal.rationale
        if foreign(sources, peer_id):  # it stands in the prompt of the peer's conversation
            rationale = quote(rationale, RATIONALE_LIMIT - 2)  # whole, with its marks
        memory.origins.hear(peer_id, sources)
        try:
            assessment_id = await host.in_thread(
                host.ledger.record_assessment, peer_id, limit.trust, rationale, sources
            )
        except Exception as error:  # noqa: BLE001 - one entry must not stop the others
            host.log_error(f"Failed to record assessment for {peer_id}: {error}")
            return {**row, "outcome": "failed", "why": str(error)}
        memory.limiter.record(peer_id, limit.trust, now, count, proposed=proposal.trust)
        ctx: hookspecs.TrustContext = {
            "peer_id": peer_id,
            "trust": limit.trust,
            "rationale": rationale,
            "info_score": self._info_score(peer_id),
            "cycle": self._cycle,
        }
        await host.announce(hookspecs.cortex_after_assess, ctx)
        return {
            **row,
            "outcome": "recorded",
            "why": limit.reason,
            "assessment_id": assessment_id,
        }

    def _is_known(self, peer_id: str) -> bool:
        try:
            self._host.ledger.get_peer_assessment_summary(peer_id)
        except Exception:  # noqa: BLE001 - then writing says what is wrong
            return False
        return True

    def _info_score(self, peer_id: str) -> int:
        """The score that the ledger wrote with the assessment."""
        try:
            summary = self._host.ledger.get_peer_assessment_summary(peer_id)
        except Exception as error:  # noqa: BLE001 - the assessment stands; only its score is unknown
            self._host.log_warn(f"The info score of {peer_id} cannot be read: {error}")
            return 0
        return int((summary.get("latest") or summary).get("info_score", 0))

    def _believe(
        self,
        reflection: Reflection,
        evidence: Lineage,
        provenance: str,
        sources: tuple[str, ...],
    ) -> BeliefChanges:
        proposals = list(reflection.beliefs)
        if reflection.soul_alignment is not None:
            proposals.append(alignment.belief(reflection.soul_alignment))
        beliefs = [evidence.judge(proposal) for proposal in proposals]
        if provenance == "rules":  # written from counts and times, whatever words they share
            beliefs = [belief.trusted() for belief in beliefs]
        now = self._host.clock.now()
        return self._memory.beliefs.update(
            beliefs, cycle=self._cycle, now=now, provenance=provenance, sources=sources
        )

    async def _direct(
        self, reflection: Reflection, sources: tuple[str, ...]
    ) -> list[dict[str, Any]]:
        if not reflection.directives:
            return []
        rows = self._memory.directives.add(
            reflection.directives,
            settings=self._memory.settings.directives,
            cycle=self._cycle,
            now=self._host.clock.now(),
            peers=self._known_peers(),
            sources=sources,
        )
        for row in rows:
            if row["status"] != "dropped":
                await self._host.announce(hookspecs.cortex_after_directive, row)
        return rows

    def _known_peers(self) -> set[str]:
        try:
            return {peer.peer_id for peer in self._host.ledger.list_peers()}
        except Exception as error:  # noqa: BLE001 - then no peer may be a target
            self._host.log_warn(f"The peers cannot be read: {error}")
            return set()


def _wary(reflection: Reflection, evidence: Lineage) -> Reflection:
    """The reflection of a model: no lesson in a peer's own words, and no directive without a look.

    Both would outlast the quarantine of beliefs: a lesson by standing in every later context, a
    directive by being an order to the agent.
    """
    directives = [
        replace(
            directive,
            own_words=evidence.repeats(directive.action)
            or evidence.repeats(directive.message, besides=directive.target_peer),
        )
        for directive in reflection.directives
    ]
    lessons = tuple(lesson for lesson in reflection.lessons if not evidence.repeats(lesson))
    return replace(reflection, directives=tuple(directives), lessons=lessons)
