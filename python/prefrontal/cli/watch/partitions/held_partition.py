"""One partition at work: its store, its modules, its gate and what it owes."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from ....decisions.log import DecisionLog
from ....pulse.shells.watch import Watch
from ....pulse.sinks.outbox import Outbox
from ....pulse.sources.partition_source import PartitionSource
from ....storage.partitions.schema import partition_url
from ....storage.postgres_url import read_link, write_link
from ..hand_over import Handling, HandOver
from ..session import KEEP_REFUSALS_DAYS, Ground, WatchSession
from ..sinks import configured_sinks
from ..telemetry import say
from .plan import NodePlan, partition_folder

if TYPE_CHECKING:
    from ....protocols import Standings
    from ....storage.partitions.partition_inbox import PartitionInbox
    from ....storage.partitions.partition_table import PartitionTable
    from ..screen import Screen
    from .plan import PartitionHome

EPISODE_S = 12.0
"""An episode in hand is waited for so long when its partition is given up; a node waits 20 s for
all its processes."""

log = logging.getLogger("prefrontal.partitions")


class HeldPartition:
    """A watch of the partition's modules, from `start` to `stop`, for a member that holds it.

    standings: how far who is behind a signal is trusted, where no home says so. Raises SourceError,
    FencedError when another holds it since.
    """

    def __init__(
        self,
        number: int,
        plan: NodePlan,
        table: PartitionTable,
        inbox: PartitionInbox,
        screen: Screen,
        standings: Standings | None = None,
    ) -> None:
        self.number = number
        self.replaced = Event()
        with ExitStack() as held:
            url = partition_url(plan.url, number)
            state = partition_folder(plan.state, number)
            state.make()
            if read_link(state.decisions) != url:
                write_link(state.decisions, url)
            sinks = configured_sinks(plan.settings, plan.sinks, held)
            keys = [key for key, _, _ in sinks.durable]
            home: PartitionHome | None = None
            if plan.home is not None:  # wakes go to sinks only where its episodes ask for it
                home, keys = plan.home(plan, number, partial(table.fence, number), held), []
                standings = home.standings
            decisions = held.enter_context(DecisionLog(state.decisions, owed_to=keys))
            decisions.own(table.fence(number, url))
            decisions.prune(KEEP_REFUSALS_DAYS)
            outbox = Outbox(decisions, sinks.durable)
            held.callback(outbox.close)
            modules = tuple(plan.modules_of(number))
            self.source = PartitionSource(inbox, number)
            watch = Watch(
                plan.gate_of(number),
                decisions,
                sources=[self.source],
                poll=True,
                standings=standings,
            )
            for module in modules:
                watch.add(module)
            ground = Ground(state, (), modules, sinks, decisions, outbox)
            self._session = WatchSession(watch, ground, held.pop_all())
            try:
                self._handling: Handling = (
                    HandOver(self._session, screen, say)
                    if home is None
                    else home.handling(self._session, screen)
                )
            except BaseException:
                self._session.stop()
                raise
        watch.on_wake(self._handling.take)
        watch.on_replaced(self.replaced.set)

    @property
    def watch(self) -> Watch:
        return self._session.watch

    def start(self) -> None:
        self._session.start()
        self._handling.begin()

    def rest(self) -> None:
        """Begin no other episode."""
        self._handling.finish(0.0)

    def stop(self) -> None:
        """Wait for the episode in hand, decide what was handed in, save, and let go of the store.

        Meanwhile it goes on deciding. One that was replaced does not wait.
        """
        self._handling.finish(0.0 if self.replaced.is_set() else EPISODE_S)
        self._session.stop()
