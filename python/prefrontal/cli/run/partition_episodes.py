"""The loop of one partition: its wakes are attended to by the process that holds it.

The folder of the partition is the agent's workspace: ledger and texts that it names lie on the
server beside the decisions, and the partition's epochs fence all three.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ...assembly.attendance import Attendance, taught_through
from ...assembly.executive import build_executive
from ...assembly.frozen_moments import FrozenMoments
from ...clock import SystemClock
from ...decisions.log import DecisionLog
from ...errors import InputError, PrefrontalError
from ...executive.trust_standings import TrustStandings
from ...ledger.ledger import Ledger
from ...ledger.location import FILE_NAME, file_name, with_folder
from ...ledger.plugin import LedgerPlugin
from ...runtime.plugins.memory_files import MemoryFilesPlugin
from ...settings.home import Home
from ...storage.memory_table import MemoryTable
from ...storage.partitions.schema import partition_url
from ...storage.postgres_url import read_link, write_link
from ...storage.text_memory import table_path
from ..watch.partitions.plan import partition_folder
from ..watch.telemetry import say
from .live import ELSEWHERE, Attended
from .story import Story

if TYPE_CHECKING:
    from ...assembly.executive import BuiltExecutive
    from ...decisions.decision import Decision
    from ...storage.postgres_url import PostgresUrl
    from ..watch.hand_over import Handling
    from ..watch.partitions.plan import Fence, NodePlan
    from ..watch.screen import Screen
    from ..watch.session import WatchSession

log = logging.getLogger("prefrontal.partitions")


class EpisodeHome:
    """The role `PartitionHome`: ledger and texts of one partition, for its episodes.

    Arguments and errors: as of `OpenHome`.
    """

    def __init__(self, plan: NodePlan, number: int, fence: Fence, held: ExitStack) -> None:
        from .parts import RunOptions

        folder = Path(partition_folder(plan.state, number).path)
        self._options = RunOptions(plan.settings, Home(folder, plan.agent))
        self._as_json = plan.as_json
        self._held = held.enter_context(ExitStack())
        self._moments = FrozenMoments(SystemClock())
        url = partition_url(plan.url, number, "ledger")
        self._ledger = Ledger(
            linked(folder / FILE_NAME, url), clock=self._moments, fence=partial(fence, url)
        )
        self._held.callback(self._ledger.close)
        url = partition_url(plan.url, number, "memory")
        self._texts = MemoryTable(linked(table_path(folder), url))
        self._held.callback(self._texts.close)
        self._texts.write_for(partial(fence, url))
        self._trust = TrustStandings(plan.settings.executive.trust)
        self._trust.load(self._ledger.standings())

    @property
    def standings(self) -> TrustStandings | None:
        """What the ledger holds of peers; None where the gate does not follow it."""
        return self._trust if self._options.settings.executive.links.trust else None

    def handling(self, session: WatchSession, screen: Screen) -> Handling:
        """As of `PartitionHome`."""
        ground, settings = session.ground, self._options.settings
        built = self._options.executive(
            ground,
            self._trust,
            self._moments,
            ELSEWHERE,
            say,
            taught_through(ground.log),
            [LedgerPlugin(self._ledger), MemoryFilesPlugin(self._texts)],
        )
        self._held.callback(closed, built)
        as_json = self._as_json or session.output is not None
        story = Story(screen, say, session.state.path, as_json=as_json, whole=True)
        since = self._moments.now() - settings.executive.take_up_s
        attendance = Attendance(
            ground.log, built.executive, story, run=session.watch.run, since=since
        )
        return PartitionEpisodes(Attended(ground, attendance, story, say), attendance)


class PartitionEpisodes:
    """The role `Handling`, of a partition that may be given up at any time."""

    def __init__(self, attended: Attended, attendance: Attendance) -> None:
        self._attended = attended
        self._attendance = attendance

    def begin(self) -> None:
        """Take up what the holder before left."""
        self._attended.begin()

    def take(self, decision: Decision) -> None:
        self._attended.take(decision)

    def finish(self, timeout_s: float) -> bool:
        """Wait for the episode in hand; what waits in the log is the next holder's."""
        return self._attendance.stop(0.0, timeout_s)

    def summary(self) -> list[str]:
        return []


def check_episodes(plan: NodePlan) -> None:
    """Raises InputError or PluginError for settings that episodes of partitions cannot have."""
    settings = plan.settings
    if settings.executive.links.control:
        raise InputError(
            "executive.links.control must be off with --partitions: what it learns is kept in a"
            " file of one machine"
        )
    if file_name(plan.agent) != FILE_NAME:
        raise InputError(
            "ledger.path must be left out with --partitions: each partition has a ledger of its"
            " own, on the server"
        )
    with DecisionLog(":memory:") as store:
        build_executive(
            settings,
            store=store,
            moments=FrozenMoments(SystemClock()),
            waker=ELSEWHERE,
            ask=lambda _, __: None,
            config=plan.agent,
        ).close()


def linked(path: Path, url: PostgresUrl) -> Path:
    """A file of this machine that names that store. Raises SourceError."""
    path = with_folder(path)
    if read_link(path) != url:
        write_link(path, url)
    return path


def closed(built: BuiltExecutive) -> None:
    """Close it; what cannot be kept any more, since another holds the partition, is told."""
    try:
        built.close()
    except PrefrontalError as error:
        log.warning("not all that was known could be kept: %s", error)
