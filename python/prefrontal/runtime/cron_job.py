"""A scheduled job of the agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..plugin import IncomingMessage, OutgoingMessage
from ..plugin.messages import SYSTEM_SENDER
from ..typed_fields import FieldError, Must, Shape, read, then
from .schedule import parse_quiet_hours, parse_schedule

if TYPE_CHECKING:
    from ..plugin.hookspecs import Ids

OWN = "__"
"""Part of the names of the agent's own jobs, which no configuration adds or removes."""
_OUTPUT_KEYS = ("channel_type", "channel_id", "recipient")


def _parses(parse: Callable[[str], object]) -> Must:
    """That `parse` takes the text; its error says what a text must do."""

    def checked(text: str) -> str:
        try:
            parse(text)
        except ValueError as error:
            raise FieldError(str(error).partition(", got ")[0], text) from None
        return text

    return then(checked)


def _is_output(output: Mapping[str, Any]) -> bool:
    texts = all(isinstance(value, str) and value.strip() for value in output.values())
    return texts and output.keys() <= set(_OUTPUT_KEYS)


Name = Annotated[
    str,
    Must(
        "be 1 to 64 visible characters",
        lambda name: bool(name.strip()) and len(name) <= 64 and name.isprintable(),
        covers_type=True,
    ),
]
Schedule = Annotated[str, _parses(parse_schedule)]
QuietHours = Annotated[str, _parses(lambda text: not text or parse_quiet_hours(text))]
Output = Annotated[
    Mapping[str, Any],
    Must(f"have only {', '.join(_OUTPUT_KEYS)}, each a text", _is_output),
    Must(
        "have channel_type and channel_id",
        lambda output: not output or {"channel_type", "channel_id"} <= output.keys(),
    ),
]


@dataclass(frozen=True, slots=True)
class CronJob:
    """A question to the agent on a schedule.

    schedule: see `parse_schedule`. mode: "isolated" asks a subagent, "main_session" sends the
    question to the agent as a message. prompt: the question; prompt_file: a file with it, relative
    to the workspace, read at each run. system_prompt: for the subagent. quiet_hours: when it does
    not run, such as "23:00-07:00". output: the destination of the answer, by channel_type,
    channel_id and recipient; empty: none.

    Raises ValueError for two prompts, or none.
    """

    name: Name
    schedule: Schedule
    mode: Literal["isolated", "main_session"] = "isolated"
    prompt: str = ""
    prompt_file: str = ""
    system_prompt: str = ""
    quiet_hours: QuietHours = ""
    output: Output = field(default_factory=dict)
    enabled: bool = True

    def __post_init__(self) -> None:
        if bool(self.prompt.strip()) == bool(self.prompt_file.strip()):
            rule = "have a prompt or a prompt_file, one of them"
            raise FieldError(rule, self.prompt or self.prompt_file, (self.name,))

    @property
    def is_own(self) -> bool:
        """Whether it belongs to the agent itself, as the heartbeat does."""
        return OWN in self.name


def read_job(where: str, raw: object) -> CronJob:
    """A job of the configuration. Raises ValueError naming the place, the rule and the value."""
    job: CronJob = read(CronJob, raw, Shape(), where)
    return job


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
    peer_id = job.output.get("recipient") or channel_id
    ids: Ids = {
        "peer_id": peer_id,
        "recipient_id": peer_id,
        "event_id": None,
        "channel_type": channel_type,
        "channel_id": channel_id,
        "correlation_id": None,
    }
    return OutgoingMessage(channel_type, channel_id, text, metadata={"recipient": peer_id}), ids
