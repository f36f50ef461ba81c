"""What a model says of its fields: type, default, what is allowed, and meaning."""

from __future__ import annotations

import dataclasses
import inspect
import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from reference_meanings import ELSEWHERE, MEANINGS

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

NOTHING = "none"
_BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


@dataclass(frozen=True, slots=True)
class Key:
    """One key. inner: the model that stands below it, if one does; listed: any number of them."""

    name: str
    kind: str
    default: str
    meaning: str
    inner: type[BaseModel] | None = None
    listed: bool = False
    named: bool = False


def keys_of(model: type[BaseModel]) -> Iterator[Key]:
    """The keys of a model, in order."""
    meanings = meanings_of(model, model.model_fields)
    for name, info in model.model_fields.items():
        inner = _model_in(info.annotation)
        listed = get_origin(info.annotation) is tuple
        meaning = meanings.get(name, "")
        if inner is not None and not meaning:
            meaning = summary_of(inner)
        named = inner is not None and get_origin(info.annotation) is dict
        yield Key(name, _kind(info, inner, listed), _default(info), meaning, inner, listed, named)


def keys_of_dataclass(kind: type, allowed: Mapping[str, str]) -> Iterator[Key]:
    """The fields of a settings dataclass. allowed: what the reader of each says it must be."""
    names = [field.name for field in dataclasses.fields(kind)]
    meanings = meanings_of(kind, names)
    for field in dataclasses.fields(kind):
        default = "needed"
        if field.default is not dataclasses.MISSING:
            default = shown(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            default = shown(field.default_factory())
        told = allowed.get(field.name) or str(field.type)
        yield Key(field.name, told, default, meanings.get(field.name, ""))


def summary_of(kind: type) -> str:
    """What a docstring says before it comes to its fields."""
    text = inspect.getdoc(kind) or ""
    fields = getattr(kind, "model_fields", None) or getattr(kind, "__dataclass_fields__", {})
    first = " ".join(text.split("\n\n")[0].split())
    starts = list(_starts(first, fields))
    told = (first[: starts[0].start()] if starts else first).strip()
    return re.sub(r"; `[\w.]+` says what each \w+ means", "", told)


def meanings_of(kind: type, names: Mapping[str, Any] | list[str]) -> dict[str, str]:
    """Field -> meaning, from `name: meaning.` of the docstring, or of the one that it points to."""
    found: dict[str, str] = {}
    for source in (kind, *ELSEWHERE.get(kind.__name__, ())):
        for paragraph in (inspect.getdoc(source) or "").split("\n\n"):
            text = " ".join(paragraph.split())
            starts = list(_starts(text, names))
            ends = [*(each.start() for each in starts[1:]), len(text)]
            for start, end in zip(starts, ends, strict=False):
                meaning = text[start.end() : end].strip().rstrip(".;").removesuffix(" and").strip()
                for name in start["names"].split(", "):
                    for each in names:
                        fits = each.endswith(name[1:]) if name.startswith("*") else each == name
                        if fits:
                            found.setdefault(each, meaning)
    told = {name: MEANINGS.get(f"{kind.__name__}.{name}", "") for name in names}
    return found | {name: text for name, text in told.items() if text}


def _starts(text: str, names: Mapping[str, Any] | list[str]) -> Iterator[re.Match[str]]:
    pattern = r"(?:^|(?<=[.;:,] )|(?<=and ))(?P<names>\*?\w+(?:, \w+)*): "
    for match in re.finditer(pattern, text):
        if all(name.startswith("*") or name in names for name in match["names"].split(", ")):
            yield match


def _kind(info: FieldInfo, inner: type[BaseModel] | None, listed: bool) -> str:
    if inner is not None:
        return "list of mappings" if listed else "mapping"
    return words_of(info.annotation, tuple(info.metadata))


def words_of(annotation: Any, metadata: tuple[Any, ...] = ()) -> str:
    """What a value must be, in the words of the error that another value meets."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return words_of(inner[0], (*inner[1:], *metadata))
    if origin in (Union, types.UnionType):
        parts = [words_of(each) for each in inner if each is not type(None)]
        return " or ".join(parts)
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in inner)
    if origin is tuple and len(inner) == 2 and inner[1] is Ellipsis:
        return f"list: {words_of(inner[0])}"
    rule = _rule_of(annotation, metadata)
    bounds = [
        f"{word} {getattr(each, name):,g}"
        for each in metadata
        for name, word in _BOUNDS.items()
        if getattr(each, name, None) is not None
    ]
    if any(not bound.startswith("at most") for bound in bounds):  # which say more than the rule
        rule = rule.removesuffix(" of at least 0").removesuffix(" above 0")
    return ", ".join([rule, *bounds])


def _rule_of(annotation: Any, metadata: tuple[Any, ...]) -> str:
    told: Any = Annotated[(annotation, *metadata)] if metadata else annotation
    try:
        TypeAdapter(told).validate_python(object())
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        rule = str(first.get("ctx", {}).get("rule", ""))
        if rule:
            return re.sub(r"^be (an? )?", "", rule).replace("non-blank string", "text")
    if get_origin(annotation) is tuple:
        return f"list of {len(get_args(annotation))} numbers"
    return _PLAIN.get(get_origin(annotation) or annotation, "anything")


_PLAIN = {int: "whole number", float: "number", str: "text", bool: "true or false", dict: "mapping"}


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that a field holds, alone, or in a list or an optional one."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "needed"
    value = info.get_default(call_default_factory=True)
    return "" if isinstance(value, BaseModel) else shown(value)


def shown(value: object) -> str:
    """A default as it would stand in YAML."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, float) and value.is_integer():
        return f"`{int(value)}`"
    if isinstance(value, list | tuple):
        return f"`[{', '.join(str(each) for each in value)}]`" if value else "`[]`"
    if isinstance(value, dict):
        return "`{}`" if not value else f"`{value}`"
    return f"`{value}`"
