"""One reflection, from the trigger to the record."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import PrefrontalError
from ...plugin.asking import context_text, user_message
from ...plugin.waiting import wait_for
from ...protocols import ReflectionReply, Reflector
from ..context.context import Gathered, fit
from ..context.prompt import TASK, system_prompt
from ..models import Reflection, ReflectionRecord
from ..reflectors import triage
from ..reflectors.rules import RulesReflector
from ..reflectors.subagent import ReflectorUnavailableError, choose
from ..reflectors.usage import Usage
from ..reply import batching
from ..reply.parsing import ParseError, parse_reflection
from .applying import Applied, apply
from .gathering import gather

if TYPE_CHECKING:
    from .life import CortexLife

_SHOWN = 200_000


class Cycle:
    """Runs once: `run` gives the record, whatever happens short of cancellation."""

    def __init__(self, cortex: CortexLife, number: int, triggers: tuple[str, ...]) -> None:
        self._cortex = cortex
        self._settings = cortex.settings
        self._number = number
        self._usage = Usage()
        self._done = False
        self._begun = cortex.clock.monotonic()
        self.record = ReflectionRecord(
            cycle=number,
            timestamp=cortex.clock.now(),
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
            if not self._done:
                self._skip("stopped", "the agent stops")
            raise
        except TimeoutError:
            limit = self._settings.reflection_timeout_seconds
            self._warn(f"Reflection timed out after {limit:g}s, skipping cycle {self._number}")
            self._skip("timeout", f"no answer in {limit:g}s")
        except ParseError as error:
            self._warn(f"Failed to parse cortex output, skipping cycle {self._number}")
            self._skip("parse", str(error))
        except ReflectorUnavailableError as error:
            self._warn(f"Subagent unavailable, skipping cycle {self._number}")
            self._skip("unavailable", str(error))
        except Exception as error:  # noqa: BLE001 - no failure here may reach the agent's loop
            self._cortex.log_error(f"Reflection failed, skipping cycle {self._number}: {error!r}")
            self._skip("error", repr(error))
        finally:
            self.record.elapsed_seconds = self._cortex.clock.monotonic() - self._begun
        return self.record

    async def _reflect(self, mark: int) -> None:
        cortex, record = self._cortex, self.record
        material, beyond = await gather(cortex, record.triggers, cortex.buffer.until(mark))
        prompt = system_prompt(cortex.registry.agent_id, getattr(cortex.ledger, "score_guide", ""))
        gathered = fit(material, self._settings.max_context_tokens, prompt, TASK)
        self.left_out = (*gathered.left_out, *beyond)
        record.input_summary = _described(gathered, len(self.left_out))
        for note in gathered.notes:
            self._warn(f"max_context_tokens is too small: {note}")
        cortex.log_debug(f"Reflection context: {context_text(gathered.context)}")
        reflection = await self._asked(gathered, prompt)
        record.dropped = reflection.dropped
        for each in reflection.dropped:
            self._warn(f"Left out of the reflection: {each}")
        work = asyncio.create_task(
            apply(cortex, self._number, reflection, gathered, self._provenance)
        )
        try:
            await asyncio.shield(work)
        finally:  # what was begun is brought to its end, even when the agent stops
            await asyncio.wait([work])
            self._note(reflection, work.result())

    @property
    def _provenance(self) -> str:
        return "rules" if self.record.depth == "rules" else "reflection"

    async def _asked(self, gathered: Gathered, prompt: str) -> Reflection:
        """The reflection, within the time of one cycle, or of the rules when they fall in."""
        limit = self._settings.reflection_timeout_seconds
        try:
            return await wait_for(self._ask(gathered, prompt, limit), limit, self._cortex.clock)
        except (TimeoutError, ReflectorUnavailableError) as error:
            if self._settings.fallback != "rules":
                raise
            why = str(error) or "no answer in time"
            self._warn(f"The rules reflect in cycle {self._number}: {why}")
        self.record.depth = "rules"
        rules = RulesReflector(self._settings.rules, self._settings.sharing.weight)
        return await self._one(rules, gathered.context, gathered.peers, prompt, limit)

    async def _ask(self, gathered: Gathered, prompt: str, limit: float) -> Reflection:
        cortex, settings = self._cortex, self._settings
        reflector = choose(settings, cortex.registry, cortex.reflectors)
        if reflector is None:
            raise ReflectorUnavailableError("no plugin provides a subagent")
        if settings.triage.depth != "deep":
            level = await triage.decide(
                settings,
                gathered.context,
                registry=cortex.registry,
                factories=cortex.reflectors,
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
            self._usage.asked(prompt + user_message(TASK, context))
            raise
        except ReflectorUnavailableError:
            raise
        except PrefrontalError as error:
            raise ReflectorUnavailableError(str(error)) from error
        self.record.model = reply.model
        self._cortex.log_debug(f"Reflection response: {reply.text[:_SHOWN]}")
        if self.record.depth != "rules":
            self._usage.add(reply, prompt + user_message(TASK, context))
        return parse_reflection(reply.text, peers)

    def _note(self, reflection: Reflection, applied: Applied) -> None:
        record, changes = self.record, applied.beliefs
        record.summary = reflection.summary
        record.assessments = tuple(applied.assessments)
        record.peers_assessed = applied.assessed
        record.beliefs_added = tuple(changes.added)
        record.beliefs_reaffirmed = tuple(changes.reaffirmed)
        record.beliefs_expired = tuple(changes.expired)
        record.beliefs_revised = tuple(changes.revised)
        record.beliefs_updated = [*changes.added, *changes.reaffirmed]
        record.directives = tuple(applied.directives)
        record.dropped = (*record.dropped, *changes.refused)
        record.useful = applied.useful
        self._done = True
        self._count()

    def _skip(self, status: str, reason: str) -> None:
        self.record.status, self.record.skip_reason = status, reason
        self._count()

    def _count(self) -> None:
        usage = self._usage
        self._cortex.cost.add(self.record.timestamp, usage.tokens_in, usage.tokens_out)
        if usage.counted or usage.tokens_in or usage.tokens_out:
            self.record.tokens_in, self.record.tokens_out = usage.tokens_in, usage.tokens_out

    def _warn(self, message: str) -> None:
        self._cortex.log_warn(message)


def _described(gathered: Gathered, left_out: int) -> str:
    peers = gathered.context["peers"]
    shown = sum(len(each["recent"]) for each in peers)
    more = f", {_counted(left_out, 'peer')} left out" if left_out else ""
    told = f"{_counted(len(peers), 'peer')}, {_counted(shown, 'interaction')}"
    return f"{told}, at most {gathered.tokens} tokens{more}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
