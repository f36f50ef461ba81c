"""Ranks discovered tools: by the index and the history, with manifests as hints."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..._core import routing as core
from ..catalog.history import PRIOR, PastEvent, history_success, last_prompts
from ..prompt.denials import affirmed
from ..types import Candidate, SubIntent, Tool
from .directions import goes_back, says_conversion
from .extra_steps import extra_step
from .file_names import (
    names_only_files,
    says_only_which,
    to_be_learned,
    without_file_names,
    without_files_of_tools,
)
from .index_store import IndexStore
from .meanings import Meanings
from .opposites import undoes
from .other_objects import does_it_to_others
from .precedence import FOLLOWS, REJECTED, tie_key
from .removal import ACCEPTED, FACTOR, disagreement
from .rivals import rivals
from .said_summary import FEWEST, says_summary
from .siblings import sibling_is_meant
from .tool_words import words_of
from .verb_pairs import lacks_the_act

if TYPE_CHECKING:
    from ...protocols import Embedder
    from ...settings.routing import Ranker
    from .index import RankedTool, ToolIndex

ANTI_INTENT_FACTOR = 0.5
"""Factor of the doc feature when the prompt has one of the tool's anti-intents."""

FAMILIAR = 0.6
"""Cosine from which a prompt is like an accepted one; kSame in csrc/routing/ranking.cpp."""

MOST_KEPT = 2
"""Answers of the index that are kept: for a prompt, and for it without its files' names."""

Histories = Mapping[str, Sequence[PastEvent]]


class ToolRanker:
    """Ranks one set of tools for any prompt.

    tools: no two with one `relative`. histories: events by `relative`; accepted prompts count as
    phrasings of their tool, as the intents of its manifest do, rejected ones against it: a no
    lowers the tool that it is about and raises no other one. now: Unix seconds, for the age of
    events.
    store: of indexes that are slow to build. notes: failures to read or store.
    """

    def __init__(
        self,
        tools: Sequence[Tool],
        histories: Histories,
        settings: Ranker,
        now: float,
        embedder: Embedder | None = None,
        store: IndexStore | None = None,
    ) -> None:
        self._tools = {key_of(tool): tool for tool in sorted(tools, key=key_of)}
        self._histories = histories
        self._settings = settings
        self._now = now
        half_life = settings.history_half_life_days
        self._successes = {
            key: history_success(events, now, half_life) for key, events in histories.items()
        }
        self._accepted = {
            key
            for key, events in histories.items()
            if any(event.event == "accepted" for event in events)
        }
        self.notes: list[str] = []
        self._meanings: Meanings | None = None
        if embedder is not None and tools:
            texts = {key: f"{tool.name}: {tool.spec.doc}" for key, tool in self._tools.items()}
            self._meanings = Meanings(embedder, texts)
        self._store = store or IndexStore(None)
        self._untold: ToolRanker | None = None
        self._words: frozenset[str] | None = None
        self._names = frozenset(tuple(core.tokens(tool.name)) for tool in tools)
        self._rank_by: dict[str, str] = {}
        self._latest: dict[str, list[RankedTool]] = {}
        self._index = self._built()

    def candidates(
        self,
        intent: str,
        clauses: Sequence[SubIntent] = (),
        among: Container[str] | None = None,
    ) -> list[Candidate]:
        """The best tools for the prompt and for each of its clauses, best first.

        Each has its score for the whole prompt and, when there are several clauses, for each of
        them. At most `settings.candidates` for the prompt and as many for each clause, and those
        that were rejected for a prompt like it. among: the keys of the tools that may be
        candidates.
        """
        parts = [clause.text for clause in clauses] if len(clauses) > 1 else []
        whole = self._ranked(intent, among, whole=True)
        by_clause = [self._ranked(text, among) for text in parts]
        most = self._settings.candidates
        chosen = {key for by_key in (whole, *by_clause) for key in list(by_key)[:most]}
        chosen |= {key for key, one in whole.items() if REJECTED in one.flags}
        candidates = [
            replace(whole[key], clauses=tuple(by_key[key].score for by_key in by_clause))
            for key in chosen
        ]
        return sorted(candidates, key=lambda one: tie_key(one, self._settings.harmless_first))

    def knows_accepted(self) -> bool:
        """Whether any tool was ever accepted."""
        return bool(self._accepted)

    def was_accepted(self, tool: Tool) -> bool:
        """Whether it was ever accepted, by a person or by the rule."""
        return key_of(tool) in self._accepted

    def failures(self, tool: Tool) -> int:
        """How often it failed or was rejected."""
        events = self._histories.get(key_of(tool), ())
        return sum(1 for event in events if event.event in {"failed", "rejected"})

    def relevance(self, intent: str) -> float:
        """0..1: whether the prompt needs any of the tools, whatever became of those before.

        The best score by the words, the accepted prompts and, where there is one, the embedder.
        """
        intent = self._to_rank_by(intent)
        best = self._ranked_anew(intent, 1, dict.fromkeys(self._histories, PRIOR))
        return best[0].score if best else 0.0

    def constants(self, intent: str) -> dict[str, float]:
        """The current map from sum to score: slope, and the sum that gives the best tool 0.60.

        others: the sum that gives 0.60 to the last one.
        """
        ranked = self._asked(self._to_rank_by(intent))
        maps = [one.explanation["calibration"] for one in ranked if one.explanation]
        if not maps:
            return {}
        return {**maps[0], "others": maps[-1]["reached"]}

    def by_name(self, intent: str) -> frozenset[str]:
        """The keys of the tools that the prompt calls by their whole names or summaries."""
        best = self._asked(self._as_said(intent))[: self._settings.candidates]
        return frozenset(one.name for one in best if _by_name(one) or self._is_summary(intent, one))

    def _ranked(
        self, intent: str, among: Container[str] | None, *, whole: bool = False
    ) -> dict[str, Candidate]:
        """whole: whether it is the prompt, which speaks of all that is to be done."""
        text = self._to_rank_by(intent)
        entries = {entry.name: entry for entry in self._asked(text)}
        words = set(core.tokens(intent))
        nothing_else = text == self._as_said(intent) and names_only_files(intent)
        wanted = [one for key, one in entries.items() if among is None or key in among]
        candidates = []
        for one in wanted:
            tool = self._tools[one.name]
            more = extra_step(tool, one, entries, self._tools) if whole else ""
            if nothing_else and not _is_known(one):
                more = "the prompt says nothing but the name of a file or an address"
            candidates.append(self._candidate(one, intent, words, more))
        if any(REJECTED in one.flags for one in candidates):
            before = self._before_any_no()._ranked(intent, among, whole=whole)
            candidates = self._after_a_no(candidates, before)
        candidates.sort(key=lambda one: tie_key(one, self._settings.harmless_first))
        return {key_of(one.tool): one for one in candidates}

    def _after_a_no(
        self, candidates: Sequence[Candidate], before: Mapping[str, Candidate]
    ) -> list[Candidate]:
        """The candidates with at most the score that they had before any rejection; those that
        were not meant then, as the best one or a rival of it, follow a rejected one.
        """
        meant = {key_of(one.tool) for one in rivals(list(before.values()), self._settings)}
        rejected = {key_of(one.tool) for one in candidates if REJECTED in one.flags}
        follow = next(iter(before)) in rejected

        def settled(one: Candidate) -> Candidate:
            key = key_of(one.tool)
            if one.by_name or one.familiar or key in rejected:
                return one
            flags = one.flags if not follow or key in meant else (*one.flags, FOLLOWS)
            return replace(one, score=min(one.score, before[key].score), flags=flags)

        return [settled(one) for one in candidates]

    def _before_any_no(self) -> ToolRanker:
        """A ranker of the same tools that knows of no rejection."""
        if self._untold is None:
            histories = {
                key: [event for event in events if event.event != "rejected"]
                for key, events in self._histories.items()
            }
            tools, settings = list(self._tools.values()), self._settings
            self._untold = ToolRanker(tools, histories, settings, self._now, store=self._store)
            self._untold._meanings = self._meanings
        return self._untold

    def _candidate(self, entry: RankedTool, intent: str, words: set[str], more: str) -> Candidate:
        """more: what the tool would do that was not asked for."""
        tool, flags = self._tools[entry.name], []
        summary = self._is_summary(intent, entry)
        features = self._features(entry, summary or says_conversion(intent, tool))
        if features["name_similarity"] > entry.features["name_similarity"]:
            flags.append(f"the prompt says its {'summary' if summary else 'name'}")
        score = self._score(features, entry)
        against = _anti_intents(tool, words)
        if against:
            features["doc_keywords"] *= ANTI_INTENT_FACTOR
            score = min(score, self._score(features, entry))
            flags.append(f"not for {', '.join(against)}: doc x {ANTI_INTENT_FACTOR:g}")
        near = (entry.explanation or {}).get("joined", ())
        apart = more or ("" if _is_known(entry) else self._not_meant(intent, tool, near))
        factor = FACTOR
        if not affirmed(intent):
            apart, factor = "the prompt says only what not to do", 0.0
        if apart:
            features["name_similarity"] *= factor
            features["doc_keywords"] *= factor
            score = min(score, self._score(features, entry))
            flags.append(f"{apart}: name and doc x {factor:g}")
        if not self._histories.get(entry.name):
            flags.append("history is the prior")
        if near:
            flags.append(f"near words: {', '.join(f'{one} ~ {other}' for one, other in near)}")
        if _was_rejected(entry):
            flags.append(REJECTED)
        by_name = _by_name(entry)
        if by_name:
            flags.append("called by its name")
        familiar = _is_familiar(entry)
        return Candidate(tool, score, features, entry.matched, (), tuple(flags), by_name, familiar)

    def _not_meant(self, intent: str, tool: Tool, near: Sequence[tuple[str, str]]) -> str:
        """Why the tool is not for the prompt, whatever words they share; empty where it may be."""
        return (
            disagreement(intent, tool, near)
            or lacks_the_act(intent, tool)
            or undoes(intent, tool)
            or goes_back(intent, tool)
            or says_only_which(intent, tool)
            or does_it_to_others(intent, tool, near, vectors=self._settings.word_vectors)
            or sibling_is_meant(intent, tool, self._names)
        )

    def _features(self, entry: RankedTool, whole: bool) -> dict[str, float]:
        """The features of the index. whole: whether the name, or a summary that counts as such, is
        said.
        """
        features = dict(entry.features)
        if whole:
            rejected = (entry.explanation or {}).get("rejected", 0.0)
            features["name_similarity"] = max(features["name_similarity"], 1.0 - rejected**3)
        return features

    def _is_summary(self, intent: str, entry: RankedTool) -> bool:
        return len(entry.matched) >= FEWEST and says_summary(
            intent, self._tools[entry.name], self._known_words
        )

    def _known_words(self) -> frozenset[str]:
        """The stems of all that the tools' texts say."""
        if self._words is None:
            self._words = frozenset().union(*map(words_of, self._tools.values()))
        return self._words

    def _score(self, features: Mapping[str, float], entry: RankedTool) -> float:
        weights, explanation = self._settings.weights, entry.explanation or {}
        raw = (
            weights.name * features["name_similarity"]
            + weights.doc * features["doc_keywords"]
            + weights.history * features["history_success"]
        )
        return core.calibrated(raw, **explanation["calibration"])

    def _to_rank_by(self, intent: str) -> str:
        """The prompt without its files' names, where the rest finds a tool by itself, or is like
        what was accepted or rejected before.
        """
        if intent not in self._rank_by:
            text = self._as_said(intent)
            rest = without_file_names(text)
            stands = rest != text and self._stands_alone(rest)
            self._rank_by[intent] = rest if stands else text
        return self._rank_by[intent]

    def _as_said(self, intent: str) -> str:
        """The prompt without names of files that only happen to be those of tools."""
        return without_files_of_tools(intent, self._names)

    def _stands_alone(self, rest: str) -> bool:
        ranked = self._asked(rest)
        if any(_is_familiar(one) or _was_rejected(one) for one in ranked):
            return True
        return bool(ranked) and ranked[0].score >= self._settings.threshold

    def _asked(self, intent: str) -> list[RankedTool]:
        """All tools, best first; the latest answers are kept, since one text is asked for again."""
        answer = self._latest.pop(intent, None)
        if answer is None:
            answer = self._ranked_anew(intent, len(self._tools), self._successes)
        self._latest[intent] = answer
        while len(self._latest) > MOST_KEPT:
            del self._latest[next(iter(self._latest))]
        return answer

    def _ranked_anew(self, intent: str, k: int, successes: Mapping[str, float]) -> list[RankedTool]:
        weights, map_ = self._settings.weights, self._settings.calibration
        meanings = self._meanings
        return self._index.rank(
            intent,
            max(1, k),
            weights={"name": weights.name, "doc": weights.doc, "history": weights.history},
            calibration=(map_.slope, map_.cold, map_.learned),
            similarities=None if meanings is None else meanings.likeness(intent),
            similarity_share=self._settings.embeddings_share,
            explain=True,
            relatives=self._settings.relatives,
            word_vectors=self._settings.word_vectors,
            successes=successes,
        )

    def _built(self) -> ToolIndex:
        rejected = [
            (prompt, key)
            for key in self._tools
            for prompt in last_prompts(self._histories.get(key, ()), "rejected", to_be_learned)
        ]
        return self._store.get([self._entry(key) for key in self._tools], rejected)

    def _entry(self, key: str) -> dict[str, Any]:
        tool = self._tools[key]
        phrasings = last_prompts(self._histories.get(key, ()), "accepted", to_be_learned)
        if tool.manifest:
            phrasings = [*tool.manifest.intents, *phrasings]
        return {"key": key, "name": tool.name, "doc": tool.spec.doc, "intents": phrasings}


def key_of(tool: Tool) -> str:
    """The unique key of a tool: its file, and for MCP tools the name in it."""
    return tool.relative


def _by_name(entry: RankedTool) -> bool:
    return bool(entry.explanation and entry.explanation["called"])


def _is_known(entry: RankedTool) -> bool:
    """Whether the prompt calls the tool by name, or is like one it was accepted for."""
    known = entry.explanation or {}
    return bool(known.get("called")) or known.get("phrasing", 0.0) >= ACCEPTED


def _was_rejected(entry: RankedTool) -> bool:
    return bool((entry.explanation or {}).get("rejected", 0.0) >= FAMILIAR)


def _is_familiar(entry: RankedTool) -> bool:
    return bool(entry.explanation and entry.explanation["accepted"] >= FAMILIAR)


def _anti_intents(tool: Tool, words: Iterable[str]) -> list[str]:
    if tool.manifest is None:
        return []
    present = set(words)
    return [word for word in tool.manifest.anti_intents if present & set(core.tokens(word))]
