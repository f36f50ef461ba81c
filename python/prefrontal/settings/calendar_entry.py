"""The keys of prefrontal.yml below `sources.calendar`."""

from __future__ import annotations

from typing import Any

from .rules import Seconds, SettingsGroup, Text, Timeout, broken


class CalendarEntry(SettingsGroup):
    """A calendar (iCalendar, .ics) whose events are signals: exactly one of file, url, url_env.

    name: what events call it. file: its path. url: its address. url_env: the environment variable
    that holds an address that is secret. zone: of times that name none, such as Europe/Berlin;
    none: this machine's. before_s: how long before its start an event begins. every_s: seconds
    between two looks.
    """

    name: Text = "calendar"
    file: Text | None = None
    url: Text | None = None
    url_env: Text | None = None
    zone: Text | None = None
    before_s: Seconds = 0.0
    every_s: Timeout = 300.0

    def model_post_init(self, context: Any, /) -> None:
        if sum(each is not None for each in (self.file, self.url, self.url_env)) != 1:
            raise broken("have exactly one of file, url, url_env")
