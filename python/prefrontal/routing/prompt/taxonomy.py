"""The domains and actions of a project, and the words that point to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ..._core import routing
from ..catalog.discovery import action_folders
from ..catalog.docstring import summary
from . import verbs

if TYPE_CHECKING:
    from ..layout import Layout
    from ..types import Tool

Place: TypeAlias = tuple[str | None, str]
"""(domain, or None for the shared tools; action)."""


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A tool's name or one of its intents, where it belongs."""

    place: Place
    tokens: tuple[str, ...]


class Taxonomy:
    """What a prompt can ask for.

    Domains and actions are the folders of tools. Words come from the folders' names, the tools'
    names, the first sentences of their docstrings and their manifests' intents; a manifest's hints
    add further names of its folder. A word that many folders share says little: it counts
    1/(number of folders).
    """

    def __init__(self, places: Iterable[Place], tools: Iterable[Tool] = ()) -> None:
        listed = [tool for tool in tools if tool.action is not None]
        all_places = {*places, *((tool.domain, tool.action) for tool in listed if tool.action)}
        self.places: frozenset[Place] = frozenset(all_places)
        self.domains: tuple[str, ...] = tuple(
            sorted({domain for domain, _ in all_places if domain})
        )
        self.actions: tuple[str, ...] = tuple(sorted({action for _, action in all_places}))
        self._domain_names = {name: [_words(name)] for name in self.domains}
        self._action_names = {name: [_words(name)] for name in self.actions}
        self._claims: dict[str, dict[str, bool]] = {}
        self._phrases: dict[str, list[_Phrase]] = {}
        self._topics: dict[str, dict[Place, None]] = {}
        for tool in listed:
            self._learn(tool)

    @classmethod
    def of(cls, layout: Layout, tools: Iterable[Tool] = ()) -> Taxonomy:
        """The taxonomy of a project; without its tools, only the folders' names count."""
        return cls(action_folders(layout), tools)

    def domains_of(self, action: str) -> tuple[str, ...]:
        """The domains that have a folder for the action, by name."""
        return tuple(name for name in self.domains if (name, action) in self.places)

    def actions_of(self, domain: str) -> tuple[str, ...]:
        """The actions of the domain, and the shared ones, by name."""
        return tuple(name for name in self.actions if {(domain, name), (None, name)} & self.places)

    def action_words(self) -> tuple[str, ...]:
        """The tokens that name an action of a folder, for whoever splits prompts into clauses."""
        names = (name for names in self._action_names.values() for name in names)
        return tuple(sorted({token for name in names for token in name}))

    def domain_names(self, domain: str) -> list[tuple[str, ...]]:
        """The tokens of each of its names."""
        return self._domain_names[domain]

    def action_names(self, action: str) -> list[tuple[str, ...]]:
        """The tokens of each of its names."""
        return self._action_names[action]

    def claims(self, token: str) -> Mapping[str, bool]:
        """The actions a word points to -> whether it is in their name or only of equal meaning."""
        if token not in self._claims:
            claims = {action: self._claimed(token, action) for action in self.actions}
            self._claims[token] = {
                action: named for action, named in claims.items() if named is not None
            }
        return self._claims[token]

    def _claimed(self, token: str, action: str) -> bool | None:
        words = {word for name in self._action_names[action] for word in name}
        if token in words:
            return True
        if any(token in name for names in self._domain_names.values() for name in names):
            return None  # "in ingest" means the domain, not to load
        groups = verbs.groups()
        meanings = groups.get(token, frozenset())
        return False if any(meanings & groups.get(word, frozenset()) for word in words) else None

    def phrase_shares(self, tokens: Iterable[str]) -> dict[Place, float]:
        """Per folder the best share (0..1) of a tool's name or intent that the tokens cover."""
        present, shares = set(tokens), dict[Place, float]()
        touched = {
            id(phrase): phrase
            for token in sorted(present)
            for phrase in self._phrases.get(token, ())
        }
        for phrase in touched.values():
            whole = sum(self._rarity(token) for token in phrase.tokens)
            part = sum(self._rarity(token) for token in phrase.tokens if token in present)
            shares[phrase.place] = max(shares.get(phrase.place, 0.0), part / whole)
        return shares

    def topic_weights(self, tokens: Iterable[str]) -> dict[Place, float]:
        """Per folder the words of its docstrings that are among the tokens, a rare word up to 1."""
        weights: dict[Place, float] = {}
        for token in sorted(set(tokens)):
            for place in self._topics.get(token, ()):
                weights[place] = weights.get(place, 0.0) + self._rarity(token)
        return weights

    def _learn(self, tool: Tool) -> None:
        place: Place = (tool.domain, tool.action or "")
        manifest = tool.manifest
        texts = [tool.name, *(manifest.intents if manifest else ())]
        for text in texts:
            phrase = _Phrase(place, _words(text))
            for token in phrase.tokens:
                self._phrases.setdefault(token, []).append(phrase)
        for token in _words(" ".join([*texts, summary(tool.spec.doc)])):
            self._topics.setdefault(token, {})[place] = None
        if manifest and manifest.action and place[1]:
            _add_name(self._action_names[place[1]], manifest.action)
        if manifest and manifest.domain and place[0]:
            _add_name(self._domain_names[place[0]], manifest.domain)

    def _rarity(self, token: str) -> float:
        return 1.0 / max(1, len(self._topics.get(token, ())))


def _add_name(names: list[tuple[str, ...]], text: str) -> None:
    words = _words(text)
    if words not in names:
        names.append(words)


def _words(text: str) -> tuple[str, ...]:
    """The unique content tokens of a text; all tokens when it has none."""
    tokens = routing.tokens(text)
    return tuple(dict.fromkeys(verbs.content(tokens) or tokens))
