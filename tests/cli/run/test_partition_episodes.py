"""`prefrontal run --partitions`: what it refuses."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import cloudpickle
import pytest
from click.testing import CliRunner

from prefrontal.cli import main
from prefrontal.cli.run.partition_episodes import EpisodeHome, check_episodes
from prefrontal.cli.watch.partitions.plan import NodePlan
from prefrontal.plugin import PluginError

from ..watch.partitions.test_plan import MODULE, URL


def plan(folder: Path, **settings: Any) -> NodePlan:
    document = {"modules": [MODULE], "storage": {"url": URL}, "state": "state"} | settings
    (folder / "prefrontal.yml").write_text(json.dumps(document), encoding="utf-8")
    return NodePlan("auto", 2, str(folder / "prefrontal.yml"), {}, home=EpisodeHome)


@pytest.mark.parametrize(
    "words",
    [
        ["--workers", "2"],
        ["--ray", "local"],
        ["--partitions", "0", "folder"],
        ["--partitions", "0", "--workspace", "agent"],
        ["--partitions", "0", "--once", "events.jsonl"],
        ["--partitions", "0", "--log-format", "json"],
    ],
)
def test_options_that_do_not_go_together_are_refused(words: list[str]) -> None:
    result = CliRunner().invoke(main, ["run", *words])
    assert result.exit_code == 2
    assert "--partitions must come without DIR, --workspace, --once" in result.output


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"executive": {"links": {"control": True}}},
            "executive.links.control must be off with --partitions",
        ),
        ({"ledger": {"path": "/a/b"}}, "ledger.path must be left out with --partitions"),
        ({"sources": {"stdin": True}}, "sources.stdin must be left out with --partitions"),
    ],
)
def test_what_one_machine_alone_can_do_is_refused(
    tmp_path: Path, settings: dict[str, Any], sentence: str
) -> None:
    plan(tmp_path, **settings)
    words = ["run", "--partitions", "auto", "--config", str(tmp_path / "prefrontal.yml")]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert sentence in result.output


def test_settings_of_the_agent_are_tried_before_any_process_begins(tmp_path: Path) -> None:
    check_episodes(plan(tmp_path, cortex={"triggers": [{"interaction_count": 2}]}))
    with pytest.raises(PluginError, match="cortex.triggers must be"):
        check_episodes(plan(tmp_path, cortex={"triggers": "often"}))


def test_the_agents_settings_go_along_to_another_machine(tmp_path: Path) -> None:
    here = plan(tmp_path, cortex={"triggers": [{"interaction_count": 2}]})
    here.check()
    assert here.agent["cortex"] == {"triggers": [{"interaction_count": 2}]}
    assert here.ledger is None  # each partition has its own
    sent = cloudpickle.dumps(here)
    (tmp_path / "prefrontal.yml").unlink()
    there = pickle.loads(sent)
    assert there.home is EpisodeHome
    assert there.agent == here.agent
