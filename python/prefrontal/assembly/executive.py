"""The executive with everything in it, as prefrontal.yml says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..clock import Clock
from ..errors import InputError
from ..executive.actor.worker import Ask, SandboxedActor
from ..executive.chooser.desk import RoutedChooser
from ..executive.loop import Executive, Links
from ..executive.reviewer.reflection import AgentReviewer
from ..executive.roles import Actor, Chooser, Moments, Store, Waker
from ..executive.trust_standings import TrustStandings
from ..ledger import Ledger
from ..ledger.location import file_name, ledger_path
from .agent import build_runtime
from .router import build_embedder, build_layout, build_runner

if TYPE_CHECKING:
    from ..decisions.decision import Decision
    from ..executive.nouns import ActOutcome, Choice
    from ..executive.selector.plan_chooser import PlanChooser
    from ..plugin import Plugin
    from ..routing.layout import Layout
    from ..settings import Settings

NEEDS_TORCH = "executive.links.control needs torch: pip install 'prefrontal[control]'"
_QUIET = {"logging": {"level": "warn"}}


class LoopTime(Moments, Clock, Protocol):
    """The time of the loop, as all parts are told it: `FrozenMoments`, `KeptMoments`."""


@dataclass(frozen=True, slots=True)
class BuiltExecutive:
    """An executive and what it holds. standings: what the gate is told of peers."""

    executive: Executive
    reviewer: AgentReviewer
    standings: TrustStandings
    selector: PlanChooser | None = None

    def close(self) -> None:
        """Keep what is known and give back the ledger."""
        self.reviewer.close()
        if self.selector is not None:
            self.selector.save()


class AskingActor:
    """The role Actor for who wants no tool run: whatever was chosen, the agent is asked."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor

    def act(self, wake: Decision, choice: Choice) -> ActOutcome:
        """What came of asking."""
        return self._actor.act(wake, replace(choice, options=(), picked=0))


def build_executive(
    settings: Settings,
    *,
    store: Store,
    moments: LoopTime,
    waker: Waker,
    ask: Ask,
    config: Mapping[str, Any] | None = None,
    workspace: Path | None = None,
    roots: Sequence[Path] = (),
    standings: TrustStandings | None = None,
    chooser: Chooser | None = None,
    actor: Actor | None = None,
    selector_file: Path | None = None,
    replaying: bool = False,
    taught: int = 0,
    allow_weak_sandbox: bool = False,
    plugins: Sequence[Plugin] = (),
) -> BuiltExecutive:
    """Bring the parts together; nothing runs yet.

    moments: the time of all parts. ask: hands a question to the agent. config: the agent's keys of
    prefrontal.yml. workspace: its folder; None for one that is gone at the end. roots: the watched
    folders, which tools may read. standings: the ones that the waker asks. chooser, actor: in the
    place of the router and of the sandbox: to decide again from a log, with `replaying`, hand in a
    `KeptActor`. selector_file: keeps what the control agent learned. taught: number of the last
    label of a person that was learned before. plugins: of the reviewer's agent, as of
    `build_runtime`. Raises InputError and PluginError for settings that
    cannot be used.
    """
    options = settings.executive
    standings = TrustStandings(options.trust) if standings is None else standings
    layout = build_layout(settings.routing, tools_folder(settings))
    if actor is None:
        actor = _actor(settings, layout, moments, ask, roots, allow_weak_sandbox)
    runtime = build_runtime(
        {**_QUIET, **(config or {})}, clock=moments, workspace=workspace, plugins=plugins
    )
    reviewer = AgentReviewer(runtime, options, standings)
    selector = _selector(settings, selector_file) if options.links.control else None
    executive = Executive(
        waker,
        chooser or _chooser(settings, layout, moments, roots),
        actor if options.act else AskingActor(actor),
        reviewer,
        store,
        moments,
        selector=selector,
        links=Links(options.links.outcomes, options.links.beliefs, options.links.consult),
        replaying=replaying,
        taught=taught,
    )
    return BuiltExecutive(executive, reviewer, standings, None if replaying else selector)


def tools_folder(settings: Settings) -> Path:
    """Where the tools are: `executive.tools`, else `routing.workflows_root`."""
    return settings.path(settings.executive.tools or settings.routing.workflows_root)


def try_ledger(config: Mapping[str, Any], workspace: Path | None) -> None:
    """Raise SourceError when the ledger of the workspace is damaged, or in use by an agent."""
    path = ledger_path(file_name(config), workspace)
    if isinstance(path, Path) and path.exists():
        Ledger(path).close()


def _chooser(
    settings: Settings, layout: Layout, moments: LoopTime, roots: Sequence[Path]
) -> RoutedChooser:
    from ..routing.run.router import Router

    embedder = build_embedder(settings.routing)
    router = Router(layout, settings.routing, embedder=embedder, clock=moments)
    return RoutedChooser(router, roots=roots, margin=settings.executive.tie_margin)


def _actor(
    settings: Settings,
    layout: Layout,
    moments: LoopTime,
    ask: Ask,
    roots: Sequence[Path],
    allow_weak: bool,
) -> SandboxedActor:
    runner = build_runner(settings.routing, allow_weak=allow_weak)
    return SandboxedActor(
        layout,
        settings.routing,
        runner,
        ask,
        readable=roots,
        clock=moments,
        allow_weak=allow_weak,
    )


def _selector(settings: Settings, path: Path | None) -> PlanChooser:
    try:
        from ..executive.selector.plan_chooser import PlanChooser
    except ImportError:
        raise InputError(NEEDS_TORCH) from None
    seed = abs(settings.gate.seed)
    return PlanChooser(seed=seed) if path is None else PlanChooser.kept(path, seed)
