from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.replay.histories.windows import LoggedLine, read_windows
from prefrontal.types import SignalEvent, Window

EVENT = {"source": "filesystem", "location": "src/x.py", "delta_type": "modified"}
LINE = {"time": 1500000000, "actor": "a1b2", "text": "subject", "relevant": True, "events": [EVENT]}


@pytest.fixture
def file_of(tmp_path: Path) -> Callable[..., Path]:
    def write(*lines: Any) -> Path:
        path = tmp_path / "log.jsonl"
        raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        path.write_bytes(b"\n".join(raw) + b"\n")
        return path

    return write


def test_a_line_becomes_a_window_whose_events_share_actor_and_text(
    file_of: Callable[..., Path],
) -> None:
    path = file_of(LINE | {"events": [EVENT, EVENT | {"location": "b", "delta_type": "deleted"}]})
    (window,) = read_windows(path)
    features = {"actor": "a1b2", "text": "subject"}
    assert window == Window(
        key=f"{path}:1",
        time=1.5e9,
        events=(
            SignalEvent("filesystem", "src/x.py", "modified", 1.0, 1.5e9, features),
            SignalEvent("filesystem", "b", "deleted", 1.0, 1.5e9, features),
        ),
        actor="a1b2",
        text="subject",
        relevant=True,
    )
    assert window.events[0].features is window.events[1].features


def test_what_is_optional_may_be_left_out_or_null(file_of: Callable[..., Path]) -> None:
    bare = {"time": 1.5, "events": [EVENT]}
    null = bare | {"actor": None, "text": None, "relevant": None}
    first, second = read_windows(file_of(bare, null))
    for window in (first, second):
        assert (window.actor, window.text, window.relevant) == ("", "", None)
        assert window.events[0].features == {"actor": "", "text": ""}


def test_an_event_may_carry_magnitude_timestamp_and_features(file_of: Callable[..., Path]) -> None:
    own = EVENT | {"magnitude": 0.25, "timestamp": 7, "features": {"size_bytes": 3, "text": "own"}}
    (window,) = read_windows(file_of(LINE | {"events": [own, EVENT | {"magnitude": None}]}))
    features = {"actor": "a1b2", "text": "own", "size_bytes": 3}
    assert window.events[0] == SignalEvent("filesystem", "src/x.py", "modified", 0.25, 7, features)
    assert window.events[1].magnitude == 1.0
    assert window.events[1].features == {"actor": "a1b2", "text": "subject"}


def test_a_line_of_a_log_without_events_becomes_one_event(file_of: Callable[..., Path]) -> None:
    mail = {"time": 5, "text": "mail from Bo", "events": []}
    visit = {"time": 5, "actor": "Bo", "events": []}
    for line, features in (
        (mail, {"actor": "", "text": "mail from Bo"}),
        (visit, {"actor": "Bo", "text": ""}),
    ):
        (window,) = read_windows(file_of(line))
        assert window.events == (SignalEvent("log", "log", "logged", 1.0, 5.0, features),)


@pytest.mark.parametrize("reply", ["", "done", None])
def test_a_reply_is_kept_beside_the_window_and_never_in_the_events(
    file_of: Callable[..., Path], reply: str | None
) -> None:
    (window,) = read_windows(file_of(LINE | {"reply": reply}))
    assert isinstance(window, LoggedLine)
    assert window.reply == (reply or "")
    assert window.events[0].features == {"actor": "a1b2", "text": "subject"}


def test_a_mark_carriage_returns_blank_lines_and_unknown_fields_are_no_trouble(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.jsonl"
    line = json.dumps(LINE | {"other": [1]}).encode()
    path.write_bytes(b"\xef\xbb\xbf" + line + b"\r\n\r\n \t\n" + line)
    assert [window.key for window in read_windows(path)] == [f"{path}:1", f"{path}:4"]


def test_gzip_is_read_by_its_content_and_a_name_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "packed"
    path.write_bytes(gzip.compress(json.dumps(LINE).encode() * 1))
    (window,) = read_windows(path, "yesterday")
    assert window.key == "yesterday:1"


def test_half_a_surrogate_pair_becomes_a_replacement_character(
    file_of: Callable[..., Path],
) -> None:
    raw = rb'{"time": 1, "text": "a\ud83d", "actor": "\ud83d\ude00", "events": []}'
    (window,) = read_windows(file_of(raw))
    assert (window.text, window.actor) == ("a\ufffd", "\U0001f600")


def line(**changes: Any) -> dict[str, Any]:
    return {name: value for name, value in (LINE | changes).items() if value != "absent"}


def event(**changes: Any) -> dict[str, Any]:
    return line(events=[EVENT, EVENT | changes])


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ([1], "line must be a JSON object, got [1]"),
        (b"{", "line must be JSON (Expecting property name enclosed in double quotes), got '{'"),
        (b'{"a": 1} x', "line must be JSON (Extra data), got '{\"a\": 1} x'"),
        (b"\xff\xfe{", "line must be UTF-8, got b'\\xff\\xfe{\\n' at byte 1"),
        (b'{"time": ' + b"1" * 5000 + b"}", "line must be JSON (number out of range), got "),
        (b"[" * 100_000, "line must be JSON of modest depth, got '[["),
        (line(time="absent"), "time must be a finite number, got nothing"),
        (line(time=True), "time must be a finite number, got True"),
        (line(time="1"), "time must be a finite number, got '1'"),
        (line(time=float("nan")), "time must be a finite number, got nan"),
        (line(time=float("inf")), "time must be a finite number, got inf"),
        (line(time=10**400), "time must be a finite number, got 1000000"),
        (
            line(time=1500000000000),
            (
                "time must be Unix seconds within the years 1 to 9999 (are these milliseconds?),"
                " got 1500000000000"
            ),
        ),
        (line(time=-1e12), "time must be Unix seconds within the years 1 to 9999, got -1000000"),
        (line(actor=5), "actor must be a string, got 5"),
        (line(text=["x"]), "text must be a string, got ['x']"),
        (line(reply=1), "reply must be a string, got 1"),
        (line(relevant=1), "relevant must be true, false or the name of an incident, got 1"),
        (line(events="absent"), "events must be a list, got nothing"),
        (line(events={}), "events must be a list, got {}"),
        (line(events=[], actor="", text=""), "events must not be empty without an actor or a text"),
        (line(events=[EVENT, 7]), "events[1] must be a JSON object, got 7"),
        (event(source=""), "events[1].source must be a string that is not empty, got ''"),
        (event(location=None), "events[1].location must be a string that is not empty, got None"),
        (event(delta_type=3), "events[1].delta_type must be a string that is not empty, got 3"),
        (line(events=[{"a": 1, "b": 2, "c": 3}]), "events[0].source must be a string that is not"),
        (event(delta_type=""), "events[1].delta_type must be a string that is not empty, got ''"),
        (event(magnitude="1"), "events[1].magnitude must be a finite number, got '1'"),
        (event(magnitude=False), "events[1].magnitude must be a finite number, got False"),
        (event(timestamp=1e15), "events[1].timestamp must be Unix seconds within the years 1 to"),
        (event(features=[]), "events[1].features must be a JSON object, got []"),
        (event(features={"text": 1}), "events[1].features.text must be a string, got 1"),
        (line(text=0, actor="x" * 99), "text must be a string, got 0"),
        (line(text=["x" * 99]), "text must be a string, got ['" + "x" * 75 + "..."),
    ],
)
def test_a_malformed_line_is_refused_with_file_line_field_rule_and_value(
    file_of: Callable[..., Path], bad: Any, sentence: str
) -> None:
    path = file_of(LINE, bad)
    windows = read_windows(path)
    next(windows)
    with pytest.raises(InputError) as refusal:
        next(windows)
    assert str(refusal.value).startswith(f"{path}:2: {sentence}")
    assert "\n" not in str(refusal.value)


def test_a_window_before_the_one_before_is_refused(file_of: Callable[..., Path]) -> None:
    path = file_of(LINE, LINE, LINE | {"time": 1499999999})
    with pytest.raises(InputError, match=r":3: time must not go back .* at 1500000000\), got 1499"):
        list(read_windows(path))


def read_all(path: Path) -> tuple[list[Window], str | None]:
    """The windows before the first refusal, and the refusal."""
    windows = []
    try:
        for window in read_windows(path):
            windows.append(window)  # noqa: PERF402 - those before the refusal are wanted
    except InputError as error:
        return windows, str(error)
    return windows, None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
words = st.sampled_from(["source", "location", "delta_type", "magnitude", "timestamp", "features"])
fields = st.sampled_from(["time", "actor", "text", "relevant", "events", "reply"])
likely_events = st.lists(
    st.builds(lambda odd: EVENT | odd, st.dictionaries(words, json_values | st.text(), max_size=2))
)
likely_lines = st.builds(
    lambda odd, events: LINE | {"events": events} | odd,
    st.dictionaries(fields, json_values, max_size=2),
    likely_events,
)


@given(st.lists(json_values | likely_lines, max_size=3))
def test_any_json_is_either_windows_or_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, values: list[Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    windows, refusal = read_all(path)
    if refusal is not None:
        assert refusal.startswith(f"{path}:{len(windows) + 1}: ")
        assert " must " in refusal
        return
    assert len(windows) == len(values)
    for window in windows:
        assert window.events
        window.text.encode()
        for each in window.events:
            assert type(each.magnitude) is type(each.timestamp) is float
            (each.location + each.features["actor"] + each.features["text"]).encode()


@given(st.binary(max_size=60))
def test_any_bytes_are_either_windows_or_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.jsonl"
    path.write_bytes(raw)
    windows, refusal = read_all(path)
    assert all(window.events for window in windows)
    assert refusal is None or " must " in refusal
