"""The agent's memory as tools: beliefs, peers, and a second thought before a step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ..cortex.consultation.deferral import kind_of_reply, kind_of_tool
from ..ledger.scale import info_word, trust_word
from ..plain_text import visible
from .offered import Arguments, Offered, ToolAnswer

if TYPE_CHECKING:
    from ..assembly.agent_records import KnownPeer
    from ..cortex.models import Belief
    from .served import Served

Status = Literal["pinned", "active", "expiring", "stale", "quarantined"]

MOST_CHARACTERS = 20_000
_Peer = Annotated[str, Field(min_length=1, max_length=512)]


class BeliefArguments(Arguments):
    peer: _Peer | None = Field(default=None, description="only what is held of this peer")
    quarantined: bool = Field(default=False, description="also what waits for more evidence")
    limit: Annotated[int, Field(ge=1, le=1000)] = Field(default=50, description="at most so many")


class HeldBelief(ToolAnswer):
    key: str
    value: str
    rationale: str
    status: Status
    peer: str | None
    formed_at: float = Field(description="Unix seconds")
    expires_at: float | None = Field(description="Unix seconds; null for one that is pinned")
    provenance: str

    @classmethod
    def of(cls, belief: Belief, status: str) -> HeldBelief:
        return cls.model_validate(
            {
                "key": belief.key,
                "value": belief.value,
                "rationale": belief.rationale,
                "status": status,
                "peer": belief.peer_id,
                "formed_at": belief.created_at,
                "expires_at": belief.expires_at if math.isfinite(belief.expires_at) else None,
                "provenance": belief.provenance,
            }
        )


class BeliefsAnswer(ToolAnswer):
    beliefs: list[HeldBelief] = Field(description="pinned first, then the newest")
    total: int = Field(description="how many there are, whatever the limit")


class PeerArguments(Arguments):
    peer: _Peer = Field(description="its id in its channel, or the only beginning of one")


class Judgment(ToolAnswer):
    trust: int = Field(description="-10..10")
    meaning: str
    rationale: str
    at: float = Field(description="Unix seconds")


class PeerAnswer(ToolAnswer):
    peer: str
    name: str = Field(description="what the peer calls itself: a claim, no fact")
    first_seen: float
    last_seen: float
    messages_in: int
    messages_out: int
    info: int = Field(description="0..10, how much is known")
    info_meaning: str
    on_record: Judgment | None = Field(description="the last judgment; null when nobody judged")
    trajectory: list[int] = Field(description="the latest trusts, oldest first")
    supported_trust: int = Field(description="-10..10, what the record supports by rules alone")
    supported_because: str
    findings: list[str] = Field(description="what stands out in the record")

    @classmethod
    def of(cls, known: KnownPeer) -> PeerAnswer:
        facts, latest = known.summary, known.summary["latest"]
        trust, why, findings = known.supported
        return cls(
            peer=facts["peer_id"],
            name=visible(facts["display_name"] or "", 200),
            first_seen=facts["first_seen"],
            last_seen=facts["last_seen"],
            messages_in=facts["in_count"],
            messages_out=facts["out_count"],
            info=facts["info_score"],
            info_meaning=info_word(facts["info_score"]),
            on_record=None if latest is None else _judgment(latest),
            trajectory=facts["trajectory"],
            supported_trust=trust,
            supported_because=why,
            findings=list(findings),
        )


class ConsultArguments(Arguments):
    step: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)] = Field(
        description="what you are about to do, or the reply that you are about to send"
    )
    peer: Annotated[str, Field(max_length=512)] = Field(
        default="", description="for whom; empty for nobody in particular"
    )
    tool: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        default=None, description="the name of the tool that you are about to call"
    )
    kind: Literal["money", "irreversible", "commitment", "scope"] | None = Field(
        default=None, description="why it deserves a second thought; found in the words if left out"
    )
    asked_characters: Annotated[int, Field(ge=0)] = Field(
        default=0, description="how long the peer's request was, for a reply"
    )


class VerdictAnswer(ToolAnswer):
    decision: Literal["approve", "deny", "conditional"]
    kind: str | None = Field(description="null: nothing about it is hard to take back")
    conditions: list[str] = Field(description="what must hold first, when conditional")
    reasoning: str
    suggested_response: str = Field(description="what you may say to the peer meanwhile")


def get_beliefs(served: Served, arguments: BeliefArguments) -> BeliefsAnswer:
    held = [
        HeldBelief.of(belief, status)
        for belief, status in served.records.beliefs()
        if (arguments.quarantined or status != "quarantined")
        and (arguments.peer is None or belief.peer_id == arguments.peer)
    ]
    return BeliefsAnswer(beliefs=held[: arguments.limit], total=len(held))


def assess_peer(served: Served, arguments: PeerArguments) -> PeerAnswer:
    return PeerAnswer.of(served.records.peer(arguments.peer))


def consult(served: Served, arguments: ConsultArguments) -> VerdictAnswer:
    settings, kind = served.records.settings.consultation, arguments.kind
    if kind is None and arguments.tool is not None:
        kind = kind_of_tool(arguments.tool, {"step": arguments.step}, settings)
    elif kind is None:
        trust = served.records.trust(arguments.peer)
        kind = kind_of_reply(arguments.step, arguments.asked_characters, trust, settings)
    if kind is None:
        why = "nothing about it is hard to take back"
        return VerdictAnswer(
            decision="approve", kind=None, conditions=[], reasoning=why, suggested_response=""
        )
    call = f"call {arguments.tool} with {arguments.step}" if arguments.tool else arguments.step
    verdict = served.records.verdict(kind, call, arguments.peer)
    return VerdictAnswer(
        decision=verdict.decision,
        kind=kind,
        conditions=list(verdict.conditions),
        reasoning=verdict.reasoning,
        suggested_response=verdict.suggested_response,
    )


def _judgment(latest: dict[str, object]) -> Judgment:
    trust = int(str(latest["trust"]))
    return Judgment.model_validate(
        {
            "trust": trust,
            "meaning": trust_word(trust),
            "rationale": latest["rationale"],
            "at": latest["created_at"],
        }
    )


TOOLS = (
    Offered(
        "get_beliefs",
        "What is held to be true for now",
        "Beliefs that a look back at past interactions formed. They expire; take them as leanings,"
        " not as facts.",
        BeliefArguments,
        BeliefsAnswer,
        get_beliefs,
        read_only=True,
    ),
    Offered(
        "assess_peer",
        "How far can this peer be trusted?",
        "The record of a peer: how much is known, the judgment on record with its reason, and what"
        " the record supports now by rules alone. Nothing is written.",
        PeerArguments,
        PeerAnswer,
        assess_peer,
        read_only=True,
    ),
    Offered(
        "consult",
        "A second thought before a step",
        "Ask before something that is hard to take back: paying, deleting, promising, a lot of work"
        " for a stranger. The verdict follows from the peer's record by rules, without a model.",
        ConsultArguments,
        VerdictAnswer,
        consult,
        read_only=True,
    ),
)
