"""Changes reach every listener, each with its number, and who lost the line gets what it missed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from prefrontal.web.markup import Html
from prefrontal.web.regions import PageChange, difference, whole
from prefrontal.web.stream import KEPT, MOST_WAITING, Stream


def stream(number: int = 0) -> Stream:
    made = Stream("abc", lambda: {"number": number, "key": "k"})
    made.begin()
    return made


def parsed(text: str) -> tuple[str, str, dict[str, Any]]:
    """(event, id, data)."""
    fields = dict(line.split(": ", 1) for line in text.strip().splitlines())
    return fields["event"], fields["id"], json.loads(fields["data"])


async def told(listening: AsyncIterator[str]) -> tuple[str, str, dict[str, Any]]:
    return parsed(await anext(listening))


def change(number: int) -> PageChange:
    return PageChange(number, number + 1, {"strip": {"pieces": {}, "order": []}})


async def test_a_listener_is_greeted_and_told_each_change_with_its_number() -> None:
    made = stream()
    listening = made.listen()
    first = await anext(listening)
    assert first.startswith("retry: ")
    assert parsed(first) == ("hello", "abc-0", {"number": 0, "key": "k", "instance": "abc"})
    made.tell(change(0))
    event, number, data = await told(listening)
    assert (event, number) == ("change", "abc-1")
    assert (data["from"], data["to"]) == (0, 1)
    assert made.listeners == 1
    await listening.aclose()  # type: ignore[attr-defined]
    assert made.listeners == 0


async def test_who_comes_back_with_the_last_number_gets_what_it_missed() -> None:
    made = stream(4)
    for number in range(4):
        made.tell(change(number))
    await asyncio.sleep(0)
    listening = made.listen("abc-2")
    await anext(listening)
    assert [(await told(listening))[1] for _ in range(2)] == ["abc-3", "abc-4"]
    await listening.aclose()  # type: ignore[attr-defined]


async def test_who_comes_back_to_another_start_or_with_nonsense_is_only_greeted() -> None:
    made = stream(1)
    made.tell(change(0))
    await asyncio.sleep(0)
    for last in ("", "other-0", "abc-", "abc-x", "abc-\u00b2", "0"):
        listening = made.listen(last)
        await anext(listening)
        made.end()
        assert [text async for text in listening] == []


async def test_only_so_many_changes_are_kept() -> None:
    made = stream(200)
    for number in range(200):
        made.tell(change(number))
    await asyncio.sleep(0)
    listening = made.listen("abc-0")
    await anext(listening)
    assert (await told(listening))[2]["from"] == 200 - KEPT
    await listening.aclose()  # type: ignore[attr-defined]


async def test_a_listener_that_does_not_keep_up_is_let_go() -> None:
    made = stream()
    listening = made.listen()
    await anext(listening)
    for number in range(MOST_WAITING + 1):
        made.tell(change(number))
    await asyncio.sleep(0)
    assert [text async for text in listening] == []
    assert made.listeners == 0


async def test_the_end_closes_every_line() -> None:
    made = stream()
    lines = [made.listen() for _ in range(3)]
    for each in lines:
        await anext(each)
    made.end()
    for each in lines:
        assert [text async for text in each] == []
    assert made.listeners == 0


async def test_the_end_wakes_a_line_on_which_nothing_is_said() -> None:
    made = stream()
    listening = made.listen()
    await anext(listening)
    waiting = asyncio.ensure_future(told_or_over(listening))
    await asyncio.sleep(0)
    made.end()
    assert await asyncio.wait_for(waiting, 5) == "over"


async def told_or_over(listening: AsyncIterator[str]) -> str:
    async for text in listening:
        return text
    return "over"


def test_a_difference_holds_what_changed_and_nothing_else() -> None:
    before = {"a": {"x": Html("1"), "y": Html("2")}, "b": {"z": Html("3")}}
    after = {"a": {"y": Html("2"), "w": Html("4")}, "b": {"z": Html("3")}}
    assert difference(before, after) == {"a": {"order": ["y", "w"], "pieces": {"w": "4"}}}
    same_order = {"a": {"x": Html("1"), "y": Html("9")}}
    assert difference(before, same_order) == {"a": {"pieces": {"y": "9"}}}
    assert whole(after)["b"] == {"order": ["z"], "pieces": {"z": "3"}}
