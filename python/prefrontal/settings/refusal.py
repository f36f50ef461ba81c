"""From pydantic's errors to the one sentence that says what is wrong."""

from __future__ import annotations

from typing import get_args

from pydantic import BaseModel, ValidationError

from ..errors import InputError, shown
from ..nearest import unknown_key
from ..typed_fields import dotted

WHOLE = "settings"
"""What an error calls the document itself."""
_RULES = {
    "model_type": "be a mapping",
    "dict_type": "be a mapping",
    "tuple_type": "be a list",
}

Place = tuple[int | str, ...]


class MisplacedError(InputError):
    """What is wrong, and where it stands in what was handed in. value: what stands there."""

    def __init__(self, sentence: str, where: Place, value: object) -> None:
        super().__init__(sentence)
        self.where = where
        self.value = value


def refusal(
    error: ValidationError,
    root: type[BaseModel],
    whole: str = WHOLE,
    unwrapped: frozenset[Place] = frozenset(),
    more: tuple[str, ...] = (),
) -> MisplacedError:
    """The first thing that is wrong with what was told to `root`, in a sentence.

    whole: what the sentence calls the root. unwrapped: places that people wrote without their first
    part. more: keys of the root besides its fields.
    """
    first = error.errors(include_url=False)[0]
    kind, where, value = first["type"], first["loc"], first["input"]
    bare = where[1:] if where[:2] in unwrapped else where
    if kind == "missing":
        sentence = f"{dotted(bare[:-1]) or whole} must have the key {bare[-1]}"
        return MisplacedError(sentence, bare[:-1], value)
    if kind in ("extra_forbidden", "invalid_key"):
        error_of_key = unknown(root, where[:-1], where[-1], dotted(bare[:-1]) or whole, more)
        return MisplacedError(str(error_of_key), bare, value)
    if bare and bare[-1] == "[key]":
        bare = bare[:-1]
    rule = first["msg"].removeprefix("Input should ")
    if kind == "rule":
        rule = first["ctx"]["rule"]
    elif kind == "literal_error":
        rule = f"be one of {first['ctx']['expected']}"
    sentence = f"{dotted(bare) or whole} must {_RULES.get(kind, rule)}, got {shown(value)}"
    return MisplacedError(sentence, bare, value)


def unknown(
    root: type[BaseModel], where: Place, key: object, place: str, more: tuple[str, ...] = ()
) -> InputError:
    """That nobody knows the key, with the nearest one that somebody knows."""
    names = sorted({*_model_at(root, where).model_fields, *(() if where else more)})
    return InputError(unknown_key(place, key, names, shown(key)))


def _model_at(root: type[BaseModel], where: Place) -> type[BaseModel]:
    model = root
    for part in where:
        if isinstance(part, str) and part in model.model_fields:
            kind = model.model_fields[part].annotation
            for inner in (kind, *get_args(kind)):
                if isinstance(inner, type) and issubclass(inner, BaseModel):
                    model = inner
    return model
