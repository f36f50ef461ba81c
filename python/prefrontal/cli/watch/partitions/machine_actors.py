"""A node's workers on the machines of a Ray cluster: an actor each begins the machine's share."""

from __future__ import annotations

import logging
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from .... import __version__
from ....errors import SourceError
from ....ray_cluster import first_line
from .placement import dealt

if TYPE_CHECKING:
    from .node_figures import FiguresOfPartitions
    from .plan import NodePlan

FIRST_S = 120.0
"""For the first actor to come up, where Ray may have to start processes on a busy machine."""
OTHERS_S = 10.0
"""For the others to come up, too, before the workers are dealt to those that are."""
STOP_S = 25.0
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
    """machine: that it is on, as Ray names it. workers: that it runs, as it said last. calls: what
    it will answer, and the workers that each call asks for, None for the one that waits for its
    end. since: monotonic time at which it was begun, or ended by itself. ends: the last of these
    times.
    """

    machine: str
    handle: Any
    since: float
    workers: set[int] = field(default_factory=set)
    calls: dict[Any, set[int] | None] = field(default_factory=dict)
    is_up: bool = False
    ends: deque[float] = field(default_factory=lambda: deque(maxlen=OFTEN))


class MachineActors:
    """The role of `NodeWorkers`: the workers of the plan on all machines, until `stop`.

    ray: connected. Who holds a partition is decided by PostgreSQL alone: a worker that Ray lost, or
    has twice, writes nothing. Raises SourceError where no actor can begin.
    """

    kind = "processes that Ray places"

    def __init__(self, plan: NodePlan, ray: Any) -> None:
        from .machine_actor import MachineActor

        plan.check()  # reads settings and modules, which go along
        _ = plan.sinks, plan.ledger, plan.agent
        self._ray = ray
        self._plan = plan
        self._class = ray.remote(MachineActor)
        self._ended = Event()
        self._actors = {machine: self._begun(machine) for machine in self._machines()}
        self._wait_for_first()
        self._thread = Thread(target=self._run, name="prefrontal-actors", daemon=True)
        self._thread.start()

    def stop(self) -> bool:
        """Whether all ended by themselves."""
        self._ended.set()
        self._thread.join()
        finished = False
        with suppress(self._ray.exceptions.RayError, RuntimeError, OSError):
            ends = [actor.handle.end.remote() for actor in self._actors.values()]
            finished = all(self._ray.get(ends, timeout=STOP_S))
        with suppress(self._ray.exceptions.RayError, RuntimeError, OSError):
            for actor in self._actors.values():
                self._kill(actor)
        return finished

    def figures(self, timeout_s: float) -> dict[int, FiguresOfPartitions | None]:
        """What each worker says, by its number; None for one whose machine does not answer."""
        answers: dict[int, FiguresOfPartitions | None] = dict.fromkeys(range(self._plan.workers))
        with suppress(self._ray.exceptions.RayError, RuntimeError, OSError):
            calls = [
                actor.handle.figures.remote(timeout_s / 2)
                for actor in list(self._actors.values())
                if actor.is_up
            ]
            ready, _ = self._ray.wait(calls, num_returns=len(calls) or 1, timeout=timeout_s)
            for call in ready:
                with suppress(self._ray.exceptions.RayError):
                    figures = self._ray.get(call)
                    answers |= {n: each for n, each in figures.items() if each is not None}
        return answers

    def _wait_for_first(self) -> None:
        actors = list(self._actors.values())
        calls = [actor.handle.hold.remote([]) for actor in actors]
        ready, _ = self._ray.wait(calls, num_returns=1, timeout=FIRST_S)
        fault = None if ready else f"none is there after {FIRST_S:.0f} s"
        try:
            self._ray.get(ready)
        except self._ray.exceptions.RayError as error:
            fault = why(error)
        if fault:
            for actor in actors:
                self._kill(actor)
            raise SourceError(f"Ray could begin no actor: {fault}")
        ready, _ = self._ray.wait(calls, num_returns=len(calls), timeout=OTHERS_S)
        for actor, call in zip(actors, calls, strict=True):
            with suppress(self._ray.exceptions.RayError):
                actor.is_up = call in ready and self._ray.get(call) is None

    def _machines(self) -> list[str]:
        """Those that live."""
        machines = sorted(each["NodeID"] for each in self._ray.nodes() if each["Alive"])
        if not machines:
            raise SourceError("Ray must have a machine that lives, and has none")
        return machines

    def _begun(self, machine: str) -> PlacedActor:
        """A new actor on that machine."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        handle = self._class.options(
            num_cpus=0,
            max_restarts=-1,
            max_concurrency=CALLS,
            scheduling_strategy=NodeAffinitySchedulingStrategy(machine, soft=False),
        ).remote(self._plan, __version__)
        return PlacedActor(machine, handle, monotonic())

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self._see_machines()
                self._deal()
                self._look()
            except (self._ray.exceptions.RayError, SourceError, RuntimeError, OSError) as error:
                log.warning("Ray cannot be asked now: %s", first_line(error))
                self._ended.wait(LOOK_S)

    def _see_machines(self) -> None:
        """Begin an actor on each that joined; forget those of machines that are gone."""
        machines = self._machines()
        for machine in self._actors.keys() - set(machines):
            log.warning("Ray lost a machine; its workers begin on others")
            self._kill(self._actors.pop(machine))
        for machine in machines:
            if machine not in self._actors:
                self._actors[machine] = self._begun(machine)

    def _deal(self) -> None:
        """Ask each for its share: who is to run more first, so that nothing is let go of before."""
        up = [actor for actor in self._actors.values() if actor.is_up or actor.workers]
        if not up:
            return
        shares = dealt(range(self._plan.workers), {each.machine: each.workers for each in up})
        gaining = [each for each in up if shares[each.machine] - each.workers]
        for actor in gaining or up:
            share = shares[actor.machine]
            wanted = share | actor.workers if gaining else share
            is_asked = any(each is not None for each in actor.calls.values())
            if actor.is_up and wanted != actor.workers and not is_asked:
                actor.calls[actor.handle.hold.remote(sorted(wanted))] = wanted

    def _look(self) -> None:
        """Wait for news of the actors, and see to those that ended."""
        for actor in self._actors.values():
            if not actor.calls and (actor.is_up or monotonic() >= actor.since + LOOK_S):
                actor.calls = {actor.handle.wait.remote(): None}
                if not actor.is_up:  # begun again, it runs none
                    actor.calls[actor.handle.hold.remote(sorted(actor.workers))] = actor.workers
        calls = {call: actor for actor in self._actors.values() for call in actor.calls}
        if not calls:
            self._ended.wait(LOOK_S)
            return
        ready, _ = self._ray.wait(list(calls), num_returns=1, timeout=LOOK_S)
        for call in ready:
            actor = calls[call]
            if call not in actor.calls:
                continue  # it ended, as another call said
            try:
                self._ray.get(call)
            except self._ray.exceptions.RayError as error:
                self._note_end(actor, error)
            else:
                share = actor.calls.pop(call)
                actor.workers = actor.workers if share is None else share
                actor.is_up = True

    def _note_end(self, actor: PlacedActor, error: Exception) -> None:
        """Ask it again later. Say that it ended; where it does so often, or stays away, say why."""
        now = monotonic()
        actor.calls = {}
        if actor.is_up:
            actor.is_up, actor.since = False, now
            actor.ends.append(now)
            log.warning("an actor ended, and Ray begins it again; its workers go on meanwhile")
            if len(actor.ends) == OFTEN and now - actor.ends[0] < MINUTE_S:
                words = "an actor ended %d times within a minute: %s"
                log.warning(words, OFTEN, why(error))
                actor.ends.clear()
        elif now - actor.since >= ANEW_S:
            words = "an actor did not come up for %.0f s, and is made anew: %s"
            log.warning(words, ANEW_S, why(error))
            self._kill(actor)
            self._actors[actor.machine] = self._begun(actor.machine)
        else:
            self._ended.wait(LOOK_S / 10)  # it is being begun

    def _kill(self, actor: PlacedActor) -> None:
        self._ray.kill(actor.handle, no_restart=True)


def why(error: Exception) -> str:
    """What an error of Ray says; of one in the actor's making, its last line."""
    lines = str(error).strip().splitlines()
    return (lines[-1] if "creation task" in str(error) else first_line(error))[:300]
