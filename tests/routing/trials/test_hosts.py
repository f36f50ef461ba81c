"""What a tool's manifest says of hosts, from the file to the sandbox."""

from __future__ import annotations

from pathlib import Path

from prefrontal.routing.run.request import Mode
from prefrontal.routing.trials.hosts import hosts_of
from prefrontal.routing.types import Manifest, Tool

from ..project import write
from ..routes import COMPOSE, SUMMARIZE, QuickRunner, example_project, router_of
from ..sample_tools import tool

DRY = Mode(interactive=False, dry_run=True)


def with_hosts(name: str, hosts: tuple[str, ...] | None) -> Tool:
    return tool(f"domains/d/x/{name}.py", manifest=Manifest(name, Path("x"), hosts=hosts))


def test_a_composition_reaches_what_any_of_its_tools_names() -> None:
    one, other = with_hosts("one", ("a.org", "b.org")), with_hosts("other", ("b.org", "c.org"))
    assert hosts_of([one, other]) == ("a.org", "b.org", "c.org")
    assert hosts_of([with_hosts("none", ())]) == ()


def test_where_a_tool_names_no_hosts_the_settings_decide() -> None:
    named = with_hosts("one", ("a.org",))
    assert hosts_of([named, with_hosts("other", None)]) is None
    assert hosts_of([named, tool("domains/d/x/bare.py")]) is None
    assert hosts_of([]) is None


def test_a_route_tries_a_tool_with_the_hosts_of_its_manifest(tmp_path: Path) -> None:
    project = example_project(tmp_path)
    folder = project.action("analysis", "summarise")
    runners = [QuickRunner(), QuickRunner()]
    router_of(project, runner=runners[0]).route(SUMMARIZE, DRY)
    write(folder / "summarize_matrix.tool.yaml", "hosts: [api.example.org]\n")
    router_of(project, runner=runners[1]).route(SUMMARIZE, DRY)
    assert [runner.narrowings for runner in runners] == [[], [("api.example.org",)]]


def test_a_route_tries_a_composition_with_the_hosts_of_all(tmp_path: Path) -> None:
    project = example_project(tmp_path)
    for path in sorted(project.root.rglob("*.py")):
        write(path.with_suffix(".tool.yaml"), f"hosts: [{path.stem.replace('_', '-')}.org]\n")
    runner = QuickRunner()
    router_of(project, runner=runner).route(COMPOSE, DRY)
    [hosts] = runner.narrowings
    assert "summarize-matrix.org" in hosts and len(hosts) > 1
