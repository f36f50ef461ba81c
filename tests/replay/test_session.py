"""From a named file or repository to a result: presets, spans, features and progress."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.assembly.replay_gate import PulseGate
from prefrontal.errors import InputError, SourceError
from prefrontal.replay.report.verdict import verdict
from prefrontal.replay.result import ReplayResult
from prefrontal.replay.session import Request, replay_events, replay_git
from prefrontal.types import Window

from . import repositories
from .repositories import Change
from .streams import HOUR, history, window, write_lines

no_set_up, git, import_history = (
    repositories.no_set_up,
    repositories.git,
    repositories.import_history,
)
ImportHistory = Callable[[Iterable[Change]], Path]


def events(path: Path | str, request: Request | None = None) -> ReplayResult:
    return replay_events(str(path), request or Request(), PulseGate())


def figures(result: ReplayResult) -> ReplayResult:
    """The result without what differs from run to run or is only shown."""
    strip = tuple(replace(each, text="", key="") for each in result.strip)
    return replace(result, seconds=0.0, source="", strip=strip, misses=(), wasted=())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "windows.jsonl", history(0, 200))


def test_a_file_is_replayed_with_its_own_labels(file: Path) -> None:
    result = events(file)
    assert (result.source, result.preset) == ("windows.jsonl", "recorded")
    assert (result.windows, result.warmup) == (160, 40)
    assert result.relevant == sum(bool(each.relevant) for each in history(0, 200)[40:])
    assert result.auc is not None
    assert result.auc > 0.8
    assert result.policies[3].detail == "src/**"
    assert result.strip[-1].key == "windows.jsonl:200"


def test_a_packed_file_and_a_pipe_give_the_same(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = figures(events(file))
    packed = file.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert figures(events(packed)) == plain
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(packed.read_bytes())))
    piped = events("-")
    assert piped.source == "standard input"
    assert piped.strip[-1].key == "standard input:200"
    assert figures(piped) == plain


def test_a_preset_replaces_the_recorded_label(file: Path) -> None:
    result = events(file, Request(relevant="message:^bump"))
    assert result.preset == "message:^bump"
    assert result.relevant == sum(each.text.startswith("bump") for each in history(0, 200)[40:])


def test_paths_alone_hide_actor_and_text_from_the_gate_but_not_from_the_reader(
    tmp_path: Path,
) -> None:
    plain = history(1, 200)
    told = [
        replace(each, text=f"label is {each.relevant}", actor=f"{'good' if each.relevant else 'x'}")
        for each in plain
    ]
    one, two = (
        events(write_lines(tmp_path / name, windows), Request(features="paths"))
        for name, windows in (("plain", plain), ("told", told))
    )
    assert figures(one) == figures(two)
    assert two.strip[-1].text.startswith("label is ")
    assert not any(
        name.startswith(("word", "actor")) for each in one.misses for name, _ in each.why
    )
    seen = events(tmp_path / "told")
    assert seen.auc is not None
    assert two.auc is not None
    assert seen.auc > 0.99 > two.auc


@pytest.mark.parametrize(
    ("request_", "first", "last"),
    [
        (Request(since="2020-09-14"), 12, 199),
        (Request(until="2020-09-14"), 0, 35),
        (Request(since="2020-09-14", until="2020-09-15", limit=10), 50, 59),
        (Request(limit=50), 150, 199),
        (Request(limit=10_000), 0, 199),
        (Request(since="2030-01-01"), 0, -1),
    ],
)
def test_only_the_asked_span_is_replayed(
    file: Path, request_: Request, first: int, last: int
) -> None:
    result = events(file, request_)
    count = last + 1 - first
    assert result.warmup == round(count / 5)
    assert result.warmup + result.windows == count
    keys = [each.key for each in result.strip]
    assert keys[-1:] == ([f"windows.jsonl:{last + 1}"] if count else [])
    assert len(keys) == min(120, count - result.warmup)


def test_windows_before_1970_are_replayed_too(tmp_path: Path) -> None:
    old = [window(n, "a.py", relevant=n % 2 == 0, at=-9e8 + n * HOUR) for n in range(20)]
    result = events(write_lines(tmp_path / "old", old))
    assert (result.warmup, result.windows) == (4, 16)


def test_a_line_without_a_label_is_refused_with_its_place(tmp_path: Path) -> None:
    windows: list[Window] = history(2, 10)
    windows[6] = replace(windows[6], relevant=None)
    path = write_lines(tmp_path / "half.jsonl", windows)
    with pytest.raises(
        InputError, match=r"^half.jsonl:7: relevant must be true, false or the name"
    ):
        events(path)
    assert events(path, Request(relevant="message:fix")).warmup == 2


def test_an_empty_file_gives_a_result_that_says_so(tmp_path: Path) -> None:
    result = events(write_lines(tmp_path / "empty", []))
    assert (result.windows, result.warmup, result.curve) == (0, 0, ())
    assert verdict(result).kind == "nothing_to_measure"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^events file must be readable, got .*nothing"):
        events(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"recall": 0.0}, "recall must be above 0 and at most 1, got 0.0"),
        ({"recall": 2.0}, "recall must be above 0 and at most 1, got 2.0"),
        ({"recall": float("nan")}, "recall must be above 0 and at most 1, got nan"),
        ({"features": "text"}, "features must be all or paths, got 'text'"),
        ({"limit": 0}, "max must be a whole number of at least 1, got 0"),
        ({"tokens_per_wake": 0}, "tokens-per-wake must be a whole number of at least 1, got 0"),
        (
            {"tokens_per_wake": 10**10},
            "tokens-per-wake must be at most 1000000000, got 10000000000",
        ),
        ({"relevant": "often"}, "relevant must be path:GLOB, .*, got 'often'"),
        ({"relevant": "message:("}, r"message must be a regular expression \(.*, got '\('"),
    ],
)
def test_a_wrong_request_is_refused_before_anything_is_read(
    wrong: dict[str, object], complaint: str
) -> None:
    with pytest.raises(InputError, match=f"^{complaint}$"):
        Request(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["since", "until"])
def test_a_wrong_date_is_refused_by_its_name(file: Path, field: str) -> None:
    with pytest.raises(InputError, match=f"^{field} must be .*, got 'soonish'$"):
        events(file, Request(**{field: "soonish"}))  # type: ignore[arg-type]


def changes(count: int) -> list[Change]:
    """Each third change is to the source and comes with a changelog entry."""
    found: list[Change] = []
    for number in range(count):
        files: dict[str, str | None] = {f"docs/{number % 7}.md": str(number)}
        if number % 3 == 0:
            files = {"src/core.c": str(number), f"changelog/{number}.rst": "entry"}
        found.append((1_600_000_000 + 3600 * number, f"change {number}", files))
    return found


def test_a_repository_is_replayed_with_a_preset_that_was_found(
    import_history: ImportHistory,
) -> None:
    seen: list[tuple[str, int, int]] = []
    folder = import_history(changes(90))
    result = replay_git(str(folder), Request(), PulseGate(), lambda *step: seen.append(step))
    assert (result.source, result.preset) == ("imported.git", "path:changelog/**")
    assert (result.warmup, result.windows, result.relevant) == (18, 72, 24)
    assert result.notes[0].startswith("Relevant was chosen as path:changelog/**: ")
    assert result.auc == 1.0
    assert result.policies[3].recall == result.policies[3].precision == 1.0
    assert not any("changelog" in path for each in result.strip for path in each.paths)
    whats = [what for what, *_ in seen]
    assert whats == ["choosing what relevant means", "warming up", "replaying"]
    assert ("warming up", 18, 18) in seen
    assert seen[-1] == ("replaying", 90, 90)


def test_a_repository_is_replayed_with_the_asked_preset_and_span(
    import_history: ImportHistory,
) -> None:
    folder = import_history(changes(60))
    request = Request(relevant="message:0$", limit=30, features="paths", tokens_per_wake=10)
    result = replay_git(str(folder), request, PulseGate())
    assert (result.preset, result.warmup, result.windows) == ("message:0$", 6, 24)
    assert result.relevant == 2
    assert result.tokens_per_wake == 10
    assert replay_git(str(folder), Request(since="2030-01-01"), PulseGate()).windows == 0


@pytest.mark.parametrize("preset", ["recorded", "noop"])
def test_presets_that_need_a_file_are_refused_for_a_repository(
    import_history: ImportHistory, preset: str
) -> None:
    folder = import_history(changes(3))
    with pytest.raises(InputError, match=f"^relevant must not be {preset} for git"):
        replay_git(str(folder), Request(relevant=preset), PulseGate())


def test_a_folder_that_is_no_repository_is_refused(tmp_path: Path, no_set_up: None) -> None:
    with pytest.raises((SourceError, InputError), match=r"repository"):
        replay_git(str(tmp_path), Request(), PulseGate())


def test_progress_is_told_now_and_then_and_at_the_end(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    path = write_lines(tmp_path / "long", history(3, 1_050))
    replay_events(str(path), Request(), PulseGate(), lambda *step: seen.append(step))
    every = [done for what, done, _ in seen if what == "replaying"]
    assert every == [200, 400, 600, 800, 1_000, 1_050]
    assert {total for what, _, total in seen if what == "replaying"} == {1_050}
    # With labels "asked" a second gate is replayed beside it, with a warm-up of its own.
    assert [done for what, done, _ in seen if what == "warming up"] == [200, 210] * 2
