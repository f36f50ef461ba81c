"""The command `prefrontal replay`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from prefrontal.replay.report.document import document
from prefrontal.replay.result import ReplayResult

from ...replay import repositories
from ...replay.repositories import Change
from ...replay.streams import history, lines, window, write_lines
from ..commands import run

no_set_up, git, import_history = (
    repositories.no_set_up,
    repositories.git,
    repositories.import_history,
)

PROMISED = {
    *("windows", "relevant", "days", "auc", "asked_recall", "got_recall", "wakes_per_day"),
    *("share_woken", "precision", "tokens_per_useful_wake", "policies", "curve", "misses"),
    "seconds",
}
OF_A_POLICY = {
    *("name", "recall", "wakes_per_day", "share_woken", "precision", "tokens_per_useful_wake")
}


def printed(*words: str | Path, data: str | None = None) -> Any:
    result = run(*words, "--json", data=data)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "windows.jsonl", history(0, 150))


@pytest.fixture
def repository(
    import_history: Callable[[Iterable[Change]], Path],
) -> Path:
    def change(number: int) -> Change:
        files: dict[str, str | None] = {f"docs/{number % 7}.md": str(number)}
        if number % 3 == 0:
            files = {"src/core.c": str(number), f"changelog/{number}.rst": "entry"}
        return 1_600_000_000 + 3600 * number, f"change {number}", files

    return import_history(map(change, range(90)))


def test_json_holds_what_is_promised(file: Path) -> None:
    found = printed("--events", file, "--recall", "0.8")
    assert set(found) >= PROMISED
    assert [each["name"] for each in found["policies"]] == [
        *("heartbeat", "cheap_heartbeat", "on_change", "rule", "random", "prefrontal")
    ]
    assert all(set(each) >= OF_A_POLICY for each in found["policies"])
    assert (found["windows"], found["asked_recall"]) == (120, 0.8)
    assert found["curve"][0] == [0, 0]
    assert found["curve"][-1] == [1, 1]
    assert 0.5 < found["auc"] <= 1
    assert {"key", "text", "paths", "score", "threshold", "why"} <= set(found["misses"][0])
    assert document(ReplayResult.from_dict(found), str(file)) == found


def test_a_repository_and_its_preset(repository: Path) -> None:
    found = printed("--git", repository)
    assert (found["source"], found["preset"]) == ("imported.git", "path:changelog/**")
    assert (found["windows"], found["relevant"], found["auc"]) == (72, 24, 1.0)


def test_the_table_names_every_policy_and_the_promise(file: Path) -> None:
    result = run("--events", file)
    assert result.exit_code == 0
    words = ("Heartbeat", "Every change", "one-line rule", "By chance", "Learned gate", "src/**")
    for word in (*words, "Asked to catch 90 %"):
        assert word in result.stdout
    assert "Traceback" not in result.output
    assert result.stderr == ""


def test_standard_input_is_a_file_too(file: Path) -> None:
    piped = printed("--events", "-", data=lines(history(0, 150)))
    assert piped["source"] == "standard input"
    assert piped["auc"] == printed("--events", file)["auc"]


def test_several_histories_make_one_table_and_a_list(file: Path, repository: Path) -> None:
    both = ("--git", repository, "--events", file)
    found = printed(*both)
    assert [each["source"] for each in found["results"]] == ["imported.git", "windows.jsonl"]
    alone = printed("--events", file)
    assert found["results"][1]["auc"] == alone["auc"]
    assert found["results"][1]["next"] == alone["next"]
    assert [f"--git {repository}" in each["next"][0] for each in found["results"]] == [True, False]
    assert f"--events {file}" in alone["next"][0]
    table = run(*both)
    assert table.exit_code == 0
    for name in ("imported.git", "windows.jsonl"):
        rows = [line for line in table.stdout.splitlines() if line.startswith(f"{name} ")]
        assert len(rows) == 1


def test_options_reach_the_replay(file: Path) -> None:
    options = ("--features", "paths", "--max", "100", "--tokens-per-wake", "7", "--seed", "5")
    found = printed(
        "--events", file, *options, "--since", "2020-09-14", "--relevant", "message:fix"
    )
    assert (found["windows"], found["warmup"], found["tokens_per_wake"]) == (80, 20, 7)
    assert found["preset"] == "message:fix"


@pytest.mark.exhaustive
def test_report_save_and_png_are_written_whole_and_said(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    for name in ("r.html", "r.json", "r.png"):
        (folder / name).write_bytes(b"old")
    result = run(
        "--events", file, "--report", folder / "r.html", "--save", folder / "r.json",
        "--png", folder / "r.png", "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    kept = json.loads((folder / "r.json").read_text())
    assert kept == json.loads(result.stdout)
    page = (folder / "r.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert page.rstrip().endswith("</html>")
    assert (folder / "r.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in folder.iterdir()) == ["r.html", "r.json", "r.png"]
    assert result.stderr.splitlines() == [
        f"Wrote {folder / name}" for name in ("r.html", "r.png", "r.json")
    ]


def test_two_kept_results_are_compared(file: Path, tmp_path: Path) -> None:
    kept = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, recall in zip(kept, ("0.8", "0.95"), strict=True):
        told = ("--recall", recall, "--labels", "all", "--save", path)
        assert run("--events", file, *told).exit_code == 0
    compared = run("--compare", *kept, "--json")
    figures = json.loads(compared.stdout)["figures"]
    assert figures["asked_recall"] == [0.8, 0.95]
    assert figures["wakes_per_day"][0] < figures["wakes_per_day"][1]
    assert figures["auc"][0] == figures["auc"][1]
    table = run("--compare", *kept)
    assert table.exit_code == 0
    assert "95" in table.stdout


def test_half_a_surrogate_pair_in_a_name_stops_nothing(tmp_path: Path) -> None:
    odd = [window(n, f"src\udcff/{'ab'[n % 2]}.py", relevant=n % 2 == 0) for n in range(60)]
    path = write_lines(tmp_path / "odd.jsonl", odd)
    result = run("--events", path, "--report", tmp_path / "r.html", "--save", tmp_path / "r.json")
    assert result.exit_code == 0, result.output
    assert "a.py" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_money_follows_the_price_that_was_told(file: Path) -> None:
    usual = run("--events", file)
    assert (
        "Money: 100,675 tokens a wake-up, $0.08: 85.7 % read from a cache at $0.3 a million, 13.6 %"
        " new input at $3 a million, 0.7 % output at $15 a million (prices of mid-size models by"
    ) in " ".join(usual.stdout.split())
    told = run("--events", file, "--usd-per-million-tokens", "0.25")
    assert "at $0.25 a million. Yours:" in " ".join(told.stdout.split())
    assert printed("--events", file, "--usd-per-million-tokens", "0.25")[
        "usd_per_million_tokens"
    ] == pytest.approx(0.25)


def test_prices_by_kind_of_token_come_from_a_file(file: Path, tmp_path: Path) -> None:
    prices = {"input": 2, "cached_input": 0.1, "output": 10}
    tokens = {"input": 10_000, "cached_input": 80_000, "output": 1_000}
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"usd_per_million": prices, "tokens": tokens}), encoding="utf-8")
    result = printed("--events", file, "--prices", path)
    assert result["tokens_per_wake"] == 91_000
    assert result["usd_per_million_tokens"] == pytest.approx(0.038 / 0.091)
    heartbeat = result["policies"][0]
    assert heartbeat["usd_a_month"] == pytest.approx(48 * 30 * 0.038)
    shown = " ".join(run("--events", file, "--prices", path).stdout.split())
    assert "91,000 tokens a wake-up, $0.04: 87.9 % read from a cache at $0.1 a million" in shown


def test_the_cheap_heartbeat_has_a_small_models_price_and_says_so(
    file: Path, tmp_path: Path
) -> None:
    found = {each["name"]: each for each in printed("--events", file)["policies"]}
    usual, cheap = found["heartbeat"], found["cheap_heartbeat"]
    assert cheap["usd_a_month"] == pytest.approx(usual["usd_a_month"] * 18 / 48 / 3)
    shown = " ".join(run("--events", file).stdout.split())
    assert "Cheap heartbeat: every 55 minutes, " in shown
    assert "$0.03 a wake-up, a third of that price, as Claude Haiku 4.5 takes" in shown
    assert "docs.openclaw.ai/reference/prompt-caching" in shown

    kinds = {"input": 2, "cached_input": 0.1, "output": 10}
    small = {"input": 0.25, "cached_input": 0.025, "output": 2}
    tokens = {"input": 10_000, "cached_input": 80_000, "output": 1_000}
    path = tmp_path / "prices.json"
    prices = {"usd_per_million": kinds, "tokens": tokens, "small_usd_per_million": small}
    path.write_text(json.dumps(prices), encoding="utf-8")
    cheap = printed("--events", file, "--prices", path)["policies"][1]
    assert cheap["usd_per_wake"] == pytest.approx(0.0065)
    assert cheap["usd_a_month"] == pytest.approx(18 * 30 * 0.0065)
    one_price = printed("--events", file, "--usd-per-million-tokens", "6")["policies"][1]
    assert one_price["usd_per_wake"] == pytest.approx(100_675 * 2 / 1e6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "prices must be an object, got []"),
        ("{", "must be JSON ("),
        pytest.param("[" * 100_000, "must be nested less deep", id="deep"),
        ('{"tokens": {}}', "prices.usd_per_million must be present, got "),
        (
            '{"usd_per_million": {"input": -1}}',
            "prices.usd_per_million.input must be 0 or more, got -1.0",
        ),
        (
            '{"usd_per_million": {"input": 1, "cached_input": 1, "output": 1e9}, "tokens": {}}',
            "prices.usd_per_million.output must be at most 1e+06, got 1000000000.0",
        ),
        (
            '{"usd_per_million": {"input": 1, "cached_input": 1, "output": 1},'
            ' "tokens": {"input": 0, "cached_input": 0, "output": 0}}',
            "prices.tokens must be at least 1 in all, got 0",
        ),
        (
            '{"usd_per_million": {"input": 1, "cached_input": 1, "output": 1},'
            ' "tokens": {"input": 1e308, "cached_input": 1e308, "output": 0}}',
            "prices.tokens must be at most 1000000000 in all, got inf",
        ),
    ],
)
def test_a_file_that_holds_no_prices_is_one_sentence(
    file: Path, tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "prices.json"
    path.write_text(text, encoding="utf-8")
    result = run("--events", file, "--prices", path)
    assert result.exit_code == 2
    assert f"{path}" in result.output
    assert words in result.output


def test_prices_come_without_the_one_price(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(
        '{"usd_per_million": {"input": 1, "cached_input": 1, "output": 1},'
        ' "tokens": {"input": 1, "cached_input": 1, "output": 1}}',
        encoding="utf-8",
    )
    for also in (("--tokens-per-wake", "5"), ("--usd-per-million-tokens", "5")):
        result = run("--events", file, "--prices", path, *also)
        assert result.exit_code == 2
        assert "prices must come without tokens-per-wake" in result.output


@pytest.mark.parametrize("price", ["-1", "nan", "1e9"])
def test_a_price_that_is_none_is_refused(file: Path, price: str) -> None:
    result = run("--events", file, "--usd-per-million-tokens", price)
    assert result.exit_code == 2
    assert "usd-per-million-tokens must be from 0 to 1000000, got" in result.stderr


def test_json_begins_with_the_verdict_and_ends_a_small_history_with_commands(
    tmp_path: Path,
) -> None:
    small = write_lines(tmp_path / "small.jsonl", history(0, 12))
    found = printed("--events", small)
    assert found["verdict"]["kind"] == "too_early"
    assert found["next"] == [
        "prefrontal replay --git ~/longer-project",
        "prefrontal replay --sample",
    ]
    text = run("--events", small).stdout
    assert text.startswith("? Too early to tell: ")
    assert text.rstrip().endswith("prefrontal replay --sample")


def test_a_kept_result_of_the_first_format_is_still_compared(file: Path, tmp_path: Path) -> None:
    kept = tmp_path / "now.json"
    assert run("--events", file, "--save", kept).exit_code == 0
    raw = json.loads(kept.read_text(encoding="utf-8"))
    raw["format"] = 1
    for name in ("verdict", "next", "usd_per_million_tokens", "origin"):
        del raw[name]
    for policy in raw["policies"]:
        del policy["delay_minutes"], policy["delay_p90_minutes"]
    old = tmp_path / "old.json"
    old.write_text(json.dumps(raw), encoding="utf-8")
    result = run("--compare", old, kept)
    assert result.exit_code == 0
    assert "The second catches as much of what mattered and wakes as often." in result.stdout


def test_the_commands_to_try_name_the_file_that_was_replayed(file: Path) -> None:
    result = run("--events", file, "--relevant", "message:nothing at all")
    assert f"    prefrontal replay --events {file} --relevant recorded\n" in result.stdout


def test_a_file_without_labels_is_refused_with_the_two_commands_to_try(tmp_path: Path) -> None:
    bare = [window(number, "a.py") for number in range(3)]
    result = run("--events", write_lines(tmp_path / "bare.jsonl", bare))
    assert result.exit_code == 2
    assert "--relevant 'message:(?i)fix'" in result.stderr
    assert "`prefrontal replay --sample`" in result.stderr
