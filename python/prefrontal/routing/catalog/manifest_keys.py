"""The keys of one tool's manifest, each checked independently.

name, intents, args, returns, hints (domain, action, anti_intents), side_effects, example,
files, hosts.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast, get_args

from ...nearest import unknown_key
from ..layout import is_slug
from ..plain_values import plain, well_formed
from ..types import ArgSpec, Manifest, SideEffects

KEYS = ("name", "intents", "args", "returns", "hints", "side_effects", "example", "files", "hosts")
HINTS = ("domain", "action", "anti_intents")
ARGUMENT = ("name", "type", "required", "default")
LONGEST = 1000
"""Characters of a text in a manifest."""
MOST = 10_000
"""Items of a list in a manifest."""

_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_NAME = rf"(?:\*\.)?(?:{_LABEL}\.)*(?![0-9]+(?::|\Z)){_LABEL}"
_ADDRESS = r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!:|\Z)|(?=:|\Z))){4}"
_HOST = re.compile(rf"(?=.{{1,253}}\Z)(?:{_NAME}|{_ADDRESS})(?::(?P<port>[0-9]{{1,5}}))?\Z")

Report = Callable[[str, str], None]
"""Takes the dotted key and the sentence of each error."""


def read_manifest(path: Path, raw: object, default_name: str, report: Report) -> Manifest | None:
    """The manifest of a parsed document; reports and ignores wrong keys.

    None when it is no mapping or has no name.
    """
    if not isinstance(raw, dict):
        report("", f"manifest must be a mapping, got {_shown(raw)}")
        return None
    _known(raw, KEYS, "", report)
    name = _name(raw.get("name"), default_name, report)
    if not name:
        return None
    hints = _mapping(raw, "hints", report)
    _known(hints, HINTS, "hints.", report)
    return Manifest(
        name=name,
        path=path,
        intents=_texts(raw, "intents", "", report),
        args=_arguments(raw, report),
        returns=_texts(raw, "returns", "", report, str.isidentifier, "be names"),
        domain=_slug(hints, "domain", report),
        action=_slug(hints, "action", report),
        anti_intents=_texts(hints, "anti_intents", "hints.", report),
        side_effects=_side_effects(raw, report),
        example=_example(raw, report),
        files=_texts(raw, "files", "", report, _is_name, "be patterns of names like *.py"),
        hosts=_hosts(raw, report),
    )


def _hosts(raw: Mapping[Any, Any], report: Report) -> tuple[str, ...] | None:
    """None where there is no such key; without the items that are no hosts."""
    if raw.get("hosts") is None:
        return None
    rule = "be hosts like api.example.org, *.example.org or example.org:8443"
    return _texts(raw, "hosts", "", report, _is_host, rule)


def _is_host(text: str) -> bool:
    match = _HOST.match(text)
    return match is not None and (match["port"] is None or 0 < int(match["port"]) < 65_536)


def _known(raw: Mapping[Any, Any], keys: Sequence[str], where: str, report: Report) -> None:
    for key in raw:
        if key not in keys:
            whole = where.rstrip(".") or "manifest"
            report(f"{where}{key}", unknown_key(whole, key, keys, _shown(key)))


def _name(value: object, default: str, report: Report) -> str:
    if value is None and default:
        return default
    if not _is_text(value):
        report("name", f"name must be the name of a tool, got {_shown(value)}")
        return default
    name = str(value).strip().removesuffix(".py")
    if default and name != default:
        report("name", f"name must be {default!r} as in the file's name, got {name!r}")
    return default or name


def _mapping(raw: Mapping[str, Any], key: str, report: Report) -> Mapping[Any, Any]:
    value = raw.get(key)
    if value is None or isinstance(value, dict):
        return value or {}
    report(key, f"{key} must be a mapping, got {_shown(value)}")
    return {}


def _list(raw: Mapping[Any, Any], key: str, where: str, report: Report) -> list[Any]:
    value = raw.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or len(value) > MOST:
        name = f"{where}{key}"
        report(name, f"{name} must be a list of at most {MOST}, got {_shown(value)}")
        return []
    return value


def _texts(
    raw: Mapping[Any, Any],
    key: str,
    where: str,
    report: Report,
    good: Callable[[str], bool] = bool,
    rule: str = "be texts",
) -> tuple[str, ...]:
    """The unique texts of a list; reports items that are no text or not good."""
    texts = []
    for value in _list(raw, key, where, report):
        if _is_text(value) and good(value.strip()):
            texts.append(value.strip())
        else:
            report(f"{where}{key}", f"items of {where}{key} must {rule}, got {_shown(value)}")
    return tuple(dict.fromkeys(texts))


def _arguments(raw: Mapping[str, Any], report: Report) -> tuple[ArgSpec, ...]:
    arguments: dict[str, ArgSpec] = {}
    for value in _list(raw, "args", "", report):
        argument = _argument(value, report)
        if argument is not None and argument.name in arguments:
            report("args", f"args must name each argument once, got {argument.name!r} twice")
        elif argument is not None:
            arguments[argument.name] = argument
    return tuple(arguments.values())


def _argument(value: object, report: Report) -> ArgSpec | None:
    if not isinstance(value, dict):
        report("args", f"items of args must be mappings with a name, got {_shown(value)}")
        return None
    _known(value, ARGUMENT, "args.", report)
    name, hint, default = value.get("name"), value.get("type"), value.get("default")
    required = value.get("required", "default" not in value)
    if not _is_text(name) or not str(name).isidentifier():
        report("args", f"name of an argument must be an identifier, got {_shown(name)}")
        return None
    if hint is not None and not _is_text(hint):
        report("type", f"type of {name} must be text, got {_shown(hint)}")
        hint = None
    if not isinstance(required, bool):
        report("required", f"required of {name} must be true or false, got {_shown(required)}")
        required = True
    return ArgSpec(str(name), hint, required, None if required else repr(default)[:LONGEST])


def _slug(hints: Mapping[Any, Any], key: str, report: Report) -> str | None:
    value = hints.get(key)
    if value is None or (isinstance(value, str) and is_slug(value)):
        return value
    rule = "be lower-case letters, digits and underscores, a letter first"
    report(f"hints.{key}", f"hints.{key} must {rule}, got {_shown(value)}")
    return None


def _side_effects(raw: Mapping[str, Any], report: Report) -> SideEffects | None:
    value = raw.get("side_effects")
    if value is None or value in get_args(SideEffects):
        return cast("SideEffects | None", value)
    rule = f"be one of {', '.join(get_args(SideEffects))}"
    report("side_effects", f"side_effects must {rule}, got {_shown(value)}")
    return None


def _example(raw: Mapping[str, Any], report: Report) -> dict[str, Any] | None:
    value = raw.get("example")
    if value is None:
        return None
    try:
        if isinstance(value, dict):
            return cast("dict[str, Any]", plain(value))
        report("example", f"example must map arguments to values, got {_shown(value)}")
    except ValueError as error:
        report("example", f"example must {error}")
    return None


def _is_name(pattern: str) -> bool:
    return "/" not in pattern and "\\" not in pattern


def _is_text(value: object) -> bool:
    return (
        isinstance(value, str)
        and 0 < len(value.strip()) <= LONGEST
        and "\0" not in value
        and well_formed(value)
    )


def _shown(value: object) -> str:
    try:
        return reprlib.repr(value)
    except ValueError:  # an int past sys.get_int_max_str_digits() has no repr
        return f"{type(value).__name__} too long to show"
