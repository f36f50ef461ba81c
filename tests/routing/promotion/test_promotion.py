from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from prefrontal.errors import InputError, SourceError
from prefrontal.routing.catalog.history import read_history, remember
from prefrontal.routing.layout import Layout
from prefrontal.routing.promotion.metadata import FIELDS, metadata_file, read_revisions
from prefrontal.routing.records import read_records

from ..project import EAST, layout_of, noon, write
from ..promotions import FIXED, NARROW, ONE, WIDER, promoted, promoter, request, target


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


def files(layout: Layout) -> set[str]:
    """What lies below workflows, less what is hidden or temporary."""
    found = (path for path in layout.root.rglob("*") if path.is_file())
    names = {path.relative_to(layout.root).as_posix() for path in found}
    return {name for name in names if not name.startswith("_tmp/.")}


def test_a_first_promotion_moves_the_file_and_writes_a_record_a_note_and_history(
    layout: Layout,
) -> None:
    done = promoted(layout, ONE)
    digest = sha256(ONE.encode()).hexdigest()
    assert (done.path, done.was, done.version) == (target(layout), "new", "1.0.0")
    assert (done.revision, done.sha256) == ("rev-20251031-001", digest)
    assert target(layout).read_text(encoding="utf-8") == ONE
    assert files(layout) == {
        "domains/analysis/CHANGELOG.md",
        "domains/analysis/visualise/history.jsonl",
        "domains/analysis/visualise/metadata.jsonl",
        "domains/analysis/visualise/plot_matrix.py",
    }
    line = metadata_file(target(layout).parent).read_text(encoding="utf-8")
    assert json.loads(line) == {
        "id": "rev-20251031-001",
        "run_id": "run-20251031-1200-abc",
        "route_id": "route-001",
        "name": "plot_matrix.py",
        "domain": "analysis",
        "action": "visualise",
        "description": "Plots a matrix",
        "status": "stable",
        "created_by": "prefrontal_v0.1.0",
        "created_at": "2025-10-31T12:00:00+04:00",
        "version": "1.0.0",
        "tool_hash": f"sha256:{digest}",
        "tokens_estimate": -(-len(ONE) // 4),
        "model": {"provider": "none", "name": None, "temperature": 0.0},
        "rag": {"enabled": False, "index": None},
    }
    assert tuple(json.loads(line)) == FIELDS
    notes = (layout.domains / "analysis" / "CHANGELOG.md").read_text(encoding="utf-8")
    assert notes == (
        "# Changes of analysis\n\n- 1.0.0 visualise/plot_matrix.py: Plots a matrix"
        " (the first version; rev-20251031-001, 2025-10-31)\n"
    )
    [event] = read_history(target(layout).parent).of("plot_matrix")
    assert (event.event, event.intent, event.sha256) == ("accepted", "plot it", digest)


def test_the_same_name_and_content_writes_no_second_record(layout: Layout) -> None:
    promoted(layout, ONE)
    before = {name: (layout.root / name).read_bytes() for name in files(layout)}
    done = promoted(layout, ONE, run_id="run-20251031-1201-abc")
    assert (done.was, done.version, done.revision) == ("same", "1.0.0", "rev-20251031-001")
    after = {name: (layout.root / name).read_bytes() for name in files(layout)}
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"domains/analysis/visualise/history.jsonl"}
    assert len(read_history(target(layout).parent).of("plot_matrix")) == 2


@pytest.mark.parametrize(
    ("source", "version", "why"),
    [
        (FIXED, "1.0.1", "the signature is the same"),
        (WIDER, "1.1.0", "c is new"),
        (NARROW, "2.0.0", "b was removed"),
    ],
)
def test_another_content_bumps_the_version_by_its_signature(
    layout: Layout, source: str, version: str, why: str
) -> None:
    promoted(layout, ONE)
    done = promoted(layout, source)
    assert (done.was, done.version, done.why) == ("changed", version, why)
    revisions = read_revisions(target(layout).parent).of("plot_matrix.py")
    assert [one.version for one in revisions] == ["1.0.0", version]
    notes = (layout.domains / "analysis" / "CHANGELOG.md").read_text(encoding="utf-8").split("\n")
    assert notes[2].startswith(f"- {version} ") and notes[3].startswith("- 1.0.0 ")


def test_a_person_may_raise_the_bump_but_not_lower_it(layout: Layout) -> None:
    promoted(layout, ONE)
    done = promoted(layout, FIXED, bump="minor")
    assert (done.version, done.why) == ("1.1.0", "the signature is the same; raised to minor")
    assert promoted(layout, NARROW, bump="minor").version == "2.0.0"


def test_other_steps_of_a_composition_are_minor(layout: Layout) -> None:
    promoted(layout, ONE)
    assert promoted(layout, FIXED, plan_changed=True).version == "1.1.0"


def test_an_older_content_comes_back_without_a_record(layout: Layout) -> None:
    promoted(layout, ONE)
    promoted(layout, NARROW)
    done = promoted(layout, ONE)
    assert (done.was, done.version) == ("back", "1.0.0")
    assert target(layout).read_text(encoding="utf-8") == ONE
    assert len(read_records(metadata_file(target(layout).parent)).rows) == 2
    notes = (layout.domains / "analysis" / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "visualise/plot_matrix.py: back to 1.0.0 (rev-20251031-001, run-2025" in notes
    assert promoted(layout, FIXED).version == "2.0.1"


def test_line_ends_are_made_plain_before_the_hash(layout: Layout) -> None:
    done = promoted(layout, ONE.replace("\n", "\r\n"))
    assert target(layout).read_bytes() == ONE.encode()
    assert done.sha256 == sha256(ONE.encode()).hexdigest()
    assert promoted(layout, ONE).was == "same"
    assert promoted(layout, ONE.replace("\n", "\r")).was == "same"


def test_a_tool_that_lies_there_already_gets_its_record_and_stays(layout: Layout) -> None:
    write(target(layout), ONE)
    done = promoted(layout, target(layout), domain="ignored", name="ignored")
    assert (done.was, done.version, done.path) == ("new", "1.0.0", target(layout))
    assert promoted(layout, target(layout)).was == "same"
    target(layout).write_text(NARROW, encoding="utf-8")
    done = promoted(layout, target(layout))
    assert (done.was, done.version, done.why) == ("changed", "2.0.0", "b was removed")
    assert target(layout).exists()


def test_without_a_noted_signature_an_edited_tool_is_a_patch(layout: Layout) -> None:
    promoted(layout, ONE)
    (target(layout).parent / "history.jsonl").unlink()
    target(layout).write_text(NARROW, encoding="utf-8")
    assert promoted(layout, target(layout)).version == "1.0.1"


def test_a_shared_tool_is_accepted_where_it_is_or_adopted_as_a_copy(layout: Layout) -> None:
    shared = write(layout.shared_action("visualise") / "plot_matrix.py", ONE)
    done = promoted(layout, shared)
    assert (done.was, done.version, done.path) == ("accepted", None, shared)
    assert files(layout) == {
        "shared_tools/visualise/history.jsonl",
        "shared_tools/visualise/plot_matrix.py",
    }
    done = promoted(layout, shared, placement="adopt")
    assert (done.was, done.version, done.path) == ("new", "1.0.0", target(layout))
    assert shared.exists()
    with pytest.raises(InputError, match="placement must be 'adopt'"):
        promoted(layout, shared, placement="relocate")


def test_a_relocated_tool_is_a_major_version_and_leaves_a_record(layout: Layout) -> None:
    promoted(layout, ONE)
    promoted(layout, WIDER)
    done = promoted(layout, target(layout), domain="reports", action="draw", placement="relocate")
    new = layout.action("reports", "draw") / "plot_matrix.py"
    assert (done.was, done.version, done.path) == ("moved", "2.0.0", new)
    assert not target(layout).exists() and new.read_text(encoding="utf-8") == WIDER
    old = read_revisions(target(layout).parent)
    assert [one.status for one in old.all] == ["stable", "stable", "moved"]
    assert old.of("plot_matrix.py") == () and old.version("plot_matrix.py") == "2.0.0"
    ids = {one.id for one in (*old.all, *read_revisions(new.parent).all)}
    assert len(ids) == 4
    for domain, words in [("analysis", "moved to reports/draw/"), ("reports", "2.0.0 draw/plot_")]:
        assert words in (layout.domains / domain / "CHANGELOG.md").read_text(encoding="utf-8")
    back = promoted(layout, new, placement="relocate")
    assert (back.was, back.version) == ("moved", "3.0.0")


def test_a_relocated_tool_keeps_its_history(layout: Layout) -> None:
    promoted(layout, ONE)
    intent = "draw me the rows"
    remember(layout, noon(), target(layout), "rejected", "0" * 64, intent=intent, tz=EAST)
    [*_, before] = read_history(target(layout).parent).of("plot_matrix")
    new = promoted(layout, target(layout), action="draw", placement="relocate").path
    assert before in read_history(new.parent).of("plot_matrix")
    assert (before.event, before.intent) == ("rejected", intent)


def test_a_place_that_a_tool_left_starts_above_its_old_versions(layout: Layout) -> None:
    promoted(layout, ONE)
    promoted(layout, target(layout), action="draw", placement="relocate")
    assert promoted(layout, ONE).version == "2.0.1"


def test_a_file_that_changed_after_its_approval_is_refused(layout: Layout) -> None:
    asked = request(layout, ONE)
    asked.source.write_text(FIXED, encoding="utf-8")
    with pytest.raises(SourceError, match="has changed since it was validated"):
        promoter(layout).promote(asked)
    asked.source.unlink()
    with pytest.raises(SourceError, match="cannot be read"):
        promoter(layout).promote(asked)
    assert files(layout) == set()


def test_a_file_that_no_record_knows_is_not_written_over(layout: Layout) -> None:
    write(target(layout), "mine = 1\n")
    with pytest.raises(InputError, match="got a file that no record knows"):
        promoted(layout, ONE)
    assert target(layout).read_text(encoding="utf-8") == "mine = 1\n"
    assert promoted(layout, ONE, replace=True).version == "1.0.0"
    target(layout).write_text("edited = 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="no record knows"):
        promoted(layout, ONE)


@pytest.mark.parametrize(
    "names",
    [
        {"domain": "../.."},
        {"action": "a/b"},
        {"name": "../x"},
        {"name": "Plot"},
        {"name": ""},
        {"domain": "_tmp"},
        {"action": "é"},
    ],
)
def test_names_that_are_no_slugs_are_refused(layout: Layout, names: dict[str, str]) -> None:
    asked = request(layout, ONE)
    with pytest.raises(InputError, match="must be lower-case letters"):
        promoter(layout).promote(request(layout, asked.source, **names))
    assert files(layout) == {"_tmp/route-001/made.py"}


def test_a_link_out_of_the_root_is_refused(layout: Layout, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    asked = request(layout, ONE)
    layout.domains.mkdir()
    (layout.domains / "analysis").symlink_to(outside)
    with pytest.raises(InputError, match="must be no link"):
        promoter(layout).promote(asked)
    (layout.domains / "analysis").unlink()
    target(layout).parent.mkdir(parents=True)
    target(layout).symlink_to(outside / "x.py")
    with pytest.raises(InputError, match="must be no link"):
        promoter(layout).promote(asked)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("place", ["loose.py", "domains/loose.py", "domains/a/b/c/deep.py"])
def test_a_source_that_is_no_tool_is_refused(layout: Layout, place: str) -> None:
    with pytest.raises(InputError, match="source must lie in domains"):
        promoted(layout, write(layout.root / place, ONE))


def test_a_source_outside_is_refused(layout: Layout, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="path must lie below"):
        promoted(layout, write(tmp_path / "made.py", ONE))


def test_broken_records_are_told_and_lose_nothing(layout: Layout) -> None:
    path = metadata_file(target(layout).parent)
    write(path, '{"id": "rev-20251030-001"}\nnot json\n{"half": ')
    done = promoted(layout, ONE)
    assert (done.was, done.version) == ("new", "1.0.0")
    said = " ".join(map(str, done.findings))
    assert "record 1 must have the keys run_id" in said and ":3: the last line is torn" in said
    assert [one.version for one in read_revisions(path.parent).all] == ["1.0.0"]
    assert promoted(layout, FIXED).version == "1.0.1"
