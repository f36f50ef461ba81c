"""The streams of an installation, read by one of its nodes at a time."""

from __future__ import annotations

import logging
from threading import Event, Thread
from typing import TYPE_CHECKING

from ....errors import PrefrontalError
from ....storage.database import this_process
from ....storage.partitions.membership import Membership
from ....storage.partitions.partition_table import PartitionTable
from ....storage.partitions.schema import PART, STREAMS
from ..sources import streams

if TYPE_CHECKING:
    from ....protocols import Source
    from .intake import PartitionIntake
    from .plan import NodePlan

ROLE = "door"
LOOK_S = 0.5
RETRY_S = 1.0

log = logging.getLogger("prefrontal.partitions")


class StreamDuty:
    """Reads the streams while no other node does; a thread looks, until `stop`.

    Where each was read to is committed with the rows of the inbox, for who still has the duty.
    """

    def __init__(self, plan: NodePlan, intake: PartitionIntake) -> None:
        self._plan = plan
        self._intake = intake
        self._sources: list[Source] = []
        self._ended = Event()
        self._thread = Thread(target=self._run, name="prefrontal-streams", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self._take_part()
            except PrefrontalError as error:
                log.warning("streams are not read: %s", error)
                self._ended.wait(RETRY_S)

    def _take_part(self) -> None:
        shared = self._plan.url.of_part(PART)
        member = Membership(shared, this_process(), ROLE)
        table = PartitionTable(shared, member)
        try:
            while not (self._ended.is_set() or member.lost.is_set()):
                view = table.look([STREAMS], ROLE)
                if view.free and table.take(STREAMS):
                    self._begin(member.id)
                elif not view.held:
                    self._leave()
                self._ended.wait(LOOK_S)
        finally:
            self._leave()
            table.close()
            member.leave()

    def _begin(self, member: int) -> None:
        self._intake.holder = STREAMS, member
        self._sources = list(streams(self._plan.settings))
        for source in self._sources:
            source.start(self._intake)

    def _leave(self) -> None:
        for source in self._sources:
            source.stop()
        self._sources = []
