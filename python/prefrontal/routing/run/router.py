"""The router: from a prompt through all stages, each of which takes the former one's result."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import nullcontext
from datetime import tzinfo
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ...clock import Clock, SystemClock
from ...errors import InputError
from ..catalog.discovery import discover_all
from ..exit_codes import OK, UNSURE
from ..identity import Identities
from ..plans.plan import parse_plan
from ..ranking.decide import Bar
from ..trace import Show, Trace, log_app, log_metric
from ..trials.hosts import hosts_of
from ..types import ParsedIntent, RouteDecision, Tool
from .approval import approve, promote
from .parsed_prompt import clarify, parse_prompt
from .ranking import rank
from .request import Ending, Mode, RouteRequest
from .route import Ranking, Route, ToolChoice, TrialModule
from .server_steps import untried
from .tool_choice import choose, planned
from .trial_module import check_again, parts_of, tools_of, trial_module
from .trial_report import try_out
from .workbench import Operator, Waiting, Workbench

if TYPE_CHECKING:
    from ...protocols import CodeModel, Embedder, Runner
    from ...settings.routing import Routing
    from ..layout import Layout
    from ..promotion.pending import PendingRoute


class Router:
    """Routes prompts in one project.

    runner: where modules are tried out; None when a route goes no further than its plan. model:
    who writes a tool when none fits, or None. operator: whom to ask, None for nobody. show: called
    with each event as it happens. waiting: entered while something takes its time, with a word
    for it. random_bytes, clock, tz: arguments, so that a test can fix them.
    """

    def __init__(
        self,
        layout: Layout,
        settings: Routing,
        *,
        runner: Runner | None = None,
        model: CodeModel | None = None,
        embedder: Embedder | None = None,
        operator: Operator | None = None,
        show: Show | None = None,
        waiting: Waiting = nullcontext,
        clock: Clock | None = None,
        tz: tzinfo | None = None,
        random_bytes: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        if settings.embeddings_enabled and embedder is None:
            raise InputError("embeddings_enabled must be false without an embedder, got true")
        clock = clock or SystemClock()
        self.bench = Workbench(
            layout,
            settings,
            clock,
            tz,
            Identities(layout, clock, random_bytes, tz),
            runner,
            model,
            embedder if settings.embeddings_enabled else None,
            operator,
            waiting,
        )
        self._show = show

    def route(self, prompt: str, mode: Mode | None = None) -> Route:
        """Take a prompt as far as the mode says.

        Raises InputError for a prompt without a word, SourceError when logs cannot be written.
        Everything else that goes wrong is in the route: its exit_code and sentence.
        """
        return self._logged(RouteRequest(prompt, mode or Mode(), self._trace()), self._new)

    def resume(self, waiting: PendingRoute, mode: Mode | None = None) -> Route:
        """Take up a route that was rejected or not valid: try its module as it is now, ask again.

        A person may have edited the module since. Raises InputError when it is gone.
        """
        layout = self.bench.layout
        path = layout.root / waiting.module
        if not layout.holds(path) or not path.is_file():
            raise InputError(f"module of {waiting.route_id} must be there still, got {path}")
        trace = self._trace(waiting.route_id)
        request = RouteRequest(waiting.prompt, mode or Mode(), trace, resumed=True)
        intent = ParsedIntent(waiting.domain, waiting.action, waiting.prompt, 1.0)
        reason = f"taken up again: it was {waiting.why} ({waiting.summary.rstrip('.')})."
        decision = RouteDecision(waiting.route_id, waiting.policy, [], waiting.plan, reason)
        digest = sha256(path.read_bytes()).hexdigest()
        used = self._used(waiting, path)
        parts = {} if waiting.plan is None else parts_of(used)
        tool = next(iter(used), None) if waiting.policy == "select" else None
        module = TrialModule(
            request, intent, decision, path, digest, tool, parts=parts, hosts=hosts_of(used)
        )
        return self._logged(request, lambda _: self._resumed(module))

    def choose(self, request: RouteRequest) -> ToolChoice:
        """The stages that only read, up to the decision."""
        return self._chosen(request, servers=False)

    def _chosen(self, request: RouteRequest, *, servers: bool) -> ToolChoice:
        parsed = clarify(self.bench, parse_prompt(self.bench, request))
        return choose(self.bench, rank(self.bench, parsed), servers=servers)

    def _new(self, request: RouteRequest) -> Route:
        choice = self._chosen(request, servers=True)
        intent, decision, ranking = choice.intent, choice.decision, choice.ranking
        if request.mode.plan_only:
            unsure = decision.policy == "generate" or choice.rivals
            ending = Ending(UNSURE if unsure else OK, decision.reason)
            left = choice.uncovered_clauses(Bar.of(self.bench.settings.ranker).floor)
            return Route(request, intent, planned(choice), ending, ranking, uncovered=left)
        module = untried(decision, request.mode) or trial_module(self.bench, choice)
        if isinstance(module, Ending):
            return Route(request, intent, decision, module, ranking)
        return self._tried(module, ranking)

    def _used(self, waiting: PendingRoute, path: Path) -> list[Tool]:
        """The waiting tool, or those a composition calls. Raises InputError when one is gone."""
        tools = discover_all(self.bench.layout).tools
        if waiting.plan is None:
            return [tool for tool in tools if tool.spec.path == path]
        return tools_of(parse_plan(waiting.plan), tools)

    def _resumed(self, module: TrialModule) -> Route:
        ending = check_again(self.bench, module)
        if ending is not None:
            return Route(module.request, module.intent, module.decision, ending)
        return self._tried(module)

    def _tried(self, module: TrialModule, ranking: Ranking | None = None) -> Route:
        """Through trial, approval and promotion."""
        trial = try_out(self.bench, module)
        request, intent, decision = module.request, module.intent, module.decision
        if trial.ending is not None:
            return Route(request, intent, decision, trial.ending, ranking, trial)
        approval = approve(self.bench, trial)
        if isinstance(approval, Ending):
            return Route(request, intent, decision, approval, ranking, trial)
        promotion = promote(self.bench, module, approval)
        served = module.tool if promotion is None else None
        sentence = f"{served.name} is the tool; it runs on its server." if served else "kept."
        ending = Ending(OK, sentence)
        return Route(request, intent, decision, ending, ranking, trial, approval, promotion)

    def _trace(self, route_id: str | None = None) -> Trace:
        """route_id: None for a new one."""
        bench = self.bench
        run_id = bench.identities.run_id()
        route_id = route_id or bench.identities.route_id()
        return Trace(bench.layout, bench.clock, run_id, route_id, bench.tz, self._show)

    def _logged(self, request: RouteRequest, stages: Callable[[RouteRequest], Route]) -> Route:
        layout, clock, tz = self.bench.layout, self.bench.clock, self.bench.tz
        started = clock.monotonic()
        names = {"run_id": request.trace.run_id, "route_id": request.trace.route_id}
        log_app(layout, clock, "start", tz=tz, **names)
        route = stages(request)
        request.trace.add(
            "end",
            policy=route.decision.policy,
            decision=route.sentence,
            exit_code=route.exit_code,
            plan=route.decision.plan,
            validation=None if route.report is None else route.report.ok,
        )
        log_app(layout, clock, "end", tz=tz, **names, exit_code=route.exit_code)
        took_ms = round((clock.monotonic() - started) * 1000)
        log_metric(layout, clock, "route_ms", took_ms, tz=tz)
        return route
