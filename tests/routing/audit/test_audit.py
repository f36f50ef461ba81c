from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prefrontal.routing.audit import program as audit_program
from prefrontal.routing.audit.audit import FLAGS, AuditCheck, audit
from prefrontal.routing.audit.project import (
    broken_records,
    half_done,
    runs_with_questions,
    stray_logs,
    unreadable_tools,
    ways_out,
)
from prefrontal.routing.layout import Layout
from prefrontal.routing.promotion.journal import journal_file
from prefrontal.routing.promotion.metadata import metadata_file
from prefrontal.routing.records import append_record
from prefrontal.routing.trials import static_checks
from prefrontal.settings.routing import Routing

from ..plain_runner import PlainRunner
from ..project import layout_of, write
from ..promotions import NARROW, ONE, promoted, target


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


def checked(
    layout: Layout,
    runner: PlainRunner | None = None,
    flags: frozenset[str] = FLAGS,
    **settings: Any,
) -> dict[str, AuditCheck]:
    """The broken rules by name."""
    told = Routing.model_validate(settings)
    found = audit(layout, told, runner=runner or PlainRunner(), flags=flags)
    assert len(found) == 15
    return {check.rule: check for check in found if not check.ok}


@pytest.mark.exhaustive
def test_every_rule_holds_for_a_project_with_a_promoted_tool(layout: Layout) -> None:
    promoted(layout, ONE)
    promoted(layout, NARROW)
    before = sorted(layout.root.parent.rglob("*"))
    assert checked(layout, parser={"threshold": 0.6}, ranker={"threshold": 0.55}) == {}
    assert [p for p in sorted(layout.root.parent.rglob("*")) if p not in before] == []


def test_broken_rules_of_program_and_settings_are_told(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_checks, "_ruff", lambda: None)
    monkeypatch.setattr(audit_program, "inspect_code", lambda source: ())
    broken = checked(layout, PlainRunner(broken=True), FLAGS - {"--rag"}, sandbox={"network": "on"})
    said = {rule: "; ".join(check.problems) for rule, check in broken.items()}
    assert len(said) == 4
    assert "--rag is missing" in said["the command line has its options"]
    assert "a file that is written is let through" in " ".join(said.values())
    tried = said["a module passes ruff, mypy, import and dry run, in the sandbox, within time"]
    assert "a good tool is not valid" in tried and "ruff is not installed" in tried
    assert "reach the network" in said["the network is off for modules on trial"]


@pytest.mark.exhaustive
def test_a_sandbox_that_does_not_confine_is_told(layout: Layout) -> None:
    [check] = checked(layout, PlainRunner(enforced=False, level="none")).values()
    assert "confines too little" in check.problems[0]


def test_twin_types_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert audit_program.twin_types() == []
    source = "@dataclass(frozen=True)\nclass {}: ...\n"
    write(tmp_path / "routing" / "types.py", source.format("ToolSpec"))
    write(tmp_path / "pulse" / "a.py", source.format("ToolSpec") + "class Plain: ...\n")
    write(tmp_path / "pulse" / "b.py", source.format("Mine"))
    write(tmp_path / "routing" / "c.py", source.format("Own") + "class Plain: ...\n")
    write(tmp_path / "sandbox" / "d.py", source.format("Own") + source.format("Mine"))
    monkeypatch.setattr(audit_program, "_PACKAGE", tmp_path)
    assert sorted(audit_program.twin_types()) == [
        "Own is in routing/c.py and sandbox/d.py",
        "ToolSpec is in pulse/a.py and routing/types.py",
    ]


def test_a_wrong_order_of_tie_breakers_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert audit_program.tie_rules(Routing()) == []
    monkeypatch.setattr(audit_program, "tie_rule", lambda *_: "score")
    assert len(audit_program.tie_rules(Routing())) == 4


def test_logs_in_other_places_are_found(layout: Layout) -> None:
    write(layout.logs / "app" / "2025-10-31" / "app.log", "")
    assert stray_logs(layout) == []
    write(layout.logs / "debug" / "x.log", "")
    write(layout.root / "_tmp_logs" / "x.log", "")
    assert [Path(line.split()[0]).name for line in stray_logs(layout)] == ["debug", "_tmp_logs"]


def test_a_run_that_asked_twice_is_found(layout: Layout) -> None:
    for run, answers in [("run-1", ["skipped", "asked"]), ("run-2", ["asked", "asked"])]:
        for decision in answers:
            append_record(layout.run_log(run), {"phase": "clarify", "decision": decision})
    [problem] = runs_with_questions(layout)
    assert "run-2" in problem and "2 questions were asked" in problem


def test_tools_that_cannot_be_read_are_found(layout: Layout) -> None:
    write(layout.action("analysis", "plot") / "good.py", ONE)
    write(layout.action("analysis", "plot") / "bad.py", "def run(:\n")
    count, problems = unreadable_tools(layout)
    assert count == 1 and "bad.py:1" in problems[0]


def edited(change: Callable[[dict[str, Any]], object]) -> Callable[[Layout], None]:
    """The last record rewritten."""

    def edit(layout: Layout) -> None:
        path = metadata_file(target(layout).parent)
        *first, last = path.read_text(encoding="utf-8").splitlines(keepends=True)
        record = json.loads(last)
        changed = change(record)
        path.write_text("".join(first) + json.dumps(changed or record) + "\n", encoding="utf-8")

    return edit


def notes_lost(layout: Layout) -> None:
    (layout.domains / "analysis" / "CHANGELOG.md").unlink()


def torn(layout: Layout) -> None:
    path = metadata_file(target(layout).parent)
    path.write_bytes(path.read_bytes() + b'{"id": ')


DAMAGE: dict[str, Callable[[Layout], object]] = {
    "has changed since rev-20251031-002": lambda layout: write(target(layout), ONE + "# me\n"),
    "was promoted as rev-20251031-002 and is gone": lambda layout: target(layout).unlink(),
    "rev-20251031-001 is not in CHANGELOG.md": notes_lost,
    "the last line is torn": torn,
    "stands twice": edited(lambda record: record.update(id="rev-20251031-001")),
    "has other keys than id, run_id": edited(lambda r: dict(reversed(r.items()))),
    "must have the keys model": edited(lambda record: record.pop("model") and None),
    "says metadata.jsonl, and is there": edited(lambda record: record.update(status="moved")),
    "must have one of the states": edited(lambda record: record.update(status="good")),
}


@pytest.mark.parametrize("said", DAMAGE)
def test_damage_to_records_and_files_is_found(layout: Layout, said: str) -> None:
    promoted(layout, ONE)
    promoted(layout, NARROW)
    assert broken_records(layout) == (2, [])
    DAMAGE[said](layout)
    _, problems = broken_records(layout)
    assert any(said in problem for problem in problems), problems


def test_a_content_that_was_promoted_before_is_no_damage(layout: Layout) -> None:
    promoted(layout, ONE)
    promoted(layout, NARROW)
    promoted(layout, ONE)
    assert broken_records(layout) == (2, [])


def test_a_promotion_that_is_half_done_and_ways_out_are_found(
    layout: Layout, tmp_path: Path
) -> None:
    assert half_done(layout) == [] and ways_out(layout) == []
    write(journal_file(layout), "{}")
    assert "was interrupted" in half_done(layout)[0]
    (layout.root / "inside").symlink_to(layout.root / "domains")
    (layout.root / "circle").symlink_to("circle")
    (layout.root / "outside").symlink_to(tmp_path)
    names = [line.split()[0].rpartition("/")[2] for line in ways_out(layout)]
    assert names == ["circle", "outside"]
