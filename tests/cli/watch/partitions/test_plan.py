"""What a node is told: partitions that exist, and nothing that one machine alone can do."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from prefrontal.cli import main
from prefrontal.cli.watch.partitions.plan import NodePlan, parse_partitions
from prefrontal.errors import InputError
from prefrontal.pulse.modules.partition_of import partition_of
from prefrontal.storage.postgres_url import PostgresUrl, write_link

URL = "postgresql://localhost/prefrontal"
MODULE = {
    "module_id": "ada/mail",
    "cluster": "test",
    "version": "1",
    "question_template": "{location}?",
    "default_threshold": 0.5,
    "signal_priors": {"http": {"sources": ["app"]}},
}
FOLDER = MODULE | {"signal_priors": {"filesystem": {"watch_directories": ["/a"]}}}


def plan(folder: Path, partitions: str = "auto", **settings: Any) -> NodePlan:
    document = {"modules": [MODULE], "storage": {"url": URL}, "state": "state"} | settings
    (folder / "prefrontal.yml").write_text(json.dumps(document), encoding="utf-8")
    return NodePlan(partitions, 2, str(folder / "prefrontal.yml"), {})


def test_partitions_are_numbers_and_spans_of_those_there_are() -> None:
    assert parse_partitions("0-2,7, 5", 8) == [0, 1, 2, 5, 7]
    for text in ("8", "3-1", "", "a", "0-8", "-1"):
        with pytest.raises(
            InputError, match=r"--partitions must be auto, or numbers in 0\.\.7 such as 0-7,"
        ):
            parse_partitions(text, 8)


def test_the_workers_of_a_node_share_what_it_was_told(tmp_path: Path) -> None:
    fixed = plan(tmp_path, "0-4")
    assert [fixed.wanted(number) for number in (0, 1)] == [[0, 2, 4], [1, 3]]
    assert plan(tmp_path).wanted(1) == list(range(64))


def test_modules_of_one_agent_are_together_and_agents_are_spread_evenly() -> None:
    assert partition_of("ada/mail", 64) == partition_of("ada/calendar", 64) == 39
    counts = Counter(partition_of(f"agent-{number}", 64) for number in range(10_000))
    assert len(counts) == 64
    assert max(counts.values()) < 1.4 * 10_000 / 64


def test_each_module_has_one_home(tmp_path: Path) -> None:
    homes = [n for n in range(64) if plan(tmp_path).modules_of(n)]
    assert homes == [partition_of("ada/mail", 64)]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"sources": {"logs": ["app.log"]}}, "sources.logs must be left out with --partitions"),
        ({"sources": {"stdin": True}}, "sources.stdin must be left out with --partitions"),
        (
            {"policy": {"source_budget": "20/day"}},
            "policy.source_budget must be left out with --partitions",
        ),
        (
            {"policy": {"wakes_per_hour": 20}},
            "policy.wakes_per_hour must be left out with --partitions",
        ),
        ({"telemetry": {"otel": True}}, "telemetry.otel must be left out with --partitions"),
        ({"storage": {}}, "--partitions needs storage.url in the settings"),
        ({"modules": []}, "modules must hold one at least"),
        ({"storage": {"url": "postgresql://a:b@c/d"}}, "storage must hold no password"),
        (
            {
                "modules": [
                    MODULE | {"signal_priors": {"filesystem": {"watch_directories": ["/a"]}}}
                ]
            },
            "module 'ada/mail' must watch no folder",
        ),
    ],
)
def test_what_one_machine_alone_can_do_is_refused(
    tmp_path: Path, settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence.replace(".", r"\.")):
        plan(tmp_path, **settings).check()


@pytest.mark.parametrize(
    "words",
    [
        ["--workers", "2"],
        ["--ray", "local"],
        ["--partitions", "auto", "--shadow"],
        ["--partitions", "0", "folder"],
        ["--partitions", "0", "--log-format", "json"],
    ],
)
def test_options_that_do_not_go_together_are_refused(words: list[str]) -> None:
    result = CliRunner().invoke(main, ["watch", *words])
    assert result.exit_code == 2
    assert "--partitions must come without" in result.output


def test_processes_that_ray_places_print_no_wakes(tmp_path: Path) -> None:
    plan(tmp_path)
    words = ["watch", "--config", str(tmp_path / "prefrontal.yml"), "--partitions", "0", "--json"]
    result = CliRunner().invoke(main, [*words, "--ray", "local"])
    assert result.exit_code == 2
    assert "--ray must come without --json" in result.output


def test_what_was_read_goes_along_to_another_machine(tmp_path: Path) -> None:
    ledger = PostgresUrl.parse("postgresql://localhost/prefrontal?schema=other")
    write_link(tmp_path / "ledger.sqlite", ledger)
    here = plan(tmp_path, workspace=str(tmp_path))
    here.check()
    assert here.sinks == ()
    assert here.ledger == ledger
    sent = pickle.dumps(here)
    for name in ("prefrontal.yml", "ledger.sqlite"):
        (tmp_path / name).unlink()
    there = pickle.loads(sent)
    assert there.url == PostgresUrl.parse(URL)
    assert there.ledger == ledger
    assert [each.module_id for each in there.modules_of(partition_of("ada/mail", 64))] == [
        "ada/mail"
    ]
