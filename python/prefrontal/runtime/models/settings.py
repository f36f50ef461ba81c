"""The key `llm` of prefrontal.yml: the model, its server and its limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from ...errors import InputError
from ...nearest import unknown_key

OUTPUT_MODES = ("native", "prompted", "text")


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

    model: str = ""
    base_url: str = ""
    api_key_env: str = ""
    max_tokens: int = 2048
    timeout_seconds: float = 120.0
    retries: int = 0
    output: str = "native"
    cassette: str = ""
    record: str = ""
    replies: Sequence[Any] = ()
    repeat: bool = False


def model_settings(llm: object) -> ModelSettings:
    """Check what stands under `llm`. Raises InputError naming the key, the rule and the value."""
    if llm is None:
        return ModelSettings()
    if not isinstance(llm, Mapping):
        raise InputError(f"llm must be a mapping, got {llm!r:.80}")
    known = [field.name for field in fields(ModelSettings)]
    for key in llm:
        if key not in known:
            raise InputError(unknown_key("llm", key, known))
    for key, value in llm.items():
        rule = _broken_rule(key, value)
        if rule:
            raise InputError(f"llm.{key} must {rule}, got {value!r:.80}")
    return ModelSettings(**llm)


def _broken_rule(key: str, value: object) -> str:
    """The rule that the value breaks; "" if it breaks none."""
    rule, holds = _RULES.get(key, _TEXT)
    return "" if holds(value) else rule


def _whole(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _seconds(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 < value <= 86400


_RULES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "max_tokens": ("be a whole number above 0", lambda value: _whole(value, 1, 1_000_000)),
    "retries": ("be a whole number in 0..10", lambda value: _whole(value, 0, 10)),
    "timeout_seconds": ("be a number of seconds above 0, at most 86400", _seconds),
    "output": (f"be one of {', '.join(OUTPUT_MODES)}", lambda value: value in OUTPUT_MODES),
    "replies": ("be a list", lambda value: isinstance(value, list | tuple)),
    "repeat": ("be true or false", lambda value: isinstance(value, bool)),
    "base_url": (
        "start with http:// or https://",
        lambda value: isinstance(value, str) and value.startswith(("http://", "https://")),
    ),
}
_TEXT = ("be a string", lambda value: isinstance(value, str) and "\0" not in value)
