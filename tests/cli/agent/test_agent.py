"""`prefrontal agent chat` and `agent run`, in processes of their own where a signal ends them."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from click.testing import CliRunner, Result

from prefrontal.cli import main
from prefrontal.cli.agent.chat import no_model
from prefrontal.settings import parse_settings

from ..refusals import last_line

PATIENCE_S = 60.0


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PREFRONTAL_HOME", str(tmp_path / "workspace"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "workspace"


def refused(*words: str) -> str:
    return last_line(CliRunner().invoke(main, ["agent", *words]))


def cortex(*words: str) -> Result:
    return CliRunner().invoke(main, ["cortex", *words])


def started(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "prefrontal", "agent", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(*words: str, data: str) -> tuple[int, str, str]:
    """Exit code, output and errors of an agent whose input is `data`."""
    with started(*words) as process:
        out, err = process.communicate(data, PATIENCE_S)
    return process.returncode, out, err


def lines(*messages: dict[str, Any]) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


@pytest.mark.exhaustive
def test_json_lines_go_in_and_a_reply_a_line_comes_out() -> None:
    data = lines({"sender_id": "ann", "content": "Hello", "id": "1"}) + "no message\n"
    code, out, err = ended("run", "--log", "warn", data=data)
    assert (code, err) == (0, "")
    found = {each["type"]: each for each in map(json.loads, out.splitlines())}
    assert found["reply"]["reply_to"] == "1"
    assert found["reply"]["content"].startswith("Hello")
    assert found["error"]["line"] == 2


@pytest.mark.exhaustive
def test_what_was_said_is_in_the_ledger_and_reflected_on() -> None:
    data = lines(*({"sender_id": "ann", "content": f"Question {n}?"} for n in range(6)))
    assert ended("run", "--channel", "jsonl", data=data)[0] == 0
    listed = CliRunner().invoke(main, ["ledger", "list", "--json"]).stdout
    peers = [json.loads(line) for line in listed.splitlines()]
    assert [(each["peer_id"], each["in_count"]) for each in peers] == [("ann", 6)]
    assert json.loads(cortex("reflect", "--json").stdout)["status"] == "ok"


@pytest.mark.exhaustive
def test_a_chat_ends_with_quit_and_shows_the_answers() -> None:
    code, out, err = ended("chat", data="Hello there\n/quit\nnever read\n")
    assert code == 0
    assert err.startswith("Talking to agent. /help lists commands, /quit ends.\n")
    assert out.startswith("agent: Hello")
    assert "never read" not in out


@pytest.mark.exhaustive
def test_a_chat_ends_with_its_input(tmp_path: Path) -> None:
    (tmp_path / "prefrontal.yml").write_text("identity: {name: Alpha}\nprovider: rules\n")
    code, out, err = ended("chat", data="Hello\n")
    assert (code, err) == (0, "Talking to Alpha. /help lists commands, /quit ends.\n")
    assert out.startswith("Alpha: Hello")


def test_a_chat_without_a_model_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    err = ended("chat", data="/quit\n")[2]
    setting = err[err.index("  provider") : err.index("With a key")]
    found = parse_settings(yaml.safe_load(setting))
    assert (found.provider, found.llm["model"]) == ("openai-compatible", "local")
    assert all(len(line) <= 80 for line in err.splitlines())
    monkeypatch.setattr("prefrontal.cli.agent.chat.find_spec", lambda _: None)
    assert "pip install 'prefrontal[llm]'" in no_model()
    assert "pip install 'pydantic-ai-slim[anthropic]'" in no_model()
    monkeypatch.setattr(
        "prefrontal.cli.agent.chat.find_spec", lambda name: name == "openai" or None
    )
    assert "prefrontal[llm]" not in no_model()


@pytest.mark.exhaustive
def test_a_chat_answers_commands_and_sends_none_of_them() -> None:
    code, out, _ = ended("chat", data="/help\n/hlep\n//quit\n/etc/hosts is broken\n/quit\n")
    assert code == 0
    assert "/quit    end" in out
    assert "There is no command /hlep; /help lists those there are." in out
    assert "agent: Noted: /quit (" in out
    assert "agent: Noted: /etc/hosts is broken (" in out
    assert out.count("agent:") == 2


@contextmanager
def webhook(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """An agent behind HTTP and its address; killed in the end, if it still runs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with started("run", "--channel", "webhook", "--port", str(port), *words) as process:
        try:
            assert process.stderr is not None
            for line in process.stderr:
                if str(port) in line:
                    break
            yield process, f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def posted(address: str, message: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(f"{address}/messages", json.dumps(message).encode())
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        found: dict[str, Any] = json.loads(answer.read())
    return found


def test_a_webhook_answers_and_ctrl_c_ends_it() -> None:
    with webhook() as (process, address):
        told = posted(address, {"sender_id": "ann", "content": "Hello", "wait": True})
        assert told["content"].startswith("Hello")
        assert f"running (process {process.pid})" in cortex("status").stdout
        assert f"the running agent (process {process.pid})" in cortex("reflect").stdout
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "not running" in cortex("status").stdout


@pytest.mark.exhaustive
def test_sigterm_ends_it_with_its_own_code() -> None:
    with webhook() as (process, _):
        process.terminate()
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 143


@pytest.mark.exhaustive
def test_a_second_agent_in_a_workspace_is_refused(workspace: Path) -> None:
    with webhook() as (process, _):
        code, out, err = ended("run", data="")
    assert (code, out) == (2, "")
    assert f"in use by another prefrontal agent (process {process.pid})" in err
    assert workspace.is_dir()


def test_once_does_what_is_due_and_ends(workspace: Path) -> None:
    result = CliRunner().invoke(main, ["agent", "run", "--once"])
    assert (result.exit_code, result.stdout) == (0, "")
    assert (workspace / "ledger.sqlite").exists()
    assert cortex("reflect").exit_code == 0


def test_the_options_stand_before_the_file(tmp_path: Path) -> None:
    from prefrontal.cli.agent.building import AgentOptions, with_options
    from prefrontal.settings.home import Home

    home = Home(tmp_path, {})
    config: dict[str, Any] = {
        "channels": {"webhook": {"host": "0.0.0.0", "port": 1}},
        "logging": {"level": "off"},
    }
    told = with_options(config, AgentOptions(home, "debug", webhook={"port": 2}))
    assert told["channels"]["webhook"] == {"host": "0.0.0.0", "port": 2}
    assert told["logging"] == {"level": "debug"}
    assert with_options({}, AgentOptions(home, usual_log="warn"))["logging"] == {"level": "warn"}
    assert config["channels"]["webhook"]["port"] == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "--channel", "jsonl", "--channel", "terminal"], "both read the input"),
        (["run", "--port", "80"], "--host and --port must stand with --channel webhook"),
        (["run", "--once", "--channel", "jsonl"], "--once must stand without --channel"),
        (
            ["run", "--log", "loud"],
            "must be one of debug, info, warn, error, off, got",
        ),
        (["run", "--channel", "pigeon"], "'pigeon' is not one of"),
        (["chat", "--log", "loud"], "--log must be one of"),
        (["run", "--config", "missing.yml"], "missing.yml cannot be read"),
        (["chat", "--workspace", "/proc/nowhere"], "/proc/nowhere"),
    ],
)
def test_a_slip_is_told_in_a_sentence(words: list[str], sentence: str) -> None:
    assert sentence in refused(*words)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cortex: {max_trust_delta: 0}\n", "max_trust_delta"),
        ("provider: telepathy\n", "telepathy"),
        ("plugins: {disabled: [loop]}\n", "plugins.disabled"),
        ("llm: 3\n", "llm must be a mapping, got 3"),
        ("cortx: {}\n", "did you mean 'cortex'"),
    ],
)
def test_settings_that_cannot_be_used_are_told(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "prefrontal.yml").write_text(text)
    assert sentence in refused("run", "--once")


def test_nothing_of_the_agent_is_left_when_settings_are_refused(
    tmp_path: Path, workspace: Path
) -> None:
    (tmp_path / "prefrontal.yml").write_text("provider: telepathy\n")
    refused("run", "--once")
    assert not workspace.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["prefrontal.yml"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("words", [["run"], ["chat"]])
def test_output_that_nobody_takes_is_no_success(words: list[str]) -> None:
    line = "Hello" if words == ["chat"] else '{"sender_id": "ann", "content": "Hello"}'
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "prefrontal", "agent", *words]
        done = subprocess.run(
            command,
            check=False,
            input=f"{line}\n",
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE_S,
        )
    assert done.returncode == 1
    assert "output cannot be written: No space left on device" in done.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize("closed", ["0<&-", "2>&-", "2>/dev/full"])
def test_a_stream_that_is_closed_or_full_is_no_defect(closed: str) -> None:
    line = 'echo \'{"sender_id": "ann", "content": "Hello"}\''
    command = f"{line} | {sys.executable} -m prefrontal agent run --log debug {closed}"
    done = subprocess.run(
        ["sh", "-c", command], check=False, capture_output=True, text=True, timeout=PATIENCE_S
    )
    if closed.startswith("0"):
        assert (done.returncode, done.stdout) == (2, "")
        assert "standard input must be open, it is closed" in done.stderr
    else:
        assert done.returncode == 0
        assert json.loads(done.stdout)["content"].startswith("Hello, ann.")
