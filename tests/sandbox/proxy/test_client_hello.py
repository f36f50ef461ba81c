from __future__ import annotations

import ssl

import pytest

from prefrontal.sandbox.proxy.client_hello import NoClientHelloError, hello_length, server_name


def hello(name: str | None) -> bytes:
    """What a client of the standard library says first."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


@pytest.mark.parametrize("name", ["example.org", "a.b-c.example.org", "x" * 63 + ".org"])
def test_the_name_of_the_server_is_read(name: str) -> None:
    record = hello(name)
    assert hello_length(record) == len(record)
    assert server_name(record) == name


def test_a_hello_without_a_name_names_none() -> None:
    assert server_name(hello(None)) == ""


def test_a_hello_that_is_cut_anywhere_is_refused_or_read_the_same() -> None:
    record = hello("example.org")
    for length in range(len(record)):
        with pytest.raises(NoClientHelloError):
            server_name(record[:length])


@pytest.mark.parametrize(
    "text", [b"", b"GET / HTTP/1.1", b"SSH-2.0-x", b"\x16\x02\x01\x00\x01\x01"]
)
def test_what_is_no_hello_is_refused(text: bytes) -> None:
    with pytest.raises(NoClientHelloError):
        server_name(text)


def test_no_byte_changed_makes_more_than_a_refusal() -> None:
    record = hello("example.org")
    for at in range(len(record)):
        for value in (0, 255):
            changed = record[:at] + bytes([value]) + record[at + 1 :]
            try:
                server_name(changed)
            except NoClientHelloError:
                continue
