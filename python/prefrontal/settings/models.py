"""The keys of prefrontal.yml."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, PrivateAttr
from pydantic_settings import BaseSettings, SettingsConfigDict

from ..home_folder import expanded
from ..storage.state_folder import default_state
from .adopted import Adopted
from .calendar_entry import CalendarEntry
from .executive import ExecutiveSettings
from .gate import GateSettings
from .github_source import GitHubAccountEntry
from .json_mapping import JsonMapping
from .mail_source import Mailbox
from .mcp_source import McpServer
from .routing import Routing
from .rules import (
    Mapped,
    Module,
    PathName,
    Port,
    RequestBytes,
    Seconds,
    SettingsGroup,
    Switch,
    Text,
    Timeout,
    Whole,
    broken,
)
from .storage import StorageSettings
from .stream_source import StreamEntry
from .telemetry import Telemetry


class Endpoint(SettingsGroup):
    """One address to ask now and then. every_s: seconds between two requests."""

    url: Text
    every_s: Timeout = 300.0


class HttpEvents(SettingsGroup):
    """Where other programs post events: /events, /cloudevents, /github and /hooks/NAME.

    host, port: 0 for any free port. token_env: the environment variable that holds what a request
    must carry as bearer token; needed unless host is this machine alone. github_secret_env: the
    environment variable that holds the secret of a GitHub webhook. hooks: mappings of what is
    posted to /hooks/NAME, by name. max_bytes: the largest request that is taken.
    """

    host: Text = "127.0.0.1"
    port: Port = 8766
    token_env: Text | None = None
    github_secret_env: Text | None = None
    hooks: dict[PathName, JsonMapping] = Field(default_factory=dict)
    max_bytes: RequestBytes = 1 << 20


class Sources(SettingsGroup):
    """Where signals come from, besides the folders that the modules name.

    directories: folders to watch. git: repositories whose new commits are signals. network:
    addresses to ask. github: an account whose notifications are signals. mail: folders of mail
    whose new messages are signals. calendar: calendars whose events are signals. http: where other
    programs post events. logs: log files whose new lines are signals, through rotation. mcp:
    servers whose notifications are signals. redis: streams of Redis whose entries hold events in
    JSON. nats: streams of NATS JetStream whose messages are events in JSON. socket: path of a Unix
    socket that takes JSON lines. stdin: take JSON lines on standard input. polling: look at the
    folders every two seconds instead of being told, for network drives and shared folders of
    containers.
    """

    directories: tuple[Text, ...] = ()
    git: tuple[Text, ...] = ()
    network: tuple[Endpoint, ...] = ()
    github: GitHubAccountEntry | None = None
    mail: tuple[Mailbox, ...] = ()
    calendar: tuple[CalendarEntry, ...] = ()
    http: HttpEvents | None = None
    logs: tuple[Text, ...] = ()
    mcp: tuple[McpServer, ...] = ()
    redis: tuple[StreamEntry, ...] = ()
    nats: tuple[StreamEntry, ...] = ()
    socket: Text | None = None
    stdin: Switch = False
    polling: Switch = False


class OpenClaw(SettingsGroup):
    """The wake hook of an OpenClaw gateway.

    url: of the gateway, or with a path of the hook itself. token_env: the environment variable that
    holds its `hooks.token`. mode: wake the agent now, or wait for its next heartbeat.
    """

    url: Text
    token_env: Text
    mode: Literal["now", "next-heartbeat"] = "now"


class SinkSettings(SettingsGroup):
    """Where a question goes: exactly one of exec, post, lines, openclaw.

    exec: a command that is told the question on standard input. post: an address that gets it as
    JSON, with `headers`. lines: a file it is added to, as JSON; "-" is standard output.
    timeout_s: how long one try may take. secret_env: the environment variable that holds the
    secret each post is signed with (Standard Webhooks), `whsec_` and base64.

    durable: a question is owed to the sink until it has it, over restarts, for give_up_s seconds;
    so are those of post and openclaw unless this says otherwise. Any other sink is told once, an
    address `retries` times more. name: what the log calls a durable sink; questions that are owed
    to a name follow it to another address. format: of the JSON and of a command's environment; v2
    is the document of a decision, v1 what sinks got before it.
    """

    exec: Text | None = None
    post: Text | None = None
    lines: Text | None = None
    openclaw: OpenClaw | None = None
    format: Literal["v1", "v2"] = "v2"
    headers: dict[Text, Text] = Field(default_factory=dict)
    secret_env: Text | None = None
    timeout_s: Timeout = 30.0
    retries: Whole = 4
    durable: Switch | None = None
    give_up_s: Seconds = 86_400.0
    name: Text | None = None

    @property
    def lasting(self) -> bool:
        """Whether the sink is durable."""
        if self.durable is None:
            return self.post is not None or self.openclaw is not None
        return self.durable

    def model_post_init(self, context: Any, /) -> None:
        targets = (self.exec, self.post, self.lines, self.openclaw)
        if sum(each is not None for each in targets) != 1:
            raise broken("have exactly one of exec, post, lines, openclaw")
        if self.durable and self.lines == "-":
            raise broken('not be durable beside lines "-": standard output is told once')
        if self.secret_env is not None and self.post is None:
            raise broken("have a secret_env only beside post")


class Settings(BaseSettings):
    """A whole prefrontal.yml.

    modules: paths of fingerprints (JSON or YAML) or fingerprints themselves; they are watched with
    the modules of the state folder. adopted: histories that a replay taught the gate. gate: what
    decides about a wake; its keys may also stand at the top of the file. state: where decisions and
    what was learned are kept. storage: the server that partitions share. routing: what `prefrontal
    route` is told. telemetry: what is told to the tools that watch an agent. executive: what
    `prefrontal run` is told besides.

    The keys from identity on are the agent's (`prefrontal agent`, `ledger`, `cortex`): one file
    serves all commands. Here they need only be mappings; the plugin that reads one checks it.
    """

    model_config = SettingsConfigDict(
        env_prefix="PREFRONTAL_",
        env_nested_delimiter="__",
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
    )

    modules: tuple[Module, ...] = ()
    sources: Sources = Sources()
    adopted: tuple[Adopted, ...] = ()
    gate: GateSettings = GateSettings()
    sinks: tuple[SinkSettings, ...] = ()
    state: Text | None = None
    routing: Routing = Routing()
    storage: StorageSettings = StorageSettings()
    telemetry: Telemetry = Telemetry()
    executive: ExecutiveSettings = ExecutiveSettings()

    identity: Mapped = {}
    provider: Text | None = None
    llm: Mapped = {}
    polling: Mapped = {}
    plugins: Mapped = {}
    workspace: Text | None = None
    channels: Mapped = {}
    ledger: Mapped = {}
    cortex: Mapped = {}
    memory: Mapped = {}
    soul: Mapped = {}
    subagent: Mapped = {}
    cron: Mapped = {}
    heartbeat: Mapped = {}
    observability: Mapped = {}
    tools: Mapped = {}
    logging: Mapped = {}

    _folder: Path = PrivateAttr(default_factory=Path.cwd)
    _file: Path | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)

    @property
    def file(self) -> Path | None:
        """The file they were read from, as it was named; None without one."""
        return self._file

    def path(self, text: str) -> Path:
        """A path of the settings: `~` expanded, relative to the folder of the file.

        Raises as `home_folder.expanded`.
        """
        return self._folder / expanded(text)

    def state_folder(self) -> Path:
        """Where decisions and what was learned are kept; it need not exist."""
        return default_state() if self.state is None else self.path(self.state)
