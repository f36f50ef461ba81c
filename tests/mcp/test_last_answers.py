"""What was asked before standard input ended is waited for, but not for ever."""

from __future__ import annotations

import anyio
import pytest
from mcp.types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from prefrontal.mcp import last_answers
from prefrontal.mcp.last_answers import OpenRequests, PatientReading

REQUEST = JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call")
ANSWER = JSONRPCResponse(jsonrpc="2.0", id=1, result={})
CANCELLATION = JSONRPCNotification(
    jsonrpc="2.0", method="notifications/cancelled", params={"requestId": 1}
)
FOREVER = JSONRPCRequest(jsonrpc="2.0", id=2, method="subscriptions/listen")
PATIENCE_S = 30.0


def test_a_request_that_nobody_answers_is_given_up_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert last_answers.LAST_ANSWERS_S == 60.0
    monkeypatch.setattr(last_answers, "LAST_ANSWERS_S", 0.01)

    async def ended() -> None:
        sending, receiving = anyio.create_memory_object_stream[object](1)
        requests = OpenRequests()
        requests.note(REQUEST)
        await sending.aclose()
        with anyio.fail_after(PATIENCE_S):
            async with PatientReading(receiving, requests) as reading:
                assert [one async for one in reading] == []

    anyio.run(ended)


@pytest.mark.parametrize("last", [ANSWER, CANCELLATION])
def test_what_is_answered_or_cancelled_is_waited_for_no_longer(
    last: JSONRPCResponse | JSONRPCNotification, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(last_answers, "LAST_ANSWERS_S", 2 * PATIENCE_S)

    async def answered() -> None:
        requests = OpenRequests()
        requests.note(REQUEST)
        requests.note(FOREVER)
        async with anyio.create_task_group() as tasks:
            with anyio.fail_after(PATIENCE_S):
                tasks.start_soon(requests.wait)
                await anyio.lowlevel.checkpoint()
                requests.note(last)
                await requests.wait()

    anyio.run(answered)
