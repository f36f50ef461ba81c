"""The keys of prefrontal.yml below `sources.github`."""

from __future__ import annotations

from .rules import SettingsGroup, Switch, Text, Timeout


class GitHubAccountEntry(SettingsGroup):
    """An account on GitHub whose notifications are signals.

    token_env: the environment variable that holds its token. url: of the API, for a server of
    one's own. participating: only where the account takes part or is mentioned. every_s: seconds
    between two questions; more when GitHub asks for it.
    """

    token_env: Text
    url: Text = "https://api.github.com"
    participating: Switch = False
    every_s: Timeout = 60.0
