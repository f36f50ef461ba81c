"""Writers are tried out in turns."""

from __future__ import annotations

import pytest

from turns import take_turns


class Counted:
    """A trial that remembers what it was asked."""

    def __init__(self, *, stops: bool = False) -> None:
        self.turns: list[int] = []
        self.broken = 0
        self._stops = stops

    @property
    def tried(self) -> int:
        return sum(self.turns)

    def go_on(self, number: int) -> None:
        if self._stops:
            raise KeyboardInterrupt
        self.turns.append(number)

    def sentence(self) -> str:
        return f"tried {self.tried} times"


def test_all_have_a_turn_and_together_as_many_as_were_asked_for() -> None:
    trials = [Counted() for _ in range(3)]
    take_turns(trials, 7, in_a_row=10)
    assert [each.turns for each in trials] == [[3], [3], [1]]


def test_nobody_has_more_in_a_row_than_is_allowed() -> None:
    trials = [Counted() for _ in range(2)]
    take_turns(trials, 7, in_a_row=2)
    assert [each.turns for each in trials] == [[2, 2], [2, 1]]


def test_what_was_found_is_said_when_somebody_ends_it(capsys: pytest.CaptureFixture[str]) -> None:
    take_turns([Counted(), Counted(stops=True)], 8, in_a_row=4)
    assert capsys.readouterr().out.splitlines() == [
        "ended before its time", "tried 4 times", "tried 0 times",
    ]  # fmt: skip
