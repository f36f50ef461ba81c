"""Recorded windows, one JSON object a line, read as a stream."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from ...errors import InputError
from ...types import SignalEvent, Window
from .event_files import count_lines, numbered_lines, spool_stdin, spooled

__all__ = ["LoggedLine", "count_lines", "read_windows", "spool_stdin", "spooled"]

EARLIEST, LATEST = -62_135_596_800.0, 253_402_300_799.0
"""First second of the year 1 and last of 9999: what a calendar can show."""

_SHOWN = 80
_NOTHING = object()
_LINE_EVENT = ("log", "log", "logged")


@dataclass(frozen=True, slots=True)
class LoggedLine(Window):
    """A window of an agent's log, with what the agent answered; the gate never sees `reply`."""

    reply: str = ""


def read_windows(path: str | Path, name: str | None = None) -> Iterator[Window]:
    """The windows of a file (plain or gzip) or of standard input ("-"), in the file's order.

    A line is `{"time": 1500000000, "actor": "a1b2", "text": "subject", "relevant": true, "events":
    [{"source": "filesystem", "location": "src/x.py", "delta_type": "modified"}]}`. Optional are
    actor, text, relevant and reply (null says nothing), and in an event magnitude (1.0), timestamp
    (the window's) and features. Other fields are ignored. A line whose list of events is empty
    must carry an actor or a text; it becomes one event of source "log", so that the gate sees it.
    `relevant` may be the name of the incident that the window belongs to, which mattered.
    A reply makes the window a `LoggedLine`. `name` is what keys and errors call the file.

    Raises InputError "FILE:LINE: <field> must <rule>, got <value>"; time may not go back.
    """
    if str(path) == "-":
        with spool_stdin() as copy:
            yield from read_windows(copy, name or "-")
        return
    label = str(path) if name is None else name
    last = -math.inf
    for number, raw in numbered_lines(path, label):
        key = f"{label}:{number}"
        try:
            window = _window(_value(raw), key, last)
        except InputError as error:
            raise InputError(f"{key}: {error}") from None
        last = window.time
        yield window


def _short(value: Any) -> str:
    text = "nothing" if value is _NOTHING else repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _refuse(name: str, rule: str, value: Any) -> NoReturn:
    raise InputError(f"{name} must {rule}, got {_short(value)}")


def _value(raw: bytes) -> Any:
    try:
        line = raw.decode()
    except UnicodeDecodeError as error:
        near = raw[error.start : error.start + 20]
        raise InputError(f"line must be UTF-8, got {near!r} at byte {error.start + 1}") from None
    try:
        value = json.loads(line)
        # Half of a surrogate pair, cut by whoever wrote the line, is no text: no encoder takes it.
        return _mended(value) if "\\ud" in line or "\\uD" in line else value
    except RecursionError:
        raise InputError(f"line must be JSON of modest depth, got {_short(line)}") from None
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "number out of range"
        raise InputError(f"line must be JSON ({reason}), got {_short(line.strip())}") from None


def _window(line: Any, key: str, last: float) -> Window:
    if type(line) is not dict:
        _refuse("line", "be a JSON object", line)
    time = _moment("time", line.get("time", _NOTHING))
    if time < last:
        _refuse("time", f"not go back (the window before is at {last:.0f})", line["time"])
    actor = line.get("actor")
    text = line.get("text")
    relevant = line.get("relevant")
    if type(actor) is not str:
        actor = _optional_text("actor", actor)
    if type(text) is not str:
        text = _optional_text("text", text)
    relevant, incident = _label(relevant)
    raw_events = line.get("events", _NOTHING)
    if type(raw_events) is not list:
        _refuse("events", "be a list", raw_events)
    shared = {"actor": actor, "text": text}
    if raw_events:
        events = _events(raw_events, time, shared)
    elif actor or text:
        events = (SignalEvent(*_LINE_EVENT, 1.0, time, shared),)
    else:
        _refuse("events", "not be empty without an actor or a text", raw_events)
    if "reply" in line:
        reply = _optional_text("reply", line["reply"])
        return LoggedLine(key, time, events, actor, text, relevant, None, reply, incident=incident)
    return Window(key, time, events, actor, text, relevant, incident=incident)


def _label(relevant: Any) -> tuple[bool | None, str]:
    """Whether it mattered, and the incident that is named instead of saying so."""
    if type(relevant) is str and relevant.strip():
        return True, relevant
    if relevant is not None and type(relevant) is not bool:
        _refuse("relevant", "be true, false or the name of an incident", relevant)
    return relevant, ""


def _events(raw_events: list[Any], time: float, shared: dict[str, Any]) -> tuple[SignalEvent, ...]:
    events = []
    for raw in raw_events:
        if type(raw) is dict and len(raw) == 3:
            source, place = raw.get("source"), raw.get("location")
            delta = raw.get("delta_type")
            if type(source) is type(place) is type(delta) is str and source and place and delta:
                events.append(SignalEvent(source, place, delta, 1.0, time, shared))
                continue
        events.append(_event(raw, f"events[{len(events)}]", time, shared))
    return tuple(events)


def _event(raw: Any, name: str, time: float, shared: dict[str, Any]) -> SignalEvent:
    """The careful way: every field, every rule, and the name of what breaks it."""
    if type(raw) is not dict:
        _refuse(name, "be a JSON object", raw)
    words = []
    for word in ("source", "location", "delta_type"):
        value = raw.get(word, _NOTHING)
        if type(value) is not str or not value:
            _refuse(f"{name}.{word}", "be a string that is not empty", value)
        words.append(value)
    magnitude, moment, own = raw.get("magnitude"), raw.get("timestamp"), raw.get("features")
    magnitude = 1.0 if magnitude is None else _number(f"{name}.magnitude", magnitude)
    moment = time if moment is None else _moment(f"{name}.timestamp", moment)
    if own is None:
        return SignalEvent(words[0], words[1], words[2], magnitude, moment, shared)
    if type(own) is not dict:
        _refuse(f"{name}.features", "be a JSON object", own)
    for word in ("actor", "text"):
        if type(own.get(word, "")) is not str:
            _refuse(f"{name}.features.{word}", "be a string", own[word])
    return SignalEvent(words[0], words[1], words[2], magnitude, moment, {**shared, **own})


def _number(name: str, value: Any) -> float:
    if type(value) is int or type(value) is float:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    _refuse(name, "be a finite number", value)


def _moment(name: str, value: Any) -> float:
    if (type(value) is int or type(value) is float) and EARLIEST <= value <= LATEST:
        return float(value)
    number = _number(name, value)
    hint = " (are these milliseconds?)" if number > LATEST else ""
    _refuse(name, f"be Unix seconds within the years 1 to 9999{hint}", value)


def _optional_text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if type(value) is not str:
        _refuse(name, "be a string", value)
    return value


def _mended(value: Any) -> Any:
    if type(value) is str:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if type(value) is list:
        return [_mended(item) for item in value]
    if type(value) is dict:
        return {_mended(name): _mended(item) for name, item in value.items()}
    return value
