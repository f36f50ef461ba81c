from __future__ import annotations

import pytest

from prefrontal.types import SignalEvent

from .fake_tree import SETTLE_S, Desk


def told(events: list[SignalEvent]) -> list[tuple[str, str]]:
    return [(event.delta_type, event.location) for event in events]


def test_a_file_written_in_pieces_is_one_creation_with_its_final_size() -> None:
    desk = Desk()
    for size in (0, 100, 200):
        desk.write("/d/a.pdf", size)
        assert desk.wait(0.4) == []
    [event] = desk.wait(1)
    assert told([event]) == [("created", "/d/a.pdf")]
    assert event.features == {
        "path": "/d/a.pdf",
        "extension": ".pdf",
        "size_bytes": 200,
        "directory_depth": 2,
        "filename_tokens": ["a"],
    }
    assert desk.settler.coalesced == 2


def test_an_event_comes_exactly_when_the_file_has_rested() -> None:
    desk = Desk()
    desk.write("/d/a")
    assert desk.wait(SETTLE_S - 0.001) == []
    assert told(desk.wait(0.001)) == [("created", "/d/a")]


def test_a_late_report_does_not_make_the_event_late() -> None:
    desk = Desk(lag_s=0.06)
    desk.tree.files["/d/a"] = desk._fresh(1)
    desk.clock.advance(0.05)
    desk.report("/d/a")
    assert desk.wait(SETTLE_S - 0.051) == []
    assert told(desk.wait(0.002)) == [("created", "/d/a")]


def test_a_report_that_is_on_its_way_is_waited_for() -> None:
    desk = Desk()
    desk.write("/d/a", 1)
    desk.clock.advance(0.4)
    desk.tree.files["/d/a"] = desk._fresh(2)  # written again, not reported yet
    assert desk.wait(0.45) == []
    [event] = desk.wait(0.1)
    assert event.features["size_bytes"] == 2


def test_a_file_that_came_and_went_within_the_settle_time_is_nothing() -> None:
    desk = Desk()
    desk.write("/d/a")
    desk.wait(0.3)
    desk.remove("/d/a")
    assert desk.wait(5) == []
    assert len(desk.settler) == 0


def test_a_change_to_a_known_file_is_a_modification_and_its_removal_a_deletion() -> None:
    desk = Desk("/d/a")
    desk.write("/d/a", 2**30)
    [event] = desk.wait(1)
    assert told([event]) == [("modified", "/d/a")]
    assert event.magnitude == pytest.approx(1.0)
    desk.remove("/d/a")
    [event] = desk.wait(1)
    assert told([event]) == [("deleted", "/d/a")]
    assert event.features["size_bytes"] == 0
    assert event.magnitude == 1.0


def test_an_atomic_save_is_one_modification_of_the_target() -> None:
    desk = Desk("/d/notes.txt")
    desk.write("/d/notes.txt.x7Gk2", 20)
    desk.move("/d/notes.txt.x7Gk2", "/d/notes.txt")
    [event] = desk.wait(5)
    assert told([event]) == [("modified", "/d/notes.txt")]
    assert "old_location" not in event.features


def test_a_save_by_way_of_a_backup_is_one_modification() -> None:
    desk = Desk("/d/notes.txt")
    desk.write("/d/4913", 0)
    desk.remove("/d/4913")
    desk.write("/d/.notes.txt.swp", 4096)
    desk.move("/d/notes.txt", "/d/notes.txt~")
    desk.write("/d/notes.txt", 20)
    desk.remove("/d/notes.txt~")
    assert told(desk.wait(5)) == [("modified", "/d/notes.txt")]


def test_a_file_deleted_and_written_again_is_one_modification() -> None:
    desk = Desk("/d/a")
    desk.remove("/d/a")
    desk.wait(0.2)
    desk.write("/d/a", 3)
    assert told(desk.wait(5)) == [("modified", "/d/a")]


def test_a_download_is_one_creation_of_its_final_name() -> None:
    desk = Desk()
    for size in (0, 10, 20):
        desk.write("/d/x.pdf.crdownload", size)
        assert desk.wait(10) == []
    desk.move("/d/x.pdf.crdownload", "/d/x.pdf")
    [event] = desk.wait(5)
    assert told([event]) == [("created", "/d/x.pdf")]
    assert event.features["size_bytes"] == 20
    assert "old_location" not in event.features


def test_an_empty_placeholder_waits_for_the_download_beside_it() -> None:
    desk = Desk()
    desk.write("/d/x.pdf", 0)
    desk.write("/d/q9Zk.pdf.part", 5)
    assert desk.wait(120) == []
    desk.move("/d/q9Zk.pdf.part", "/d/x.pdf")
    [event] = desk.wait(5)
    assert told([event]) == [("created", "/d/x.pdf")]
    assert event.features["size_bytes"] == 5


def test_an_empty_file_with_no_download_beside_it_is_told_of() -> None:
    desk = Desk()
    desk.write("/d/x", 0)
    assert told(desk.wait(1)) == [("created", "/d/x")]


def test_a_moved_file_is_one_creation_that_names_its_old_place() -> None:
    desk = Desk("/d/a")
    desk.move("/d/a", "/e/b")
    [event] = desk.wait(5)
    assert told([event]) == [("created", "/e/b")]
    assert event.features["old_location"] == "/d/a"
    assert desk.index.get("/d/a") is None


def test_a_file_moved_over_another_is_one_modification_that_names_its_old_place() -> None:
    desk = Desk("/d/draft", "/d/final")
    desk.move("/d/draft", "/d/final")
    [event] = desk.wait(5)
    assert told([event]) == [("modified", "/d/final")]
    assert event.features["old_location"] == "/d/draft"


def test_a_file_moved_and_changed_is_a_deletion_and_a_creation() -> None:
    desk = Desk("/d/a")
    desk.move("/d/a", "/d/b")
    desk.write("/d/b", 99)
    assert sorted(told(desk.wait(5))) == [("created", "/d/b"), ("deleted", "/d/a")]


def test_a_new_file_that_got_the_inode_of_a_deleted_one_is_no_move() -> None:
    desk = Desk("/d/a")
    inode = desk.tree.files["/d/a"].inode
    desk.remove("/d/a")
    desk.tree.files["/d/b"] = desk._fresh(1)._replace(inode=inode)
    desk.report("/d/b")
    assert sorted(told(desk.wait(5))) == [("created", "/d/b"), ("deleted", "/d/a")]


def test_a_second_name_for_a_file_is_no_move() -> None:
    desk = Desk("/d/a")
    desk.report("/d/a")
    desk.tree.files["/d/b"] = desk.tree.files["/d/a"]
    desk.report("/d/b")
    [event] = desk.wait(5)
    assert told([event]) == [("created", "/d/b")]
    assert "old_location" not in event.features


def test_a_moved_folder_is_one_event_for_each_file_in_it() -> None:
    desk = Desk("/d/x/1", "/d/x/y/2")
    desk.move("/d/x", "/d/z")
    events = desk.wait(5)
    assert sorted(told(events)) == [("created", "/d/z/1"), ("created", "/d/z/y/2")]
    assert sorted(event.features["old_location"] for event in events) == ["/d/x/1", "/d/x/y/2"]


def test_a_folder_that_comes_brings_its_files_and_one_that_goes_takes_them() -> None:
    desk = Desk()
    desk.tree.files["/d/x/1"] = desk._fresh(1)
    desk.tree.files["/d/x/y/2"] = desk._fresh(1)
    desk.report("/d/x")
    assert sorted(told(desk.wait(5))) == [("created", "/d/x/1"), ("created", "/d/x/y/2")]
    desk.remove("/d/x")
    assert sorted(told(desk.wait(5))) == [("deleted", "/d/x/1"), ("deleted", "/d/x/y/2")]
    assert len(desk.index) == 0
    assert not desk.index.is_folder("/d")


def test_a_file_in_the_place_of_a_folder_and_the_other_way_round() -> None:
    desk = Desk("/d/x/1")
    desk.remove("/d/x")
    desk.write("/d/x", 5)
    assert sorted(told(desk.wait(5))) == [("created", "/d/x"), ("deleted", "/d/x/1")]
    desk.remove("/d/x")
    desk.write("/d/x/2", 5)
    assert sorted(told(desk.wait(5))) == [("created", "/d/x/2"), ("deleted", "/d/x")]
    assert [path for path, _ in desk.index.under("/d")] == ["/d/x/2"]


def test_a_change_of_permissions_or_a_report_without_a_change_is_nothing() -> None:
    desk = Desk("/d/a")
    state = desk.tree.files["/d/a"]
    desk.tree.files["/d/a"] = state._replace(changed=desk.clock.now())
    desk.report("/d/a")
    desk.report("/d/never-was")
    assert desk.wait(5) == []


def test_a_file_that_never_rests_is_told_of_after_a_while() -> None:
    desk = Desk("/d/log")
    events = []
    for step in range(400):
        desk.write("/d/log", step)
        events += desk.wait(0.1)
    assert told(events) == [("modified", "/d/log")]


def test_the_clock_of_another_machine_does_not_hold_an_event_back() -> None:
    desk = Desk()
    ahead = desk._fresh(5)
    desk.tree.files["/d/a"] = ahead._replace(changed=desk.clock.now() + 3_600)
    desk.report("/d/a")
    assert told(desk.wait(2 * SETTLE_S)) == [("created", "/d/a")]


def test_a_suspicion_neither_repeats_nor_delays_what_is_being_waited_for() -> None:
    desk = Desk()
    desk.write("/d/a")
    for _ in range(5):
        desk.wait(0.09)
        desk.settler.suspect("/d/a")
    assert told(desk.wait(0.1)) == [("created", "/d/a")]
    assert desk.settler.found_by_scan == 0


def test_what_only_a_scan_found_is_counted_and_what_changed_before_the_start_is_marked() -> None:
    desk = Desk("/d/a", "/d/b")
    desk.tree.files["/d/a"] = desk._fresh(1)
    desk.settler.suspect("/d/a")
    del desk.tree.files["/d/b"]
    desk.settler.suspect("/d/b", catch_up=True)
    desk.tree.files["/d/c"] = desk._fresh(1)
    desk.settler.suspect("/d/c")
    desk.report("/d/c")  # the report was on its way
    events = desk.wait(5)
    assert told(events) == [("modified", "/d/a"), ("created", "/d/c"), ("deleted", "/d/b")]
    assert [event.features.get("catch_up") for event in events] == [None, None, True]
    assert desk.settler.found_by_scan == 1


@pytest.mark.exhaustive
def test_ten_thousand_files_are_one_event_each() -> None:
    desk = Desk()
    for number in range(10_000):
        desk.write(f"/d/{number % 7}/{number}")
    events = desk.wait(5)
    assert sorted(told(events)) == sorted(
        ("created", f"/d/{number % 7}/{number}") for number in range(10_000)
    )


def test_files_looked_at_together_come_in_the_order_of_their_changes() -> None:
    desk = Desk()
    for name in "zyx":
        desk.write(f"/d/{name}")
        desk.clock.advance(0.01)
    for name in "xyz":
        desk.report(f"/d/{name}")
    assert [place for _, place in told(desk.wait(SETTLE_S + 1))] == ["/d/z", "/d/y", "/d/x"]
