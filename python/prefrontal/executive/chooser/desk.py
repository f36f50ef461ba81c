"""Finds the tool for a wake: the choice that `prefrontal route` would make of its question."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...decisions.payloads import PromptReading
from ...errors import InputError, SourceError
from ...routing.catalog.discovery import action_folders
from ...routing.catalog.history import read_history
from ...routing.ranking.coverage import covers_all, needed_for_all
from ...routing.ranking.decide import Bar, shown
from ...routing.ranking.precedence import micro, shadowed
from ...routing.ranking.tool_ranker import key_of
from ...routing.run.request import Mode, RouteRequest
from ...routing.trace import UnwrittenTrace
from ..arguments import EventArguments
from ..nouns import ASK, COMPOSE, SELECT, ActOutcome, Choice, HeardBelief, Option
from ..options import Options
from .beliefs import MARGIN, by_belief, leanings
from .memory import ToolMemory, route_of
from .prompt import routed_prompt

if TYPE_CHECKING:
    from ...decisions.decision import Decision
    from ...routing.run.route import ToolChoice
    from ...routing.run.router import Router
    from ...routing.types import Candidate

_LOG = logging.getLogger("prefrontal.executive")
NEAREST = 3
"""How many tools are told of where none fits."""


class RoutedChooser:
    """The role Chooser, with the router of `prefrontal route`; nobody is asked, nothing generated.

    router: as `build_router` makes it. Its clock is the time of the loop: past events are aged by
    it, so that the same wake at the same moment, with the same folder of tools and its history,
    gives the same choice to the bit. Nothing is written but the router's cache. roots: the watched
    folders. margin: how much less a tool may score and be put first by a belief, 0..1.
    """

    def __init__(
        self, router: Router, *, roots: Sequence[Path] = (), margin: float = MARGIN
    ) -> None:
        if not 0.0 <= margin <= 1.0:
            raise InputError(f"margin must be from 0 to 1, got {margin!r}")
        self._router = router
        self._roots = [root.absolute() for root in roots]
        self._margin = margin
        self._memory = ToolMemory(router)

    def choose(self, wake: Decision, beliefs: Sequence[HeardBelief]) -> Choice:
        """The tool or composition for the wake; "ask" where none fits or none can be called.

        A tool whose required arguments the wake has nothing for is no option. Where tools, or what
        people said of them, cannot be read, the agent is asked.
        """
        question, prompt = wake.question or "", ""
        try:
            actions = [action for _, action in action_folders(self._router.bench.layout)]
            prompt = routed_prompt(question, wake.window, actions)
            routed = self._routed(wake, prompt)
            _check_histories(routed)
        except (InputError, SourceError) as error:  # perhaps no word of it is the module's
            return self._asked(prompt or question, beliefs, f"{error}.", ())
        return self._chosen(wake, prompt, routed, tuple(beliefs))

    def learn(self, wake: Decision, choice: Choice, outcome: ActOutcome) -> None:
        """Note what became of the choice in the histories that the router ranks by."""
        try:
            self._memory.note(wake, choice, outcome)
        except SourceError as error:  # what was done is done, and told in the log
            _LOG.warning("what came of %s is not noted: %s", route_of(wake.id), error)

    def _routed(self, wake: Decision, prompt: str) -> ToolChoice:
        bench = self._router.bench
        trace = UnwrittenTrace(bench.layout, bench.clock, f"run-{wake.id}", f"wake-{wake.id}")
        mode = Mode(plan_only=True, interactive=False)
        return self._router.choose(RouteRequest(prompt, mode, trace))

    def _chosen(
        self, wake: Decision, prompt: str, routed: ToolChoice, beliefs: tuple[HeardBelief, ...]
    ) -> Choice:
        decision = routed.decision
        made = Options(routed, self._router.bench.settings, EventArguments(wake, self._roots))
        pairs = made.composition() if decision.policy == COMPOSE else []
        reaching = self._reaching(routed) if decision.policy != "generate" else []
        pairs += [made.single(each) for each in reaching]
        options = [option for option, missing in pairs if not missing]
        sentence = decision.reason
        if not options:
            near = [made.single(each) for each in routed.ranking.candidates[:NEAREST]]
            nearest = [option for option, _ in (pairs or near)][:NEAREST]
            return self._asked(prompt, beliefs, _told(sentence, pairs, None), nearest, routed)
        options = _with_margins(options)
        by_name = leanings(beliefs, [option.name for option in options if option.plan is None])
        equal = [key_of(each.tool) for each in self._covering(routed, reaching)]
        ordered, why = by_belief(options, by_name, self._margin, equal)
        sentence = _told(sentence, pairs, options[0])
        return Choice(
            prompt=prompt,
            policy=SELECT if ordered[0].plan is None else COMPOSE,
            options=ordered,
            threshold=self._router.bench.settings.ranker.threshold,
            sentence=f"{sentence} {why}".rstrip(),
            heard=beliefs,
            reading=_reading(routed),
        )

    def _asked(
        self,
        prompt: str,
        beliefs: Sequence[HeardBelief],
        sentence: str,
        nearest: Sequence[Option],
        routed: ToolChoice | None = None,
    ) -> Choice:
        threshold = self._router.bench.settings.ranker.threshold
        reading = _reading(routed) if routed else None
        near = tuple(_with_margins(nearest))
        return Choice(
            prompt, ASK, (), threshold, sentence, 0, tuple(beliefs), near, reading
        )  # fmt: skip

    def _reaching(self, routed: ToolChoice) -> list[Candidate]:
        """Those that reach tau and can be run here: the router's choice first, then its order."""
        ranker = self._router.bench.settings.ranker
        candidates, _ = shadowed(routed.ranking.candidates)
        reaching = [
            each
            for each in candidates
            if each.tool.runnable and micro(each.score) >= micro(ranker.threshold)
        ]
        selected = {spec.path for spec in routed.decision.selected}
        if routed.decision.policy == SELECT:
            reaching.sort(key=lambda each: each.tool.spec.path not in selected)
        return reaching

    def _covering(self, routed: ToolChoice, reaching: Sequence[Candidate]) -> list[Candidate]:
        """Those that serve every clause of the prompt, if the router's choice does."""
        candidates, _ = shadowed(routed.ranking.candidates)
        bar = Bar.of(self._router.bench.settings.ranker)
        needed = needed_for_all(
            candidates, len(routed.ranking.parsed.clauses), bar.floor, bar.margin
        )
        whole = [each for each in reaching if covers_all(each, needed)]
        return whole if reaching[:1] == whole[:1] else list(reaching[:1])


def _with_margins(options: Sequence[Option]) -> list[Option]:
    """Each with how much less it scores than the best."""
    best = max((micro(each.score) for each in options), default=0)
    return [
        replace(each, features={**each.features, "margin": (best - micro(each.score)) / 1e6})
        for each in options
    ]


def _told(
    sentence: str, pairs: Sequence[tuple[Option, Sequence[str]]], chosen_option: Option | None
) -> str:
    """The router's reason, and which tools were passed over for want of an argument."""
    parts = [sentence]
    for option, missing in pairs:
        if chosen_option is not None and option.tool == chosen_option.tool:
            break
        parts.append(f"{option.name} needs {', '.join(missing)}, which the signal does not have.")
    if chosen_option is not None and len(parts) > 1:
        parts.append(f"{chosen_option.name} is the next, with {shown(micro(chosen_option.score))}.")
    return " ".join(parts)


def _check_histories(routed: ToolChoice) -> None:
    """Raises SourceError where it is not known what people said of the tools."""
    for folder in {tool.spec.path.parent for tool in routed.ranking.discovery.tools}:
        if problem := read_history(folder).unread:
            raise SourceError(problem)


def _reading(routed: ToolChoice) -> PromptReading:
    intent, search = routed.intent, routed.ranking.discovery.search
    return PromptReading(intent.domain, intent.action, intent.confidence, search)
