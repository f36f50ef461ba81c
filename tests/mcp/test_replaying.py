from __future__ import annotations

import asyncio
import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from prefrontal.errors import InputError
from prefrontal.mcp.progress import Progress, StoppedError
from prefrontal.mcp.server import build_server
from prefrontal.replay.report.wording import percent

from ..exhaustive import first
from .served_samples import answer, asking, refusal, served


def history(path: Path, windows: int) -> Path:
    """Every third window mattered, and says so in its path."""
    lines = [
        {
            "time": 1_700_000_000 + 60 * number,
            "relevant": number % 3 == 0,
            "events": [
                {
                    "source": "filesystem",
                    "location": f"src/{'core' if number % 3 == 0 else 'docs'}/{number}.py",
                    "delta_type": "modified",
                }
            ],
        }
        for number in range(windows)
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    return path


async def test_a_replay_tells_what_a_gate_would_have_cost_and_how_far_it_is(
    tmp_path: Path,
) -> None:
    path = history(tmp_path / "windows.jsonl", 1000)
    told: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with asking(tmp_path) as client:
        asked = {"events": str(path), "recall": 0.9}
        found = answer(await client.call_tool("replay", asked, progress_callback=note))
    assert (found["windows"], found["relevant_means"]) == (800, "recorded")
    assert found["got_recall"] > 0.8
    assert found["verdict"]["kind"] == "worth_it"
    assert found["verdict"]["sentence"].startswith("Worth it: the gate caught ")
    assert found["policies"][-1]["name"] == "prefrontal"
    assert found["policies"][0]["name"] == "heartbeat"
    assert len(found["misses"]) <= 5
    done = [each[0] for each in told]
    assert done == sorted(set(done))
    assert told[-1] == (1000.0, 1000.0, "replaying")


@pytest.mark.parametrize("labels", first(1, [None, "asked", "all"]))
async def test_a_replay_says_which_labels_there_were_and_what_the_others_give(
    tmp_path: Path, labels: str | None
) -> None:
    path = history(tmp_path / "windows.jsonl", 1000)
    asked = {"events": str(path)} | ({} if labels is None else {"labels": labels})
    async with asking(tmp_path) as client:
        found = answer(await client.call_tool("replay", asked))
    assert found["labels"] == (labels or "asked")
    assert (found["audits"] > 0) is (labels != "all")
    asked_for = f"; with only what is asked {percent(found['got_recall'], 1)} at "
    assert (asked_for in found["with_other_labels"]) is (labels != "all")


async def test_a_replay_within_a_budget_after_other_histories_tells_of_incidents(
    tmp_path: Path,
) -> None:
    def site(name: str) -> str:
        path = tmp_path / name
        with path.open("w", encoding="utf-8") as file:
            for number in range(300):
                attack = 200 <= number < 210
                event = {"source": "alerts", "location": "www", "delta_type": "raised"}
                line = {
                    "time": 1.7e9 + 600 * number,
                    "text": "drop table" if attack else f"noise {number % 7}",
                    "relevant": "theft" if attack else False,
                    "events": [event],
                }
                file.write(json.dumps(line) + "\n")
        return str(path)

    prices = tmp_path / "prices.json"
    kinds = {"input": 2, "cached_input": 0.1, "output": 10}
    tokens = {"input": 500, "cached_input": 400, "output": 100}
    prices.write_text(json.dumps({"usd_per_million": kinds, "tokens": tokens}), encoding="utf-8")
    asked = {"events": site("own"), "warm": [site("a"), site("b")], "budget": "5/day"}
    async with asking(tmp_path) as client:
        found = answer(await client.call_tool("replay", {**asked, "prices": str(prices)}))
        refused = await client.call_tool("replay", {**asked, "warm": [str(tmp_path)]})
        outside = await client.call_tool("replay", {**asked, "budget": "many"})
    assert found["budget"]["asked"] == "5/day"
    assert found["budget"]["most"] <= 5
    incidents = found["incidents"]
    assert (incidents["total"], incidents["told"], incidents["missed"]) == (1, 1, [])
    assert set(incidents["delay_s"]) == {"median", "p90"}
    gate = found["policies"][-1]
    assert gate["tokens_per_useful_wake"] >= 1000.0
    assert "warm must be a plain file" in str(refused.content)
    assert "budget must be a whole number" in str(outside.content)


async def test_a_replay_that_nobody_waits_for_ends_and_makes_room(tmp_path: Path) -> None:
    path = history(tmp_path / "windows.jsonl", 5000)
    begun = asyncio.Event()

    async def note(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    async with asking(tmp_path, mode="legacy") as client:
        asked = {"events": str(path)}
        call = client.call_tool("replay", asked, progress_callback=note)
        waiting = asyncio.create_task(call)
        await begun.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        again = answer(await client.call_tool("replay", {**asked, "max_windows": 100}))
    assert again["windows"] == 80


async def test_a_call_that_is_over_ends_the_thread_that_still_works_for_it() -> None:
    session: Any = None  # it is not told anything any more
    progress = Progress(session)
    progress.stop()
    with pytest.raises(StoppedError, match=r"The call was cancelled\."):
        await asyncio.to_thread(progress.step, "replaying", 200, 1000)


async def test_only_so_many_windows_are_replayed(tmp_path: Path) -> None:
    path = history(tmp_path / "windows.jsonl", 300)
    async with asking(tmp_path) as client:
        asked = {"events": str(path), "max_windows": 100}
        found = answer(await client.call_tool("replay", asked))
        said = refusal(await client.call_tool("replay", {**asked, "max_windows": 1_000_000}))
    assert found["windows"] == 80
    assert said == "max_windows must be less than or equal to 50000, got 1000000"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({}, "arguments must have exactly one of git and events, got neither"),
        ({"git": ".", "events": "x"}, "arguments must have exactly one of git and events"),
        ({"events": "x", "relevant": "luck"}, "relevant must be"),
        ({"events": "/no/such/file"}, "events file must be readable, got '/no/such/file'"),
        ({"git": "/no/such/folder"}, "repository must exist, got '/no/such/folder'"),
        ({"git": "a\0b"}, "path must be one that can be, got 'a\\x00b'"),
    ],
)
async def test_what_cannot_be_replayed_is_a_sentence(
    tmp_path: Path, asked: dict[str, object], sentence: str
) -> None:
    async with asking(tmp_path) as client:
        said = refusal(await client.call_tool("replay", asked))
    assert said.startswith(sentence)


def test_a_server_of_the_network_reads_only_below_its_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path)
    with served(tmp_path) as found:
        bounded = replace(found, readable=tmp_path / "in")
        assert bounded.below(str(tmp_path / "in" / "x.jsonl")) == tmp_path / "in" / "x.jsonl"
        for outside in ("../x.jsonl", "link/x.jsonl"):
            with pytest.raises(InputError, match="path must lie below"):
                bounded.below(str(tmp_path / "in" / outside))
        assert found.below("/etc/hosts") == Path("/etc/hosts")
        deep = str(tmp_path / ("folder" * 20))
        with pytest.raises(InputError, match=f"got {deep!r}"):
            bounded.below(deep)


async def test_what_never_ends_is_no_file_of_events(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    async with asking(tmp_path) as client:
        for path in ("/dev/zero", str(tmp_path / "pipe"), str(tmp_path)):
            said = refusal(await client.call_tool("replay", {"events": path}))
            assert said == f"events must be a plain file, got {path!r}"


async def test_a_server_of_the_network_reads_no_repository_that_only_begins_above_its_folder(
    tmp_path: Path,
) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "in").mkdir()
    with served(tmp_path) as found:
        bounded = replace(found, readable=tmp_path / "in")
        async with Client(build_server(bounded)) as client:
            said = refusal(await client.call_tool("replay", {"git": str(tmp_path / "in")}))
    assert said.startswith(f"path must lie below {tmp_path / 'in'}, got '{tmp_path}/.git'")
