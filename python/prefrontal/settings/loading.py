"""From a file, the environment and the command line to `Settings`, or to one clear sentence.

Every key can be set in the environment, in front of the file: PREFRONTAL_RECALL=0.95,
PREFRONTAL_POLICY__COOLDOWN_S=60, PREFRONTAL_SOURCES='{"git": ["."]}'. An empty one sets nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from ..errors import InputError, shown
from ..storage.documents import line_of
from .agent_file import AGENT_KEYS, check_section, folder_of, read_settings_file
from .gate import GateSettings
from .models import Settings
from .refusal import WHOLE, MisplacedError, Place, refusal, unknown

GATE = "gate"
TOP_KEYS = tuple(GateSettings.model_fields)
"""Keys of `gate` that may also stand at the top, where they stood before there was a `gate`."""


def load_settings(
    path: str | os.PathLike[str] | None = None, overrides: Mapping[str, Any] | None = None
) -> Settings:
    """The settings of a file, or the defaults; `overrides` (the command line) stands in front.

    Raises InputError naming the file and the line, the field, the rule and the value, SourceError
    when the file cannot be read.
    """
    if path is None:
        return parse_settings({}, overrides)
    document = read_settings_file(path)
    try:
        settings = parse_settings(document, overrides)
    except MisplacedError as error:
        line = line_of(path, document, error.where, error.value)
        place = " with the environment and the command line" if line is None else f", line {line}"
        raise InputError(f"{os.fspath(path)}{place}: {error}") from None
    except InputError as error:
        raise InputError(f"{os.fspath(path)}: {error}") from None
    settings._file = Path(path)
    settings._folder = folder_of(path)
    return settings


def parse_settings(raw: object, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Check what a file held; None counts as empty. Raises InputError."""
    if raw is not None and not isinstance(raw, dict):
        raise InputError(f"{WHOLE} must be a mapping, got {shown(raw)}")
    document = raw or {}
    for key in document:
        if not isinstance(key, str):
            raise unknown(Settings, (), key, WHOLE, TOP_KEYS)
    try:
        settings = _behind(_gathered(document))(**_gathered(overrides or {}))
    except SettingsError as error:  # the environment: JSON was expected there
        raise InputError(f"the environment must hold JSON there: {error}") from None
    except ValidationError as error:
        nested = document.get(GATE)
        nested = nested if isinstance(nested, dict) else {}
        bare: frozenset[Place] = frozenset((GATE, key) for key in TOP_KEYS if key not in nested)
        if GATE not in document:
            bare |= {(GATE,)}
        raise refusal(error, Settings, unwrapped=bare, more=TOP_KEYS) from None
    for key, section in document.items():
        if key in AGENT_KEYS and isinstance(section, dict):
            check_section(key, section)
    return settings


def _gathered(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the keys of the gate at the top moved below `gate`.

    Raises InputError for a key that stands in both places.
    """
    top = {key: value for key, value in flat.items() if key in TOP_KEYS}
    if not top:
        return dict(flat)
    rest = {key: value for key, value in flat.items() if key not in top}
    below = rest.get(GATE) or {}
    if not isinstance(below, dict):
        return rest  # refused where it is parsed
    for key in top:
        if key in below:
            raise InputError(f"{WHOLE} must have {key} once, got it as {key} and as {GATE}.{key}")
    return rest | {GATE: {**below, **top}}


class _TopKeys(BaseSettings):
    """The variables of the keys of the gate without the path to it: PREFRONTAL_RECALL."""

    model_config = SettingsConfigDict(
        env_prefix="PREFRONTAL_", env_nested_delimiter="__", env_ignore_empty=True
    )
    __annotations__ = {name: field.annotation for name, field in GateSettings.model_fields.items()}


def _bare() -> Settings:
    return Settings.__new__(Settings)


def _behind(document: dict[str, Any]) -> type[Settings]:
    """Settings that look into the document last."""

    class Layered(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            variables = {**env_settings(), **EnvSettingsSource(_TopKeys)()}
            environment = InitSettingsSource(settings_cls, _gathered(variables))
            return init_settings, environment, InitSettingsSource(settings_cls, document)

        def __reduce__(self) -> tuple[object, ...]:
            """To another process it goes without a class that only this function has."""
            return _bare, (), self.__getstate__()

    return Layered
