"""A model that reflects on ratings: asked as a running cortex asks it, one peer at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from ...clock import Clock, SystemClock
from ...plain_text import visible
from ...plugin.asking import user_message
from ...plugin.waiting import wait_for
from ...redaction import redact
from ..context.material import Gathered, Material, PeerMaterial, fit
from ..context.prompt import TASK, system_prompt
from ..reflectors.usage import Usage
from ..reply.parsing import parse_reflection
from .proposals import Proposal

if TYPE_CHECKING:
    from ...protocols import ReflectionReply, Reflector
    from ...settings.cortex import CortexSettings
    from ..models import Reflection
    from .ratings import Rating


class PeerMemory(Protocol):
    """What a question needs of the ledger."""

    def get_peer_assessment_summary(self, peer_id: str, interactions: int = 0) -> dict[str, Any]:
        """As `protocols.PeerLedger` says."""
        ...


class Scene(Protocol):
    """The replay in which questions arise."""

    @property
    def ledger(self) -> PeerMemory: ...

    def statistics(self, peer_id: str) -> Mapping[str, Any]:
        """As `TriggerEngine.statistics` says."""
        ...


class Questions:
    """Asks the reflector, in one event loop for all questions, and counts the cost.

    settings: the cortex's own; give window, bounds and time limit. clock: of the time
    limit. end: awaited on leaving the context. usage: tokens of all questions. failed: how many
    had no answer that could be used; failure: why the last of them had none. model: who answered
    last.
    """

    def __init__(
        self,
        reflector: Reflector,
        settings: CortexSettings,
        *,
        agent_name: str = "agent",
        score_guide: str = "",
        clock: Clock | None = None,
        end: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.prompt = system_prompt(agent_name, score_guide)
        self.settings = settings
        self.usage = Usage()
        self.asked = 0
        self.failed = 0
        self.failure = ""
        self.model = ""
        self._reflector = reflector
        self._clock = clock or SystemClock()
        self._end = end
        self._runner = asyncio.Runner()

    def __enter__(self) -> Questions:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if self._end is not None:
                self._runner.run(_awaited(self._end()))
        finally:
            self._runner.close()

    def proposer(self, scene: Scene) -> Asking:
        """Who proposes in that replay."""
        return Asking(self, scene)

    def gathered(
        self, scene: Scene, peer_id: str, activity: int, now: float, triggers: tuple[str, ...]
    ) -> Gathered:
        """The context of a question about that peer alone."""
        settings = self.settings
        numbers = {
            name: value
            for name, value in scene.statistics(peer_id).items()
            if isinstance(value, int | float)
        }
        summary = scene.ledger.get_peer_assessment_summary(peer_id, settings.context_window)
        peer = PeerMaterial(peer_id, summary, activity, numbers)
        material = Material(triggers[0], triggers, now, [peer])
        return fit(material, settings.max_context_tokens, self.prompt, TASK)

    def text(self, gathered: Gathered) -> str:
        """All that a model reads for it."""
        return self.prompt + user_message(TASK, gathered.context)

    def ask(self, gathered: Gathered) -> Reflection | None:
        """The reflection; None, counted, when it is unusable or late.

        Ctrl-C ends the question and is raised as KeyboardInterrupt.
        """
        self.asked += 1
        question = self.text(gathered)
        try:
            reply = self._runner.run(self._reply(gathered.context))
            self.model = visible(redact(reply.model), 80)
            self.usage.add(reply, question)
            return parse_reflection(reply.text, gathered.peers)
        except TimeoutError:
            self.usage.add_unanswered(question)
            self._fail(f"no answer in {self.settings.reflection_timeout_seconds:g} s")
        except KeyboardInterrupt:
            self.asked -= 1
            self.usage.add_unanswered(question)
            raise
        except Exception as error:  # noqa: BLE001 - a reflector may be anybody's
            self._fail(str(error) or repr(error))
        return None

    async def _reply(self, context: Mapping[str, Any]) -> ReflectionReply:
        settings = self.settings
        limit = settings.reflection_timeout_seconds
        reply = self._reflector.reflect(
            task=TASK,
            context=context,
            system_prompt=self.prompt,
            timeout_s=limit,
            max_tokens=settings.max_output_tokens,
        )
        return await wait_for(reply, limit, self._clock)

    def _fail(self, why: str) -> None:
        self.failed += 1
        self.failure = visible(redact(why), 300)


class Asking:
    """A `Proposer` that asks."""

    def __init__(self, questions: Questions, scene: Scene) -> None:
        self._questions = questions
        self._scene = scene

    def propose(
        self, peer_id: str, new: Sequence[Rating], now: float, triggers: tuple[str, ...] = ()
    ) -> Proposal | None:
        """What the reflector proposes for the peer; None when it proposes nothing or fails."""
        causes = triggers or ("manual",)
        gathered = self._questions.gathered(self._scene, peer_id, len(new), now, causes)
        reflection = self._questions.ask(gathered)
        if reflection is None:
            return None
        for each in reflection.assessments:
            if each.peer_id == peer_id:
                return Proposal(max(-10, min(10, each.trust)), each.rationale)
        return None


async def _awaited(what: Awaitable[None]) -> None:
    await what
