"""What `prefrontal replay` refuses: one sentence, exit code 2, nothing half-written."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...replay import repositories
from ...replay.streams import history, write_lines
from ..commands import run, said

no_set_up = repositories.no_set_up


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "windows.jsonl", history(0, 60))


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        ("--recall", "0", "recall must be above 0 and at most 1, got 0.0"),
        ("--recall", "2", "recall must be above 0 and at most 1, got 2.0"),
        ("--recall", "nan", "recall must be above 0 and at most 1, got nan"),
        ("--recall", "most", "Invalid value for '--recall': 'most' is not a valid float."),
        ("--relevant", "sometimes", "relevant must be path:GLOB, message:REGEX"),
        ("--relevant", "message:(", "message must be a regular expression"),
        ("--features", "words", "features must be all or paths, got 'words'"),
        ("--max", "0", "max must be a whole number of at least 1, got 0"),
        ("--tokens-per-wake", "-5", "tokens-per-wake must be a whole number of at least 1, got -5"),
        ("--since", "soonish", "since must be "),
        ("--until", "soonish", "until must be "),
        ("--report", "missing/r.html", "missing/r.html must lie in a folder that exists"),
        ("--save", "missing/r.json", "missing/r.json must lie in a folder that exists"),
        ("--png", "missing/r.png", "missing/r.png must lie in a folder that exists"),
    ],
)
def test_a_wrong_option_is_one_sentence_that_names_it(
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    value: str,
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said(run("--events", file, option, value)).startswith(complaint)
    assert [path.name for path in tmp_path.iterdir()] == ["windows.jsonl"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            (),
            "replay must be run in a git repository or be told what to replay, got neither; try"
            " `prefrontal replay --sample`",
        ),
        (("--recall", "0.8"), "replay must be run in a git repository or be told what to replay"),
        (
            ("--events", "nothing.jsonl"),
            "events file must be readable, got 'nothing.jsonl' (No such",
        ),
        (("--events", "."), "events file must be readable, got '.' (Is a directory)"),
        (("--git", "nothing"), "repository must exist, got 'nothing'"),
        (("--git", "."), "path must be inside a git repository, got '.'"),
        (("--compare", "a.json", "b.json"), "a.json must be a readable file (No such file"),
        (
            ("--compare", "a", "b", "--git", "."),
            "--compare must come without PATH, --git, --events and --sample",
        ),
        (
            ("--compare", "a", "b", "--events", "x"),
            "--compare must come without PATH, --git, --events and --sample",
        ),
        (("--events", "x", "--git", "y", "--png", "z"), "--png must come with one history"),
    ],
)
def test_a_wrong_source_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    no_set_up: None,
    words: tuple[str, ...],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said(run(*words)).startswith(complaint)


@pytest.mark.parametrize(
    ("kept", "complaint"),
    [
        ("", "must be JSON that --save wrote ("),
        ("{}", "format must be present"),
        ("[]", "result must be an object, got []"),
        ('{"results": [{}, {}]}', "must hold one result, got 2"),
        pytest.param("[" * 100_000, "must be nested less deep", id="deep"),
    ],
)
def test_a_file_that_save_did_not_write_is_not_compared(
    tmp_path: Path, kept: str, complaint: str
) -> None:
    path = tmp_path / "kept.json"
    path.write_text(kept)
    sentence = said(run("--compare", path, path))
    assert sentence.startswith(f"{path}")
    assert complaint in sentence


def test_a_warm_up_longer_than_any_history_leaves_nothing_to_measure(file: Path) -> None:
    result = run("--events", file, "--warm-up", "9" * 25)
    assert result.exit_code == 0
    assert "all 60 windows went into the warm-up" in result.stdout


def test_a_report_that_cannot_be_written_leaves_the_old_one(file: Path, tmp_path: Path) -> None:
    (tmp_path / "kept.json").mkdir()
    (tmp_path / "old.html").write_text("old")
    sentence = said(run("--events", file, "--save", tmp_path / "kept.json"))
    assert "kept.json cannot be written: Is a directory" in sentence
    assert (tmp_path / "old.html").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["kept.json", "old.html", "windows.jsonl"]


def test_a_folder_that_is_missing_is_told_before_the_work(tmp_path: Path) -> None:
    """The events do not exist either, but are not looked for before the report has a place."""
    report = tmp_path / "nowhere" / "r.html"
    result = run("--events", str(tmp_path / "none.jsonl"), "--report", str(report))
    assert result.exit_code == 2
    assert said(result) == f"{report} must lie in a folder that exists"
