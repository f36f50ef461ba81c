"""Groups of settings, and the types of their fields, each with its one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, ValidationError, WrapValidator
from pydantic_core import PydanticCustomError


class SettingsGroup(BaseModel):
    """Settings that stand together: frozen; unknown keys, NaN and infinity are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def broken(rule: str) -> PydanticCustomError:
    """The error that reads "<field> must <rule>, got <value>"."""
    return PydanticCustomError("rule", "{rule}", {"rule": rule})


def check(
    rule: str, holds: Callable[[Any], bool] = lambda _: True, *, switch: bool = False
) -> WrapValidator:
    """The check behind "<field> must <rule>". switch: true and false are values of the field."""

    def validate(value: Any, parse: Callable[[Any], Any]) -> Any:
        if isinstance(value, bool) and not switch:  # true and false are no numbers
            raise broken(rule)
        try:
            result = parse(value)
        except ValidationError:
            raise broken(rule) from None
        if not holds(result):
            raise broken(rule)
        return result

    return WrapValidator(validate)


def _is_text(value: str) -> bool:
    return bool(value.strip()) and "\0" not in value


def _is_path_name(value: str) -> bool:
    return value.isascii() and bool(value) and value.replace("-", "").replace("_", "").isalnum()


def _is_json_path(value: str) -> bool:
    return "\0" not in value and all(part.strip() for part in value.split("."))


def _is_key(value: str) -> bool:
    return len(value) == 64 and set(value) <= set("0123456789abcdefABCDEF")


def _mapped(value: Any, _: Callable[[Any], Any]) -> Any:
    """A mapping by names that whoever reads it checks; an empty value counts as an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise broken("be a mapping")
    return value


def _module(value: Any, _: Callable[[Any], Any]) -> Any:
    """A path, or a fingerprint that `pulse.parse_fingerprint` checks later."""
    if not isinstance(value, dict) and not (isinstance(value, str) and _is_text(value)):
        raise broken("be a fingerprint or the path of one")
    return value


Share = Annotated[float, check("be a number in 0..1", lambda value: 0 <= value <= 1)]
Recall = Annotated[float, check("be a number above 0 and at most 1", lambda v: 0 < v <= 1)]
Seconds = Annotated[float, check("be a number of seconds, at least 0", lambda v: v >= 0)]
Megabytes = Annotated[float, check("be a number of megabytes, at least 0", lambda v: v >= 0)]
Timeout = Annotated[
    float, check("be a number of seconds above 0, at most 86400", lambda v: 0 < v <= 86400)
]
Rate = Annotated[float, check("be a number of at least 0", lambda value: value >= 0)]
Slope = Annotated[float, check("be a number above 0, at most 1000", lambda v: 0 < v <= 1000)]
LogOdds = Annotated[float, check("be a number in 0..10", lambda value: 0 <= value <= 10)]
Whole = Annotated[int, check("be a whole number in 0..100", lambda value: 0 <= value <= 100)]
Days = Annotated[int, check("be a whole number of days, 0..36500", lambda v: 0 <= v <= 36500)]
Port = Annotated[int, check("be a whole number in 0..65535", lambda value: 0 <= value <= 65535)]
Positive = Annotated[int, check("be a whole number above 0", lambda value: value > 0)]
RequestBytes = Annotated[
    int, check("be a whole number in 64..16777216", lambda value: 64 <= value <= 1 << 24)
]
Seed = Annotated[
    int, check("be a whole number between -2^63 and 2^63", lambda value: abs(value) < 2**63)
]
Trust = Annotated[int, check("be a whole number in -10..10", lambda value: -10 <= value <= 10)]
Text = Annotated[str, check("be a non-blank string", _is_text)]
Ed25519Key = Annotated[str, check("be the 64 hexadecimal digits of a public key", _is_key)]
JsonPath = Annotated[str, check("be names and numbers with points between them", _is_json_path)]
PathName = Annotated[str, check("be letters, digits, - and _", _is_path_name)]
Hour = Annotated[int, check("be a whole number 0..23", lambda value: 0 <= value <= 23)]
Hours = Annotated[tuple[Hour, Hour], check("be a list of two whole numbers 0..23")]
Switch = Annotated[bool, check("be true or false", switch=True)]
Module = Annotated[Any, WrapValidator(_module)]
Mapped = Annotated[dict[str, Any], WrapValidator(_mapped)]
