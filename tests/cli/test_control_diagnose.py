"""`prefrontal control diagnose`: what is wrong with an agent in a file, on a page and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prefrontal import cli

torch = pytest.importorskip("torch")


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """An untrained agent of the profile seed."""
    from prefrontal.control import ControlAgent, ControlConfig
    from prefrontal.control.agent.checkpoint import save

    config = ControlConfig.from_dims(
        sd016_enabled=True,
        use_lateral_pfc_analog=True,
        e1={"prediction_horizon": 3},
        e2={"rollout_horizon": 4},
        hippocampal={"horizon": 4, "num_candidates": 6, "num_cem_iterations": 2},
    )
    save(ControlAgent(config, generator=torch.Generator().manual_seed(0)), tmp_path / "agent.pt")
    return tmp_path / "agent.pt"


def run(*words: str | int | Path) -> Result:
    return CliRunner().invoke(cli.main, ["control", "diagnose", *map(str, words)])


def test_the_page_tells_what_is_wrong_and_what_it_means(checkpoint: Path) -> None:
    result = run(checkpoint, "--steps", 40)
    assert result.exit_code == 0, result.output
    lines = [it.strip() for it in result.stdout.splitlines()]
    assert lines[0] == f"{checkpoint} (profile seed): 8 of 10 checks tell of a failure"
    place = lines.index("wrong  attention entropy  2.773")
    assert lines[place + 1].startswith("ln 16 = 2.7726 would be none")
    assert any(it.startswith("well   reach of the action bias") for it in lines)


@pytest.mark.exhaustive
def test_json_holds_the_numbers(checkpoint: Path) -> None:
    told = json.loads(run(checkpoint, "--steps", 40, "--json").stdout)
    assert (told["profile"], told["healthy"]) == ("seed", False)
    assert {it["name"]: it["wrong"] for it in told["symptoms"]}["label safe"] is True
    assert told == json.loads(run(checkpoint, "--steps", 40, "--json").stdout)
    assert told != json.loads(run(checkpoint, "--steps", 40, "--seed", 1, "--json").stdout)


def test_an_agent_without_features_has_nothing_to_look_at(tmp_path: Path) -> None:
    from prefrontal.control import ControlAgent
    from prefrontal.control.agent.checkpoint import save

    save(ControlAgent(generator=torch.Generator().manual_seed(0)), tmp_path / "agent.pt")
    result = run(tmp_path / "agent.pt", "--steps", 2)
    assert result.exit_code == 0
    assert "nothing to look at" in result.stdout
