"""Why the agent was woken, or was not, in a sentence."""

from __future__ import annotations

from ..types import Reason

SENTENCES = {
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
    Reason.BUSY: "It woke nobody: the agent was still busy with this module.",
    Reason.DROPPED: "It woke nobody: too much was waiting to be delivered.",
}


def sentence(reason: str) -> str:
    """The sentence for a reason; one that is not of `types.Reason` stays as it is."""
    known = next((each for each in Reason if each == reason), None)
    return reason if known is None else SENTENCES.get(known, reason)
