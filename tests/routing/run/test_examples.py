"""The shipped examples print what their transcripts say."""

from __future__ import annotations

import re
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from prefrontal.assembly.router import build_runner
from prefrontal.routing.generation.guardrails import inspect_code
from prefrontal.routing.trials import static_checks
from prefrontal.settings.routing import Routing

EXAMPLES = Path(__file__).parents[3] / "examples" / "routing"
SCENES = ("select", "compose", "generate", "refusal")


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    return run_path(str(EXAMPLES / "run.py"))


def steady(text: str) -> str:
    """Without what differs from run to run and from machine to machine."""
    return re.sub(r"sandbox=\S+", "sandbox=...", re.sub(r"\b\d+\.\d+s\b", "0.0s", text))


@pytest.mark.exhaustive
@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_prints_its_transcript(
    scene: str, program: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    if scene in {"select", "compose"} and not build_runner(Routing()).enforced:
        pytest.skip("no sandbox that confines here, so nothing is kept without a person")
    assert program["main"]([scene]) == 0
    golden = (EXAMPLES / "transcripts" / f"{scene}.txt").read_text(encoding="utf-8")
    assert steady(capsys.readouterr().out) == steady(golden)


def test_every_scene_has_a_transcript_and_no_other_lies_there(program: dict[str, Any]) -> None:
    found = {path.name for path in (EXAMPLES / "transcripts").iterdir()}
    assert found == {f"{scene}.txt" for scene in SCENES}
    assert tuple(program["SCENES"]) == SCENES


def test_an_unknown_scene_is_refused_with_those_there_are(
    program: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert program["main"](["dance"]) == 2
    assert "must be one of select, compose, generate, refusal, got 'dance'" in (
        capsys.readouterr().err
    )


def test_a_composition_that_is_not_kept_ends_in_a_sentence(
    program: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_checks, "_ruff", lambda: None)
    with pytest.raises(
        SystemExit, match="not kept, so it cannot be called: validation FAILED: ruff"
    ):
        program["main"](["compose"])


def test_the_program_leaves_nothing_in_the_examples(
    program: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(EXAMPLES.rglob("*"))
    program["main"](["refusal", "generate"])
    capsys.readouterr()
    assert sorted(EXAMPLES.rglob("*")) == before


def test_the_recorded_reply_is_refused_for_its_import_alone() -> None:
    reply = (EXAMPLES / "recorded" / "default.txt").read_text(encoding="utf-8")
    source = reply.partition("```python\n")[2].partition("```")[0]
    reasons = [str(reason) for reason in inspect_code(source, ())]
    assert len(reasons) == 1
    assert "urllib.request" in reasons[0]


@pytest.mark.parametrize("scene", SCENES)
def test_the_page_shows_the_transcript(scene: str) -> None:
    page = (EXAMPLES.parents[1] / "docs" / "routing.md").read_text(encoding="utf-8")
    shown = [line.strip() for line in page.splitlines()]
    golden = (EXAMPLES / "transcripts" / f"{scene}.txt").read_text(encoding="utf-8")
    assert {line.strip() for line in golden.splitlines()} <= {*shown, ""}
