"""A node's workers as actors of a Ray cluster: placed evenly, and begun again where they ended."""

from __future__ import annotations

import logging
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from .... import __version__
from ....errors import SourceError
from ....ray_cluster import first_line

if TYPE_CHECKING:
    from .node_figures import WorkerLine
    from .plan import NodePlan

FIRST_S = 120.0
"""For the first actor to come up, where Ray may have to start processes on a busy machine."""
STOP_S = 20.0
LOOK_S = 0.5
MINUTE_S = 60.0
OFTEN = 5
"""Ends of an actor within a minute after which it is told that it keeps ending."""
CALLS = 16
"""At a time in an actor: one waits for its end, and one more after each break of the network."""
ANEW_S = 30.0
"""An actor that did not come up for so long is given up, and another one is made."""

log = logging.getLogger("prefrontal.partitions")


@dataclass
class PlacedActor:
    """number: of the worker. node: the machine that it is on, or was asked to be on. calls: what it
    will answer. since: monotonic time at which it was begun, or ended by itself. ends: the last of
    these times.
    """

    number: int
    handle: Any
    node: str
    since: float
    calls: list[Any] = field(default_factory=list)
    is_up: bool = False
    ends: deque[float] = field(default_factory=lambda: deque(maxlen=OFTEN))


class PartitionActors:
    """The role of `Workers`: an actor a worker of the plan, until `stop`.

    ray: connected. Who holds a partition is decided by PostgreSQL alone: an actor that Ray lost, or
    made twice, writes nothing. Raises SourceError where no actor can begin.
    """

    kind = "actors of Ray"

    def __init__(self, plan: NodePlan, ray: Any) -> None:
        from .partition_actor import PartitionActor

        plan.check()  # reads settings and modules, which go along
        _ = plan.sinks, plan.ledger, plan.agent
        self._ray = ray
        self._plan = plan
        self._class = ray.remote(PartitionActor)
        self._ended = Event()
        nodes = self._nodes()
        self._actors = [
            self._placed(number, nodes[number % len(nodes)]) for number in range(plan.workers)
        ]
        self._wait_for_first()
        self._thread = Thread(target=self._run, name="prefrontal-actors", daemon=True)
        self._thread.start()

    def stop(self) -> bool:
        """Whether all ended by themselves."""
        self._ended.set()
        self._thread.join()
        late: list[Any] = []
        with suppress(self._ray.exceptions.RayError, RuntimeError, OSError):
            ends = [actor.handle.end.remote() for actor in self._actors]
            _, late = self._ray.wait(ends, num_returns=len(ends), timeout=STOP_S)
            self._kill(self._actors)
        return not late

    def lines(self) -> list[tuple[int, WorkerLine]]:
        """None: actors tell no figures."""
        return []

    def _wait_for_first(self) -> None:
        places = [actor.handle.place.remote() for actor in self._actors]
        ready, _ = self._ray.wait(places, num_returns=1, timeout=FIRST_S)
        fault = None if ready else f"none is there after {FIRST_S:.0f} s"
        try:
            self._ray.get(ready)
        except self._ray.exceptions.RayError as error:
            fault = why(error)
        if fault:
            self._kill(self._actors)
            raise SourceError(f"Ray could begin no actor: {fault}")

    def _nodes(self) -> list[str]:
        """The machines that live."""
        nodes = sorted(each["NodeID"] for each in self._ray.nodes() if each["Alive"])
        if not nodes:
            raise SourceError("Ray must have a machine that lives, and has none")
        return nodes

    def _placed(self, number: int, node: str) -> PlacedActor:
        """A new actor on that machine, or on another one where that is gone."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        handle = self._class.options(
            num_cpus=0,
            max_restarts=-1,
            max_concurrency=CALLS,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=True),
        ).remote(self._plan, number, __version__)
        return PlacedActor(number, handle, node, monotonic())

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self._look()
                self._level()
            except (self._ray.exceptions.RayError, SourceError, RuntimeError, OSError) as error:
                log.warning("Ray cannot be asked now: %s", first_line(error))
                self._ended.wait(LOOK_S)

    def _look(self) -> None:
        """Wait for news of the actors, and see to those that ended."""
        for actor in self._actors:
            if not actor.calls and (actor.is_up or monotonic() >= actor.since + LOOK_S):
                actor.calls = [actor.handle.place.remote(), actor.handle.wait.remote()]
        calls = {call: actor for actor in self._actors for call in actor.calls}
        if not calls:
            self._ended.wait(LOOK_S)
            return
        ready, _ = self._ray.wait(list(calls), num_returns=1, timeout=LOOK_S)
        for call in ready:
            actor = calls[call]
            if call not in actor.calls:
                continue  # it ended, as another call said
            try:
                node = self._ray.get(call)
            except self._ray.exceptions.RayError as error:
                self._note_end(actor, error)
            else:
                actor.calls.remove(call)
                actor.node, actor.is_up = node or actor.node, True

    def _note_end(self, actor: PlacedActor, error: Exception) -> None:
        """Ask it again later. Say that it ended; where it does so often, or stays away, say why."""
        now = monotonic()
        actor.calls = []
        if actor.is_up:
            actor.is_up, actor.since = False, now
            actor.ends.append(now)
            log.warning("worker %d ended, and Ray begins it again", actor.number)
            if len(actor.ends) == OFTEN and now - actor.ends[0] < MINUTE_S:
                words = "worker %d ended %d times within a minute: %s"
                log.warning(words, actor.number, OFTEN, why(error))
                actor.ends.clear()
        elif now - actor.since >= ANEW_S:
            words = "worker %d did not come up for %.0f s, and is made anew: %s"
            log.warning(words, actor.number, ANEW_S, why(error))
            self._replace(actor, actor.node)
        else:
            self._ended.wait(LOOK_S / 10)  # it is being begun

    def _replace(self, actor: PlacedActor, node: str) -> None:
        """Begin its successor on that machine, which may take what it lets go of; then end it."""
        after = self._placed(actor.number, node)
        self._actors[self._actors.index(actor)] = after
        with suppress(self._ray.exceptions.RayError):
            self._await(after.handle.place.remote(), ANEW_S)
            self._await(actor.handle.end.remote(), STOP_S)
        self._kill([actor])

    def _await(self, call: Any, most_s: float) -> None:
        """Wait for the answer, until that long passed, or all is to end."""
        last = monotonic() + most_s
        while not self._ended.is_set() and monotonic() < last:
            ready, _ = self._ray.wait([call], timeout=LOOK_S)
            if ready:
                self._ray.get(call)
                return

    def _level(self) -> None:
        """Move an actor from the machine with most to the one with fewest, where they differ."""
        counts = Counter(dict.fromkeys(self._nodes(), 0))
        counts.update(actor.node for actor in self._actors if actor.node in counts)
        most, fewest = max(counts, key=counts.__getitem__), min(counts, key=counts.__getitem__)
        if counts[most] - counts[fewest] >= 2 and all(actor.is_up for actor in self._actors):
            self._replace(next(a for a in reversed(self._actors) if a.node == most), fewest)

    def _kill(self, actors: list[PlacedActor]) -> None:
        for actor in actors:
            self._ray.kill(actor.handle, no_restart=True)


def why(error: Exception) -> str:
    """What an error of Ray says; of one in the actor's making, its last line."""
    lines = str(error).strip().splitlines()
    return (lines[-1] if "creation task" in str(error) else first_line(error))[:300]
