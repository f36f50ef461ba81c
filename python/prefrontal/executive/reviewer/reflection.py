"""The role Reviewer of the executive: the ledger remembers the peers, the cortex judges."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from ...cortex.consultation.deferral import Kind, kind_of_tool
from ...cortex.consultation.verdict import ConsultRequest
from ...cortex.context.material import SIGNAL_CHANNEL
from ...cortex.memory.beliefs import shown_to
from ...cortex.plugin import CortexPlugin
from ...cortex.quoting import quote
from ...decisions.payloads import AssessmentPayload, Consent
from ...ledger.plugin import LedgerPlugin
from ...plugin import PluginError, hookspecs
from ...plugin.hooks import chain, collect, hook_name
from ..nouns import ActOutcome, Choice, Conclusion, HeardBelief, Status
from ..trust_standings import TrustStandings, peer_of
from .conclusions import CortexBefore, conclusions, heard

if TYPE_CHECKING:
    from ...clock import Clock
    from ...cortex.models import Belief
    from ...decisions.decision import Decision
    from ...ledger import Ledger
    from ...runtime.runtime import Runtime
    from ...settings.executive import ExecutiveSettings

Answer = TypeVar("Answer")
_SAID_LIMIT = 600
_DONE_NOTHING = (Status.DEFERRED, Status.INVALID)


class AgentReviewer:
    """Drives ledger and cortex of a runtime from whichever thread calls, one call at a time.

    runtime: built with the loop's time as its clock and without background tasks; it starts with
    the first call, at the moment of that call. standings: told of each new judgment. The same
    wakes, moments and outcomes come to the same conclusions to the bit, as long as the rules
    reflect; a model that reflects answers as it likes.
    """

    def __init__(
        self,
        runtime: Runtime,
        settings: ExecutiveSettings,
        standings: TrustStandings | None = None,
    ) -> None:
        self._runtime = runtime
        self._settings = settings
        self._standings = standings or TrustStandings(settings.trust)
        self._clock: Clock = runtime.registry.clock
        self._runner: asyncio.Runner | None = None
        self._closed = False
        self._lock = Lock()

    def hear(self, wake: Decision) -> tuple[HeardBelief, ...]:
        """Note once that the peer came with it; what is believed now, the most telling first."""
        return self._run(self._hear(wake))

    def consent(self, wake: Decision, choice: Choice) -> Consent | None:
        """A verdict for a step that needs one: the peer is not trusted, or the tool is one whose
        work cannot be undone; None for any other.
        """
        return self._run(self._consent(wake, choice))

    def reflect(
        self, wake: Decision, choice: Choice, outcome: ActOutcome, score: float | None
    ) -> tuple[Conclusion, ...]:
        """Note what was done and how it turned out, then reflect if something is due."""
        return self._run(self._reflect(wake, choice, outcome, score))

    def judge(self, wake: Decision, score: float) -> None:
        """Write how the wake of the peer turned out; the next reflection takes it in."""
        self._run(self._judge(wake, score))

    def close(self) -> None:
        """Keep what is known and let go of the ledger; a second call does nothing.

        Any other call then raises PluginError.
        """
        with self._lock:
            self._closed = True
            runner, self._runner = self._runner, None
            if runner is not None:
                with runner:
                    runner.run(self._runtime.stop())

    def _run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        with self._lock:
            try:
                return self._started().run(work)
            finally:
                work.close()

    def _started(self) -> asyncio.Runner:
        """The event loop in which the runtime has started."""
        if self._closed:
            raise PluginError("the reviewer is closed")
        if self._runner is None:
            runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
            try:
                runner.run(self._runtime.start())
            except BaseException:
                runner.close()
                raise
            self._runner = runner
        return self._runner

    async def _hear(self, wake: Decision) -> tuple[HeardBelief, ...]:
        peer = peer_behind(wake)
        if peer and not self._ledger.has_interaction(wake.id):
            ctx: hookspecs.MessageContext = {
                **_ids(wake, peer),
                "event_id": wake.id,
                "message": _said(wake),
                "sender_id": peer,
                "sender": peer,
            }
            await chain(self._runtime.registry, hookspecs.loop_on_message, ctx)
        cortex = self._cortex
        if cortex is None:
            return ()
        beliefs = _by_relevance(cortex, peer, self._clock.now())
        return heard(cortex, beliefs[: self._settings.max_beliefs])

    async def _consent(self, wake: Decision, choice: Choice) -> Consent | None:
        cortex = self._cortex
        if cortex is None:
            return None
        peer = peer_behind(wake)
        kind = self._kind(cortex, peer, choice)
        if kind is None:
            return None
        tool = "" if choice.option is None else choice.option.tool
        step = f"run {tool} for: {choice.prompt}" if tool else f"ask the agent: {choice.prompt}"
        text = quote(step, _SAID_LIMIT)[1:-1]
        request = ConsultRequest(f"consult-{wake.id}", peer, kind, text, {"tool": tool})
        verdict = await cortex.consultation.consult(request)
        more = f" Only when: {'; '.join(verdict.conditions)}." if verdict.conditions else ""
        return Consent(verdict.decision, verdict.reasoning + more)

    def _kind(self, cortex: CortexPlugin, peer: str, choice: Choice) -> Kind | None:
        """Why the step should wait; None when it need not."""
        option = choice.option
        if option is not None:
            settings = cortex.settings.consultation
            kind = kind_of_tool(option.tool, option.arguments, settings)
            if kind is not None:
                return kind
        if option is not None and option.features.get("side_effect") == 0.0:
            return None  # it reads, in the sandbox: nobody can be harmed by it
        trust = (cortex.last_trust(peer) or 0) if peer else 0
        return "scope" if trust < self._settings.trust.defer_below else None

    async def _reflect(
        self, wake: Decision, choice: Choice, outcome: ActOutcome, score: float | None
    ) -> tuple[Conclusion, ...]:
        await self._note(wake, choice, outcome)
        if score is not None and peer_behind(wake):
            await self._judge(wake, score)
        cortex = self._cortex
        if cortex is None:
            return ()
        if score and peer_behind(wake):
            cortex.memory.triggers.push("good" if score > 0 else "bad", peer_behind(wake))
        before = CortexBefore.of(cortex)
        tick: hookspecs.Tick = {"now": self._clock.now(), "monotonic": self._clock.monotonic()}
        await collect(self._runtime.registry, hookspecs.runtime_tick, tick)
        result = conclusions(cortex, before)
        await self._take_directives()
        for each in result:
            if isinstance(each.payload, AssessmentPayload):
                self._standings.judged(each.subject, each.payload.trust)
        return result

    async def _note(self, wake: Decision, choice: Choice, outcome: ActOutcome) -> None:
        """Tell the plugins what was done: a tool was run, or the agent was asked."""
        peer, registry = peer_behind(wake), self._runtime.registry
        if outcome.status in _DONE_NOTHING:
            return
        if choice.option is not None and outcome.status is not Status.ASKED:
            result: hookspecs.ToolResultContext = {
                **_ids(wake, peer),
                "tool": choice.option.tool,
                "args": dict(choice.option.arguments),
                "result": outcome.text,
            }
            await chain(registry, hookspecs.loop_after_tool, result)
        else:
            text: hookspecs.TextContext = {
                **_ids(wake, peer),
                "text": outcome.text,
                "recipient": peer,
            }
            await chain(registry, hookspecs.loop_after_send, text)

    async def _judge(self, wake: Decision, score: float) -> None:
        self._ledger.judge_interaction(wake.id, score)

    async def _take_directives(self) -> None:
        """What is queued is the executive's to hand on, so it is handed out here, and once."""
        hook = hook_name(hookspecs.session_poll_messages)
        for plugin_id, plugin, method in self._runtime.registry.get_implementations(hook):
            if plugin_id == CortexPlugin.meta.id:
                await getattr(plugin, method)()

    @property
    def _cortex(self) -> CortexPlugin | None:
        plugin = self._runtime.registry.get(CortexPlugin.meta.id)
        return plugin if isinstance(plugin, CortexPlugin) and plugin.enabled else None

    @property
    def _ledger(self) -> Ledger:
        plugin = self._runtime.registry.get(LedgerPlugin.meta.id)
        if not isinstance(plugin, LedgerPlugin):
            raise PluginError(f"ledger must be the ledger's own plugin, got {plugin!r}")
        return plugin.ledger


def peer_behind(wake: Decision) -> str:
    """The peer of the last event that woke; "" when nobody is behind it."""
    return (peer_of(wake.window[-1]) or "") if wake.window else ""


def _said(wake: Decision) -> str:
    """What the peer has said by it: the event's text, else the question."""
    text = wake.window[-1].features.get("text") if wake.window else None
    return text if isinstance(text, str) and text.strip() else wake.question or ""


def _ids(wake: Decision, peer: str) -> hookspecs.Ids:
    """The ids in the context of every hook, as in a turn of the agent's loop."""
    source = wake.window[-1].source if wake.window else ""
    return {
        "peer_id": peer,
        "recipient_id": peer,
        "channel_type": SIGNAL_CHANNEL,  # the conversation is the signal's source
        "channel_id": source,
        "correlation_id": wake.id,
    }


def _by_relevance(cortex: CortexPlugin, peer: str, now: float) -> list[Belief]:
    """Beliefs that hold: about the peer, then the operator's, then the newest.

    Without what words of other peers went into, unless no peer is behind the wake.
    """
    omit = cortex.settings.stale_beliefs == "omit"
    beliefs = cortex.memory.beliefs
    held = [
        each
        for each in beliefs.active(now)
        if not (omit and beliefs.is_stale(each))
        if not peer or not each.tainted or shown_to(each, peer)
    ]
    return sorted(
        held,
        key=lambda each: (
            not peer or each.peer_id != peer,
            not each.pinned,
            -each.created_at,
            each.key,
        ),
    )
