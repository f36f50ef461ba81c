"""The state machine: each phase takes a route a step further, leaves one event, names the next."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import tzinfo
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ...clock import Clock, SystemClock
from ...errors import InputError
from ...protocols import CodeModel, Embedder, Runner
from ...settings.routing import Routing
from ..identity import Identities
from ..layout import Layout
from ..local_time import LocalTime
from ..trace import Trace, log_app, log_metric
from ..types import ParsedIntent, RouteDecision
from . import reading
from .route import Mode, Operator, Phase, Route

if TYPE_CHECKING:
    from ..promotion.pending import PendingRoute

Show = Callable[[dict[str, Any]], None]
Waiting = Callable[[str], AbstractContextManager[Any]]


class Router:
    """Routes prompts in one project.

    runner: where modules are tried out; None when a route goes no further than its plan. model:
    who writes a tool when none fits, or None. operator: whom to ask, None for nobody. show: told
    of each event as it happens. waiting: entered while something takes its time, with a word for
    it. random_bytes, clock, tz: arguments, so that a test can fix them.
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
        self.layout = layout
        self.settings = settings
        self.runner = runner
        self.model = model
        self.embedder = embedder if settings.embeddings_enabled else None
        self.operator = operator
        self.clock = clock or SystemClock()
        self.time = LocalTime(self.clock, tz)
        self.tz = tz
        self.identities = Identities(layout, self.clock, random_bytes, tz)
        self.waiting = waiting
        self._show = show

    def route(self, prompt: str, mode: Mode | None = None) -> Route:
        """Take a prompt as far as the mode says.

        Raises InputError for a prompt without a word, SourceError when logs cannot be written.
        Everything else that goes wrong is in the route: its exit_code and sentence.
        """
        mode = mode or Mode()
        trace = Trace(
            self.layout,
            self.clock,
            self.identities.run_id(),
            self.identities.route_id(),
            self.tz,
        )
        route = Route(prompt, mode, trace)
        self._run(route, reading.parse_prompt)
        return route

    def resume(self, waiting: PendingRoute, mode: Mode | None = None) -> Route:
        """Take up a route that was rejected or not valid: try its module as it is now, ask again.

        A person may have edited the module since. Raises InputError when it is gone.
        """
        from .making import check_again

        path = self.layout.root / waiting.module
        if not self.layout.holds(path) or not path.is_file():
            raise InputError(f"module of {waiting.route_id} must be there still, got {path}")
        trace = Trace(self.layout, self.clock, self.identities.run_id(), waiting.route_id, self.tz)
        route = Route(waiting.prompt, mode or Mode(), trace, resumed=True)
        route.parsed = ParsedIntent(waiting.domain, waiting.action, waiting.prompt, 1.0)
        reason = f"taken up again: it was {waiting.why} ({waiting.summary.rstrip('.')})."
        route.decision = RouteDecision(waiting.route_id, waiting.policy, [], waiting.plan, reason)
        route.module, route.sha256 = path, sha256(path.read_bytes()).hexdigest()
        self._run(route, check_again)
        return route

    def operator_for(self, route: Route) -> Operator | None:
        """Whom this route may ask."""
        return self.operator if route.mode.interactive else None

    def _run(self, route: Route, first: Phase) -> None:
        started = self.clock.monotonic()
        about = {"run_id": route.run_id, "route_id": route.route_id}
        log_app(self.layout, self.clock, "start", tz=self.tz, **about)
        phase: Phase | None = first
        while phase is not None:
            told = len(route.trace.events)
            phase = phase(self, route)
            self._tell(route, told)
        told = len(route.trace.events)
        decision = route.decision
        route.trace.add(
            "end",
            policy=decision.policy if decision else None,
            decision=route.sentence,
            exit_code=route.exit_code,
            plan=decision.plan if decision else None,
            validation=None if route.report is None else route.report.ok,
        )
        self._tell(route, told)
        log_app(self.layout, self.clock, "end", tz=self.tz, **about, exit_code=route.exit_code)
        took_ms = round((self.clock.monotonic() - started) * 1000)
        log_metric(self.layout, self.clock, "route_ms", took_ms, tz=self.tz)

    def _tell(self, route: Route, since: int) -> None:
        for event in route.trace.events[since:]:
            if self._show is not None:
                self._show(event)
