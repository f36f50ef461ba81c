"""A process that holds its share of the partitions, and gives up what others are due."""

from __future__ import annotations

import logging
import math
import signal
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from multiprocessing.connection import Connection
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from ....errors import PrefrontalError, SourceError
from ....storage.database import FencedError, this_process
from ....storage.partitions.membership import Membership
from ....storage.partitions.partition_inbox import InboxBell, PartitionInbox
from ....storage.partitions.partition_table import PartitionTable, PartitionView, share
from ....storage.partitions.schema import PART, open_shared
from ..screen import Screen
from ..session import SWITCH_S
from .held_partition import HeldPartition
from .node_figures import answer_node, figures_of
from .outage_log import log_to_stderr
from .plan import AUTO
from .shared_trust import SharedTrust, ledger_link

if TYPE_CHECKING:
    from ....executive.trust_standings import TrustStandings
    from .plan import NodePlan

LOOK_S = 0.25
FEW = 16
"""Members that look so often; more look less often, since each looks at all others."""
RETRY_S = 1.0
AT_ONCE = 8
"""Partitions that are opened or given back before it is looked again."""
OPENERS = 4
"""Threads that open them: most of that is waiting for the server."""

log = logging.getLogger("prefrontal.partitions")


def run_worker(plan: NodePlan, number: int, node: Connection, orphaned_s: float = 0.0) -> None:
    """Hold partitions until the node says so, or a signal comes; where the node is gone, for so
    long still.
    """
    ended = Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the node says so, too
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    log_to_stderr()
    sys.setswitchinterval(SWITCH_S)
    held: dict[int, HeldPartition] = {}
    args = node, ended, held, len(plan.modules), orphaned_s
    Thread(target=_serve_node, args=args, daemon=True).start()
    hold_share(plan, number, Screen("v2" if plan.as_json else None, ended.set), ended, held)


def hold_share(
    plan: NodePlan, number: int, screen: Screen, ended: Event, held: dict[int, HeldPartition]
) -> None:
    """Hold the partitions that worker `number` is due, in `held`, until `ended` is set."""
    while not ended.is_set():
        try:
            _Holder(plan, number, screen, ended, held).run()
        except PrefrontalError as error:
            log.warning("%s", error)
            ended.wait(RETRY_S)


def _serve_node(
    node: Connection,
    ended: Event,
    held: Mapping[int, HeldPartition],
    modules: int,
    orphaned_s: float,
) -> None:
    """Tell the node figures until it closes the connection; then end."""
    figures = lambda: figures_of({n: h.watch for n, h in list(held.items())}, modules)  # noqa: E731
    if not answer_node(node, figures):
        ended.wait(orphaned_s)
    ended.set()


class _Holder:
    """From joining the others to leaving them, or being counted as gone."""

    def __init__(
        self,
        plan: NodePlan,
        number: int,
        screen: Screen,
        ended: Event,
        held: dict[int, HeldPartition],
    ) -> None:
        self._plan = plan
        self._screen = screen
        self._ended = ended
        self._wanted = plan.wanted(number)
        self._name = this_process()
        self._held = held
        self._standings: TrustStandings | None = None
        self._complained_at = -math.inf
        self._members = 1

    def run(self) -> None:
        shared = self._plan.url.of_part(PART)
        with (
            closing(open_shared(self._plan.url, self._plan.count)) as database,
            ThreadPoolExecutor(OPENERS) as self._openers,
            ExitStack() as trusting,
        ):
            if (url := self._plan.ledger) is not None:
                path = ledger_link(self._plan.state, url)
                trust = SharedTrust(self._plan.settings.executive.trust, path)
                trusting.callback(trust.stop)
                self._standings = trust.standings
            self._inbox = PartitionInbox(database)
            self._member = Membership(shared, self._name, self._plan.role)
            self._table = PartitionTable(shared, self._member)
            bell = InboxBell(shared, self._ring)
            try:
                while not (self._ended.is_set() or self._member.lost.is_set()):
                    self._turn()
                    self._ended.wait(LOOK_S * max(1.0, self._members / FEW))
            finally:
                for held in self._held.values():
                    held.rest()
                list(self._openers.map(self._let_go, list(self._held)))
                bell.stop()
                self._table.close()
                self._member.leave()

    def _turn(self) -> None:
        """Drop what others hold since, give back what is too much, take what is free."""
        try:
            view = self._table.look(self._wanted, self._plan.role)
            for number in [n for n, each in self._held.items() if each.replaced.is_set()]:
                self._let_go(number)
            for number in self._held.keys() - set(view.held):
                self._let_go(number)
            self._members = view.members
            self._balance(view)
        except SourceError as error:
            if monotonic() - self._complained_at >= 60.0:
                self._complained_at = monotonic()
                log.warning("partitions cannot be looked at now: %s", error)

    def _balance(self, view: PartitionView) -> None:
        most = least = len(self._wanted)
        if self._plan.partitions == AUTO:
            most, least = share(self._wanted, view.members), share(self._wanted, view.settled)
        too_many = max(0, len(self._held) - least)
        for number in sorted(self._held, reverse=True)[: min(too_many, AT_ONCE)]:
            self._let_go(number)
            self._table.give_back(number)
        room = min(most - len(self._held), AT_ONCE)
        numbers: list[int] = []
        for number in view.free:
            if len(numbers) < room and number not in self._held and self._table.take(number):
                numbers.append(number)
        list(self._openers.map(self._open, numbers))

    def _open(self, number: int) -> None:
        try:
            held = HeldPartition(
                number, self._plan, self._table, self._inbox, self._screen, self._standings
            )
        except FencedError:
            return
        except BaseException:
            with suppress(SourceError):
                self._table.give_back(number)
            raise
        self._held[number] = held
        held.start()

    def _let_go(self, number: int) -> None:
        self._held.pop(number).stop()

    def _ring(self, numbers: set[int]) -> None:
        for number in numbers:
            if (held := self._held.get(number)) is not None:
                held.source.ring()
