"""A payload as the JSON object of its row, and back.

The keys are those that logs have had since they keep anything here. A key that is missing, or that
holds what it cannot mean, counts as never written; one that is unknown is passed over: a log of any
release can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ..errors import InputError
from ..typed_fields import recover
from .payloads import (
    ACT,
    ASSESSMENT,
    BELIEF,
    DIRECTIVE,
    EDITED_QUESTION,
    PAYLOADS,
    ROUTE,
    WAKE,
    DirectivePayload,
    Moment,
    Payload,
    WakePayload,
)

Plain = dict[str, Any]
_FLAGS = ("closed", "wished", "waits", "late", "ended", "update")
"""Of a wake: written where they are true."""
_BESIDE = ("reading", "tool_run", "cycle")
"""Parts whose keys stand beside those of the payload."""
_IF_ANY = {
    *(*_BESIDE, "control", "taught", "beliefs", "plan", "consent"),
    *("validation", "level", "old", "asked", "trigger", "reflector"),
}
"""Fields that are written where they do not hold their default."""
_KEYS = {"consent": "verdict", "origin": "kind", "number": "cycle"}
"""Fields with another key."""


def to_plain(payload: Payload) -> Plain:
    """The object; empty when there is nothing to keep."""
    if payload == PAYLOADS[payload.kind]():
        return {}
    if isinstance(payload, WakePayload):
        return _wake_to_plain(payload)
    if isinstance(payload, DirectivePayload) and payload.origin == EDITED_QUESTION:
        return {"kind": payload.origin, "asked": payload.asked}
    return _to_plain(payload)


def from_plain(kind: str, plain: Plain, time: float) -> Payload:
    """The payload of a decision of that kind, decided at Unix second `time`.

    Raises InputError for a kind that this release does not know.
    """
    if kind not in _NEST:
        raise InputError(f"kind must be one of {', '.join(_NEST)}, got {kind!r}")
    empty = PAYLOADS[kind]()
    return recover(PAYLOADS[kind], _NEST[kind](plain, time), empty)


def _wake_to_plain(wake: WakePayload) -> Plain:
    plain: Plain = {"run": wake.run} if wake.run else {}
    if wake.moment is not None:
        plain |= _moment_to_plain(wake.moment)
    if wake.gathered:
        plain["gathered"] = [_moment_to_plain(each) | {"time": each.time} for each in wake.gathered]
    if wake.held_back is not None:
        plain["held_back"] = wake.held_back
    if wake.meanwhile:
        plain["meanwhile"] = [list(each) for each in wake.meanwhile]
    if wake.folded:
        plain["folded"] = [each._asdict() for each in wake.folded]
    if wake.opening:
        plain["opening"] = wake.opening
    return plain | {name: True for name in _FLAGS if getattr(wake, name)}


def _moment_to_plain(moment: Moment) -> Plain:
    plain: Plain = {
        "event": moment.event,
        "monotonic": moment.monotonic,
        "labels": moment.labels,
        "slept": moment.slept,
    }
    if (standing := moment.standing) is not None:
        plain |= {"peer": standing.peer, "trust": standing.trust, "shift": standing.shift}
        if standing.wakes_per_hour is not None:
            plain["budget"] = standing.wakes_per_hour
    if moment.alone:
        plain["alone"] = True
    if (burst := moment.burst) is not None:
        plain["burst"] = burst._asdict() | {"features": dict(burst.features)}
    return plain


def _to_plain(part: Any) -> Plain:
    """An object: its fields, but defaults of _IF_ANY, and the fields of the parts of _BESIDE."""
    plain: Plain = {}
    for field in fields(part):
        name, value = field.name, getattr(part, field.name)
        if name in _IF_ANY and value == field.default:
            continue
        if name in _BESIDE:
            plain |= _to_plain(value)
        else:
            plain[_KEYS.get(name, name)] = _value_to_plain(value)
    return plain


def _value_to_plain(value: Any) -> Any:
    if is_dataclass(value):
        return _to_plain(value)
    if isinstance(value, tuple):
        return [_value_to_plain(each) for each in value]
    return dict(value) if isinstance(value, Mapping) else value


def _wake(plain: Plain, time: float) -> Plain:
    gathered = [
        _moment(each, each.get("time"))
        for each in plain.get("gathered") or ()
        if isinstance(each, dict)
    ]
    moment = _moment(plain, time) if _is_whole(plain.get("event")) else None
    return plain | {"moment": moment, "gathered": gathered}


def _moment(plain: Plain, time: object) -> Plain:
    standing = _if_text(plain, "peer")
    if standing is not None:
        standing = standing | {"wakes_per_hour": plain.get("budget")}
    burst = plain.get("burst")
    if isinstance(burst, dict) and isinstance(features := burst.get("features"), dict):
        burst = burst | {"features": [[name, str(value)] for name, value in features.items()]}
    return plain | {"time": time, "standing": standing, "burst": burst}


def _route(plain: Plain, _: float) -> Plain:
    return plain | {"reading": _if_text(plain, "search"), "consent": plain.get("verdict")}


def _act(plain: Plain, _: float) -> Plain:
    return plain | {"tool_run": _if_text(plain, "sha256")}


def _reflection(plain: Plain, _: float) -> Plain:
    return plain | {"cycle": plain | {"number": plain.get("cycle")}, "origin": plain.get("kind")}


def _if_text(plain: Plain, key: str) -> Plain | None:
    """The row where it holds a text there: so it says that it has the part."""
    return plain if isinstance(plain.get(key), str) else None


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_NEST: Mapping[str, Callable[[Plain, float], Plain]] = {
    WAKE: _wake,
    ROUTE: _route,
    ACT: _act,
    ASSESSMENT: _reflection,
    BELIEF: _reflection,
    DIRECTIVE: _reflection,
}
"""From the keys of a row to those of the payload, whose parts stand beside each other there."""
