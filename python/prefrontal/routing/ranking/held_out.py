"""What a threshold is worth: the project's own phrasings, each ranked by an index without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..._core import routing as core
from ...errors import InputError
from ..catalog.history import last_prompts
from .file_names import to_be_learned
from .precedence import micro, shadowed
from .tool_ranker import Histories, ToolRanker, key_of

if TYPE_CHECKING:
    from ...protocols import Embedder
    from ...settings.routing import Ranker
    from ..types import Tool

PARTS = 10
"""Into how many parts the phrasings are cut; each is ranked by what the other ones teach."""
ENOUGH = 20
"""Phrasings that must reach a threshold before it is suggested."""
TAUS = tuple(step / 100 for step in range(30, 100, 5))

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A phrasing ranked without it. chosen: the best tool's key. right: the phrasing is its own."""

    phrasing: str
    chosen: str
    score: float
    right: bool


@dataclass(frozen=True, slots=True)
class TauRow:
    """What a threshold does. reached: how many phrasings reach it. right: how many of these are
    given to a tool of theirs. total: all phrasings.
    """

    tau: float
    reached: int
    right: int
    total: int

    @property
    def precision(self) -> float | None:
        """The share of those that reach it that is right; None where none does."""
        return self.right / self.reached if self.reached else None

    @property
    def coverage(self) -> float:
        """The share that reaches it."""
        return self.reached / self.total if self.total else 0.0


def held_out(
    tools: Sequence[Tool],
    histories: Histories,
    settings: Ranker,
    now: float,
    embedder: Embedder | None = None,
) -> list[HeldOut]:
    """The accepted prompts and the `intents` of manifests, in order, each ranked without it.

    Phrasings of the same words, whatever their files' names, are one. histories: by `relative`;
    what else they say of a tool, as how often it failed, still counts. Nothing without phrasings.
    """
    every = _phrasings(tools, histories)
    ordered = sorted(every)
    results: list[HeldOut] = []
    for part in range(min(PARTS, len(ordered))):
        out = set(ordered[part::PARTS])
        ranker = ToolRanker(
            [_tool_without(tool, out) for tool in tools],
            _histories_without(histories, out),
            settings,
            now,
            embedder,
        )
        for words in ordered[part::PARTS]:
            text, own = every[words]
            best = next(iter(shadowed(ranker.candidates(text))[0]))
            key = key_of(best.tool)
            results.append(HeldOut(text, key, best.score, key in own))
    return sorted(results, key=lambda one: one.phrasing)


def tau_rows(results: Sequence[HeldOut], taus: Sequence[float]) -> list[TauRow]:
    """What each threshold does to the phrasings, the lowest first."""
    rows = []
    for tau in sorted(set(taus)):
        reaching = [one for one in results if micro(one.score) >= micro(tau)]
        rows.append(TauRow(tau, len(reaching), sum(one.right for one in reaching), len(results)))
    return rows


def suggested(rows: Sequence[TauRow], precision: float) -> float | None:
    """The lowest threshold from which on `precision` of those that reach it are right.

    Thresholds that fewer than ENOUGH phrasings reach say nothing; None where all do, or where the
    highest of the others has less. Raises InputError for a precision outside 0..1.
    """
    if not 0.0 < precision <= 1.0:
        raise InputError(f"precision must be above 0 and at most 1, got {precision!r}")
    best = None
    for row in sorted(rows, key=lambda row: -row.tau):
        if row.reached < ENOUGH:
            continue
        if row.right < precision * row.reached - 1e-9:
            break
        best = row.tau
    return best


def _phrasings(tools: Sequence[Tool], histories: Histories) -> dict[Words, tuple[str, set[str]]]:
    """A text of each phrasing and the keys of its tools, by its words."""
    phrasings: dict[Words, tuple[str, set[str]]] = {}
    for tool in sorted(tools, key=key_of):
        accepted = last_prompts(histories.get(key_of(tool), ()), "accepted")
        for text in (*(tool.manifest.intents if tool.manifest else ()), *accepted):
            words = _words(text)
            if words:
                phrasings.setdefault(words, (text, set()))[1].add(key_of(tool))
    return phrasings


def _tool_without(tool: Tool, out: set[Words]) -> Tool:
    if tool.manifest is None:
        return tool
    intents = tuple(text for text in tool.manifest.intents if _words(text) not in out)
    return replace(tool, manifest=replace(tool.manifest, intents=intents))


def _histories_without(histories: Histories, out: set[Words]) -> Histories:
    """The same events, those of these phrasings without their prompt."""
    return {
        key: [
            replace(event, intent=None) if event.intent and _words(event.intent) in out else event
            for event in events
        ]
        for key, events in histories.items()
    }


def _words(text: str) -> Words:
    return tuple(core.tokens(to_be_learned(text)))
