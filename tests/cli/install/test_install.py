"""`prefrontal install` and `uninstall`, with stand-ins of the programs of others."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from click.testing import CliRunner, Result

from prefrontal import cli
from prefrontal.installation import chosen

from ...exhaustive import first
from ...installation.stand_in_programs import put_programs

PROGRAMS = ("crontab", "systemctl", "hermes", "openclaw", "claude")
EVERY = ["claude-code", "cron", "openclaw", "hermes", "systemd", "github-action"]
OTHERS = (
    '{\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]\n  }\n}'
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with settings, a repository and files of every runtime, in which we are."""
    put_programs(tmp_path / "bin", *PROGRAMS)
    home = tmp_path / "home"
    (home / ".git").mkdir(parents=True)
    (home / "prefrontal.yml").write_text("sources: {directories: [.]}\n")
    for name, text in (
        (".claude/settings.json", OTHERS),
        (".claude.json", '{"numStartups": 3, "mcpServers": {"time": {"command": "t"}}}'),
        (".openclaw/openclaw.json", "// mine\n{\n\tgateway: {port: 18789,},\n}\n"),
        (".openclaw/jobs.json", '{\n  "jobs": []\n}\n'),
        (".hermes/config.yaml", "model: small  # cheap\nmcp_servers:\n  time: {command: t}\n"),
        (".hermes/cron/jobs.json", '{\n  "jobs": []\n}\n'),
        (".config/systemd/user/other.service", "[Service]\nExecStart=/bin/true\n"),
        (".crontab-table", "MAILTO=ada\n0 7 * * 1\tdate +\\%F\n"),
        (".github/workflows/test.yml", "on: push\n"),
    ):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name in ("CLAUDE_CONFIG_DIR", "HERMES_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(chosen, "find_spec", lambda _: True)
    monkeypatch.chdir(home)
    return home


def run(*words: str | Path, data: str | None = None) -> Result:
    return CliRunner().invoke(cli.main, [*map(str, words)], input=data)


def done(*words: str | Path) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def refusal(*words: str | Path) -> str:
    result = run(*words)
    assert result.exit_code == 2, result.output
    [sentence] = result.stderr.strip().splitlines()[-1:]
    return sentence.removeprefix("Error: ")


def everything(home: Path) -> dict[str, bytes | str]:
    """Every file and link below the home but what prefrontal itself keeps, with its bytes."""
    return {
        str(path.relative_to(home)): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        for path in sorted(home.rglob("*"))
        if (path.is_file() or path.is_symlink()) and ".local" not in path.parts
    }


def folders(home: Path) -> set[str]:
    return {str(path) for path in home.rglob("*") if path.is_dir() and ".local" not in path.parts}


@pytest.mark.parametrize("target", first(2, EVERY))
def test_what_is_installed_goes_to_the_byte(home: Path, target: str) -> None:
    before, places = everything(home), folders(home)
    done("install", target, "--yes")
    assert everything(home) != before
    done("uninstall", target, "--yes")
    assert everything(home) == before
    assert folders(home) == places
    assert "Nothing to do" in done("uninstall", target, "--yes")


@pytest.mark.parametrize("target", first(2, EVERY))
def test_where_nothing_was_nothing_is_left(home: Path, target: str) -> None:
    for each in (".claude", ".openclaw", ".hermes", ".config", ".github"):
        shutil.rmtree(home / each)
    for each in (".claude.json", ".crontab-table"):
        (home / each).unlink()
    before, places = everything(home), folders(home)
    done("install", target, "--yes")
    done("uninstall", target, "--yes")
    left = {name for name in everything(home) if not name.endswith("jobs.json")}
    assert left == set(before)
    assert {each for each in folders(home) - places if not each.endswith(("/cron", "claw"))} == (
        {str(home / ".hermes")} if target == "hermes" else set()
    )


@pytest.mark.parametrize("target", first(2, EVERY))
def test_a_second_time_changes_nothing(home: Path, target: str) -> None:
    done("install", target, "--yes")
    after = everything(home)
    assert "Nothing to do" in done("install", target, "--yes")
    assert everything(home) == after


@pytest.mark.parametrize("target", first(2, EVERY))
def test_a_dry_run_shows_what_would_change_and_writes_nothing(home: Path, target: str) -> None:
    before = everything(home)
    shown = done("install", target, "--dry-run")
    assert shown.endswith("Nothing was written (--dry-run).\n")
    assert "prefrontal" in shown
    assert everything(home) == before
    assert not (home / ".local").exists()


def test_away_from_a_terminal_the_flag_that_is_missing_is_said(home: Path) -> None:
    before = everything(home)
    sentence = "nothing was written: --yes asks nothing, --dry-run only shows"
    assert refusal("install", "hermes").endswith(sentence)
    assert everything(home) == before
    done("install", "hermes", "--yes")
    after = everything(home)
    assert refusal("uninstall", "hermes").endswith(sentence)
    assert everything(home) == after


def test_a_person_is_asked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prefrontal.cli.install.install.is_terminal", lambda: True)
    before = everything(home)
    assert "Nothing was written." in run("install", "hermes", data="n\n").output
    assert everything(home) == before
    assert run("install", "hermes", data="").exit_code == 130
    assert "The gate is in front of Hermes." in run("install", "hermes", data="\n").output


def test_what_somebody_changed_meanwhile_stays(home: Path) -> None:
    done("install", "claude-code", "--yes")
    path = home / ".claude" / "settings.json"
    path.write_text(path.read_text().replace("say done", "say enough"))
    output = done("uninstall", "claude-code", "--yes")
    assert f"{path} was changed since; only what prefrontal wrote goes, the rest stays." in output
    assert path.read_text() == OTHERS.replace("say done", "say enough")


def test_a_file_that_claude_code_wrote_anew_loses_only_ours(home: Path) -> None:
    done("install", "claude-code", "--yes")
    path = home / ".claude" / "settings.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model": "small"}))
    done("uninstall", "claude-code", "--yes")
    assert json.loads(path.read_text()) == json.loads(OTHERS) | {"model": "small"}


def test_a_workflow_with_the_reviewer_in_it_stays_and_leaves_a_copy(home: Path) -> None:
    done("install", "github-action", "--yes")
    path = home / ".github" / "workflows" / "prefrontal.yml"
    mine = path.read_text().replace("your AI reviewer stands here", "review")
    path.write_text(mine)
    assert f"{path} was changed since, and stays." in done("install", "github-action", "--yes")
    assert path.read_text() == mine
    output = done("uninstall", "github-action", "--yes")
    assert not path.exists()
    [line] = [each for each in output.splitlines() if each.startswith("A copy is ")]
    assert Path(line.removeprefix("A copy is ").removesuffix(".")).read_text() == mine


def test_a_full_disk_leaves_no_copy_of_a_file_behind(home: Path) -> None:
    before = everything(home)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, limits[1]))  # the first copy fits
    try:
        said = refusal("install", "claude-code", "--yes")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "0.after cannot be written: File too large" in said
    assert everything(home) == before
    assert [path for path in (home / ".local").rglob("*") if path.is_file()] == []


def test_without_its_receipt_only_ours_goes(home: Path) -> None:
    before = everything(home)
    for target in ("claude-code", "cron", "hermes"):
        done("install", target, "--yes")
    shutil.rmtree(home / ".local")
    for target in ("claude-code", "cron", "hermes"):
        done("uninstall", target, "--yes")
    left = everything(home)
    for name in (".claude/settings.json", ".claude.json"):
        assert json.loads(left[name]) | {"hooks": 0} == json.loads(before[name]) | {"hooks": 0}
    assert "prefrontal" not in str(left).replace("prefrontal.yml", "")
    assert left[".crontab-table"] == before[".crontab-table"]
    assert left[".hermes/config.yaml"] == before[".hermes/config.yaml"]


@pytest.mark.parametrize(
    ("target", "name", "text", "reason"),
    [
        ("claude-code", ".claude/settings.json", "{", "must be JSON with a key in line 1"),
        ("claude-code", ".claude.json", '{"mcpServers": []}', "an object at mcpServers"),
        ("openclaw", ".openclaw/openclaw.json", "{a}", "must be JSON with a colon"),
        ("hermes", ".hermes/config.yaml", "a: [", "must be YAML in line 1"),
        ("hermes", ".hermes/scripts/prefrontal-gate.sh", "mine", "must not be there, got a file"),
        ("hermes", ".hermes/cron/jobs.json", "{", "a list of jobs must be JSON"),
        ("systemd", ".config/systemd/user/prefrontal.service", "mine", "must not be there"),
        ("github-action", ".github/workflows/prefrontal.yml", "mine", "must not be there"),
    ],
)
def test_what_is_broken_is_refused_in_a_sentence_and_nothing_is_written(
    home: Path, target: str, name: str, text: str, reason: str
) -> None:
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_text(text)
    before = everything(home)
    assert reason in refusal("install", target, "--yes")
    assert everything(home) == before
    assert not (home / ".local").exists()


def test_permissions_stay_and_a_link_is_followed_and_said(home: Path) -> None:
    real = home / "dotfiles" / "settings.json"
    real.parent.mkdir()
    path = home / ".claude" / "settings.json"
    path.rename(real)
    path.symlink_to(real)
    real.chmod(0o640)
    shown = done("install", "claude-code", "--yes")
    assert f"{path} is a link; what it leads to, {real}, is written." in shown
    assert path.is_symlink() and "hook claude-code" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640
    done("uninstall", "claude-code", "--yes")
    assert path.is_symlink() and real.read_text() == OTHERS
    assert real.stat().st_mode & 0o777 == 0o640


def test_copies_of_what_was_there_are_for_their_owner_alone(home: Path) -> None:
    done("install", "claude-code", "--yes")
    folder = home / ".local/state/prefrontal/installed/claude-code"
    assert folder.stat().st_mode & 0o777 == 0o700
    copy = folder / "0.before"
    assert copy.read_text() == OTHERS
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_a_runtime_that_refuses_leaves_everything_as_it_was(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything(home)
    monkeypatch.setenv("GATEWAY_DOWN", "1")
    assert (
        refusal("install", "openclaw", "--yes") == "openclaw cron add failed: gateway closed (1006)"
    )
    assert everything(home) == before
    assert "Nothing to do" in done("uninstall", "openclaw", "--yes")


def test_a_runtime_that_is_not_there_is_named(home: Path, tmp_path: Path) -> None:
    (tmp_path / "bin" / "crontab").unlink()
    assert "crontab cannot be run: No such file" in refusal("install", "cron", "--yes")


def test_what_changes_between_the_difference_and_the_writing_is_not_overwritten(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home / ".claude" / "settings.json"
    monkeypatch.setattr("prefrontal.cli.install.install.is_terminal", lambda: True)
    monkeypatch.setattr(
        "click.confirm", lambda *_, **__: bool(path.write_text('{"model": "other"}'))
    )
    result = run("install", "claude-code")
    assert result.stderr == f"Error: {path} was changed meanwhile; nothing was written\n"
    assert path.read_text() == '{"model": "other"}'


@pytest.mark.exhaustive
def test_a_new_program_or_other_options_replace_what_was_written(home: Path) -> None:
    before = everything(home)
    done("install", "claude-code", "--yes", "--consult")
    assert "PreToolUse" in (home / ".claude/settings.json").read_text()
    done("install", "claude-code", "--yes")
    assert "PreToolUse" not in (home / ".claude/settings.json").read_text()
    for every in ("10m", "1h"):
        done("install", "cron", "--yes", "--every", every)
        done("install", "hermes", "--yes", "--every", every)
    assert (home / ".crontab-table").read_text().count("prefrontal gate") == 1
    [job] = json.loads((home / ".hermes/cron/jobs.json").read_text())["jobs"]
    assert job["schedule"] == "every 1h"
    for target in ("claude-code", "cron", "hermes"):
        done("uninstall", target, "--yes")
    assert everything(home) == before


def test_a_project_of_claude_code_gets_hooks_and_server_of_its_own(home: Path) -> None:
    before = everything(home)
    (home / "project").mkdir()
    done("install", "claude-code", "project", "--yes")
    changed = {name for name, text in everything(home).items() if before.get(name) != text}
    assert changed == {"project/.claude/settings.json", "project/.mcp.json"}
    done("uninstall", "claude-code", "project", "--yes")
    assert everything(home) == before


def test_the_line_of_cron_does_what_it_says(home: Path, tmp_path: Path) -> None:
    done("install", "cron", "--yes", "--every", "15m", "--exec", "cat > got; echo 100% >> got")
    [line] = [x for x in (home / ".crontab-table").read_text().splitlines() if " gate " in x]
    fields, command = line[:13], line[13:]
    assert fields == "*/15 * * * * "
    assert "%" not in command.replace("\\%", "")  # cron would end the command there
    command = command.replace("\\%", "%")
    gate = tmp_path / "bin" / "prefrontal"
    own = command.replace(command.split("$(")[1].split(" ")[0], str(gate))
    got = home / "got"
    unasked = "prefrontal could not be asked; look yourself."
    for code, question, heard in (
        (2, "", None),
        (0, "Is 5 % a lot?", "Is 5 % a lot?"),
        (1, "", unasked),
        (127, "", unasked),
    ):
        got.unlink(missing_ok=True)
        gate.write_text(f"#!/bin/sh\n[ -z '{question}' ] || echo '{question}'\nexit {code}\n")
        gate.chmod(0o755)
        subprocess.run(["sh", "-c", own], cwd=home, check=True)
        assert (got.read_text() if got.exists() else None) == (heard and f"{heard}\n100%\n")


def test_settings_named_by_way_of_a_parent_folder_outlive_the_folder_that_we_are_in(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "below").mkdir()
    monkeypatch.chdir(home / "below")
    done("install", "cron", "--config", "../prefrontal.yml", "--yes")
    assert f"--config {home}/prefrontal.yml " in (home / ".crontab-table").read_text()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
def test_systemd_takes_the_unit(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(home))
    said = done("install", "systemd", "--yes")
    assert "  loginctl enable-linger   or it ends when you log out\n" in said
    unit = home / ".config/systemd/user/prefrontal.service"
    words = ["systemd-analyze", "verify", "--user", "--man=no", str(unit)]
    checked = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
    ours = [line for line in checked.stderr.splitlines() if "prefrontal" in line]
    assert ours == []
    broken = unit.read_text().replace("RestrictRealtime=yes", "RestrictRealtime=perhaps")
    unit.write_text(broken)
    checked = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
    assert "prefrontal.service" in checked.stderr


@pytest.mark.exhaustive
def test_the_entries_are_what_each_runtime_reads(home: Path) -> None:
    for target in EVERY:
        done("install", target, "--yes")
    servers = json.loads((home / ".claude.json").read_text())["mcpServers"]
    config = yaml.safe_load((home / ".hermes/config.yaml").read_text())
    ours = servers["prefrontal"]
    assert ours["args"] == ["mcp", "--config", str(home / "prefrontal.yml")]
    assert config["mcp_servers"]["prefrontal"] == ours
    assert config["mcp_servers"]["time"] == servers["time"] == {"command": "t"}
    workflow = yaml.safe_load((home / ".github/workflows/prefrontal.yml").read_text())
    [_, gate] = workflow["jobs"]["gate"]["steps"]
    assert (home / gate["uses"] / "action.yml").is_file()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["hermes", "."], "DIR must come with claude-code or github-action, got it with hermes"),
        (["systemd", "--every", "5m"], "--every must come with openclaw or hermes or cron"),
        (["cron", "--every", "7m"], "--every must divide an hour or a day, such as 10m or 2h"),
        (["cron", "--exec", "a\nb"], "--exec must be one line, got 'a\\nb'"),
        (["github-action", "--recall", "2"], "--recall must be above 0 and at most 1, got 2.0"),
        (["github-action", "bin"], "DIR must be the top of a git repository"),
        (["claude-code", "nowhere"], "DIR must be a folder, got 'nowhere'"),
        (["hermes", "--config", "no.yml"], "no.yml cannot be read: No such file or directory"),
    ],
)
def test_what_does_not_belong_together_is_refused(
    home: Path, words: list[str], reason: str
) -> None:
    (home / "bin").mkdir()
    assert reason in refusal("install", *words, "--yes")


def test_without_settings_the_command_that_writes_them_is_named(home: Path) -> None:
    (home / "prefrontal.yml").unlink()
    assert "`prefrontal init` writes them" in refusal("install", "hermes", "--yes")


def test_json_says_the_same_for_programs(home: Path) -> None:
    told = json.loads(done("install", "hermes", "--json"))
    assert told["written"] is True
    assert [Path(each).name for each in told["changed"]] == ["prefrontal-gate.sh", "config.yaml"]
    assert told["runs"][0].startswith("hermes cron create 'every 10m'")
    assert json.loads(done("install", "hermes", "--json"))["written"] is False
    assert json.loads(done("uninstall", "hermes", "--json", "--dry-run"))["written"] is False


def test_without_the_protocol_no_server_is_written(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chosen, "find_spec", lambda _: None)
    before = everything(home)
    assert "No MCP entry is written" in done("install", "claude-code", "--yes")
    assert everything(home)[".claude.json"] == before[".claude.json"]


def test_init_offers_what_is_installed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "prefrontal.yml").unlink()
    shown = done("init", "--yes")
    for name in ("claude-code", "openclaw", "hermes"):
        assert f"prefrontal install {name} --config {home / 'prefrontal.yml'}   the gate" in shown
    shutil.rmtree(home / ".hermes")
    assert "install hermes" not in done("init", "--yes", "--force")


def test_init_puts_the_gate_there_when_a_person_wishes_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("run.init", "install.install"):
        monkeypatch.setattr(f"prefrontal.cli.{module}.is_terminal", lambda: True)
    (home / "prefrontal.yml").unlink()
    before = everything(home)
    result = run("init", data="\n\n\n\n\nn\nn\ny\ny\n")
    assert result.exit_code == 0, result.output
    changed = {name for name, text in everything(home).items() if before.get(name) != text}
    assert changed == {
        *("prefrontal.yml", ".hermes/config.yaml", ".hermes/cron/jobs.json"),
        ".hermes/scripts/prefrontal-gate.sh",
    }
