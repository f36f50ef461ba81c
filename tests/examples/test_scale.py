"""What the examples for systemd and Kubernetes start are commands that can be used."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from prefrontal.cli.watch.partitions.plan import NodePlan
from prefrontal.cli.watch.watch import watch

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "scale"


def documents() -> dict[str, Any]:
    text = (FOLDER / "kubernetes.yml").read_text(encoding="utf-8")
    return {each["kind"]: each for each in yaml.safe_load_all(text)}


def parsed(words: list[str]) -> dict[str, Any]:
    """The options as the command takes them."""
    assert words[:2] == ["prefrontal", "watch"]
    return watch.make_context("watch", words[2:]).params


def test_the_unit_starts_a_node() -> None:
    unit = (FOLDER / "prefrontal@.service").read_text(encoding="utf-8")
    [line] = [each for each in unit.splitlines() if each.startswith("ExecStart=")]
    words = shlex.split(line.removeprefix("ExecStart=/usr/bin/env ").replace("%i", "auto"))
    options = parsed(words)
    assert options["partitions"] == "auto"
    assert options["config"] == "/etc/prefrontal/prefrontal.yml"


def test_the_pods_start_nodes_with_settings_that_can_be_used(tmp_path: Path) -> None:
    everything = documents()
    [container] = everything["StatefulSet"]["spec"]["template"]["spec"]["containers"]
    options = parsed(container["args"])
    file = tmp_path / "prefrontal.yml"
    file.write_text(everything["ConfigMap"]["data"]["prefrontal.yml"], encoding="utf-8")
    overrides = {"state": str(tmp_path)}
    plan = NodePlan(options["partitions"], options["workers"], str(file), overrides)
    plan.check()
    assert plan.settings.sources.http is not None
    ports = {each["port"] for each in everything["Service"]["spec"]["ports"]}
    assert ports == {plan.settings.sources.http.port}
