"""`prefrontal adopt`: what it shows, asks, writes and refuses."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click.testing
import pytest
import yaml  # type: ignore[import-untyped]

from prefrontal.assembly.adopted_modules import adopted_modules
from prefrontal.cli import main
from prefrontal.cli.watch.session import build_watch
from prefrontal.decisions.log import DecisionLog
from prefrontal.errors import InputError, SourceError
from prefrontal.settings import load_settings

from ...assembly.test_adoption import changes
from ...replay import repositories

no_set_up, git, import_history = (
    repositories.no_set_up,
    repositories.git,
    repositories.import_history,
)
Result = click.testing.Result
Import = Callable[[Sequence[repositories.Change]], Path]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, which is also where we are."""
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def repository(import_history: Import) -> Path:
    return import_history(changes(150))


def adopt(*words: str | Path, data: str | None = None) -> Result:
    return click.testing.CliRunner().invoke(main, ["adopt", *map(str, words)], input=data)


def refusal(*words: str | Path) -> str:
    result = adopt(*words)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.stderr
    return result.stderr.strip().splitlines()[-1].removeprefix("Error: ")


def entries(home: Path) -> list[dict[str, Any]]:
    found = yaml.safe_load((home / "prefrontal.yml").read_text())["adopted"]
    assert isinstance(found, list)
    return found


def test_it_shows_what_it_learned_and_writes_what_it_says(home: Path, repository: Path) -> None:
    result = adopt("--git", repository, "--yes", "--relevant", "path:news/**")
    assert result.exit_code == 0, result.output
    assert "Worth it" in result.stdout
    assert "prefrontal.yml gets module 'imported.git', recall 0.9" in result.stdout
    assert "the weights, the rule " in result.stdout
    assert f"prefrontal watch --config {home / 'prefrontal.yml'}" in result.stdout
    [entry] = entries(home)
    assert entry == {
        "module": "imported.git",
        "git": "imported.git",
        "branch": "main",
        "relevant": "path:news/**",
    }
    settings = load_settings(home / "prefrontal.yml")
    with DecisionLog(settings.state_folder() / "decisions.sqlite") as log:
        [module] = adopted_modules(settings, log)
    assert module.history is not None
    assert module.history.complete
    session = build_watch(settings)
    session.start()
    assert session.watch.thresholds()["imported.git"].threshold > 0.0
    assert session.stop()


def test_a_watched_repository_is_adopted_in_place_of_its_built_in_module(
    home: Path, repository: Path
) -> None:
    (home / "prefrontal.yml").write_text(
        f"sources: {{git: [{repository}], directories: [in]}}\n"
        "gate: {policy: {cooldown_s: 60}}\n"
    )
    before = build_watch(load_settings(home / "prefrontal.yml"))
    before.stop()
    assert [each.module_id for each in before.modules] == ["in", "imported.git"]
    result = adopt("--git", repository, "--yes", "--relevant", "path:news/**")
    assert result.exit_code == 0, result.output
    assert "The policy of the settings (cooldown_s 60.0) may hold wakes back" in result.stdout
    after = build_watch(load_settings(home / "prefrontal.yml"))
    after.stop()
    assert [each.module_id for each in after.modules] == ["in", "imported.git"]
    assert [each.history is None for each in after.modules] == [True, False]


def test_json_says_the_same_for_programs(home: Path, repository: Path) -> None:
    result = adopt(repository, "--json", "--recall", "0.8")
    assert result.exit_code == 0, result.output
    done = json.loads(result.stdout)
    assert done["module"] == "imported.git"
    assert done["followed"] is True
    assert (done["recall"], done["relevant"]) == (0.8, "path:news/**")
    assert 0.0 < done["threshold"] < 1.0
    [entry] = entries(home)
    assert entry["recall"] == 0.8


@pytest.mark.parametrize(("answer", "written"), [("n\n", False), ("y\n", True), ("\n", True)])
def test_it_asks_before_it_writes(
    home: Path, repository: Path, monkeypatch: pytest.MonkeyPatch, answer: str, written: bool
) -> None:
    monkeypatch.setattr("prefrontal.cli.replay.adopt.is_terminal", lambda: True)
    result = adopt("--git", repository, data=answer)
    assert result.exit_code == 0, result.output
    assert "Write this? [Y/n]" in result.stdout
    assert (home / "prefrontal.yml").exists() == written
    assert ("Nothing was written." in result.stdout) == (not written)


def test_outside_of_a_repository_it_says_what_works_there(no_set_up: None) -> None:
    words = refusal("--yes")
    assert words.startswith("adopt must be run in a git repository or be told what to adopt")
    assert "try `prefrontal adopt PATH`" in words
    assert "replay" not in words


def test_without_a_terminal_it_wants_a_yes(repository: Path) -> None:
    assert refusal("--git", repository) == "adopt must be asked from a terminal; --yes asks nothing"


def test_a_second_time_replaces_its_own_and_leaves_the_rest(home: Path, repository: Path) -> None:
    (home / "prefrontal.yml").write_text("# mine\nseed: 3  # my number\n")
    assert adopt("--git", repository, "--yes").exit_code == 0
    result = adopt("--git", repository, "--yes", "--recall", "0.7")
    assert "prefrontal.yml replaces module" in result.stdout
    text = (home / "prefrontal.yml").read_text()
    assert text.startswith("# mine\nseed: 3  # my number\n")
    [entry] = entries(home)
    assert entry["recall"] == 0.7
    assert adopt("--git", repository, "--yes", "--module", "twin").exit_code == 0
    assert [e["module"] for e in entries(home)] == ["imported.git", "twin"]


def test_the_repository_one_is_in_is_adopted_without_a_word(
    home: Path, repository: Path, git: repositories.Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(home, "clone", "--quiet", str(repository), "work")
    monkeypatch.chdir(home / "work")
    result = adopt("--yes", "--config", home / "prefrontal.yml")
    assert result.exit_code == 0, result.output
    [entry] = entries(home)
    assert (entry["module"], entry["git"]) == ("work", "work")


def test_recorded_windows_leave_what_was_learned_and_say_that_nothing_follows(home: Path) -> None:
    rng = random.Random(1)
    lines = []
    for number in range(400):
        matters = rng.random() < 0.4
        place = "src/core/x" if matters == (rng.random() < 0.9) else "docs/y"
        event = {"source": "filesystem", "location": place, "delta_type": "modified"}
        line = {"time": 1.5e9 + number, "relevant": matters, "events": [event]}
        lines.append(json.dumps(line))
    (home / "w.jsonl").write_text("\n".join(lines))
    result = adopt("w.jsonl", "--yes", "--recall", "0.8")
    assert result.exit_code == 0, result.output
    assert "A file of windows cannot be followed, so no window comes by itself" in result.stdout
    [entry] = entries(home)
    assert entry == {"module": "w", "relevant": "recorded", "recall": 0.8}


@pytest.mark.parametrize(
    ("text", "words", "sentence"),
    [
        ("threshold: 0.4\n", (), "threshold must not be fixed in the settings to adopt a history"),
        ("scorer: lstm\n", (), "scorer must be linear to adopt a history, got 'lstm'"),
        ("recall: 0.8\n", ("--recall", "0.9"), "recall must be that of the settings, 0.8"),
        ("{recall: 0.8}\n", (), "settings must be a block of `key: value` lines"),
        ("", ("--recall", "2"), "recall must be above 0 and at most 1, got 2.0"),
        ("", ("--relevant", "path:nowhere/**"), "history must teach the gate something"),
        ("", ("--config", "x.json"), "config must be YAML to be extended"),
        ("", ("--events", "x"), "adopt must be given one history, got several"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_writes_nothing(
    home: Path, repository: Path, text: str, words: Sequence[str], sentence: str
) -> None:
    (home / "prefrontal.yml").write_text(text)
    result = adopt("--git", repository, "--yes", *words)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert (home / "prefrontal.yml").read_text() == text
    assert not (home / ".local").exists()


def test_the_name_of_another_module_is_not_taken(home: Path, repository: Path) -> None:
    fingerprint = {
        "module_id": "imported.git",
        "cluster": "c",
        "version": "1",
        "question_template": "{location}?",
        "default_threshold": 0.2,
    }
    (home / "prefrontal.yml").write_text(yaml.safe_dump({"modules": [fingerprint]}))
    sentence = refusal("--git", repository, "--yes")
    assert sentence == "module must be a new name, got 'imported.git'; --module gives another"


def test_a_kill_between_state_and_settings_leaves_what_was_there_working(
    home: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert adopt("--git", repository, "--yes", "--recall", "0.7").exit_code == 0
    before = (home / "prefrontal.yml").read_text()

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("prefrontal.cli.replay.adoption.write_atomic", killed)
    assert adopt("--git", repository, "--yes", "--recall", "0.8").exit_code == 130
    assert (home / "prefrontal.yml").read_text() == before
    session = build_watch(load_settings(home / "prefrontal.yml"))
    facts = session.watch.thresholds()["imported.git"]
    assert facts.recall == 0.7
    assert facts.threshold > 0.0
    session.start()
    assert session.stop()


def test_a_watch_of_a_repository_that_nobody_adopted_offers_it(
    home: Path, repository: Path
) -> None:
    from prefrontal.cli.watch.screen import beginning

    (home / "prefrontal.yml").write_text("sources: {git: [imported.git]}\n")
    session = build_watch(load_settings(home / "prefrontal.yml"))
    assert "~/imported.git is watched untrained; `prefrontal adopt --git" in beginning(session)
    session.start()
    assert session.stop()
    (home / "prefrontal.yml").write_text("sources:\n  git: [imported.git]\n")
    assert adopt("--git", repository, "--yes").exit_code == 0
    session = build_watch(load_settings(home / "prefrontal.yml"))
    assert "untrained" not in beginning(session)
    assert "imported.git watches the history that it was adopted from" in beginning(session)
    session.start()
    assert session.stop()


def test_what_cannot_be_read_twice_is_not_adopted() -> None:
    words = "adopt must be given a file that can be read again, got '-'"
    assert refusal("--events", "-", "--yes") == words


def test_the_next_commands_put_it_in_front_of_the_agents_that_are_here(
    home: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prefrontal.installation.runtimes.shutil.which", lambda _: "/bin/true")
    (home / ".hermes").mkdir()
    done = json.loads(adopt("--git", repository, "--json").stdout)
    config = home / "prefrontal.yml"
    assert done["next"] == [
        f"prefrontal install hermes --config {config}",
        f"prefrontal watch --config {config}",
        f"prefrontal gate --config {config}",
    ]


def test_beside_a_running_watch_it_says_to_end_that_first(home: Path, repository: Path) -> None:
    assert adopt("--git", repository, "--yes").exit_code == 0
    session = build_watch(load_settings(home / "prefrontal.yml"))
    session.start()
    try:
        assert refusal("--git", repository, "--yes").endswith(
            "; end it first, adopt, and start it again"
        )
        with pytest.raises(
            SourceError, match="adopt --git PATH --config FILE` adds one to the file"
        ):
            build_watch(load_settings(home / "prefrontal.yml"))
    finally:
        session.stop()


def test_a_place_that_cannot_be_written_is_told_before_the_replay(
    home: Path, git: repositories.Git
) -> None:
    git(home, "init", "--quiet", "empty")  # without a commit, which a replay refuses
    repository = home / "empty"
    state = home / ".local"
    state.write_text("")
    told = refusal("--git", repository, "--yes")
    assert told == f"{state}/state/prefrontal cannot be used as a folder: {state} is none"
    told = refusal("--git", repository, "--yes", "--config", home / "none" / "x.yml")
    assert told == f"{home}/none/x.yml must lie in a folder that exists"


def twins(home: Path, git: repositories.Git, repository: Path) -> tuple[Path, Path]:
    """Two repositories in folders of one name."""
    for place in ("a", "b"):
        git(home, "clone", "--quiet", str(repository), f"{place}/api")
    return home / "a" / "api", home / "b" / "api"


def test_a_repository_of_the_same_name_does_not_take_the_place_of_one_in_the_same_state_folder(
    home: Path, repository: Path, git: repositories.Git
) -> None:
    one, other = twins(home, git, repository)
    first = adopt(one, "--json", "--config", home / "one.yml", "--recall", "0.7")
    assert first.exit_code == 0, first.output
    second = json.loads(adopt(other, "--json", "--config", home / "other.yml").stdout)
    assert second["module"] == "api-2"
    again = json.loads(adopt(other, "--json", "--config", home / "other.yml").stdout)
    assert again["module"] == "api-2"
    assert json.loads(adopt(one, "--json", "--config", home / "one.yml").stdout)["module"] == "api"
    same = json.loads(adopt(one, "--json", "--config", home / "new.yml").stdout)
    assert same["module"] == "api"
    assert refusal(other, "--yes", "--config", home / "third.yml", "--module", "api") == (
        f"module must be a new name, got 'api', which is for {str(one)!r} in"
        " ~/.local/state/prefrontal; --module gives another"
    )


def test_repositories_of_one_name_are_two_modules_of_one_file(
    home: Path, repository: Path, git: repositories.Git
) -> None:
    one, other = twins(home, git, repository)
    assert adopt(one, "--yes").exit_code == 0
    assert adopt(other, "--yes").exit_code == 0
    assert [(each["module"], each["git"]) for each in entries(home)] == [
        ("api", "a/api"),
        ("api-2", "b/api"),
    ]
    session = build_watch(load_settings(home / "prefrontal.yml"))
    session.start()
    assert session.stop()


@pytest.mark.parametrize("config", ["one.yml", "two.yml"])
def test_a_repository_that_was_moved_keeps_its_module(
    home: Path, repository: Path, git: repositories.Git, config: str
) -> None:
    one, _ = twins(home, git, repository)
    assert adopt(one, "--yes", "--config", home / "one.yml").exit_code == 0
    one.rename(home / "api")
    moved = json.loads(adopt(home / "api", "--json", "--config", home / config).stdout)
    assert moved["module"] == "api"


def test_a_watch_does_not_go_on_with_what_another_repository_taught(
    home: Path, repository: Path, git: repositories.Git
) -> None:
    one, other = twins(home, git, repository)
    assert adopt(one, "--yes").exit_code == 0
    text = (home / "prefrontal.yml").read_text()
    (home / "prefrontal.yml").write_text(text.replace("a/api", "b/api"))
    with pytest.raises(InputError, match="must be the repository that it learned from"):
        build_watch(load_settings(home / "prefrontal.yml")).start()
    assert other.is_dir()


def test_a_repository_that_was_adopted_shares_no_module_with_an_untrained_one_of_its_name(
    home: Path, repository: Path, git: repositories.Git
) -> None:
    one, other = twins(home, git, repository)
    (home / "other.yml").write_text(f"sources: {{git: [{other}]}}\n")
    session = build_watch(load_settings(home / "other.yml"))
    session.stop()
    assert [each.module_id for each in session.modules] == ["api"]
    done = json.loads(adopt(one, "--json", "--config", home / "one.yml").stdout)
    assert done["module"] == "api-2"
    third = home / "c" / "api-2"
    git(home, "clone", "--quiet", str(repository), str(third))
    (home / "third.yml").write_text(f"sources: {{git: [{third}]}}\n")
    session = build_watch(load_settings(home / "third.yml"))
    session.stop()
    assert [each.module_id for each in session.modules] == ["c/api-2"]
