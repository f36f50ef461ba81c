"""Which file of settings a route reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prefrontal import cli

from ..routed import SUMMARIZE, example


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tools, where a route starts."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(example(tmp_path / "project"))
    return tmp_path / "project"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's own file of settings, which is not there yet."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    file = tmp_path / "home/.prefrontal/prefrontal.yml"
    file.parent.mkdir(parents=True)
    return file


def planned(*words: str) -> Result:
    return CliRunner().invoke(cli.main, ["route", SUMMARIZE, "--plan", "--explain", *words])


def tau(text: str) -> str:
    return f"routing: {{ranker: {{threshold: {text}}}}}\n"


@pytest.mark.usefixtures("project")
def test_a_persons_own_file_holds(own: Path) -> None:
    assert "τ=0.60" in planned().output
    for text in (
        tau("0.97"),
        "state: s\n" + tau("0.97"),
        '{"routing": {"ranker": {"threshold": 0.97}}}',
    ):
        own.write_text(text)
        assert "τ=0.97" in planned().output, text


def test_a_file_in_the_current_folder_is_left_alone(project: Path, own: Path) -> None:
    (project / "prefrontal.yml").write_text(tau("0.97"))
    assert "τ=0.60" in planned().output
    own.write_text(tau("0.9"))
    assert "τ=0.90" in planned().output
    assert "τ=0.97" in planned("--config", "prefrontal.yml").output


@pytest.mark.usefixtures("project")
def test_tools_lie_in_the_current_folder_unless_the_file_says_where(own: Path) -> None:
    own.write_text(tau("0.9"))
    assert planned().exit_code == 0
    own.write_text("routing: {workflows_root: tools}\n")
    refusal = planned()
    assert refusal.exit_code == 2 and f"{own.parent / 'tools'} is not a folder" in refusal.output


@pytest.mark.usefixtures("project")
def test_a_file_that_says_nothing_of_routing_is_not_read(own: Path) -> None:
    own.write_text("# routing: {}\npolicy: {budget: nonsense}\n")
    assert planned().exit_code == 0


@pytest.mark.usefixtures("project")
def test_what_is_wrong_with_it_is_a_sentence_with_its_name(own: Path) -> None:
    own.write_text(tau("many"))
    refusal = planned()
    assert refusal.exit_code == 2
    assert str(own) in refusal.output and "routing.ranker.threshold" in refusal.output
    own.unlink()
    own.mkdir()
    refusal = planned()
    assert refusal.exit_code == 2 and str(own) in refusal.output
