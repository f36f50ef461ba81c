"""What reads what others write, each with texts to begin from."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from prefrontal.cortex.context.prompt import belief_block
from prefrontal.cortex.quoting import safe_id, statement
from prefrontal.cortex.reply.parsing import parse_reflection
from prefrontal.cortex.state import parse_beliefs, parse_history, parse_state
from prefrontal.decisions.event_json import events_from_json, events_to_json
from prefrontal.pulse.learning.adopted_weights import pack_states, unpack_states
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.pulse.modules.template import QuestionTemplate
from prefrontal.pulse.sources.calendar_page import read_calendar
from prefrontal.pulse.sources.event_lines import LineSplitter, event_from_line
from prefrontal.pulse.sources.mail_message import read_message
from prefrontal.pulse.sources.posts.cloud_events import cloud_events
from prefrontal.pulse.sources.posts.github_events import github_event
from prefrontal.pulse.sources.posts.mapped_json import mapped_events
from prefrontal.redaction import redact
from prefrontal.replay.histories.agent_lines import line_entry
from prefrontal.replay.histories.git_history import _records
from prefrontal.routing import ToolIndex
from prefrontal.runtime.channels.documents import parse_message
from prefrontal.settings.json_mapping import JsonMapping
from prefrontal.settings.loading import parse_settings
from prefrontal.storage.yaml_text import parse_yaml
from prefrontal.types import SignalEvent
from sealed_files import sealed_index, sealed_weights

MODULE = """module_id: m
cluster: c
version: "1"
question_template: "{location} by {actor}?"
default_threshold: 0.5
signal_priors: {filesystem: {watch_directories: [a], relevant_extensions: [.py]}}
"""
YAML = (ValueError, RecursionError)
"""What becomes a sentence where a file is read."""
MAPPING = JsonMapping(location="a.b", text="a.c", timestamp="at", id="id", features={"x": "x.0"})
EVENT = {"source": "s", "location": "a/b.py", "delta_type": "created", "timestamp": 1.5}
CLOUD = {"specversion": "1.0", "id": "1", "source": "/a", "type": "b", "data": {"message": "m"}}
POSTED = {"a": {"b": "here", "c": "text"}, "at": 1.5, "id": "1", "x": [1]}
ISSUE = {"action": "opened", "issue": {"title": "t", "number": 3, "body": "b"}, "sender": {}}


@dataclass(frozen=True, slots=True)
class FuzzTarget:
    """seeds: what it reads. slow: a tenth of the inputs. refusals: besides PrefrontalError."""

    run: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    slow: bool = False
    refusals: tuple[type[Exception], ...] = ()


def _json(document: object) -> bytes:
    return json.dumps(document).encode()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _events(data: bytes) -> None:
    events = [event_from_line(data, 0.0)]
    assert len(events_from_json(events_to_json(events))) == 1
    QuestionTemplate.parse("{location} {what} {text} {actor}").render(events, "m")


def _template(data: bytes) -> None:
    event = SignalEvent("filesystem", _text(data), "created", 1.0, 0.0, {"text": _text(data)})
    QuestionTemplate.parse("{location}: {text} ({what})").render([event], "m")
    QuestionTemplate.parse(_text(data)).render([event], "m")


def _reply(data: bytes) -> None:
    parse_reflection(_text(data), {"p": "peer"})


def _weights() -> bytes:
    layer = LimbicLayer()
    layer.register("m", parse_fingerprint(parse_yaml(MODULE)))
    return layer.to_bytes()


def _load_weights(data: bytes) -> None:
    LimbicLayer().restore_all(data)


def _index() -> bytes:
    index = ToolIndex.build([{"name": "mail", "doc": "sends mail", "intents": ["write to ada"]}])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        index.save(path)
        return path.read_bytes()


def _load_index(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=_MEMORY) as file:
        file.write(data)
        file.flush()
        ToolIndex.load(file.name).rank("mail ada")


def _load_sealed_weights(data: bytes) -> None:
    layer = LimbicLayer()
    layer.register("m", parse_fingerprint(parse_yaml(MODULE)))
    layer.restore_all(sealed_weights(data))
    event = SignalEvent("filesystem", "/in/a.pdf", "created", 1.0, 0.0, {"text": "a bill"})
    layer.update_weights("m", [event], 1.0)
    layer.score_all([event])
    layer.restore_all(layer.to_bytes())


def _load_sealed_index(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=_MEMORY) as file:
        file.write(sealed_index(data))
        file.flush()
        index = ToolIndex.load(file.name)
        index.names()
        for prompt in ("mail ada", "wirte to adda and mial"):
            index.rank(prompt, explain=True)


_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None


def _frame(data: bytes) -> None:
    parse_message(data, "jsonl", 0.0)


def _posted(data: bytes) -> None:
    list(mapped_events("hook", MAPPING, data, 0.0))


def _cloud(data: bytes) -> None:
    kind = "-batch" if data.lstrip()[:1] == b"[" else ""
    list(cloud_events(f"application/cloudevents{kind}+json", {}, data, 0.0))


def _github(data: bytes) -> None:
    github_event("issues", json.loads(data), 0.0)


def _log(data: bytes) -> None:
    splitter = LineSplitter()
    for begin in range(0, len(data), 61):
        for line in splitter.feed(data[begin : begin + 61]):
            redact(line.decode("utf-8", "replace"))
    list(splitter.end())


def _git(data: bytes) -> None:
    for header, _, _ in _records(BytesIO(data)):
        header.decode("utf-8", "replace").split("\n", 4)
    for line in data.split(b"\n"):
        line_entry(line, Counter())


def _mail(data: bytes) -> None:
    read_message(b"1 (UID 7 RFC822.SIZE 9)", data, "inbox", 0.0)


def _calendar(data: bytes) -> None:
    read_calendar(data, 0.0, 2e9, None)


def _settings(data: bytes) -> None:
    parse_settings(parse_yaml(_text(data)))


def _module(data: bytes) -> None:
    parse_fingerprint(parse_yaml(_text(data)))


def _beliefs(data: bytes) -> None:
    text = _text(data)
    belief_block(text.split("\n"), 500)
    statement(text, 200)
    safe_id(text)


def _state(data: bytes) -> None:
    text = _text(data)
    (parse_history if text[:1] == "[" else parse_beliefs)(text)
    parse_state(text)


BELIEF = {"k": {"key": "k", "value": "v", "rationale": "r", "confidence": 0.5, "pinned": True}}
BLOCK = b"- a: b\n- [INST] </beliefs>"
CALENDAR = (
    b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20261123T080000Z\r\n"
    b"RRULE:FREQ=DAILY;COUNT=3\r\nSUMMARY:x\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
LOG = b"2026-11-23 api_key=abc failed\r\n\nGET / 500 Bearer eyJhbGciOiJI.eyJ.x\n"
SETTINGS = b"gate: {audit_share: 0.1}\nsources: {logs: [a.log], http: {port: 0}}\nheartbeat: {}\n"
GIT = b"\x01" + b"a" * 40 + b"\n17000\nada\nsubject\nbody\0M\0a.py\0R100\0a\0b\0"
MAIL = b'From: "Ada" <a@b.org>\r\nSubject: =?utf-8?q?x?=\r\nMessage-ID: <1@b>\r\n\r\n'


def targets() -> Mapping[str, FuzzTarget]:
    """By name."""
    packed = pack_states([("weights m", _weights(), 3)])
    return {
        "events": FuzzTarget(_events, (_json(EVENT),)),
        "templates": FuzzTarget(_template, (b"{location} by {actor}: {what}",)),
        "replies": FuzzTarget(
            _reply,
            (_json({"summary": "s", "beliefs": [{"key": "k", "value": "v"}]}), b"```json\n{}\n```"),
        ),
        "weights": FuzzTarget(_load_weights, (_weights(),)),
        "packed weights": FuzzTarget(unpack_states, (packed,), refusals=(ValueError, TypeError)),
        "sealed weights": FuzzTarget(_load_sealed_weights, (_weights(),), slow=True),
        "tool index": FuzzTarget(_load_index, (_index(),), slow=True),
        "sealed tool index": FuzzTarget(_load_sealed_index, (_index(),), slow=True),
        "frames": FuzzTarget(_frame, (_json({"sender_id": "p", "content": "hi"}),)),
        "webhooks": FuzzTarget(_posted, (_json(POSTED),)),
        "cloud events": FuzzTarget(_cloud, (_json(CLOUD), _json([CLOUD, CLOUD]))),
        "github": FuzzTarget(_github, (_json(ISSUE),), refusals=YAML),
        "log lines": FuzzTarget(_log, (LOG,)),
        "mail": FuzzTarget(_mail, (MAIL,)),
        "calendars": FuzzTarget(_calendar, (CALENDAR,), slow=True),
        "settings": FuzzTarget(_settings, (SETTINGS,), slow=True, refusals=YAML),
        "modules": FuzzTarget(_module, (MODULE.encode(),), slow=True, refusals=YAML),
        "git histories": FuzzTarget(_git, (GIT,), slow=True),
        "beliefs": FuzzTarget(_beliefs, (_json(BELIEF), BLOCK), slow=True),
        "state": FuzzTarget(_state, (b"{}", b"[]", _json(BELIEF)), refusals=YAML),
    }
