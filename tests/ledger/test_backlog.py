"""What a failing disk did not take waits, within bounds."""

from __future__ import annotations

from prefrontal.ledger.backlog import Backlog, Unrecorded


def message(text: str) -> Unrecorded:
    return Unrecorded("alice", "in", {"preview": text})


def test_what_waits_is_taken_once_in_its_order() -> None:
    backlog = Backlog()
    first, second = message("1"), message("2")
    backlog.add([first, second])
    assert len(backlog) == 2
    assert backlog.take() == [first, second]
    assert (backlog.take(), len(backlog), backlog.lost) == ([], 0, 0)


def test_what_finds_no_room_is_counted_and_room_comes_back() -> None:
    backlog = Backlog(most_bytes=2000)
    backlog.add([message("a" * 1400), message("b" * 1400)])
    assert (len(backlog), backlog.lost) == (1, 1)
    backlog.take()
    backlog.add([message("c" * 1400)])
    assert (len(backlog), backlog.lost) == (1, 1)
