"""`prefrontal init`: a commented prefrontal.yml that fits this machine."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import click.testing
import pytest

from prefrontal.cli import COMMANDS, main
from prefrontal.cli.run.init_document import document
from prefrontal.cli.run.init_findings import look_around
from prefrontal.cli.run.init_questions import Answers
from prefrontal.cli.watch.session import build_watch
from prefrontal.pulse.learning.limbic import LimbicLayer
from prefrontal.pulse.modules.fingerprint import GitPrior, parse_fingerprint
from prefrontal.pulse.modules.template import QuestionTemplate
from prefrontal.settings import Settings, load_settings
from prefrontal.settings.executive import LinkSettings
from prefrontal.types import SignalEvent

from ...replay import repositories
from ..running import watching

no_set_up, git = repositories.no_set_up, repositories.git

Result = click.testing.Result
IN_A_TERMINAL_OF_ITS_OWN = """\
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from prefrontal.cli import main
main()"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, which is also where we are."""
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Answers at a terminal, a line each."""
    monkeypatch.setattr("prefrontal.cli.run.init.is_terminal", lambda: True)
    return lambda *lines, words=(): run(*words, data="".join(f"{line}\n" for line in lines))


def run(*words: str | Path, data: str | None = None) -> Result:
    return click.testing.CliRunner().invoke(main, ["init", *map(str, words)], input=data)


def repository(path: Path, used: float = 0.0) -> Path:
    """A folder that looks like a work tree of git."""
    (path / ".git").mkdir(parents=True)
    (path / ".git" / "index").touch()
    os.utime(path / ".git" / "index", (used, used))
    return path


def written(folder: Path) -> Settings:
    return load_settings(folder / "prefrontal.yml")


def test_without_questions_the_nearest_repository_and_the_downloads_are_watched(
    home: Path,
) -> None:
    (home / "Downloads").mkdir()
    repository(home / "src" / "other", 2e9)
    place = repository(home / "src" / "project") / "tools"
    done = run(place, "--yes")
    assert done.exit_code == 0, done.output
    found = written(place)
    assert [found.path(each).resolve() for each in found.sources.git] == [place.parent]
    assert found.sources.directories == ("~/Downloads",)
    assert (found.sinks, found.gate.recall, found.executive.act) == ((), 0.9, False)


def test_where_nothing_is_found_the_folder_itself_is_watched(home: Path) -> None:
    assert run("new/one", "--yes").exit_code == 0
    found = written(home / "new" / "one")
    assert (found.sources.git, found.sources.directories) == ((), (".",))


def test_every_key_has_a_line_on_what_it_does(home: Path) -> None:
    answers = Answers((("git", home),), "openclaw", 0.8, (22, 6), True)
    lines = document(answers, home).splitlines()
    keys = [line for line in lines if line.strip() and not line.startswith("#")]
    assert len(keys) > 20
    assert all("  # " in line for line in keys)


def test_every_link_of_the_executive_stands_there_with_its_default(home: Path) -> None:
    run("--yes")
    links = written(home).executive.links
    assert links == LinkSettings()
    assert links.model_fields_set == set(LinkSettings.model_fields)


def test_the_repository_and_the_downloads_each_have_a_module_that_hears_its_own(
    home: Path,
) -> None:
    (home / "Downloads").mkdir()
    (home / "Downloads" / "app.log").touch()
    place = repository(home / "src" / "project")
    run(place, "--yes")
    built = build_watch(written(place))
    built.stop()
    limbic = LimbicLayer()
    for module in built.modules:
        limbic.register(module.module_id, module)
    features = {"path": "src/app.ts", "actor": "Ada", "text": "Fix the parser"}
    commit = SignalEvent("git", str(place / "src" / "app.ts"), "modified", 1.0, 0.0, features)
    file = SignalEvent("filesystem", str(home / "Downloads" / "a.pdf"), "created", 1.0, 0.0)
    assert [list(limbic.score_routed([each])) for each in (commit, file)] == [
        ["project"],
        ["Downloads"],
    ]
    template = QuestionTemplate.parse(built.modules[-1].question_template)
    assert template.render([commit], "project") == (
        f"app.ts was changed in src by Ada: Fix the parser. Does it matter? ({commit.location})"
    )


def test_the_module_that_is_shown_as_a_comment_is_a_good_one(home: Path) -> None:
    run("--yes")
    lines = (home / "prefrontal.yml").read_text().split("# modules:\n")[1].splitlines()
    shown = [each.removeprefix("# ") for each in lines if "telemetry" not in each]
    (home / "own.yml").write_text("modules:\n" + "\n".join(shown), encoding="utf-8")
    [module] = load_settings(home / "own.yml").modules
    assert isinstance(module, dict)
    assert parse_fingerprint(module).git == GitPrior(paths=["src"], branches=["main"])


@pytest.mark.exhaustive
def test_a_watch_starts_with_what_was_written(home: Path) -> None:
    (home / "Downloads").mkdir()
    run("--yes")
    with watching("--config", home / "prefrontal.yml") as running:
        (home / "Downloads" / "bill.pdf").write_text("x")
        assert "bill.pdf was created in Downloads. Does it matter?" in running.line()
        code, _, _ = running.end()
    assert code == 130


def test_a_person_is_asked_five_questions_and_what_is_said_is_written(
    home: Path, person: Callable[..., Result]
) -> None:
    (home / "Downloads").mkdir()
    (home / "app.log").touch()
    (home / "notes").mkdir()
    done = person("2, notes", "sh -c 'cat'", "0.95", "22-6", "y")
    assert done.exit_code == 0, done.output
    assert done.output.count("]: ") == 5
    found = written(home)
    assert (found.sources.directories, found.sources.logs) == (("notes",), ("app.log",))
    assert [each.exec for each in found.sinks] == ["sh -c 'cat'"]
    assert (found.gate.recall, found.gate.policy.quiet_hours) == (0.95, (22, 6))
    assert found.executive.act is True


def test_who_only_presses_enter_gets_what_yes_gives(
    home: Path, person: Callable[..., Result]
) -> None:
    (home / "Downloads").mkdir()
    repository(home / "src" / "project")
    person("", "", "", "", "")
    asked = (home / "prefrontal.yml").read_text()
    run("--yes", "--force")
    assert (home / "prefrontal.yml").read_text() == asked


def test_an_answer_that_cannot_be_is_asked_for_again(
    home: Path, person: Callable[..., Result]
) -> None:
    done = person(
        *("0", "2", "nowhere", ",", "1"), *("/no/such/program", "http://", "https://example.org/w"),
        *("0", "none", "1.5", "1"), *("22", "22-24", "none"), "n",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert done.output.count("Error: ") == 11
    found = written(home)
    assert found.sinks[0].post == "https://example.org/w"
    assert (found.gate.recall, found.gate.policy.quiet_hours) == (1.0, None)


def test_openclaw_is_offered_where_it_lives(home: Path, person: Callable[..., Result]) -> None:
    (home / ".openclaw").mkdir()
    done = person("", "", "", "", "")
    claw = written(home).sinks[0].openclaw
    assert claw is not None
    assert (claw.url, claw.token_env) == ("http://127.0.0.1:18789", "OPENCLAW_HOOK_TOKEN")
    assert "  export OPENCLAW_HOOK_TOKEN=..." in done.output


def test_what_is_there_stays_unless_it_is_forced(home: Path) -> None:
    path = home / "prefrontal.yml"
    path.write_text("recall: 0.5\n")
    done = run("--yes")
    assert done.exit_code == 2
    assert done.stderr == f"Error: {path} is there already; --force replaces it\n"
    assert path.read_text() == "recall: 0.5\n"
    assert run("--yes", "--force").exit_code == 0
    assert written(home).gate.recall == 0.9


def test_away_from_a_terminal_nothing_is_asked_and_nothing_written(home: Path) -> None:
    done = run()
    assert done.exit_code == 2
    assert done.stderr == "Error: init must be asked from a terminal; --yes asks nothing\n"
    assert list(home.iterdir()) == []


def test_a_file_is_no_folder_to_write_to(home: Path) -> None:
    (home / "file").touch()
    done = run("file", "--yes")
    assert (done.exit_code, done.stderr) == (
        2,
        f"Error: DIR must be a folder, got the file {str(home / 'file')!r}\n",
    )


def test_who_leaves_in_the_middle_finds_nothing_half_written(
    home: Path, person: Callable[..., Result]
) -> None:
    done = person("", "terminal", words=("new",))
    assert done.exit_code == 130
    assert "Error" not in done.stderr
    assert list(home.iterdir()) == []


def test_at_a_real_terminal_ctrl_c_leaves_nothing(home: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", IN_A_TERMINAL_OF_ITS_OWN, "init", "new"]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        shown = b""
        while b"separated by commas" not in shown:
            shown += os.read(ours, 4096)
        code = _interrupted(process, ours)
    os.close(ours)
    assert code == 130
    assert list(home.iterdir()) == []


def _interrupted(process: subprocess.Popen[bytes], terminal: int) -> int:
    """Press Ctrl-C until it is heard: between its prompt and its reading Python hears none."""
    for _ in range(15):
        os.write(terminal, b"\x03")
        with suppress(subprocess.TimeoutExpired):
            return process.wait(2.0)
    process.kill()
    return -1


def test_it_ends_with_the_commands_that_come_next(home: Path) -> None:
    place = repository(home / "my project")
    lines = run(place, "--yes").stdout.splitlines()
    assert lines[0] == f"Wrote {place / 'prefrontal.yml'}. Next:"
    assert lines[1].startswith(f"  prefrontal replay --git '{place}'   ")
    assert lines[2].startswith(f"  prefrontal watch --config '{place / 'prefrontal.yml'}'   ")
    assert len(lines) == 3


def test_a_repository_without_commits_is_not_offered_for_a_replay(
    home: Path, git: repositories.Git
) -> None:
    place = home / "new"
    place.mkdir()
    git(place, "init", "--quiet")
    watch = f"prefrontal watch --config {place / 'prefrontal.yml'}"
    assert json.loads(run(place, "--json").stdout)["next"] == [watch]
    git(place, "commit", "--quiet", "--allow-empty", "-m", "Begin")
    replay = f"prefrontal replay --git {place}"
    assert json.loads(run(place, "--json", "--force").stdout)["next"] == [replay, watch]


def test_who_lets_it_act_is_told_how_to_run_it(
    home: Path, person: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(COMMANDS, "run", ("nowhere:run", "Runs."))
    done = person("", "", "", "", "y")
    last = done.output.splitlines()[-1]
    assert last.startswith(f"  prefrontal run --config {home / 'prefrontal.yml'}   ")


@pytest.mark.parametrize(
    "name", ["it's", 'a "b"', "a: b # c", "- x", "{y}", "é…", "100%", "line\nbreak", "@`!&*|>"]
)
def test_whatever_a_folder_is_called_it_is_found_again(home: Path, name: str) -> None:
    path = home / name
    text = document(Answers((("directories", path),), f"echo {json.dumps(name)}"), home / "other")
    file = home / "prefrontal.yml"
    file.write_text(text)
    found = written(home)
    assert found.path(found.sources.directories[0]) == path
    assert found.sinks[0].exec == f"echo {json.dumps(name)}"


def test_a_folder_that_no_watch_can_take_gets_no_settings(home: Path) -> None:
    folder = home / "in\udcff"
    folder.mkdir()
    result = run("--yes", folder)
    assert result.exit_code == 2
    assert "DIR must have a name in UTF-8, got '" in result.stderr
    assert list(folder.iterdir()) == []


def test_what_no_watch_can_take_is_not_offered(home: Path, person: Callable[..., Result]) -> None:
    repository(home / "in\udcff", used=9.0)
    taken = repository(home / "out", used=1.0)
    (home / "in\udcff.log").touch()
    found = look_around(home, home)
    assert (found.repositories, found.logs) == ((taken,), ())
    assert run("--yes").exit_code == 0
    assert written(home).sources.git == ("out",)
    (home / "link").symlink_to(home / "in\udcff")
    result = person("link", "", "", "", "", "", words=["--force"])
    assert "folder must have a name in UTF-8" in result.output


def test_the_search_leaves_out_hidden_folders_tools_and_what_lies_in_a_repository(
    home: Path,
) -> None:
    inner, far = ("a/inner", "b/inner"), "one/two/three/four/far"
    for name in ("a", "b", *inner, ".hidden", "node_modules/x", far):
        repository(home / name)
    found = look_around(home / "a" / "inner" / "deep", home)
    assert found.repositories == (home / "a" / "inner", home / "a", home / "b")


def test_the_search_ends_in_time_and_with_a_few(home: Path) -> None:
    own = repository(home / "own")
    for number in range(9):
        repository(home / f"other-{number}", float(number))
    assert look_around(own, home, time_limit_s=-1.0).repositories == (own,)
    found = look_around(own, home).repositories
    assert [each.name for each in found] == ["own", "other-8", "other-7", "other-6", "other-5"]
