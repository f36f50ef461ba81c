"""One reflection, from the trigger to the record."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import PrefrontalError
from ...plugin.asking import context_text, user_message
from ...plugin.waiting import wait_for
from ...plural import many
from ..context.material import Gathered, fit
from ..context.prompt import TASK, system_prompt
from ..models import Reflection, ReflectionRecord
from ..quoting import plain
from ..reflectors import triage
from ..reflectors.choice import Factories, choose
from ..reflectors.rules import RulesReflector
from ..reflectors.subagent import ReflectorUnavailableError
from ..reflectors.usage import Usage
from ..reply import batching
from ..reply.parsing import ParseError, parse_reflection
from .applier import Applier, Effects
from .materials import Materials

if TYPE_CHECKING:
    from ...protocols import ReflectionReply, Reflector
    from ..host import Host
    from ..memory.memory import CortexMemory

_LOG_LIMIT = 200_000
_REASON_LIMIT = 300


class Cycle:
    """Runs once: `run` gives the record, whatever happens short of cancellation."""

    def __init__(
        self,
        memory: CortexMemory,
        host: Host,
        reflectors: Factories,
        number: int,
        triggers: tuple[str, ...],
    ) -> None:
        self._memory = memory
        self._host = host
        self._reflectors = reflectors
        self._settings = memory.settings
        self._number = number
        self._usage = Usage()
        self._applied = False
        self._started_s = host.clock.monotonic()
        self.record = ReflectionRecord(
            cycle=number,
            timestamp=host.clock.now(),
            trigger=triggers[0],
            triggers=triggers,
            peers_assessed=[],
            beliefs_updated=[],
            summary="",
            elapsed_seconds=0.0,
        )
        self.left_out: tuple[str, ...] = ()

    async def run(self, mark: int) -> ReflectionRecord:
        """Reflect on the events up to the mark; nothing is applied unless all of it worked."""
        try:
            await self._reflect(mark)
        except asyncio.CancelledError:
            self.stop()
            raise
        except TimeoutError:
            limit = self._settings.reflection_timeout_seconds
            self._host.log_warn(
                f"Reflection timed out after {limit:g}s, skipping cycle {self._number}"
            )
            self._skip("timeout", f"no answer in {limit:g}s")
        except ParseError as error:
            self._host.log_warn(f"Failed to parse cortex output, skipping cycle {self._number}")
            self._skip("parse", str(error))
        except ReflectorUnavailableError as error:
            self._host.log_warn(f"Subagent unavailable, skipping cycle {self._number}")
            self._skip("unavailable", str(error))
        except Exception as error:  # noqa: BLE001 - no failure here may reach the agent's loop
            self._host.log_error(f"Reflection failed, skipping cycle {self._number}: {error!r}")
            self._skip("error", repr(error))
        finally:
            self.record.elapsed_seconds = self._host.clock.monotonic() - self._started_s
        return self.record

    def stop(self) -> None:
        """Note that the agent stopped before anything was applied, also before `run`."""
        if not self._applied and self.record.status == "ok":
            self._skip("stopped", "the agent stops")

    async def _reflect(self, mark: int) -> None:
        memory, host, record = self._memory, self._host, self.record
        materials = Materials(memory, host)
        material, beyond = await materials.of_cycle(record.triggers, memory.buffer.until(mark))
        prompt = system_prompt(host.registry.agent_id, getattr(host.ledger, "score_guide", ""))
        gathered = fit(material, self._settings.max_context_tokens, prompt, TASK)
        sources = record.sources = memory.sources(gathered.peers.values())
        self.left_out = (*gathered.left_out, *beyond)
        record.input_summary = _input_summary(gathered, len(self.left_out))
        for note in gathered.notes:
            host.log_warn(f"max_context_tokens is too small: {note}")
        host.log_debug(f"Reflection context: {context_text(gathered.context)}")
        reflection = await self._reflection(gathered, prompt)
        record.dropped = reflection.dropped
        for reason in reflection.dropped:
            host.log_warn(f"Left out of the reflection: {reason}")
        applier = Applier(memory, host, self._number)
        own = self._provenance == "rules"  # they write by counts and times, and repeat nobody
        work = asyncio.create_task(
            applier.apply(reflection, gathered, self._provenance, () if own else sources)
        )
        try:
            await asyncio.shield(work)
        finally:  # what was begun is brought to its end, even when the agent stops
            await asyncio.wait([work])
            self._note(reflection, work.result())

    @property
    def _provenance(self) -> str:
        return "rules" if self.record.depth == "rules" else "reflection"

    async def _reflection(self, gathered: Gathered, prompt: str) -> Reflection:
        """The reflection, within the time of one cycle, or of the rules when they fall in."""
        limit = self._settings.reflection_timeout_seconds
        try:
            return await wait_for(self._ask(gathered, prompt, limit), limit, self._host.clock)
        except (TimeoutError, ReflectorUnavailableError) as error:
            if self._settings.fallback != "rules":
                raise
            why = str(error) or "no answer in time"
            self._host.log_warn(f"The rules reflect in cycle {self._number}: {why}")
        self.record.depth = "rules"
        rules = RulesReflector(self._settings.rules, self._settings.sharing.weight)
        return await self._one(rules, gathered.context, gathered.peers, prompt, limit)

    async def _ask(self, gathered: Gathered, prompt: str, limit: float) -> Reflection:
        settings, registry = self._settings, self._host.registry
        reflector = choose(settings, registry, self._reflectors)
        if reflector is None:
            raise ReflectorUnavailableError("no plugin provides a subagent")
        if settings.triage.depth != "deep":
            level = await triage.decide(
                settings,
                gathered.context,
                registry=registry,
                factories=self._reflectors,
                timeout_s=limit,
            )
            self._usage.add(level)
            if level.level == "triage":
                self.record.depth, self.record.model = "triage", level.model
                return Reflection(summary=f"Not worth a deep look: {level.why}")
            if level.level == "rules":
                reflector = RulesReflector(settings.rules, settings.sharing.weight)
        self.record.depth = getattr(reflector, "depth", "deep")
        context, peers = gathered.context, gathered.context["peers"]
        size = settings.batch_size or len(peers) or 1
        parts = [
            await self._one(reflector, {**context, "peers": some}, gathered.peers, prompt, limit)
            for some in batching.split(peers, size) or [[]]
        ]
        return parts[0] if len(parts) == 1 else batching.merge(parts)

    async def _one(
        self,
        reflector: Reflector,
        context: Mapping[str, Any],
        peers: Mapping[str, str],
        prompt: str,
        limit: float,
    ) -> Reflection:
        """One call, parsed."""
        try:
            reply: ReflectionReply = await reflector.reflect(
                task=TASK,
                context=context,
                system_prompt=prompt,
                timeout_s=limit,
                max_tokens=self._settings.max_output_tokens,
            )
        except (TimeoutError, asyncio.CancelledError):
            self._usage.add_unanswered(prompt + user_message(TASK, context))
            raise
        except ReflectorUnavailableError:
            raise
        except PrefrontalError as error:
            raise ReflectorUnavailableError(str(error)) from error
        self.record.model = reply.model
        self._host.log_debug(f"Reflection response: {reply.text[:_LOG_LIMIT]}")
        if self.record.depth != "rules":
            self._usage.add(reply, prompt + user_message(TASK, context))
        return parse_reflection(reply.text, peers)

    def _note(self, reflection: Reflection, effects: Effects) -> None:
        record, changes = self.record, effects.beliefs
        record.summary = reflection.summary
        record.assessments = tuple(effects.assessments)
        record.peers_assessed = effects.assessed
        record.beliefs_added = tuple(changes.added)
        record.beliefs_reaffirmed = tuple(changes.reaffirmed)
        record.beliefs_expired = tuple(changes.expired)
        record.beliefs_revised = tuple(changes.revised)
        record.beliefs_updated = [*changes.added, *changes.reaffirmed]
        record.directives = tuple(effects.directives)
        record.dropped = (*record.dropped, *changes.refused)
        record.useful = effects.useful
        self._applied = True
        self._count()

    def _skip(self, status: str, reason: str) -> None:
        self.record.status, self.record.skip_reason = status, plain(reason, _REASON_LIMIT)
        self._count()

    def _count(self) -> None:
        usage = self._usage
        self._memory.cost.add(self.record.timestamp, usage.tokens_in, usage.tokens_out)
        if usage.counted or usage.tokens_in or usage.tokens_out:
            self.record.tokens_in, self.record.tokens_out = usage.tokens_in, usage.tokens_out


def _input_summary(gathered: Gathered, left_out: int) -> str:
    peers = gathered.context["peers"]
    interactions = sum(len(peer["recent"]) for peer in peers)
    counts = f"{many(len(peers), 'peer')}, {many(interactions, 'interaction')}"
    rest = f", {many(left_out, 'peer')} left out" if left_out else ""
    return f"{counts}, at most {gathered.tokens} tokens{rest}"
