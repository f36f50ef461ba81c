"""Every hook of an agent: `loop_on_message` specifies the hook `loop.on_message`.

A hook that returns its own context is a chain: the context goes from plugin to plugin, each may
return changed keys, and a truthy `abort` ends it. One that returns None is an announcement. The
results of any other are collected, without None.
"""

# mypy: disable-error-code="empty-body"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from .messages import IncomingMessage, OutgoingMessage
from .providers import LLMResponse

Messages = list[dict[str, Any]]


class Ids(TypedDict, total=False):
    """Keys of every hook of the loop. internal: True for messages of the runtime itself.

    abort, abort_message: set by a plugin. error_id, plugin_id: of `loop.on_error`.
    """

    peer_id: str
    recipient_id: str
    event_id: str | None
    channel_type: str
    channel_id: str
    correlation_id: str | None
    internal: bool
    abort: bool
    abort_message: str
    error_id: str
    plugin_id: str


class MessageContext(Ids):
    message: str
    sender: str
    sender_id: str


class PromptContext(Ids):
    prompt: str
    peer: str
    messages: Messages


class HistoryContext(Ids):
    messages: Messages
    peer: str


class QuestionContext(Ids):
    messages: Messages
    model: str
    tools: Sequence[Mapping[str, Any]]


class AnswerContext(Ids):
    response: LLMResponse
    model: str
    tokens_in: int
    tokens_out: int
    has_tool_calls: bool


class ToolContext(Ids):
    tool: str
    args: dict[str, Any]


class ToolResultContext(Ids):
    tool: str
    args: dict[str, Any]
    result: str


class TextContext(Ids):
    text: str
    recipient: str


class ErrorContext(Ids):
    error: Exception
    hook: Literal["poll", "send", "llm_call"]


class HandledContext(TypedDict):
    message: IncomingMessage
    reply: OutgoingMessage | None


class Tick(TypedDict):
    now: float
    monotonic: float


class TextToStore(TypedDict):
    key: str
    content: str


class TextKey(TypedDict):
    key: str


class TextQuery(TypedDict):
    query: str


class JobContext(TypedDict):
    job_name: str
    mode: str
    schedule: str


class JobResultContext(TypedDict):
    job_name: str
    success: bool
    output: str
    error: str | None
    elapsed_seconds: float


class SpawnContext(TypedDict):
    task: str
    context: Mapping[str, Any] | None
    system_prompt: str | None
    timeout_seconds: float
    model: str | None
    provider: str | None
    max_tokens: int
    output_schema: Mapping[str, Any] | None


class SpawnResultContext(TypedDict):
    task: str
    result: dict[str, Any]


class InteractionContext(TypedDict):
    peer_id: str
    direction: Literal["in", "out"]
    channel_type: str
    interaction_id: int
    interaction_count: int
    event_id: str | None
    created_at: float


class AssessmentContext(TypedDict):
    assessment_id: int
    peer_id: str
    trust: int
    info_score: int
    rationale: str
    created_at: float


class ReflectionContext(TypedDict):
    cycle: int
    trigger: str
    peers_assessed: list[str]
    beliefs_added: list[str]
    beliefs_reaffirmed: list[str]
    beliefs_expired: list[str]
    summary: str
    elapsed_seconds: float


class TrustContext(TypedDict):
    peer_id: str
    trust: int
    rationale: str
    info_score: int
    cycle: int


class ConsultationContext(TypedDict):
    request: dict[str, Any]
    verdict: dict[str, Any]
    elapsed_seconds: float
    timed_out: bool


class SkippedCycleContext(TypedDict):
    cycle: int | None
    trigger: str
    reason: str
    detail: str


def loop_on_message(ctx: MessageContext) -> MessageContext | None:
    """A message (its text) came from a sender (a name); `abort` drops it."""


def loop_transform_system_prompt(ctx: PromptContext) -> PromptContext | None:
    """The system prompt is put together for a peer (a name)."""


def loop_transform_history(ctx: HistoryContext) -> HistoryContext | None:
    """The conversation is put together that the model gets."""


def loop_before_llm(ctx: QuestionContext) -> QuestionContext | None:
    """The model (a provider's id) is asked; on `abort`, `abort_message` becomes the answer."""


def loop_after_llm(ctx: AnswerContext) -> AnswerContext | None:
    """The model has answered."""


def loop_before_tool(ctx: ToolContext) -> ToolContext | None:
    """A tool is run; on `abort`, `abort_message` becomes its result."""


def loop_after_tool(ctx: ToolResultContext) -> ToolResultContext | None:
    """A tool was run."""


def loop_transform_response(ctx: TextContext) -> TextContext | None:
    """The answer's text is ready for the recipient (a name)."""


def loop_before_send(ctx: TextContext) -> TextContext | None:
    """A message goes out; on `abort` it does not."""


def loop_after_send(ctx: TextContext) -> TextContext | None:
    """A channel took the message."""


def loop_on_error(ctx: ErrorContext) -> ErrorContext | None:
    """Polling (with `plugin_id`), sending or the model (with `error_id`) failed."""


def session_poll_messages() -> list[IncomingMessage]:
    """The loop asks what there is to handle now."""


def session_handled(ctx: HandledContext) -> None:
    """A message is handled: answered, held back, or dropped."""


def session_receive() -> list[IncomingMessage]:
    """A channel returns the messages that came in since the last call."""


def session_send(ctx: OutgoingMessage) -> bool:
    """The channel of that type sends a message; False when it could not."""


def session_typing(ctx: Ids) -> None:
    """The channel of that type shows that an answer is being worked out."""


def session_presence(ctx: Ids) -> None:
    """Reserved for channels; the runtime does not call it."""


def communication_receive() -> list[IncomingMessage]:
    """A plugin asks for the messages of all channels."""


def communication_send(ctx: OutgoingMessage) -> bool:
    """A message is handed to its channel; True when the channel took it."""


def communication_typing(ctx: Ids) -> None:
    """An answer is being worked out."""


def communication_channels() -> list[str]:
    """A plugin asks for the ids of the channels."""


def context_system_prompt() -> str:
    """The system prompt begins with these texts."""


def runtime_tick(ctx: Tick) -> None:
    """It is that Unix and monotonic second; return when what was due is done."""


def memory_store(ctx: TextToStore) -> bool:
    """A text is stored under a key; True when it is."""


def memory_retrieve(ctx: TextKey) -> str | None:
    """The text of a key is wanted; the first that is not empty counts."""


def memory_search(ctx: TextQuery) -> list[tuple[str, float]]:
    """Keys that fit a query are wanted, each with a score in 0..1."""


def cron_before_job(ctx: JobContext) -> None:
    """A job begins."""


def cron_after_job(ctx: JobResultContext) -> None:
    """A job has ended."""


def subagent_before_spawn(ctx: SpawnContext) -> Mapping[str, Any] | None:
    """A subagent gets a task; the last plugin that returns a mapping replaces what it names."""


def subagent_after_spawn(ctx: SpawnResultContext) -> None:
    """A subagent has ended; `result` holds the fields of `SubagentResult`."""


def ledger_after_record(ctx: InteractionContext) -> None:
    """An interaction is on the disk."""


def ledger_after_assess(ctx: AssessmentContext) -> None:
    """The conversation has judged a peer; the cortex announces its own judgments."""


def cortex_after_reflect(ctx: ReflectionContext) -> None:
    """A reflection has ended."""


def cortex_after_assess(ctx: TrustContext) -> None:
    """The cortex has judged a peer."""


def cortex_after_directive(ctx: dict[str, Any]) -> None:
    """A directive was proposed or approved; the context holds the fields of `Directive`."""


def cortex_after_consult(ctx: ConsultationContext) -> None:
    """The cortex has ruled on a step that needs consent."""


def cortex_cycle_skipped(ctx: SkippedCycleContext) -> None:
    """A reflection was due and did not happen, or failed."""


def cortex_audit(ctx: dict[str, Any]) -> None:
    """A cycle has ended in any way; the context holds the fields of `ReflectionRecord`."""
