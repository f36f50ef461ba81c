"""The newest come first, those of a clock that was ahead last."""

from __future__ import annotations

import math

from prefrontal.decisions.newest import newest_first


def test_what_is_ahead_is_read_only_where_there_is_room_for_it() -> None:
    asked = []

    def read(since: float, until: float) -> list[float]:
        asked.append((since, until))
        return [time for time in (900.0, 40.0, 20.0) if since <= time < until]

    assert newest_first(read, 2, now=50.0) == [40.0, 20.0]
    assert asked == [(-math.inf, 110.0)]
    assert newest_first(read, 3, now=50.0) == [40.0, 20.0, 900.0]
