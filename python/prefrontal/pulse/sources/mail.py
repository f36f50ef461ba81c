"""New messages of a mailbox as signals: who wrote, and the subject."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING

from ...clock import Clock, SystemClock
from ...errors import PrefrontalError, SourceError
from .imap_session import ImapAddress, ImapSession, LoginError
from .mail_message import ITEMS, MailMessage, read_message
from .source_place import SourcePlace
from .source_thread import SourceThread

if TYPE_CHECKING:
    from threading import Event

    from .running import Push

RENEW_S = 540.0
"""A wait for news is begun anew so often: servers and routers forget connections that are still."""
ASK_S = 60.0
"""A server without IDLE is asked so often."""
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 300.0
STEADY_S = 60.0
"""A connection that lasted so long was a good one: the next wait is the first again."""
BATCH = 100
REMEMBERED = 500
"""Messages that are known again when their numbers are not valid any more."""

log = logging.getLogger("prefrontal.pulse")


@dataclass(frozen=True, slots=True)
class MailMark:
    """Up to where a mailbox was told. next: the first number (UID) that was not.

    validity: of the numbers. newest: when the newest message came, Unix seconds. ids: digests of
    the newest messages' ids.
    """

    validity: int
    next: int
    newest: float = 0.0
    ids: tuple[str, ...] = field(default=())


class MailSource:
    """Waits for new messages of one folder, with IDLE where the server can, on a thread of its own.

    An event has the source "mail", USER/FOLDER as location and "received" as delta type; features:
    actor (who wrote), sender (the address alone), text (the subject), to, list and size_bytes.
    Nothing but these headers is asked for, and nothing is changed: a message stays unread. Those
    there at the first start are no event; later starts go on where the gate's decisions end, also
    when the server numbers its messages anew (UIDVALIDITY): then by when they came and their ids.
    """

    def __init__(
        self,
        address: ImapAddress,
        *,
        first_wait_s: float = FIRST_WAIT_S,
        clock: Clock | None = None,
    ) -> None:
        self._address = address
        self._first_wait_s = first_wait_s
        self._clock = SystemClock() if clock is None else clock
        self._thread = SourceThread(f"prefrontal-mail {address.name}", self._run, self._hang_up)
        self._outlet = self._thread.outlet
        self._place = SourcePlace(f"place mail {address.host!a} {address.name!a}", self._outlet)
        self._mark: MailMark | None = None
        self._lock = Lock()
        self._session: ImapSession | None = None
        self._connections = self._failures = self._in_a_row = self._malformed = 0
        self._last_error = ""

    def start(self, push: Push) -> None:
        """Connect, and hand on what is new from then on."""
        self._thread.start(push)

    def stop(self, timeout_s: float = 5.0) -> None:
        """Hang up."""
        self._thread.stop(timeout_s)

    def caught_up(self, timeout_s: float) -> bool:
        """Wait for the first look; whether all there was has been handed on."""
        return self._thread.looked.wait(timeout_s) and not self._in_a_row

    def status(self) -> dict[str, object]:
        """mailbox, whether it is connected, messages that were none, and what went wrong."""
        return {
            "mailbox": self._address.name,
            "running": self._thread.is_running,
            "connected": self._session is not None,
            "connections": self._connections,
            "malformed": self._malformed,
            "errors": self._failures,
            "last_error": self._last_error,
            **self._outlet.counts(),
        }

    def _hang_up(self) -> None:
        with self._lock:
            session = self._session
        if session is not None:
            session.hang_up()

    def _run(self, end: Event) -> None:
        wait_s = self._first_wait_s
        while not end.is_set():
            began = self._clock.monotonic()
            try:
                self._serve(end)
            except Exception as error:  # noqa: BLE001 - whatever it was, it is tried again
                if not end.is_set():
                    self._fail(error)
                    self._thread.looked.set()
                if isinstance(error, LoginError):
                    wait_s = LONGEST_WAIT_S
            finally:
                with self._lock:
                    session, self._session = self._session, None
                if session is not None:
                    session.close()
            if self._clock.monotonic() - began >= STEADY_S:
                wait_s = self._first_wait_s
            end.wait(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    def _serve(self, end: Event) -> None:
        """One connection, to its end."""
        session = ImapSession(self._address)
        with self._lock:
            self._session = session
        if end.is_set():
            return
        mark = self._begin(session)
        while not end.is_set():
            session.has_news()
            mark = self._hand_on_new(session, mark)
            if self._in_a_row:
                log.info("%s: works again", self._address.name)
                self._in_a_row = 0
            if session.has_news():
                continue
            self._thread.looked.set()
            if session.can_idle:
                session.idle(RENEW_S)
            elif not end.wait(ASK_S):
                session.noop()

    def _begin(self, session: ImapSession) -> MailMark:
        """Where to go on in this session."""
        mark = self._mark or self._stored()
        if mark is None:
            last = self._messages(session, session.numbers("UID", "*")[-1:])
            came, ids = [each.came for each in last], tuple(each.digest for each in last)
            mark = MailMark(session.validity, session.next, max(came, default=0.0), ids)
            self._place.keep(json.dumps(asdict(mark)))
        elif mark.validity != session.validity:
            mark = self._renumbered(session, mark)
        self._mark = mark
        self._connections += 1
        return mark

    def _stored(self) -> MailMark | None:
        content = self._place.read()
        if content is None:
            return None
        try:
            raw = json.loads(content)
            return MailMark(**raw | {"ids": tuple(raw["ids"])})
        except (ValueError, TypeError, KeyError) as error:
            log.error("What was told of %s is not known any more: %r", self._address.name, error)
            return None

    def _renumbered(self, session: ImapSession, mark: MailMark) -> MailMark:
        """The numbers mean others now: tell by their ids what came since the newest."""
        log.warning("%s: the server numbers its messages anew", self._address.name)
        day = datetime.fromtimestamp(mark.newest, UTC) - timedelta(days=1)  # of any zone
        since = session.numbers("SINCE", day.strftime("%d-%b-%Y"))
        mark = replace(mark, validity=session.validity, next=session.next)
        chosen = [number for number in since if number < session.next]
        mark = self._hand_on(session, chosen, mark, renumbered=True)
        self._place.hand_on([], json.dumps(asdict(mark)))
        return mark

    def _hand_on_new(self, session: ImapSession, mark: MailMark) -> MailMark:
        numbers = [each for each in session.numbers("UID", f"{mark.next}:*") if each >= mark.next]
        return self._hand_on(session, numbers, mark)

    def _hand_on(
        self,
        session: ImapSession,
        numbers: list[int],
        mark: MailMark,
        *,
        renumbered: bool = False,
    ) -> MailMark:
        """Hand the messages on; the mark after them. renumbered: only those not known by now."""
        oldest = mark.newest
        for first in range(0, len(numbers), BATCH):
            chosen = numbers[first : first + BATCH]
            new = self._messages(session, chosen)
            if renumbered:
                new = [each for each in new if each.came >= oldest and each.digest not in mark.ids]
            mark = MailMark(
                mark.validity,
                max(mark.next, chosen[-1] + 1),
                max([mark.newest, *(each.came for each in new)]),
                (*mark.ids, *(each.digest for each in new))[-REMEMBERED:],
            )
            events = [each.event for each in new]
            if not self._place.hand_on(events, json.dumps(asdict(mark))):
                raise SourceError("the source ends")
            self._mark = mark
        return mark

    def _messages(self, session: ImapSession, numbers: list[int]) -> list[MailMessage]:
        messages: list[MailMessage] = []
        for facts, literal in session.fetch(numbers, ITEMS) if numbers else ():
            message = read_message(facts, literal, self._address.name, self._clock.now())
            if message is None:
                self._malformed += 1
                log.warning("%s: a message without a number is passed over", self._address.name)
            else:
                messages.append(message)
        return sorted(messages, key=lambda each: each.number)

    def _fail(self, error: Exception) -> None:
        self._failures += 1
        self._in_a_row += 1
        self._last_error = str(error) or type(error).__name__
        trace = not isinstance(error, PrefrontalError | OSError)
        level = logging.WARNING if self._in_a_row == 1 else logging.DEBUG
        log.log(level, "%s: %s", self._address.name, self._last_error, exc_info=trace)
