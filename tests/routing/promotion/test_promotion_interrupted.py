"""A promotion that is killed, raced, or runs out of room is done whole or not at all."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest

from prefrontal.errors import SourceError
from prefrontal.routing.catalog.history import read_history
from prefrontal.routing.layout import Layout
from prefrontal.routing.promotion.journal import journal_file
from prefrontal.routing.promotion.metadata import metadata_file, read_revisions
from prefrontal.routing.promotion.promotion import Promotion
from prefrontal.routing.promotion.promotion_draft import PromotionRequest
from prefrontal.storage import files

from ...exhaustive import first
from ..children import NO_ROOM, ended, started
from ..project import layout_of, write
from ..promotions import FIXED, NARROW, ONE, promoted, promoter, request, target


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


def killed_at(number: int, root: Path, work: Callable[[], object]) -> int:
    """Do the work in a child that is killed before its `number`-th touch of a file below root."""

    def watched() -> object:
        left = [number]

        def hook(event: str, words: tuple[object, ...]) -> None:
            if event in TOUCHES and any(str(root) in str(word) for word in words):
                left[0] -= 1
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        return work()

    return ended(started(watched))


TOUCHES = {"open", "os.rename", "os.remove", "os.mkdir", "os.chmod", "os.truncate"}


def check_whole(layout: Layout) -> str:
    """The content that holds; its record, note and history are there exactly once."""
    folder = target(layout).parent
    revisions = read_revisions(folder)
    assert revisions.findings == ()
    digest = sha256(target(layout).read_bytes()).hexdigest()
    of_it = [one for one in revisions.of("plot_matrix.py") if one.sha256 == digest]
    assert len(of_it) == 1 and revisions.all[-1] == of_it[0]
    assert len({one.id for one in revisions.all}) == len(revisions.all)
    history = read_history(folder)
    assert history.findings == ()
    assert [one.sha256 for one in history.events] == [one.sha256 for one in revisions.all]
    notes = (layout.domains / "analysis" / "CHANGELOG.md").read_text(encoding="utf-8")
    assert notes.count("\n- ") == len(revisions.all)
    assert list(layout.domains.rglob("*.tmp")) == []  # the sweep takes those of _tmp
    return target(layout).read_text(encoding="utf-8")


@pytest.mark.parametrize("step", first(1, [6, 1]))
def test_a_kill_at_any_touch_of_a_file_leaves_the_old_tool_or_the_whole_new_one(
    tmp_path: Path, step: int
) -> None:
    seen = set()
    for number in range(1, 200, step):
        folder = tmp_path / str(number)
        folder.mkdir()
        layout = layout_of(folder)
        promoted(layout, ONE)
        asked = request(layout, NARROW)
        code = killed_at(number, layout.root, partial(promoter(layout).promote, asked))
        assert code in {0, -signal.SIGKILL}
        noted = journal_file(layout).exists()
        findings = promoter(layout).recover()
        assert list(layout.tmp.glob(".*promotion.json*")) == []
        assert [("was finished" in one.text) for one in findings] == [True] * noted
        content = check_whole(layout)
        seen.add(content)
        assert content in {ONE, NARROW}
        if content == ONE:  # nothing was lost either: it can be promoted again
            assert promoter(layout).promote(asked).version == "2.0.0"
            check_whole(layout)
        if code == 0:
            break
    assert seen == {ONE, NARROW} and 15 < number < 199


@pytest.mark.exhaustive
def test_a_promotion_after_a_kill_finishes_the_first_one_before_its_own(layout: Layout) -> None:
    promoted(layout, ONE)
    asked = request(layout, NARROW)
    for number in range(1, 200):
        code = killed_at(number, target(layout).parent, lambda: promoter(layout).promote(asked))
        if code == 0 or target(layout).read_text(encoding="utf-8") != ONE:
            break
    assert code == -signal.SIGKILL and journal_file(layout).exists()
    assert len(read_revisions(target(layout).parent).all) == 1
    done = promoted(layout, FIXED)
    assert (done.version, [one.version for one in read_revisions(target(layout).parent).all]) == (
        "2.1.0",
        ["1.0.0", "2.0.0", "2.1.0"],
    )
    assert "was finished" in done.findings[0].text
    check_whole(layout)


def interrupted(layout: Layout) -> None:
    """A promotion of NARROW over ONE that is noted and not begun."""
    promoted(layout, ONE)
    asked = request(layout, NARROW)
    before = target(layout).read_bytes()
    for number in range(1, 200):
        killed_at(number, layout.root, lambda: promoter(layout).promote(asked))
        if journal_file(layout).exists():
            break
    assert target(layout).read_bytes() == before


@pytest.mark.exhaustive
def test_a_tool_that_was_edited_since_the_kill_is_not_written_over(layout: Layout) -> None:
    interrupted(layout)
    target(layout).write_text("mine = 1\n", encoding="utf-8")
    [finding] = promoter(layout).recover()
    assert "was dropped, since the file has changed" in finding.text
    assert target(layout).read_text(encoding="utf-8") == "mine = 1\n"
    assert len(read_revisions(target(layout).parent).all) == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("cut", [1, 200, 5, 40])
def test_a_record_that_was_torn_off_is_written_whole(layout: Layout, cut: int) -> None:
    interrupted(layout)
    promoter(layout).recover()
    whole = metadata_file(target(layout).parent).read_bytes()
    note = journal_of(layout, whole)
    metadata_file(target(layout).parent).write_bytes(whole[:-cut])
    write(journal_file(layout), note)
    promoter(layout).recover()
    assert metadata_file(target(layout).parent).read_bytes() == whole


def journal_of(layout: Layout, records: bytes) -> str:
    """The note of a promotion of which only the last record is left to append."""
    change = {
        "do": "append",
        "path": metadata_file(target(layout).parent).relative_to(layout.root).as_posix(),
        "record": json.loads(records.splitlines()[-1]),
    }
    return json.dumps({"changes": [change]})


@pytest.mark.parametrize(
    "note",
    [
        "",
        "{",
        "[]",
        '{"changes": []}',
        '{"changes": [{"do": "write"}]}',
        '{"changes": [{"do": "fly", "path": "domains/x"}]}',
        '{"changes": [{"do": "write", "path": "../x", "content": "x", "before": null}]}',
        '{"changes": [{"do": "remove", "path": "/etc/hostname", "sha256": ""}]}',
        '{"changes": [{"do": "append", "path": "domains/a/b/metadata.jsonl", "record": 7}]}',
        '{"changes": [{"do": "write", "path": "domains/x", "content": "\u0416", "before": null}]}',
    ],
)
def test_a_damaged_note_is_dropped_and_told(layout: Layout, note: str) -> None:
    write(journal_file(layout), note)
    [finding] = promoter(layout).recover()
    assert "dropped" in finding.text and not journal_file(layout).exists()
    assert not (layout.root.parent / "x").exists()
    assert promoted(layout, ONE).version == "1.0.0"


def without_room(layout: Layout, asked: PromotionRequest, room: int) -> int:
    """Promote in a child in which no file may grow beyond `room` bytes."""

    def work() -> Promotion:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        return promoter(layout).promote(asked)

    return ended(started(work))


@pytest.mark.exhaustive
@pytest.mark.parametrize("step", [600, 150])
def test_without_room_nothing_is_changed_or_all_of_it_once_there_is_room(
    tmp_path: Path, step: int
) -> None:
    codes = []
    for room in range(0, 6000, step):
        folder = tmp_path / str(room)
        folder.mkdir()
        layout = layout_of(folder)
        for source in (ONE, FIXED, ONE, FIXED, NARROW):
            promoted(layout, source, description="d" * 100)
        old = target(layout).read_text(encoding="utf-8")
        asked = request(layout, ONE + "# more\n")
        codes.append(without_room(layout, asked, room))
        assert codes[-1] in {0, NO_ROOM}
        if not journal_file(layout).exists() and codes[-1]:
            assert target(layout).read_text(encoding="utf-8") == old
            assert len(read_revisions(target(layout).parent).all) == 3
            assert asked.source.exists()
            promoter(layout).promote(asked)
        else:
            promoter(layout).recover()
        revisions = read_revisions(target(layout).parent)
        assert revisions.findings == () and len(revisions.all) == 4
        assert target(layout).read_text(encoding="utf-8") == ONE + "# more\n"
        assert not asked.source.exists()
    assert codes[0] == NO_ROOM and codes[-1] == 0


def test_when_the_file_itself_cannot_be_written_nothing_is_noted(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(path: Path) -> int | None:
        if path == target(layout):
            raise OSError(28, "No space left on device")
        return None

    asked = request(layout, ONE)
    with monkeypatch.context() as patch:
        patch.setattr(files, "_replaceable_mode", failing)
        with pytest.raises(SourceError, match="No space left"):
            promoter(layout).promote(asked)
    assert promoter(layout).recover() == () and not target(layout).exists()


def test_when_only_the_folder_cannot_be_synced_the_promotion_is_finished_later(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(folder: Path) -> None:
        if folder == target(layout).parent:
            raise OSError(5, "Input/output error")

    asked = request(layout, ONE)
    with monkeypatch.context() as patch:
        patch.setattr(files, "_sync_folder", failing)
        with pytest.raises(SourceError, match="Input/output error"):
            promoter(layout).promote(asked)
    assert target(layout).exists()
    [finding] = promoter(layout).recover()
    assert "was finished" in finding.text
    check_whole(layout)


def fail_once(patch: pytest.MonkeyPatch, act: str, failing: Path, number: int = 1) -> None:
    """Let that many-th act on the file fail."""
    does, left = getattr(Path, act), [number]

    def instead(path: Path, *words: object, **named: object) -> object:
        left[0] -= path == failing
        if path == failing and left[0] == 0:
            raise OSError(5, "Input/output error")
        return does(path, *words, **named)

    patch.setattr(Path, act, instead)


def test_a_note_that_cannot_be_read_now_is_not_dropped(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    promoted(layout, ONE)
    note = journal_of(layout, metadata_file(target(layout).parent).read_bytes())
    write(journal_file(layout), note)
    fail_once(monkeypatch, "read_bytes", journal_file(layout))
    with pytest.raises(SourceError, match="promotion.json cannot be read: Input/output error"):
        promoter(layout).recover()
    [finding] = promoter(layout).recover()
    assert "was finished" in finding.text


def test_a_note_that_cannot_be_removed_makes_no_promotion_fail(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_once(monkeypatch, "unlink", journal_file(layout))
    assert promoted(layout, ONE).version == "1.0.0"
    check_whole(layout)
    [finding] = promoter(layout).recover()
    assert "was finished" in finding.text
    check_whole(layout)
    fail_once(monkeypatch, "unlink", journal_file(layout))
    write(journal_file(layout), "{")
    with pytest.raises(SourceError, match="promotion.json cannot be removed: Input/output error"):
        promoter(layout).recover()


def test_a_tool_that_cannot_be_read_is_a_sentence(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    promoted(layout, ONE)
    for number in (1, 2):  # its hash, and what it offered
        fail_once(monkeypatch, "read_bytes", target(layout), number)
        with pytest.raises(SourceError, match="plot_matrix.py cannot be read: Input/output error"):
            promoted(layout, NARROW)


def test_a_promotion_that_is_half_done_says_so(layout: Layout) -> None:
    promoted(layout, ONE)
    folder = target(layout).parent / "history.jsonl"
    folder.unlink()
    folder.mkdir()
    with pytest.raises(SourceError, match="half done: .*history.jsonl.* finished by the next"):
        promoted(layout, NARROW)
    with pytest.raises(SourceError, match=r"history\.jsonl"):
        promoted(layout, FIXED)
    folder.rmdir()
    assert promoted(layout, FIXED).version == "2.1.0"


def test_a_note_that_no_file_can_take_is_told_also_of_a_promotion_that_is_finished(
    layout: Layout,
) -> None:
    promoted(layout, ONE)
    notes = layout.domains / "analysis" / "CHANGELOG.md"
    notes.unlink()
    notes.mkdir()
    done = promoted(layout, NARROW)
    assert [one.path for one in done.findings] == [notes]
    assert f"not noted there: {done.version} " in str(done.findings[0])
    note = {"do": "note", "path": layout.relative(notes), "title": "x", "note": "one"}
    write(journal_file(layout), json.dumps({"changes": [note]}))
    finished, untold = promoter(layout).recover()
    assert "was finished" in finished.text and untold.text.endswith("not noted there: one")


@pytest.mark.exhaustive
def test_promotions_at_once_each_get_a_record_and_a_version_of_their_own(layout: Layout) -> None:
    sources = [f"{ONE}# {number}\n" for number in range(12)]
    requests = [
        request(layout, write(layout.route_tmp(f"route-{number:03d}") / "made.py", source))
        for number, source in enumerate(sources)
    ]
    children = [started(partial(promoter(layout).promote, asked)) for asked in requests[:6]]
    threads = [
        threading.Thread(target=promoter(layout).promote, args=(asked,)) for asked in requests[6:]
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [ended(child) for child in children] == [0] * 6
    revisions = read_revisions(target(layout).parent)
    assert revisions.findings == ()
    assert [one.version for one in revisions.all] == [f"1.0.{number}" for number in range(12)]
    assert {one.sha256 for one in revisions.all} == {
        sha256(source.encode()).hexdigest() for source in sources
    }
    notes = (layout.domains / "analysis" / "CHANGELOG.md").read_text(encoding="utf-8")
    assert notes.count("\n- ") == 12
    assert target(layout).read_text(encoding="utf-8") in sources
