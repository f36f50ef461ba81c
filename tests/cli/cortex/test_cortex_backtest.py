"""`prefrontal cortex backtest`, on a small made-up stream of ratings."""

from __future__ import annotations

import importlib.util
import io
import json
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from prefrontal.cli import main

from ..refusals import last_line

DAY = 86_400
PLAIN = ("--reflector", "mean", "--policy", "plain", "--timer", "0")


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    """Three honest users, three who were good for long and then bad."""
    rows = ["source,target,rating,time"]
    for user in range(6):
        for number in range(12):
            bad = user >= 3 and number >= 7
            rows.append(f"rater{number},user{user},{-10 if bad else 3},{number * DAY + user}")
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    lines = (f"user{user},{-1 if user >= 3 else 1}" for user in range(6))
    path.write_text("\n".join(["user,label", *lines]) + "\n")
    return path


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["cortex", "backtest", *map(str, words)])


def told(*words: str | Path) -> Any:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def said(*words: str | Path) -> str:
    return last_line(run(*words))


def test_a_page_says_who_was_noticed_and_how_it_was_replayed(ratings: Path, labels: Path) -> None:
    page = run("--ratings", ratings, "--labels", labels, "--batch", "1", *PLAIN).stdout
    assert page.startswith("3 of 3 turncoats were noticed")
    assert "72 ratings of 6 peers, clamp 3, at most 9 an hour, policy plain" in page
    assert "1.000" in page


def test_json_holds_the_trajectory_of_every_peer(ratings: Path, labels: Path) -> None:
    result = told("--ratings", ratings, "--labels", labels, "--batch", "1", *PLAIN)
    assert result["trust"]["user0"] == 3
    assert result["trust"]["user5"] == -10
    steps = [step["trust"] for step in result["trajectories"]["user5"]]
    assert steps == [3] * 7 + [0, -3, -6, -9, -10]
    assert result["separation"]["value"] == 1.0


def test_the_options_reach_the_replay(ratings: Path) -> None:
    result = told(
        *("--ratings", ratings, "--clamp", "2", "--hourly-cap", "0", "--policy", "asymmetric"),
        *("--batch", "4", "--timer", "60", "--farming", "--reflector", "rules"),
    )
    assert result["options"] == {
        "clamp": 2, "per_hour": None, "policy": "asymmetric", "batch": 4, "timer": True,
        "farming": True, "schedule_minutes": 60.0, "reflector": "rules",
    }  # fmt: skip
    assert result["separation"] is None


@pytest.mark.exhaustive
def test_a_sweep_is_a_line_a_setting(ratings: Path, labels: Path) -> None:
    result = run("--ratings", ratings, "--labels", labels, "--sweep")
    assert result.exit_code == 0, result.output
    assert [line.split()[1] for line in result.stdout.splitlines()[1:]] == [
        *["plain"] * 5, "confirm", "asymmetric", "corroborate",
    ]  # fmt: skip
    lines = run("--ratings", ratings, "--labels", labels, "--sweep", "--json").stdout.splitlines()
    assert [json.loads(line)["clamp"] for line in lines] == [1, 2, 3, 5, 20, 3, 3, 3]


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="needs matplotlib")
def test_a_picture_is_drawn(ratings: Path, labels: Path, tmp_path: Path) -> None:
    picture = tmp_path / "trust.png"
    result = run("--ratings", ratings, "--labels", labels, "--picture", picture)
    assert result.exit_code == 0, result.output
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"Wrote {picture}" in result.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--clamp", "0"], "--clamp must be a whole number from 1, got 0"),
        (["--batch", "0"], "--batch must be a whole number from 1, got 0"),
        (["--hourly-cap", "-1"], "--hourly-cap must be a whole number from 0, got -1"),
        (["--timer", "-1"], "--timer must be minutes from 0, at most a year, got -1.0"),
        (["--timer", "nan"], "--timer must be minutes from 0, at most a year, got nan"),
        (["--picture", "/no/such/folder/x.png"], "must lie in a folder that exists"),
        (["--sweep", "--picture", "x.png"], "--sweep must stand without --picture"),
        (["--policy", "kind"], "'kind' is not one of"),
        (["--ratings", "/no/such/file"], "/no/such/file cannot be read: No such file"),
        (["--labels", "/no/such/file"], "/no/such/file cannot be read: No such file"),
    ],
)
def test_a_slip_is_told_in_a_sentence(ratings: Path, words: list[str], sentence: str) -> None:
    assert sentence in said("--ratings", ratings, *words)


def test_a_bad_row_is_told_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("a,b,11,5\n")
    assert f"{path}:1: rating must be a whole number from -10 to 10, got '11'" in said(
        "--ratings", path
    )


def judged(user: str, trust: int) -> str:
    """What a model answers about a user."""
    assessment = {"peer_id": user, "trust": trust, "rationale": "So it was."}
    return json.dumps({"assessments": [assessment], "beliefs": [], "summary": "Seen."})


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """Settings with a model that likes user0, and knows nobody else."""
    path = tmp_path / "model.yml"
    told = {"replies": [judged("user0", 9)], "repeat": True}
    path.write_text(json.dumps({"provider": "scripted", "llm": told}))
    return path


class Typed(io.BytesIO):
    """What somebody types at a terminal."""

    def isatty(self) -> bool:
        return True


def typed(text: str, *words: str | Path) -> Result:
    return CliRunner().invoke(
        main, ["cortex", "backtest", *map(str, words)], input=Typed(text.encode())
    )


@pytest.mark.exhaustive
def test_the_configured_model_reflects_and_its_recorded_replies_do_again(
    ratings: Path, labels: Path, settings: Path, tmp_path: Path
) -> None:
    words = ("--ratings", ratings, "--labels", labels, "--config", settings, "--timer", "0")
    replies = tmp_path / "replies"
    first = told(*words, "--reflector", "llm", "--record", replies)
    assert first["trust"] == {"user0": 9, **{f"user{number}": 0 for number in range(1, 6)}}
    assert (first["model"], first["failed"], first["asked"]) == ("scripted", 0, 18)
    assert first["lies"] is None
    assert first["tokens"] > 18 * 500
    again = told(*words, "--reflector", "replay", "--cassette", replies)
    assert again["options"].pop("reflector") == "replay"
    assert first["options"].pop("reflector") == "llm"
    assert again | {"seconds": 0} == first | {"seconds": 0}


def test_a_page_counts_the_questions_without_an_answer(ratings: Path, tmp_path: Path) -> None:
    words = ("--ratings", ratings, "--timer", "0", "--reflector", "replay", "--cassette", tmp_path)
    page = run(*words).stdout
    assert page.startswith(f"No answer could be used: {tmp_path} has no reply to this request")
    assert "questions without a usable answer" in page
    assert "18 of 18; the last:" in page


def test_a_limit_takes_the_first_ratings_in_time(ratings: Path) -> None:
    result = told("--ratings", ratings, "--limit", "8")
    assert (result["ratings"], result["peers"]) == (8, 6)
    assert len(told("--ratings", ratings, "--limit", "1000")["trust"]) == 6


def test_somebody_at_a_terminal_is_told_the_cost_and_asked(ratings: Path, settings: Path) -> None:
    words = ("--ratings", ratings, "--config", settings, "--reflector", "llm", "--timer", "0")
    no = typed("n\n", *words)
    assert (no.exit_code, no.stdout) == (0, ""), no.output
    assert "The model is asked 18 times, for about " in no.stderr
    assert " tokens. Go on? [y/N]" in no.stderr
    yes = typed("y\n", *words)
    assert "questions without a usable answer 0 of 18" in " ".join(yes.stdout.split())


@pytest.mark.exhaustive
def test_nobody_is_asked_who_said_yes_or_replays(
    ratings: Path, settings: Path, tmp_path: Path
) -> None:
    words = ("--ratings", ratings, "--config", settings)
    for rest in (("--reflector", "llm", "--yes"), ("--reflector", "replay", "--cassette", "."), ()):
        result = typed("", *words, *rest)
        assert (result.exit_code, result.stderr) == (0, "")


class Server(ThreadingHTTPServer):
    """A model that answers once; at the second question somebody presses Ctrl-C."""

    daemon_threads = True
    asked = 0
    over = threading.Event()


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.server.asked += 1
        if self.server.asked == 2:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            self.server.over.wait()
            return
        message = {"role": "assistant", "content": judged("user0", 9)}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 700, "completion_tokens": 50, "total_tokens": 750}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": "small"}
        data = json.dumps(body | {"choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing is said."""


def test_ctrl_c_while_a_server_is_asked_ends_with_the_figures_so_far(
    ratings: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pydantic_ai")
    pytest.importorskip("openai")
    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        llm = {"base_url": f"http://127.0.0.1:{server.server_port}/v1", "model": "small"}
        path = tmp_path / "server.yml"
        path.write_text(json.dumps({"provider": "openai-compatible", "llm": llm}))
        words = ("--ratings", ratings, "--config", path, "--timer", "0", "--json")
        result = run(*words, "--reflector", "llm")
        server.over.set()
        server.shutdown()
    assert result.exit_code == 130, result.output
    assert "Interrupted; the figures are those of 26 of 72 ratings." in result.stderr
    figures = json.loads(result.stdout)
    assert figures["stopped"] is True
    assert (figures["model"], figures["asked"], figures["failed"]) == ("small", 1, 0)
    assert figures["trust"]["user0"] == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--limit", "0"], "--limit must be a whole number from 1, got 0"),
        (["--reflector", "replay"], "--reflector replay must stand with --cassette DIR"),
        (["--cassette", "x"], "--cassette must stand with --reflector replay"),
        (["--record", "x"], "--record must stand with --reflector llm"),
        (["--sweep", "--reflector", "llm"], "--sweep must stand without --reflector llm"),
        (
            ["--reflector", "replay", "--cassette", "/no/such"],
            "/no/such must be a folder of recorded replies",
        ),
        (
            ["--reflector", "llm", "--config", "/dev/null"],
            "the settings must name a model (provider or cortex.llm_provider)",
        ),
    ],
)
def test_a_slip_about_the_model_is_told_in_a_sentence(
    ratings: Path, words: list[str], sentence: str
) -> None:
    assert sentence in said("--ratings", ratings, *words)
