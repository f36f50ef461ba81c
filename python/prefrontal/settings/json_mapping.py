"""The keys of prefrontal.yml below `sources.http.hooks`."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from .rules import Ed25519Key, JsonPath, SettingsGroup, Text, broken


class JsonMapping(SettingsGroup):
    """How the JSON that a program posts to /hooks/NAME becomes signals of the source NAME.

    Each is a path into the JSON, such as `event.text` or `embeds.0.title`. each: to a list of which
    every item is a signal; the other paths then begin there. location: where; without it NAME.
    delta_type: what happened; without it "posted". text: what it says; may be missing there.
    actor: who did it; may be missing there. timestamp: when; seconds, milliseconds or ISO 8601. id:
    what tells a repetition. features: more of the event, by name.
    slack_secret_env: the environment variable that holds the signing secret of a Slack app, which
    is then checked instead of the token. discord_key: the public key of a Discord application, 64
    hexadecimal digits, whose signatures are then checked instead of the token.
    """

    each: JsonPath | None = None
    location: JsonPath | None = None
    delta_type: JsonPath | None = None
    text: JsonPath | None = None
    actor: JsonPath | None = None
    timestamp: JsonPath | None = None
    id: JsonPath | None = None
    features: dict[Text, JsonPath] = Field(default_factory=dict)
    slack_secret_env: Text | None = None
    discord_key: Ed25519Key | None = None

    def model_post_init(self, context: Any, /) -> None:
        if self.slack_secret_env is not None and self.discord_key is not None:
            raise broken("have slack_secret_env or discord_key, not both")
