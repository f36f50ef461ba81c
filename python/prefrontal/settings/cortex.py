"""The keys of prefrontal.yml below `cortex`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError, field_validator

from ..errors import InputError
from ..nearest import did_you_mean
from .cortex_growth import (
    Adaptive,
    Consultations,
    Cost,
    Directives,
    Evidence,
    Lessons,
    Sharing,
    Triage,
)
from .rules import (
    Mapped,
    Positive,
    Rate,
    Seconds,
    SettingsGroup,
    Switch,
    Text,
    Timeout,
    Whole,
    broken,
)

TRIGGER_NAMES = ("promise_timeout", "farming", "new_peer", "interaction_count", "timer")
"""The triggers that can be switched on and off."""
_ALIASES = {"reflection_interval": "schedule_minutes"}
_IN_TRIGGERS = {"interaction_count": "interaction_threshold", "timer": "schedule_minutes"}
Minutes = Annotated[Rate, Field(gt=0, le=525_600)]
Count = Annotated[Positive, Field(le=1_000_000_000)]
"""Together with the bounds of `Farming`, no more than the trigger engine takes."""


class Farming(SettingsGroup):
    """What the farming trigger looks for; `TriggerEngine` says what each number means."""

    easy_count: Count = 5
    jump_factor: Annotated[Rate, Field(ge=1, le=1e9)] = 4.0
    jump_from: Literal["largest", "usual"] = "largest"
    min_size: Annotated[Rate, Field(le=1e9)] = 200.0
    tempo_count: Annotated[Positive, Field(ge=2, le=32)] = 5
    tempo_per_day: Annotated[Rate, Field(gt=0, le=1e9)] = 10.0


class CortexSettings(SettingsGroup):
    """Everything the cortex is told.

    schedule_minutes: time between two reflections of the timer trigger. triggers: those that are
    on. interaction_threshold: messages of peers that start a reflection. belief_expiry_cycles: a
    belief that so many cycles did not confirm is stale. context_window: interactions shown of each
    peer; max_peers_per_cycle: None for all; max_context_tokens: bound of everything a reflector is
    told. llm_provider: who reflects; None for a subagent if there is a real one, else "rules".
    max_trust_delta: the most one cycle moves a peer's trust; max_trust_delta_per_hour: an hour,
    None for no such cap. stale_beliefs: how they stand in the agent's prompt. fallback: who
    reflects when no model answers: nobody, or the rules. event_buffer_size: events kept for the
    next reflection. pinned_beliefs: by key, the operator's own. max_belief_chars: of the whole
    block in the prompt. batch_size: peers in one call, None for all in one. count_outgoing:
    whether the agent's own messages count as interactions.
    """

    enabled: Switch = True
    schedule_minutes: Minutes = 30.0
    triggers: tuple[Literal[TRIGGER_NAMES], ...] = ("timer", "interaction_count")  # type: ignore[valid-type]
    interaction_threshold: Count = 5
    max_beliefs: Whole = 20
    belief_ttl_minutes: Minutes = 120.0
    belief_expiry_cycles: Positive = 5
    stale_beliefs: Literal["mark", "omit", "ignore"] = "ignore"
    max_belief_chars: Positive = 6000
    pinned_beliefs: Mapped = Field(default_factory=dict)
    context_window: Whole = 10
    max_peers_per_cycle: Positive | None = None
    max_context_tokens: Annotated[Positive, Field(ge=1000, le=1_000_000)] = 4000
    max_output_tokens: Annotated[Positive, Field(ge=100, le=100_000)] = 1500
    llm_provider: Text | None = None
    model: Text | None = None
    base_url: Text | None = None
    api_key_env: Text | None = None
    cassette: Text | None = None
    fallback: Literal["freeze", "rules"] = "freeze"
    batch_size: Positive | None = None
    reflection_timeout_seconds: Timeout = 60.0
    retry_backoff_seconds: Annotated[Seconds, Field(le=86_400)] = 60.0
    max_trust_delta: int = Field(default=3, ge=1, le=20, strict=True)
    max_trust_delta_per_hour: Positive | None = 9
    trust_policy: Literal["plain", "confirm", "asymmetric", "corroborate"] = "corroborate"
    history_size: Annotated[Positive, Field(le=100_000)] = 50
    event_buffer_size: Annotated[Positive, Field(le=10_000_000)] = 10_000
    count_outgoing: Switch = False
    farming: Farming = Farming()
    directives: Directives = Directives()
    consultation: Consultations = Consultations()
    triage: Triage = Triage()
    lessons: Lessons = Lessons()
    adaptive: Adaptive = Adaptive()
    cost: Cost = Cost()
    sharing: Sharing = Sharing()
    rules: Evidence = Evidence()

    @field_validator("pinned_beliefs")
    @classmethod
    def _are_texts(cls, value: dict[Any, Any]) -> dict[str, str]:
        if not all(isinstance(text, str) and text.strip() for text in value.values()):
            raise broken("map keys to non-blank strings")
        return {str(key): text for key, text in value.items()}


def parse_cortex(raw: object) -> tuple[CortexSettings, tuple[str, ...]]:
    """The settings and a sentence for each key that is not known, which is left out.

    raw: what stands below `cortex`; None counts as empty. Raises InputError for the first value
    that cannot be used.
    """
    if raw is not None and not isinstance(raw, Mapping):
        raise InputError(f"cortex must be a mapping, got {raw!r:.160}")
    warnings: list[str] = []
    known = _known(CortexSettings, _spelt(dict(raw or {})), "cortex", warnings)
    try:
        return CortexSettings(**known), tuple(warnings)
    except ValidationError as error:
        raise InputError(_sentence(error)) from None


def _spelt(raw: dict[Any, Any]) -> dict[Any, Any]:
    """The raw settings with both spellings of a key brought to the first one."""
    for alias, name in _ALIASES.items():
        if alias in raw:
            _same(raw, name, raw.pop(alias), f"cortex.{alias}")
    if isinstance(raw.get("triggers"), Mapping):
        raw["triggers"] = [{name: value} for name, value in raw["triggers"].items()]
    if isinstance(raw.get("triggers"), list):
        on = [entry for entry in raw["triggers"] if not _is_off(entry)]
        raw["triggers"] = [_trigger(raw, entry) for entry in on]
    return raw


def _is_off(entry: object) -> bool:
    """Whether an entry of `triggers` names one and says false."""
    return (
        isinstance(entry, Mapping)
        and len(entry) == 1
        and all(name in TRIGGER_NAMES and value is False for name, value in entry.items())
    )


def _trigger(raw: dict[Any, Any], entry: object) -> object:
    """The name of one entry of `triggers`; a number beside it is its threshold, true is none."""
    if not isinstance(entry, Mapping) or len(entry) != 1:
        return entry
    [(name, value)] = entry.items()
    if name in _IN_TRIGGERS and value is not None and value is not True:
        _same(raw, _IN_TRIGGERS[name], value, f"cortex.triggers.{name}")
    return name


def _same(raw: dict[Any, Any], name: str, value: object, other: str) -> None:
    if name in raw and raw[name] != value:
        raise InputError(
            f"{other} must be the same as cortex.{name} ({raw[name]!r}), got {value!r}"
        )
    raw[name] = value


def _known(
    model: type[BaseModel], raw: Mapping[Any, Any], where: str, warnings: list[str]
) -> dict[str, Any]:
    """The keys that the model has, at every depth; the others become warnings."""
    known: dict[str, Any] = {}
    for key, value in raw.items():
        name = str(key)
        if name not in model.model_fields:
            warnings.append(f"{where}.{name} is not a known key{_nearest(name, model)}; ignored")
            continue
        inner = model.model_fields[name].annotation
        known[name] = value
        if isinstance(inner, type) and issubclass(inner, BaseModel) and isinstance(value, Mapping):
            known[name] = _known(inner, value, f"{where}.{name}", warnings)
    return known


def _nearest(name: str, model: type[BaseModel]) -> str:
    return did_you_mean(name, sorted(model.model_fields), cutoff=0.5)


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(("cortex", *map(str, first["loc"])))
    rule = first["msg"].removeprefix("Input should ")
    if first["type"] == "literal_error":
        rule = f"be one of {first['ctx']['expected']}"
    return f"{where} must {rule}, got {first['input']!r:.160}"
