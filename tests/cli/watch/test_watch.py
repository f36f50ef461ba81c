"""`prefrontal watch`: from a file that was written to a line, and to a clean end."""

from __future__ import annotations

import errno
import json
import os
import shlex
import signal
import threading
import tty
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from select import select
from threading import Timer
from typing import Any

import click
import pytest
from click.testing import CliRunner

from prefrontal.cli import main
from prefrontal.cli.watch import endings
from prefrontal.cli.watch.screen import beginning
from prefrontal.cli.watch.session import build_watch
from prefrontal.settings import parse_settings

from ...exhaustive import first
from ...replay import repositories
from ..running import PATIENCE_S, Running, watching

no_set_up, git, repository, commit = (
    repositories.no_set_up,
    repositories.git,
    repositories.repository,
    repositories.commit,
)

WAKING = "wakes on everything until 9 relevant answers are known (0 so far)"
INVOICES = {
    "module_id": "invoices",
    "cluster": "money",
    "version": "1",
    "question_template": "A new invoice at {location}?",
    "default_threshold": 0.6,
}


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFRONTAL_STATE", raising=False)


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


def config(folder: Path, default_threshold: float = 0.6, **told: Any) -> Path:
    """A prefrontal.yml with a module for PDFs in `folder`/inbox and a quick gate."""
    files = {
        "watch_directories": [str(folder / "inbox")],
        "relevant_extensions": [".pdf"],
        "irrelevant_extensions": [".tmp"],
    }
    module = {"default_threshold": default_threshold, "signal_priors": {"filesystem": files}}
    document = {
        "modules": [INVOICES | module],
        "policy": {"settle_s": 0.05},
        "audit_share": 0,
        "state": str(folder / "state"),
    }
    path = folder / "prefrontal.yml"
    path.write_text(json.dumps(document | told), encoding="utf-8")
    return path


def run(*words: str | Path) -> Any:
    return CliRunner().invoke(main, [*map(str, words)])


def said(*words: str | Path) -> str:
    """The one sentence of a refused watch."""
    result = run("watch", *words)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return str(result.stderr)


@pytest.mark.parametrize(
    ("number", "code"), first(1, [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
)
def test_a_file_becomes_a_line_and_a_signal_ends_the_watch_cleanly(
    tmp_path: Path, inbox: Path, number: int, code: int
) -> None:
    with watching(inbox, "--state", tmp_path / "state") as running:
        (inbox / "a.txt").write_text("x")
        line = running.line()
        assert "inbox" in line
        assert " 0.77 " in line
        assert line.endswith(f"a.txt was created in inbox. Does it matter? ({inbox / 'a.txt'})")
        ended, rest, errors = running.end(number)
    assert (ended, rest) == (code, [])
    assert errors == ["Stopped: 1 event, 1 wake, 0 slept, 0 audits.", f"inbox: {WAKING}"]


def shown_at_a_terminal(inbox: Path, *words: str | Path) -> list[str]:
    """Two questions, as the lines that a terminal got."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    shown = b""
    try:
        with watching(inbox, *words, stdout=theirs) as running:
            for number in (1, 2):
                (inbox / f"{number}.txt").write_text("x")
                while f"{number}.txt".encode() not in shown or not shown.endswith(b"\n"):
                    assert select([ours], [], [], PATIENCE_S)[0]
                    shown += os.read(ours, 1 << 16)
            running.end()
    finally:
        os.close(ours)
        os.close(theirs)
    return click.unstyle(shown.decode()).splitlines()


def test_a_terminal_is_told_once_how_to_answer(
    tmp_path: Path, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    one, way, two = shown_at_a_terminal(inbox)
    assert way == f"Was it worth it? prefrontal feedback {one.split()[3]} useful   (or useless)"
    assert "2.txt" in two
    one, way, _ = shown_at_a_terminal(inbox, "--state", "my state")
    command = f"prefrontal feedback --state ~/'my state' {one.split()[3]} useful"
    assert way == f"Was it worth it? {command}   (or useless)"
    words = command.replace("~/'my state'", str(tmp_path / "my state").replace(" ", "\\ "))
    assert run(*shlex.split(words)[1:]).exit_code == 0
    assert len(shown_at_a_terminal(inbox, "--json", "--state", "another")) == 2


def test_a_signal_that_another_thread_took_ends_the_watch_all_the_same() -> None:
    ended: SimpleQueue[int] = SimpleQueue()

    def interrupted() -> None:
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    with endings.ended_by_signals(ended):
        Timer(0.2, interrupted).start()
        (late := Timer(PATIENCE_S, ended.put, (0,))).start()
        code = endings.awaited(ended)
        late.cancel()
        late.join()
    assert code == 130


def test_json_lines_are_the_only_output_whatever_the_command_prints(
    tmp_path: Path, inbox: Path
) -> None:
    command = "sh -c 'echo noise; cat; exit 3'"
    with watching("--config", config(tmp_path), "--json", "--exec", command) as running:
        (inbox / "a.pdf").write_text("x")
        told = json.loads(running.line())
        running.until("command failed")
        code, rest, _ = running.end()
    assert told["question"] == f"A new invoice at {inbox / 'a.pdf'}?"
    assert (told["subject"], told["reason"], told["version"]) == ("invoices", "woke", 2)
    assert (code, rest) == (130, [])


@pytest.mark.exhaustive
def test_what_was_learned_is_there_after_a_restart(tmp_path: Path, inbox: Path) -> None:
    arguments = ("--config", config(tmp_path, default_threshold=0.05), "--json")
    with watching(*arguments) as running:
        (inbox / "a.pdf").write_text("x")
        first = json.loads(running.line())
        answer = run("feedback", first["id"][:8], "useless", "--state", tmp_path / "state")
        assert answer.exit_code == 0
        running.end()
    with watching(*arguments) as running:
        (inbox / "a.pdf").write_text("again")
        later = json.loads(running.line())
        running.end()
    assert first["score"] > 0.85
    assert later["score"] < first["score"] - 0.05


@pytest.mark.exhaustive
def test_what_came_while_nothing_ran_is_asked_at_the_next_start(
    tmp_path: Path, inbox: Path
) -> None:
    with watching("--config", config(tmp_path), "--json") as running:
        running.end()
    (inbox / "meanwhile.pdf").write_text("x")
    with watching("--config", config(tmp_path), "--json") as running:
        assert json.loads(running.line())["events"][0]["location"] == str(inbox / "meanwhile.pdf")
        running.end()


@pytest.mark.exhaustive
def test_a_closed_pipe_ends_the_watch_quietly(tmp_path: Path, inbox: Path) -> None:
    nobody, output = os.pipe()
    with watching("--config", config(tmp_path), "--json", stdout=output) as running:
        os.close(output)
        os.close(nobody)
        (inbox / "a.pdf").write_text("x")
        code, _, errors = running.ended()
    assert code == 1
    assert errors == ["Stopped: 1 event, 1 wake, 0 slept, 0 audits."]


@pytest.mark.exhaustive
def test_one_state_folder_serves_one_watch(tmp_path: Path, inbox: Path) -> None:
    state = tmp_path / "state"
    with watching(inbox, "--state", state) as running:
        sentence = said(inbox, "--state", state)
        assert f"in use by another prefrontal watch (process {running.process.pid})" in sentence
        running.end()
    with watching(inbox, "--state", state) as running:
        running.end()


@pytest.mark.exhaustive
def test_every_kept_module_is_watched(tmp_path: Path, inbox: Path) -> None:
    path = tmp_path / "invoices.json"
    files = {"watch_directories": [str(inbox)], "relevant_extensions": [".pdf"]}
    path.write_text(json.dumps(INVOICES | {"signal_priors": {"filesystem": files}}))
    state = tmp_path / "state"
    assert run("modules", "add", path, "--state", state).exit_code == 0
    running = Running(inbox, "--state", state)
    try:
        begun = running.until("Ctrl-C stops")
        assert begun == [
            f"invoices watches {inbox} (.pdf); threshold 0.60, the module's own",
            f"Decisions are kept in {state}. Ctrl-C stops.",
        ]
        running.end()
    finally:
        running.close()


@pytest.mark.exhaustive
def test_a_folder_that_is_not_there_yet_is_told_of(tmp_path: Path) -> None:
    running = Running(tmp_path / "later", "--state", tmp_path / "state")
    try:
        assert f"{tmp_path / 'later'} does not exist yet" in running.until("Ctrl-C stops")[1]
        running.end()
    finally:
        running.close()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "prefrontal must be told what to watch: `prefrontal init` writes settings"),
        (["--threshold", "2"], "threshold must be a number in 0..1, got 2.0"),
        (["--threshold", "nan"], "threshold must be a number in 0..1, got nan"),
        (["--recall", "0"], "recall must be a number above 0 and at most 1, got 0.0"),
        (["--recall", "0.9", "--threshold", "0.5"], "a threshold or a recall, not both"),
        (["--exec", "/no/such/program"], "must name a program that can be run"),
        (["--exec", ""], "exec must be a non-blank string"),
        (["--post", "example.org"], "address must start with http"),
        (
            ["--config", "/no/such.yml"],
            "/no/such.yml cannot be read: No such file or directory; `prefrontal init` writes",
        ),
    ],
)
def test_a_slip_is_one_sentence(
    tmp_path: Path, inbox: Path, words: list[str], sentence: str
) -> None:
    folders = [str(inbox)] if words else []
    assert sentence in said(*folders, *words, "--state", tmp_path / "state")


def test_settings_that_lie_here_are_read_where_no_folder_is_named(
    tmp_path: Path, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    state = ("--state", tmp_path / "state")
    file = tmp_path / "prefrontal.yml"
    file.write_text("recall: 0.8\n")
    nothing = f"prefrontal must be told what to watch: {file} names no source; add one to it, or"
    assert f"{nothing} name a folder" in said(*state)
    file.write_text("recall: 8\n")
    assert f"{file}, line 1: recall must be" in said(*state)
    file.write_text("sources: {directories: [prefrontal.yml]}\n")
    assert f"folder to watch must be a folder, got the file '{file}'" in said(*state)


def test_settings_that_lie_here_apply_where_a_folder_is_named_too(
    tmp_path: Path, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PREFRONTAL_STATE", raising=False)
    file = tmp_path / "prefrontal.yml"
    (tmp_path / "more").mkdir()
    file.write_text(f"state: kept\nthreshold: 0.5\nsources: {{directories: [{inbox}, more]}}\n")
    running = Running(inbox)
    try:
        shown = running.until("Ctrl-C stops")
        running.end()
    finally:
        running.close()
    assert shown[0] == f"Settings: {file}."
    assert shown[1].startswith(f"inbox watches {inbox}; threshold 0.50")
    assert shown[2].startswith(f"more watches {tmp_path / 'more'}; threshold 0.50")
    assert shown[3] == f"Decisions are kept in {tmp_path / 'kept'}. Ctrl-C stops."
    file.write_text("recall: 8\n")
    assert f"{file}, line 1: recall must be" in said(inbox)


def test_a_file_is_no_folder_to_watch(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "must be a folder, got the file" in said(tmp_path / "file", "--state", tmp_path / "s")


def test_a_folder_whose_name_is_no_utf8_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "in\udcff"
    folder.mkdir()
    state = ("--state", tmp_path / "s")
    assert "folder to watch must have a name in UTF-8, got '" in said(folder, *state)
    settings = folder / "prefrontal.yml"
    settings.write_text("sources: {git: [.]}\n")
    shown = said("--config", settings, *state)
    assert "repository to watch must have a name in UTF-8, got '" in shown


@pytest.mark.parametrize("state", first(1, ["state", "."]))
def test_what_a_watch_writes_itself_is_no_signal(tmp_path: Path, state: str) -> None:
    files = {"watch_directories": [str(tmp_path)]}
    module = INVOICES | {"default_threshold": 0.0, "signal_priors": {"filesystem": files}}
    place = str(tmp_path / state)
    settings = config(tmp_path, modules=[module], state=place, sinks=[{"lines": "told.jsonl"}])
    with watching("--config", settings) as running:
        for name in ("a", "b", "c"):
            (tmp_path / f"{name}.txt").write_text("x")
            assert f"/{name}.txt?" in running.line()
            assert (tmp_path / "told.jsonl").exists()
        _, out, err = running.end()
    assert out == []
    assert "Stopped: 3 events, 3 wakes, 0 slept, 0 audits." in err


def test_a_state_folder_that_is_a_file_is_told_of(tmp_path: Path, inbox: Path) -> None:
    (tmp_path / "file").touch()
    assert "cannot be used as a folder" in said(inbox, "--state", tmp_path / "file")


def test_who_names_settings_as_a_folder_is_told_the_option(inbox: Path, tmp_path: Path) -> None:
    (tmp_path / "prefrontal.yml").write_text("{}")
    told = said(tmp_path / "prefrontal.yml", "--state", tmp_path / "state")
    assert told.endswith("prefrontal.yml'; --config names settings\n")


def test_where_nothing_may_be_written_the_way_out_is_told(
    tmp_path: Path, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "mkdir", refuse)
    told = said(inbox, "--state", tmp_path / "state")
    sentence = "cannot be used as a folder: Read-only file system; --state, or `state` in the"
    assert f"{sentence} settings, names another" in told


def test_a_module_that_is_given_twice_is_refused(tmp_path: Path, inbox: Path) -> None:
    path = config(tmp_path, modules=[INVOICES, INVOICES])
    assert "module_id must be given once, got 'invoices' in modules[1]" in said("--config", path)


def test_a_bad_module_of_the_settings_is_told_by_its_place(tmp_path: Path) -> None:
    path = config(tmp_path, modules=[INVOICES | {"default_threshold": 2}])
    assert "modules[0]: default_threshold must be a number in 0..1 or null, got 2" in said(
        "--config", path
    )


def test_a_secret_that_is_not_in_the_environment_is_told_before_anything_runs(
    tmp_path: Path, inbox: Path
) -> None:
    path = config(tmp_path, sinks=[{"post": "http://localhost/", "secret_env": "NO_SUCH_SECRET"}])
    sentence = "secret_env must name a variable that is set, got 'NO_SUCH_SECRET'"
    assert sentence in said(inbox, "--config", path)


def test_a_broken_kept_module_stops_the_watch_before_it_begins(tmp_path: Path) -> None:
    state = tmp_path / "state"
    (state / "modules").mkdir(parents=True)
    (state / "modules" / "x.json").write_text("{")
    assert "x.json must be JSON" in said(tmp_path, "--state", state)


def modules_of(folder: Path, *given: dict[str, Any], **sources: Any) -> list[str]:
    """Ids of what a watch with these sources and modules would run."""
    told = {"state": str(folder / "state"), "sources": sources, "modules": list(given)}
    built = build_watch(parse_settings(told))
    built.stop()
    return [module.module_id for module in built.modules]


def test_each_source_that_no_module_hears_gets_one_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK_SECRET", "a-secret")
    box = {"host": "imap.example.org", "user": "ada", "password_env": "HOOK_SECRET"}
    project = tmp_path / "project"
    sources = {
        "directories": [str(project), str(tmp_path / "in")],
        "git": [str(project)],
        "logs": [str(tmp_path / "a" / "app.log"), str(tmp_path / "b" / "app.log")],
        "network": [{"url": "https://example.org/status"}],
        "http": {"port": 0, "github_secret_env": "HOOK_SECRET"},
        "mail": [box, box | {"folder": "Alerts"}],
        "mcp": [{"command": ["tickets-mcp"], "experimental": True}],
    }
    assert modules_of(tmp_path, **sources) == [
        "project", "in", str(project), "app.log", str(tmp_path / "b" / "app.log"),
        "network", "programs", "github", "mail", "tickets-mcp",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("priors", "left"),
    [
        ({}, []),
        ({"filesystem": {"watch_directories": ["/elsewhere"]}}, ["project", "app.log", "programs"]),
        ({"git": {"paths": ["*.py"]}}, ["app.log", "programs"]),
        ({"git": {"repositories": ["/src/project/core"]}}, ["app.log", "programs"]),
        ({"git": {"repositories": ["/src/other"]}}, ["project", "app.log", "programs"]),
        ({"logs": {"files": ["app.*"], "contains": ["ERROR"]}}, ["project", "programs"]),
        ({"logs": {"files": ["other.log"]}}, ["project", "app.log", "programs"]),
        ({"http": {"sources": ["ci"]}}, ["project", "app.log"]),
    ],
)
def test_a_source_that_a_module_declares_gets_none(
    tmp_path: Path, priors: dict[str, Any], left: list[str]
) -> None:
    own = INVOICES | {"module_id": "own", "signal_priors": priors}
    found = modules_of(tmp_path, own, git=["/src/project"], logs=["/var/app.log"], stdin=True)
    assert found == ["own", *left]


def test_a_hook_that_no_module_names_is_heard_all_the_same(tmp_path: Path) -> None:
    hooks = {"slack": {"text": "text"}, "alerts": {"text": "text"}}
    own = INVOICES | {"module_id": "own", "signal_priors": {"http": {"sources": ["slack"]}}}
    assert modules_of(tmp_path, own, http={"port": 0, "hooks": hooks}) == ["own", "hooks"]
    own["signal_priors"] = {"http": {}}
    assert modules_of(tmp_path, own, http={"port": 0, "hooks": hooks}) == ["own"]


@pytest.mark.parametrize("sources", [{"http": {"port": 0}}, {"stdin": True}])
def test_programs_alone_get_a_module_for_everything(
    tmp_path: Path, sources: dict[str, Any]
) -> None:
    assert modules_of(tmp_path, **sources) == ["everything"]


def test_folders_of_one_name_get_modules_of_their_own(tmp_path: Path) -> None:
    folders = [str(tmp_path / "a" / "in"), str(tmp_path / "b" / "in")]
    built = build_watch(parse_settings({"state": str(tmp_path / "state")}), folders)
    built.stop()
    assert [module.module_id for module in built.modules] == ["in", folders[1]]


@pytest.mark.exhaustive
def test_a_commit_is_one_question_with_its_subject_and_author(
    tmp_path: Path, repository: Path, commit: Callable[..., str]
) -> None:
    commit("what was there at the start", {"src/a.py": "1"})
    sources = {"git": [str(repository)], "directories": [str(tmp_path / "inbox")]}
    settings = config(tmp_path, sources=sources)
    with watching("--config", settings) as running:
        commit("Fix the parser", {"src/a.py": "2", "src/b.py": "2", "src/c.py": "2"})
        question = running.line()
        _, others, messages = running.end()
    asked = "c.py and 2 more were changed in src by Jane Doe: Fix the parser. Does it matter?"
    assert "repository   0.62" in question
    assert question.endswith(f"{asked} ({repository}/src/c.py)")
    assert others == []
    assert messages[0] == "Stopped: 1 event, 1 wake, 0 slept, 0 audits."


@pytest.mark.parametrize(
    ("priors", "sources", "sentence"),
    [
        ({"git": {}}, {}, "git, but sources.git names nothing that it would hear"),
        ({"git": {"repositories": ["/src/other"]}}, {"git": ["/src/project"]}, "git, but"),
        ({"logs": {"files": ["other.log"]}}, {"logs": ["/var/app.log"]}, "logs, but"),
        ({"http": {"sources": ["ci"]}}, {"git": ["/src/project"]}, "http, but"),
        ({"github": {}}, {"http": {"port": 0}}, "github, but sources.github or"),
        ({"mcp": {}}, {}, "mcp, but sources.mcp names"),
        ({"network": {"endpoints": ["https://a.org"]}},
         {"network": [{"url": "https://b.org"}]}, "network, but sources.network"),
        ({"mail": {}}, {"stdin": True}, "mail, but sources.mail names nothing that it would hear"),
        ({"git": {}}, {"git": ["/src/project"]}, ""),
        ({"logs": {"files": ["*.log"]}}, {"logs": ["/var/app.log"]}, ""),
        ({"http": {"sources": ["ci"]}}, {"stdin": True}, ""),
        ({"network": {"endpoints": ["https://a.org/x"]}},
         {"network": [{"url": "https://a.org/x"}]}, ""),
        ({}, {}, ""),
    ],
)  # fmt: skip
def test_a_module_that_nothing_would_reach_is_told_of_at_the_start(
    tmp_path: Path, priors: dict[str, Any], sources: dict[str, Any], sentence: str
) -> None:
    own = INVOICES | {"module_id": "own", "signal_priors": priors}
    told = {"state": str(tmp_path / "state"), "sources": sources, "modules": [own]}
    built = build_watch(parse_settings(told))
    shown = beginning(built)
    built.stop()
    warnings = [line for line in shown.splitlines() if line.startswith("Warning: ")]
    assert len(warnings) == (1 if sentence else 0)
    assert all(line.startswith(f"Warning: own declares {sentence}") for line in warnings)
