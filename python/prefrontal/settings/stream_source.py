"""The keys of prefrontal.yml below `sources.redis` and `sources.nats`."""

from __future__ import annotations

from typing import Any

from .rules import SettingsGroup, Text, broken


class StreamEntry(SettingsGroup):
    """A stream whose entries are signals: exactly one of url, url_env.

    url: of the server, without a password. url_env: the environment variable that holds a URL.
    stream: its name there.
    """

    stream: Text
    url: Text | None = None
    url_env: Text | None = None

    def model_post_init(self, context: Any, /) -> None:
        if (self.url is None) == (self.url_env is None):
            raise broken("have exactly one of url, url_env")
        if self.url is not None and "@" in self.url:
            raise broken("have no password in url: url_env names the variable that holds it")
