"""The keys of prefrontal.yml below `sources.mcp`."""

from __future__ import annotations

from typing import Any

from .rules import SettingsGroup, Switch, Text, broken


class McpServer(SettingsGroup):
    """An MCP server whose notifications are signals: exactly one of command, url.

    command: a program and its arguments, which is started and spoken to. env: names of variables
    that it gets besides PATH, HOME and the like. url: of a server that speaks streamable HTTP.
    token_env: the environment variable that holds its bearer token. name: what events call the
    server. read: read a resource that changed, for its text. experimental: must be true, as long
    as the form in which servers tell of events is young.
    """

    command: tuple[Text, ...] = ()
    env: tuple[Text, ...] = ()
    url: Text | None = None
    token_env: Text | None = None
    name: Text | None = None
    read: Switch = False
    experimental: Switch = False

    def model_post_init(self, context: Any, /) -> None:
        if bool(self.command) == (self.url is not None):
            raise broken("have exactly one of command, url")
        if not self.experimental:
            raise broken("have experimental: true, since this may change")
        if self.env and not self.command:
            raise broken("have env only beside command")
        if self.token_env is not None and self.url is None:
            raise broken("have a token_env only beside url")
