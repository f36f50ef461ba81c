"""The keys of the agent that no pydantic model reads: its plugins check them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import get_args, get_type_hints

from prefrontal.http_server import Door
from prefrontal.ledger.location import FILE_NAME as LEDGER
from prefrontal.runtime.channels.webhook import WebhookSettings
from prefrontal.runtime.cron_job import CronJob
from prefrontal.runtime.log_lines import LEVELS
from prefrontal.runtime.models.embedding import EmbeddingSettings
from prefrontal.runtime.models.settings import ModelSettings
from prefrontal.runtime.plugins.heartbeat import _DEFAULTS as HEARTBEAT
from prefrontal.runtime.plugins.observability import CAPACITY
from prefrontal.runtime.plugins.soul import FILE_NAME as SOUL
from prefrontal.runtime.runtime import POLL_INTERVAL_S
from prefrontal.runtime.time_limits import HOOK_S, TOOL_S
from reference_fields import Key, keys_of_dataclass, shown

Section = tuple[str, str, Callable[[], Iterable[Key]]]

TEXT, FOLDERS, IDS = "text", "list of folders", "list of ids"
LIMIT = "number of seconds, 0 or null for no limit"
SECONDS = "number of seconds above 0, at most 86400"
WHO = "`rules`, `openai-compatible`, `anthropic`, `google`, `replay`, `scripted`"
LLM = {
    **dict.fromkeys(("model", "api_key_env", "cassette", "record"), TEXT),
    "base_url": "address with http:// or https://",
    "max_tokens": "whole number above 0",
    "timeout_seconds": SECONDS,
    "retries": "whole number in 0..10",
    "output": " or ".join(
        f"`{mode}`" for mode in get_args(get_type_hints(ModelSettings)["output"])
    ),
    "replies": "list",
    "repeat": "true or false",
}
EMBEDDINGS = {
    **dict.fromkeys(("model", "api_key_env"), TEXT),
    "provider": "`openai-compatible`, `sentence-transformers` or `function`",
    "base_url": "address with http:// or https://",
    "timeout_seconds": SECONDS,
    "least_similarity": "number in -1..1",
}
WEBHOOK = {
    "host": TEXT,
    "port": "whole number in 0..65535",
    "token": "text of 16 characters or more",
    "max_bytes": "whole number in 64..16777216",
    "reply_timeout_seconds": "number of seconds above 0, at most 3600",
}
WEBHOOK_MEANS = {
    "host": "The address it listens at; another than this machine alone needs a token.",
    "port": "0 takes any free one.",
    "token": "What each request must carry; better named by `token_env`.",
    "max_bytes": "Of a request.",
    "reply_timeout_seconds": "How long a request that waits for its answer may wait.",
}
JOB = {
    **dict.fromkeys(("name", "prompt", "prompt_file", "system_prompt", "quiet_hours"), TEXT),
    "schedule": "`15m`, `2h`, or five cron fields",
    "mode": "`isolated` or `main_session`",
    "output": "mapping",
    "enabled": "true or false",
}


def _root() -> list[Key]:
    return [
        Key("identity.name", TEXT, shown("agent"), "What the agent is called."),
        Key("provider", WHO, shown("rules"), "Which model answers; `rules` needs none."),
        Key("workspace", "folder", shown("~/.prefrontal/workspace"), "Soul, memory and ledger."),
        Key("polling.interval_seconds", "number of seconds above 0", shown(POLL_INTERVAL_S),
            "How often channels are asked; most wake the loop themselves."),
        Key("logging.level", " or ".join(f"`{each}`" for each in LEVELS), shown("info"),
            "How much is told on standard error."),
        Key("ledger.path", "file", shown(LEDGER), "Relative to the workspace."),
        Key("soul.path", "file", shown(SOUL), "Who the agent is; relative to the workspace."),
    ]  # fmt: skip


def _embeddings() -> list[Key]:
    return list(keys_of_dataclass(EmbeddingSettings, EMBEDDINGS))


def _plugins() -> list[Key]:
    return [
        Key("folders", FOLDERS, shown([]), "Besides `~/.prefrontal/plugins` and `./plugins`."),
        Key("external", "list of modules", shown([]), "Modules to import."),
        Key("enabled", IDS, shown(None), "Of what others wrote only these; none: all."),
        Key("disabled", IDS, shown([]), "Never these; also plugins that come along."),
        Key("settings", "mapping", shown({}), "For plugins of your own."),
        Key("hook_timeout_seconds", LIMIT, shown(HOOK_S), "How long one call of a hook may take."),
        Key("timeouts", "mapping of ids to seconds", shown({}), "Of the hooks of single plugins."),
    ]


def _tools() -> list[Key]:
    return [
        Key("timeout_seconds", LIMIT, shown(TOOL_S), "How long one call of a tool may take."),
        Key("timeouts", "mapping of names to seconds", shown({}), "Of single tools."),
    ]


def _llm() -> Iterable[Key]:
    return keys_of_dataclass(ModelSettings, LLM)


def _webhook() -> Iterable[Key]:
    assert set(WEBHOOK) == {each.name for each in fields(WebhookSettings)}, fields(Door)
    for key in keys_of_dataclass(WebhookSettings, WEBHOOK):
        yield Key(key.name, key.kind, key.default, WEBHOOK_MEANS[key.name])
    yield Key("token_env", TEXT, shown(None), "The environment variable that holds the token.")


def _jobs() -> Iterable[Key]:
    return keys_of_dataclass(CronJob, JOB)


def _heartbeat() -> Iterable[Key]:
    for key in _jobs():
        if key.name != "name":
            default = shown(HEARTBEAT[key.name]) if key.name in HEARTBEAT else key.default
            yield Key(key.name, key.kind, default, key.meaning)


def _subagent() -> list[Key]:
    return [
        Key("max_concurrent", "whole number above 0", shown(3), "Subagents at once."),
        Key("max_timeout_seconds", "number of at least 1", shown(1800), "For one of them."),
    ]


def _observability() -> list[Key]:
    return [
        Key("capacity", "whole number above 0", shown(CAPACITY), "Events kept in memory."),
        Key("events", "list of names", shown(None), "Only these are kept; none: all."),
        Key("file", "file", shown(None), "Each event is added to it as a line of JSON."),
    ]


AGENT_SECTIONS: tuple[Section, ...] = (
    ("at the root", "The other keys of one line each.", _root),
    ("llm", "The model that `provider` names. What a model is told:", _llm),
    (
        "memory.embeddings",
        "Search by meaning, beside words ([memory.md](../memory.md)).",
        _embeddings,
    ),
    ("plugins", "Where plugins come from ([plugins.md](../plugins.md)).", _plugins),
    ("tools", "What the model may call ([plugins.md](../plugins.md#time-limits)).", _tools),
    ("channels.webhook", "Other programs speak to the agent by HTTP.", _webhook),
    ("cron.jobs[]", "What is asked of the agent, and when.", _jobs),
    ("heartbeat", "One job that comes along, off unless `enabled`; keys as of a job.", _heartbeat),
    ("subagent", "Who does what takes a call of its own.", _subagent),
    ("observability", "What is kept of what happened.", _observability),
)
