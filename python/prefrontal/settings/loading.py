"""From a file, the environment and the command line to `Settings`, or to one clear sentence.

Every key can be set in the environment, in front of the file: PREFRONTAL_RECALL=0.95,
PREFRONTAL_POLICY__COOLDOWN_S=60, PREFRONTAL_SOURCES='{"git": ["."]}'.
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn, get_args

from pydantic import BaseModel, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsError,
)

from ..errors import InputError
from ..nearest import unknown_key
from .agent_file import AGENT_KEYS, check_section, read_settings_file
from .models import Settings

WHOLE = "settings"
"""What an error calls the document itself."""
_RULES = {
    "model_type": "be a mapping",
    "dict_type": "be a mapping",
    "tuple_type": "be a list",
}
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 160

Place = tuple[int | str, ...]


def load_settings(
    path: str | os.PathLike[str] | None = None, told: Mapping[str, Any] | None = None
) -> Settings:
    """The settings of a file, or the defaults; `told` (the command line) stands in front.

    Raises InputError naming the file, the field, the rule and the value, SourceError when the
    file cannot be read.
    """
    if path is None:
        return parse_settings({}, told)
    document = read_settings_file(path)
    try:
        settings = parse_settings(document, told)
    except InputError as error:
        raise InputError(f"{os.fspath(path)}: {error}") from None
    settings._folder = Path(path).absolute().parent
    return settings


def parse_settings(raw: object, told: Mapping[str, Any] | None = None) -> Settings:
    """Check what a file held; None counts as empty. Raises InputError."""
    if raw is not None and not isinstance(raw, dict):
        raise InputError(f"{WHOLE} must be a mapping, got {_shown(raw)}")
    document = raw or {}
    for key in document:
        if not isinstance(key, str):
            _refuse_key((), key)
    try:
        settings = _behind(document)(**(told or {}))
    except SettingsError as error:  # the environment: JSON was expected there
        raise InputError(f"the environment must hold JSON there: {error}") from None
    except ValidationError as error:
        _refuse(error)
    for key, section in document.items():
        if key in AGENT_KEYS and isinstance(section, dict):
            check_section(key, section)
    return settings


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
            return init_settings, env_settings, InitSettingsSource(settings_cls, document)

    return Layered


def _refuse(error: ValidationError) -> NoReturn:
    """Say the first thing that is wrong."""
    first = error.errors(include_url=False)[0]
    kind, where, value = first["type"], first["loc"], first["input"]
    if kind == "missing":
        raise InputError(f"{_dotted(where[:-1])} must have the key {where[-1]}")
    if kind in ("extra_forbidden", "invalid_key"):
        _refuse_key(where[:-1], where[-1])
    if where and where[-1] == "[key]":
        where = where[:-1]
    rule = first["msg"].removeprefix("Input should ")
    if kind == "rule":
        rule = first["ctx"]["rule"]
    elif kind == "literal_error":
        rule = f"be one of {first['ctx']['expected']}"
    raise InputError(f"{_dotted(where)} must {_RULES.get(kind, rule)}, got {_shown(value)}")


def _refuse_key(where: Place, key: object) -> NoReturn:
    names = sorted(_model_at(where).model_fields)
    raise InputError(unknown_key(_dotted(where), key, names, _shown(key)))


def _model_at(where: Place) -> type[BaseModel]:
    model: type[BaseModel] = Settings
    for part in where:
        if isinstance(part, str) and part in model.model_fields:
            kind = model.model_fields[part].annotation
            for inner in (kind, *get_args(kind)):
                if isinstance(inner, type) and issubclass(inner, BaseModel):
                    model = inner
    return model


def _dotted(where: Place) -> str:
    text = ""
    for part in where:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or WHOLE


def _shown(value: object) -> str:
    try:
        return _SHORT.repr(value)
    except ValueError:  # an int past sys.get_int_max_str_digits() has no repr
        return f"{type(value).__name__} too long to show"
