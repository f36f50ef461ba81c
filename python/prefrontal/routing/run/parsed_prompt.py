"""The first stage: parses a prompt by its words and by what was accepted before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..catalog.discovery import CACHE_FOLDER, discover_all, open_cache
from ..catalog.history import PastEvent, read_history
from ..prompt.clarify import names_choice, question_for, resolve
from ..prompt.hints import Hint, HintIndex
from ..prompt.parser import by_ranking, parse
from ..prompt.passages import passages
from ..prompt.sub_intents import sub_intents
from ..prompt.taxonomy import Taxonomy
from ..ranking.index_store import IndexStore
from ..ranking.noun_split import with_each_tools_noun
from ..ranking.precedence import micro
from ..ranking.tool_ranker import ToolRanker, key_of
from .route import ParsedPrompt

if TYPE_CHECKING:
    from ..types import Discovery, ParsedIntent, Tool
    from .request import RouteRequest
    from .workbench import Workbench


@dataclass(frozen=True, slots=True)
class ToolFit:
    """A tool's place and how well it fits a prompt, 0..1."""

    domain: str | None
    action: str | None
    score: float


def parse_prompt(bench: Workbench, request: RouteRequest) -> ParsedPrompt:
    """Find the domain and the action. Raises InputError for a prompt without a word."""
    cache = open_cache(bench.layout) if bench.settings.cache_enabled else None
    tools = discover_all(bench.layout, cache=cache)
    taxonomy = Taxonomy.of(bench.layout, tools.tools)
    ranker = _ranker(bench, tools.tools)
    clauses = sub_intents(request.asked, taxonomy.action_words())
    clauses = with_each_tools_noun(clauses, ranker, bench.settings.ranker)
    hints = _hints(bench, request.asked, tools, taxonomy)
    threshold = bench.settings.parser.threshold
    by_words = parse(
        request.asked,
        taxonomy,
        clauses=clauses,
        hints=hints,
        embedder=bench.embedder,
        threshold=threshold,
    )
    intent = by_words if len(clauses) > 1 else _by_experience(by_words, request.asked, ranker)
    request.trace.add(
        "parse",
        decision=f"domain={intent.domain} action={intent.action}",
        prompt=request.prompt,
        domain=intent.domain,
        action=intent.action,
        confidence=intent.confidence,
        by_words=by_words.confidence,
        threshold=threshold,
        clauses=[clause.text for clause in clauses],
        denied=list(request.denied),
        rag_hits=[_hint_event(bench, hint) for hint in hints],
    )
    return ParsedPrompt(request, intent, clauses, hints, taxonomy, tools, ranker)


def clarify(bench: Workbench, parsed: ParsedPrompt) -> ParsedPrompt:
    """Ask at most one question; without an answer the best guess stays."""
    request, taxonomy, clauses = parsed.request, parsed.taxonomy, parsed.clauses
    threshold = bench.settings.parser.threshold
    question = question_for(parsed.intent, taxonomy, threshold=threshold, clauses=clauses)
    if question is None or request.asks_nothing or request.is_answer:
        return parsed
    operator = None if request.mode.plan_only else bench.operator_for(request.mode)
    reply = operator.answer(question.text) if operator else None
    intent = parsed.intent
    if reply is not None:
        intent = resolve(intent, question, reply, taxonomy, clauses=clauses)
    request.trace.add(
        "clarify",
        decision="skipped" if reply is None else "asked",
        question=question.text,
        choices=list(question.choices),
        answer=reply,
        understood=names_choice(question, reply or "", taxonomy),
        domain=intent.domain,
        action=intent.action,
        confidence=intent.confidence,
    )
    answered = intent != parsed.intent
    return replace(parsed, intent=intent, asked=operator is not None, answered=answered)


def read_histories(
    tools: Sequence[Tool],
) -> tuple[dict[str, tuple[PastEvent, ...]], list[object]]:
    """The events of each tool by its key, and findings."""
    by_folder: dict[object, list[Tool]] = {}
    for tool in tools:
        by_folder.setdefault(tool.spec.path.parent, []).append(tool)
    histories, findings = {}, list[object]()
    for members in by_folder.values():
        history = read_history(members[0].spec.path.parent)
        findings += history.findings
        for tool in members:
            events = history.of(tool.name if tool.runnable else key_of(tool))
            if events:
                histories[key_of(tool)] = events
    return histories, findings


def _ranker(bench: Workbench, tools: Sequence[Tool]) -> ToolRanker:
    histories, findings = read_histories(tools)
    settings = bench.settings
    store = IndexStore(bench.layout.tmp / CACHE_FOLDER if settings.cache_enabled else None)
    now = bench.clock.now()
    ranker = ToolRanker(tools, histories, settings.ranker, now, bench.embedder, store)
    ranker.notes += [str(finding) for finding in (*bench.identities.findings, *findings)]
    ranker.notes += [store.note] * bool(store.note)
    return ranker


def _by_experience(by_words: ParsedIntent, prompt: str, ranker: ToolRanker) -> ParsedIntent:
    """The intent of an accepted tool, where it fits better than the words and than other tools."""
    if not ranker.knows_accepted():
        return by_words
    ranked = ranker.candidates(prompt)
    best = max((micro(one.score) for one in ranked), default=0)
    fits = [
        ToolFit(one.tool.domain, one.tool.action, one.score)
        for one in ranked
        if ranker.was_accepted(one.tool) and micro(one.score) == best
    ]
    return by_ranking(by_words, fits)


def _hints(bench: Workbench, prompt: str, tools: Discovery, taxonomy: Taxonomy) -> tuple[Hint, ...]:
    if not bench.settings.rag_enabled:
        return ()
    texts, _ = passages(bench.layout, tools.tools)
    return HintIndex(texts, taxonomy).search(prompt)


def _hint_event(bench: Workbench, hint: Hint) -> dict[str, object]:
    path, project = hint.passage.path, bench.layout.root.parent
    file = path.relative_to(project) if path.is_relative_to(project) else path
    return {"file": file.as_posix(), "line": hint.passage.line, "score": hint.score}
