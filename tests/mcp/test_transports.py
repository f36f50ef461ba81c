from __future__ import annotations

import asyncio
import json
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from prefrontal.errors import SourceError
from prefrontal.http_patience import PatientProtocol, listen
from prefrontal.http_server import Door

from ..exhaustive import first
from .served_samples import BILL, INVOICES, MODES, answer, listening, program, refusal

TOKEN = "a-token-of-many-characters"


def with_headers(**headers: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(headers=headers)


@pytest.mark.parametrize("mode", first(1, MODES))
async def test_over_http_a_client_is_answered(tmp_path: Path, mode: str) -> None:
    async with listening(tmp_path) as address, Client(address, mode=mode) as client:
        found = answer(await client.call_tool("should_wake", {"events": [BILL]}))
        said = refusal(await client.call_tool("give_feedback", {"id": "f00d", "label": 1}))
        read = await client.read_resource(f"prefrontal://decisions/{found['decisions'][0]['id']}")
    assert found["wake"] is True
    assert said.startswith("decision id must be")
    assert len(read.contents) == 1


async def test_over_http_several_clients_share_one_gate(tmp_path: Path) -> None:
    async with listening(tmp_path) as address, Client(address) as one, Client(address) as other:
        made = answer(await one.call_tool("should_wake", {"events": [BILL]}))["decisions"][0]
        noted = await other.call_tool("give_feedback", {"id": made["id"], "label": "useless"})
        again = answer(await one.call_tool("should_wake", {"events": [BILL]}))["decisions"][0]
    assert answer(noted)["id"] == made["id"]
    assert again["score"] < made["score"]


async def test_with_the_token_a_client_is_let_in(tmp_path: Path) -> None:
    async with (
        listening(tmp_path, TOKEN) as address,
        with_headers(Authorization=f"Bearer {TOKEN}") as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        found = answer(await client.call_tool("should_wake", {"events": [BILL]}))
    assert found["wake"] is True


@pytest.mark.parametrize(
    "given", first(2, ["", "Bearer", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN])
)
async def test_without_the_token_nobody_is_answered(tmp_path: Path, given: str) -> None:
    headers = {"Authorization": given} if given else {}
    async with listening(tmp_path, TOKEN) as address, with_headers(**headers) as http:
        for method in ("GET", "POST", "DELETE"):
            refused = await http.request(method, address, json={})
            assert refused.status_code == 401
            assert refused.headers["WWW-Authenticate"] == "Bearer"
            assert refused.json() == {"error": "Authorization must be 'Bearer' and the token"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Host": "evil.example"}, 421), ({"Origin": "https://evil.example"}, 403)],
)
async def test_without_a_token_no_web_page_gets_through_a_browser(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    async with listening(tmp_path) as address, with_headers(**headers, **accept) as http:
        assert (await http.post(address, json=body)).status_code == status


def test_an_address_that_is_taken_is_a_sentence() -> None:
    with listen(Door("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SourceError, match=rf"127\.0\.0\.1:{port}: port {port} is in use"):
            listen(Door("127.0.0.1", port))


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", MODES)
async def test_over_standard_input_and_output_a_process_answers(tmp_path: Path, mode: str) -> None:
    config = tmp_path / "prefrontal.yml"
    config.write_text(json.dumps({"modules": [INVOICES], "audit_share": 0}), encoding="utf-8")
    async with Client(program(tmp_path, "--config", str(config)), mode=mode) as client:
        names = [each.name for each in (await client.list_tools()).tools]
        made = answer(await client.call_tool("should_wake", {"events": [BILL]}))["decisions"][0]
        noted = await client.call_tool("give_feedback", {"id": made["id"], "label": "useful"})
    assert "should_wake" in names
    assert answer(noted)["label"] == 1.0


@pytest.mark.exhaustive
def test_nothing_but_the_protocol_is_on_standard_output(tmp_path: Path) -> None:
    told = program(tmp_path)
    asked: list[dict[str, Any]] = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "no/such/method"},
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "should_wake", "arguments": {"events": [BILL]}},
        },
    ]
    with subprocess.Popen(
        [told.command, *told.args],
        env=told.env,
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        found = {}
        for each in asked:
            process.stdin.write(json.dumps(each) + "\n")
            process.stdin.flush()
            if "id" in each:
                reply = json.loads(process.stdout.readline())
                found[reply["id"]] = reply
        process.stdin.write("this is no message\n")
        process.stdin.close()
        rest = [json.loads(line) for line in process.stdout]
    assert process.returncode == 0
    assert all(each["jsonrpc"] == "2.0" for each in rest)
    assert found[1]["result"]["serverInfo"]["name"] == "prefrontal"
    assert found[2]["error"]["code"] == -32601
    said = found[3]["result"]
    assert said["isError"] is True
    assert said["content"][0]["text"].startswith("modules must hold one at least, got none: ")


def test_what_was_asked_before_standard_input_ended_is_answered(tmp_path: Path) -> None:
    told = program(tmp_path)
    start = {"protocolVersion": "2025-06-18", "capabilities": {}}
    start["clientInfo"] = {"name": "test", "version": "1"}
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": start},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {"name": "no-such", "arguments": {}}},
    ]
    done = subprocess.run(
        [told.command, *told.args],
        env=told.env,
        cwd=tmp_path,
        input="".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in asked),
        capture_output=True,
        text=True,
        check=True,
    )
    replies = {each.get("id"): each for each in map(json.loads, done.stdout.splitlines())}
    assert {1, 2, 3} <= set(replies)
    assert "should_wake" in [each["name"] for each in replies[2]["result"]["tools"]]


HALF = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize("said", [b"", HALF, HALF + b"Content-Length: 9\r\n\r\n1"])
async def test_over_http_half_a_request_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(PatientProtocol, "reading_s", 0.05)
    async with listening(tmp_path, TOKEN) as address:
        port = int(address.partition("127.0.0.1:")[2].partition("/")[0])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(said)
        heard = b""
        async with asyncio.timeout(20):
            with suppress(ConnectionError):
                while data := await reader.read(4096):
                    heard += data
                    writer.write(b"2")
        writer.close()
    assert heard == b"" or b" 401 " in heard


async def test_over_http_a_request_of_many_pieces_is_answered(tmp_path: Path) -> None:
    async with listening(tmp_path, TOKEN) as address:
        port = int(address.partition("127.0.0.1:")[2].partition("/")[0])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(2):
            for byte in HALF + b"Content-Length: 0\r\n\r\n":
                writer.write(bytes([byte]))
                await writer.drain()
            assert b" 401 " in await reader.readuntil(b'token"}')
        writer.close()
