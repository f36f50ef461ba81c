"""One look at every source: what is new is decided and stored, and the caller owed questions."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ...decisions.deliveries import GATE_CALLER
from ...errors import InputError
from ...pulse.sources.clock import TICK_INTERVAL_S, ClockSource
from ...settings.secrets import environment_secret
from ..watch.doors import settings_name
from ..watch.session import lay_ground, watch_on
from .signs import files_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from ...decisions.log import DecisionLog
    from ...pulse.shells.watch import Watch
    from ...settings import Settings
    from ...settings.calendar_entry import CalendarEntry
    from ...settings.mail_source import Mailbox
    from ...settings.models import Sources
    from ...storage.state_folder import StateFolder
    from ..watch.session import Ground
    from .call import GateCall
    from .caller import GateCaller
    from .look_settings import LookSettings
    from .plan import GatePlan

ASKED = "gate asked"
"""The state of the log that says when addresses were asked, GitHub and the clock."""
CLOCK, GITHUB = "clock", "github"
POLLED = {
    "NetworkSource": "endpoint",
    "GitHubNotifications": "account",
    "MailSource": "mailbox",
    "CalendarSource": "calendar",
}
"""Kinds of sources that are asked only now and then, and the key of the name in what they say."""
MAIL_S = 60.0
"""A mailbox is asked so often at most."""
MOST_WAITS = 8
"""A server that is slow to answer is waited for so often, a quarter of the limit each."""
LOOK_AGAIN_S = 3600.0
"""Everything is looked at after so long though no sign has changed."""


class GateLook:
    """faults: sentences on what could not be looked at."""

    def __init__(
        self, call: GateCall, settings: LookSettings, state: StateFolder, plan: GatePlan
    ) -> None:
        self._call = call
        self._settings = settings
        self._state = state
        self._plan = plan
        self.faults: list[str] = []
        self.unreached: list[str] | None = None
        """What kept addresses from being asked; None when none was to be asked now."""

    def take(self, caller: GateCaller) -> float:
        """Take it; Unix second at which to look again in any case, 0 where not all was seen."""
        with ExitStack() as held:
            ground = lay_ground(
                self._settings.settings, self._call.folders, (), held, asker=GATE_CALLER
            )
            addresses = _Asked(ground.log, self._settings.settings)
            settings = addresses.due_now()
            files = [str(each) for each in files_of(self._settings.settings, self._state)]
            folders = [str(each) for each in ground.folders()]
            own = str(self._state.path)
            self._plan.look(files, folders, own, settings_name(self._settings.settings))
            watch = watch_on(ground, settings, self._settings.standings, goes_on=True)
            caller.go_on()
            watch.start()
            if addresses.is_clock_due(ground):
                watch.push(ClockSource().tick())
            is_all = watch.caught_up(self._call.limit_s / 2)
            caller.go_on()
            for _ in range(MOST_WAITS if addresses.are_due else 0):
                if is_all or not watch.late():
                    break  # what failed is not waited for
                is_all = watch.caught_up(self._call.limit_s / 4)
                caller.go_on()
            late = [each for each in watch.late() if each["kind"] in POLLED]
            is_all = watch.stop(self._call.limit_s / 4) and is_all
            caller.go_on()
            self.faults += _faults(watch, lambda kind: kind not in POLLED)
            if watch.loss:
                self.faults.append(f"what was decided could not be stored: {watch.loss}")
            if addresses.are_due:
                self.unreached = _faults(watch, POLLED.__contains__)
                self.unreached += [f"{_name(each)} did not answer in time" for each in late]
                self.unreached += addresses.locked.values()
            addresses.keep()
            due = time.time() + LOOK_AGAIN_S
            if (later := watch.due_s()) is not None:
                due = min(due, time.time() + later)
            return min(due, addresses.next_due()) if is_all and not self.faults else 0.0


def _faults(watch: Watch, chosen: Callable[[str], bool]) -> list[str]:
    """What the sources of the chosen kinds ran into."""
    sources = [each for each in watch.status()["sources"] if chosen(each["kind"])]
    return [str(each["last_error"]) for each in sources if each.get("errors")]


def _name(status: dict[str, Any]) -> str:
    """What a source calls itself."""
    return str(status[POLLED[status["kind"]]])


class _Asked:
    """When addresses, and the clock, were asked last: each only as often as it is to be."""

    def __init__(self, log: DecisionLog, settings: Settings) -> None:
        self._log = log
        self._settings = settings
        self._now = time.time()
        state = log.load_state(ASKED)
        try:
            self._times = {} if state is None else dict(json.loads(state[0]))
        except ValueError:
            self._times = {}
        sources = settings.sources
        self._every = {each.url: each.every_s for each in sources.network}
        if sources.github is not None:
            self._every[GITHUB] = sources.github.every_s
        self._every |= {_mailbox(each): MAIL_S for each in sources.mail}
        self._every |= {_calendar(each): each.every_s for each in sources.calendar}
        files = {_calendar(each) for each in sources.calendar if each.file is not None}
        self._due = [name for name in self._every if name in files or self._is_due(name)]
        self.locked = _locked(sources, self._due)
        """What is due and cannot be asked without its secret: the sentence on each."""

    @property
    def are_due(self) -> bool:
        """Whether an address is asked now."""
        return any(name != CLOCK for name in self._due)

    def due_now(self) -> Settings:
        """The settings without the addresses that are to be asked later."""
        sources = self._settings.sources
        open_ = set(self._due) - set(self.locked)
        network = tuple(each for each in sources.network if each.url in open_)
        github = sources.github if GITHUB in open_ else None
        calendar = tuple(each for each in sources.calendar if _calendar(each) in open_)
        mail = tuple(each for each in sources.mail if _mailbox(each) in open_)
        update = {"network": network, "github": github, "mail": mail, "calendar": calendar}
        return self._settings.model_copy(update={"sources": sources.model_copy(update=update)})

    def is_clock_due(self, ground: Ground) -> bool:
        """Whether a module cares for the time, and a minute has passed."""
        if not any(module.time for module in ground.modules):
            return False
        self._every[CLOCK] = TICK_INTERVAL_S
        if not self._is_due(CLOCK):
            return False
        self._due.append(CLOCK)
        return True

    def keep(self) -> None:
        """Remember what was asked now."""
        if self._due:
            self._times |= dict.fromkeys(self._due, self._now)
            times = {name: at for name, at in self._times.items() if name in self._every}
            self._log.save_state(ASKED, json.dumps(times).encode(), 0)

    def next_due(self) -> float:
        """Unix second at which the next of them is due."""
        times = [self._times.get(name, 0.0) + every for name, every in self._every.items()]
        return min(times, default=float("inf"))

    def _is_due(self, name: str) -> bool:
        since = self._now - self._times.get(name, 0.0)
        return not 0.0 <= since < self._every[name]


def _locked(sources: Sources, due: Container[str]) -> dict[str, str]:
    """Of the sources that are due, those whose secret the environment lacks, each with why."""
    secrets = [
        *((_mailbox(each), "mail.password_env", each.password_env) for each in sources.mail),
        *((_calendar(each), "calendar.url_env", each.url_env) for each in sources.calendar),
    ]
    if sources.github is not None:
        secrets.append((GITHUB, "github.token_env", sources.github.token_env))
    sentences: dict[str, str] = {}
    for name, key, variable in secrets:
        try:
            if name in due:
                environment_secret(f"sources.{key}", variable)
        except InputError as error:
            sentences[name] = str(error)
    return sentences


def _mailbox(entry: Mailbox) -> str:
    return f"mail {entry.host} {entry.user}/{entry.folder}"


def _calendar(entry: CalendarEntry) -> str:
    return f"calendar {entry.name}"
