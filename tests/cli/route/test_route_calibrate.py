"""`prefrontal route calibrate`: what each threshold is worth on the project's own phrasings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..routed import example, kept, route, settings

OBJECTS = ("page", "letter", "chapter", "poem", "speech", "book", "essay", "story")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = example(tmp_path)
    words = [f"count the words of the {one}" for one in OBJECTS]
    words += [f"how many words has the {one}" for one in OBJECTS]
    plots = [f"plot the matrix of the {one}" for one in OBJECTS]
    domains = folder / "workflows/domains"
    manifest = "name: {}\nintents: {}\n"
    (domains / "text/count/tool.yaml").write_text(manifest.format("count_words", words))
    (domains / "analysis/visualise/tool.yaml").write_text(manifest.format("plot_matrix", plots))
    return folder


def test_thresholds_are_shown_with_what_they_are_worth(project: Path) -> None:
    before = kept(project)
    result = route(project, "calibrate")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "27 phrasings of 4 tools, each ranked without it"
    assert lines[1] == "tau    reach it           right of those"
    [now] = [line for line in lines if line.endswith("  now")]
    assert now.startswith("0.60   ")
    assert lines[-2].startswith("tau 0.") and "right of those that reach it" in lines[-2]
    assert lines[-1].startswith("Prompts that mean no tool are not counted")
    assert kept(project) == before


def test_json_has_the_same_and_another_tau_has_a_row(project: Path) -> None:
    settings(project, "ranker: {threshold: 0.62}")
    result = route(project, "calibrate", "--json", "--precision", "1")
    told = json.loads(result.stdout)
    assert (told["tools"], told["phrasings"], told["tau"], told["wanted"]) == (4, 27, 0.62, 1.0)
    row = next(row for row in told["rows"] if row["tau"] == 0.62)
    assert row["reached"] == round(row["coverage"] * 27) >= row["right"]
    taus = [row["tau"] for row in told["rows"]]
    assert taus == sorted(taus) and (taus[0], taus[-1]) == (0.3, 0.95)
    if told["suggested"] is not None:
        assert told["suggested"] in taus


def test_a_few_phrasings_are_too_few_to_suggest_one(project: Path) -> None:
    (project / "workflows/domains/text/count/tool.yaml").unlink()
    result = route(project, "calibrate")
    last = result.stdout.splitlines()[-2]
    assert last.startswith("Too few to suggest a tau: ") and last.endswith("20 are needed.")


def test_a_project_without_phrasings_says_what_counts(tmp_path: Path) -> None:
    project = example(tmp_path)
    for manifest in (project / "workflows").rglob("tool.yaml"):
        manifest.unlink()
    result = route(project, "calibrate")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("No phrasings yet: ")
    told = json.loads(route(project, "calibrate", "--json").stdout)
    assert (told["phrasings"], told["suggested"], told["rows"]) == (0, None, [])


def test_what_is_no_share_and_no_folder_is_refused(project: Path, tmp_path: Path) -> None:
    result = route(project, "calibrate", "--precision", "90")
    assert result.exit_code == 2
    assert "precision must be above 0 and at most 1, got 90.0" in result.stderr
    (tmp_path / "empty").mkdir()
    result = route(tmp_path / "empty", "calibrate")
    assert result.exit_code == 2
    assert "is not a folder of tools" in result.stderr
