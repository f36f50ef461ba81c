"""The basis of a belief: its subject, and whether it only repeats a peer's words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .quoting import unquote
from .reply.parsing import belief_key

if TYPE_CHECKING:
    from .models import ProposedBelief

KNOWN_FROM = 2
"""The least info_score of a peer that a belief may be held about without other evidence."""
HISTORY_FROM = 4
REPEATED_SHARE = 0.5
"""A value with more than this share of its words from one peer's messages repeats that peer."""
_STEM = 5
_NAME_WORDS = 3
"""A display name of more words is a sentence, and counts as a message."""
_WORD = re.compile(r"\w{3,}")
_STOP = frozenset(
    (
        *("the", "and", "for", "are", "was", "were", "has", "have", "had", "not", "but", "with"),
        *("that", "this", "from", "they", "them", "their", "will", "would", "can", "could"),
        *("should", "who", "what", "when", "where", "which", "you", "your", "our", "its", "his"),
        *("her", "him", "she", "than", "then"),
    )
)


@dataclass(frozen=True, slots=True)
class SourcedBelief:
    """A proposed belief with its basis.

    own_words: why it rests on one peer's own words alone, "" when it does not. evidence: how much
    was known of that peer, as a count; 0 for nobody in particular.
    """

    belief: ProposedBelief
    own_words: str
    evidence: int = 0

    def trusted(self) -> SourcedBelief:
        """The same belief, resting on more than words."""
        return replace(self, own_words="")


class Lineage:
    """What a reflection saw of each peer.

    peers: entries of the context by real id. counts: a number by id that grows with all that
    becomes known of the peer.
    """

    def __init__(self, peers: Mapping[str, Mapping[str, Any]], counts: Mapping[str, int]) -> None:
        self._peers = peers
        self._counts = counts
        self._words = {peer_id: _words_of(entry) for peer_id, entry in peers.items()}
        self._names = _names(peers)
        self._name_stems = {
            stem for name, _ in self._names for stem in _stems(name.replace("-", " "))
        }

    def judge(self, belief: ProposedBelief) -> SourcedBelief:
        """Check whether a proposed belief rests on one peer's own words alone.

        It does when more than half of its words, besides names, are words of the messages that one
        peer sent, unless a second peer with some history (info_score of 4) said the same, or when
        it is about a peer of whom next to nothing is known (info_score below 2). Whom it is about
        follows from its peer_id, else by the id or the name in its key. Words are compared by their
        first five letters.
        """
        peer_id = belief.peer_id or self._about(belief.key)
        sources = self._sources(belief.value) or self._sources(
            f"{belief.key.replace('-', ' ')} {belief.value}"  # the key stands in the prompt, too
        )
        why = self._repeats(sources)
        entry = self._peers.get(peer_id) if peer_id else None
        if not why and entry is not None and _info(entry) < KNOWN_FROM:
            why = f"next to nothing else is known of {peer_id}"
        about = peer_id or (sources[0] if sources else "")
        return SourcedBelief(belief, why, self._counts.get(about, 0))

    def repeats(self, text: str, besides: str | None = None) -> str:
        """Why a text rests on the words of one peer alone; "" when it does not.

        besides: a peer whose words it may repeat.
        """
        return self._repeats([peer for peer in self._sources(text) if peer != besides])

    def _repeats(self, sources: Sequence[str]) -> str:
        alone = bool(sources) and not (len(sources) > 1 and self._have_history(sources))
        return f"repeats what {sources[0]} wrote" if alone else ""

    def _have_history(self, peer_ids: Sequence[str]) -> bool:
        return sum(_info(self._peers[peer_id]) >= HISTORY_FROM for peer_id in peer_ids) > 1

    def _about(self, key: str) -> str | None:
        """The one peer whose id or name stands in the key."""
        padded = f"-{key}-"
        owners = {peer_id for name, peer_id in self._names if f"-{name}-" in padded}
        return owners.pop() if len(owners) == 1 else None

    def _sources(self, value: str) -> list[str]:
        """Peers whose messages hold most of the words, or whose name makes up most of them."""
        words = _stems(value)
        rest = words - self._name_stems
        least = REPEATED_SHARE * len(rest)
        sources = [
            peer for peer, stems in self._words.items() if rest and len(rest & stems) > least
        ]
        if sources or len(rest) > 1:
            return sources
        names = ((peer, _stems(_name(entry))) for peer, entry in self._peers.items())
        return [peer for peer, name in names if len(words & name) >= _NAME_WORDS]


def _names(peers: Mapping[str, Mapping[str, Any]]) -> Sequence[tuple[str, str]]:
    """Ids and display names in the form of belief keys, with the id."""
    names = [(peer_id, peer_id) for peer_id in peers]
    display_names = [(_name(entry), peer_id) for peer_id, entry in peers.items()]
    names += [
        (name, peer_id) for name, peer_id in display_names if len(_stems(name)) <= _NAME_WORDS
    ]
    return [(belief_key(name), peer_id) for name, peer_id in names if len(belief_key(name)) > 1]


def _words_of(entry: Mapping[str, Any]) -> set[str]:
    texts = [each["preview"] for each in entry.get("recent") or () if each["direction"] == "in"]
    name = _name(entry)
    if len(_stems(name)) > _NAME_WORDS:
        texts.append(name)
    return _stems(" ".join(unquote(text) for text in texts))


def _name(entry: Mapping[str, Any]) -> str:
    return str(entry.get("display_name") or "")


def _stems(text: str) -> set[str]:
    words = _WORD.findall(text.casefold().replace("_", " "))
    return {word[:_STEM] for word in words if word not in _STOP}


def _info(entry: Mapping[str, Any]) -> int:
    score = entry.get("info_score")
    return score if isinstance(score, int) else 0
