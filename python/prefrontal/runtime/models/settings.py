"""The key `llm` of prefrontal.yml: the model, its server and its limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from ...typed_fields import Must, Shape, read

Text = Annotated[str, Must("be a string", lambda text: "\0" not in text, covers_type=True)]
Url = Annotated[
    str,
    Must(
        "start with http:// or https://",
        lambda url: url.startswith(("http://", "https://")),
        covers_type=True,
    ),
]
Tokens = Annotated[
    int, Must("be a whole number above 0", lambda n: 1 <= n <= 1_000_000, covers_type=True)
]
Retries = Annotated[
    int, Must("be a whole number in 0..10", lambda n: 0 <= n <= 10, covers_type=True)
]
Seconds = Annotated[
    float,
    Must(
        "be a number of seconds above 0, at most 86400", lambda s: 0 < s <= 86400, covers_type=True
    ),
]


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Settings of a model.

    base_url: of the server, usually ending in /v1. api_key_env: the environment variable with the
    key. max_tokens: of an answer, unless the caller asks otherwise. timeout_seconds: of a request.
    retries: of a failed request. output: how to enforce a schema: "native" (by the server),
    "prompted" (by asking the model), "text" (not at all). cassette: the folder of recorded replies;
    record: the model to ask and record where there is none. replies, repeat: the script of
    `scripted`, and whether it starts again at the end.
    """

    model: Text = ""
    base_url: Url = ""
    api_key_env: Text = ""
    max_tokens: Tokens = 2048
    timeout_seconds: Seconds = 120.0
    retries: Retries = 0
    output: Literal["native", "prompted", "text"] = "native"
    cassette: Text = ""
    record: Text = ""
    replies: list[Any] = field(default_factory=list)
    repeat: bool = False


def model_settings(llm: object) -> ModelSettings:
    """Check what stands under `llm`. Raises InputError naming the key, the rule and the value."""
    settings: ModelSettings = read(ModelSettings, {} if llm is None else llm, Shape(), "llm")
    return settings
