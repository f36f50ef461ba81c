"""A scheduled job of the agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..nearest import unknown_key
from ..plugin import IncomingMessage, OutgoingMessage
from ..plugin.messages import SYSTEM_SENDER
from .schedule import parse_quiet_hours, parse_schedule

if TYPE_CHECKING:
    from ..plugin.hookspecs import Ids

MODES = ("isolated", "main_session")
OWN = "__"
"""Part of the names of the agent's own jobs, which no configuration adds or removes."""
_OUTPUT_KEYS = ("channel_type", "channel_id", "recipient")


@dataclass(frozen=True, slots=True)
class CronJob:
    """A question to the agent on a schedule.

    schedule: see `parse_schedule`. mode: "isolated" asks a subagent, "main_session" sends the
    question to the agent as a message. prompt: the question; prompt_file: a file with it, relative
    to the workspace, read at each run. system_prompt: for the subagent. quiet_hours: when it does
    not run, such as "23:00-07:00". output: the destination of the answer, by channel_type,
    channel_id and recipient; empty: none.

    Raises ValueError for an invalid field.
    """

    name: str
    schedule: str
    mode: str = "isolated"
    prompt: str = ""
    prompt_file: str = ""
    system_prompt: str = ""
    quiet_hours: str = ""
    output: Mapping[str, str] = field(default_factory=dict)
    enabled: bool = True

    def __post_init__(self) -> None:
        for name in ("name", "mode", "prompt", "prompt_file", "system_prompt", "quiet_hours"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"{name} must be a string, got {getattr(self, name)!r:.80}")
        if not self.name.strip() or len(self.name) > 64 or not self.name.isprintable():
            raise ValueError(f"name must be 1 to 64 visible characters, got {self.name!r:.80}")
        if self.mode not in MODES:
            raise ValueError(f"mode must be one of {', '.join(MODES)}, got {self.mode!r:.80}")
        if bool(self.prompt.strip()) == bool(self.prompt_file.strip()):
            raise ValueError(f"{self.name} must have a prompt or a prompt_file, one of them")
        if not isinstance(self.enabled, bool):
            raise ValueError(f"enabled must be true or false, got {self.enabled!r:.80}")
        _check("schedule", parse_schedule, self.schedule)
        if self.quiet_hours:
            _check("quiet_hours", parse_quiet_hours, self.quiet_hours)
        _check_output(self.output)

    @property
    def is_own(self) -> bool:
        """Whether it belongs to the agent itself, as the heartbeat does."""
        return OWN in self.name


def read_job(where: str, raw: object) -> CronJob:
    """A job of the configuration. Raises ValueError naming the place, the rule and the value."""
    if not isinstance(raw, Mapping):
        raise ValueError(f"{where} must be a mapping, got {raw!r:.80}")
    known = [each.name for each in fields(CronJob)]
    for key in raw:
        if key not in known:
            raise ValueError(unknown_key(where, key, known))
    for key in ("name", "schedule"):
        if key not in raw:
            raise ValueError(f"{where} must have the key {key}")
    try:
        return CronJob(**{**raw, "output": raw.get("output") or {}})
    except ValueError as error:
        raise ValueError(f"{where}.{error}") from None


def question(job: CronJob, prompt: str, now: float, number: int) -> IncomingMessage:
    """A job in the main session as a message. number: distinguishes runs of the job."""
    metadata: dict[str, Any] = {"is_cron": True, "job_name": job.name, "skip_persistence": True}
    if job.output:
        metadata["reply_to_channel"] = dict(job.output)
    return IncomingMessage(
        id=f"{job.name}-{now:.0f}-{number}",
        channel_type="cron",
        channel_id=job.name,
        sender_id=SYSTEM_SENDER,
        sender_name="Cron",
        content=prompt,
        timestamp=datetime.fromtimestamp(now, tz=UTC),
        metadata=metadata,
    )


def answer(job: CronJob, text: str) -> tuple[OutgoingMessage, Ids]:
    """The message to the job's output, and the ids for its hooks."""
    channel_type, channel_id = job.output["channel_type"], job.output["channel_id"]
    peer_id = job.output.get("recipient", channel_id)
    ids: Ids = {
        "peer_id": peer_id,
        "recipient_id": peer_id,
        "event_id": None,
        "channel_type": channel_type,
        "channel_id": channel_id,
        "correlation_id": None,
    }
    return OutgoingMessage(channel_type, channel_id, text, metadata={"recipient": peer_id}), ids


def _check(name: str, parse: Any, value: object) -> None:
    try:
        parse(value)
    except ValueError as error:
        raise ValueError(f"{name} must {error}") from None


def _check_output(output: object) -> None:
    if not isinstance(output, Mapping):
        raise ValueError(f"output must be a mapping, got {output!r:.80}")
    for key, value in output.items():
        if key not in _OUTPUT_KEYS or not isinstance(value, str) or not value.strip():
            rule = f"have only {', '.join(_OUTPUT_KEYS)}, each a text"
            raise ValueError(f"output must {rule}, got {key!r}: {value!r:.80}")
    if output and not {"channel_type", "channel_id"} <= output.keys():
        raise ValueError(f"output must have channel_type and channel_id, got {dict(output)!r}")
