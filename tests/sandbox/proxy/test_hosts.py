from __future__ import annotations

import socket

import pytest

from prefrontal.errors import InputError
from prefrontal.sandbox.proxy.hosts import Addresses, Hosts, host_and_port, host_name, is_public


@pytest.mark.parametrize(
    ("entry", "host", "port", "allowed"),
    [
        ("example.org", "example.org", 443, True),
        ("example.org", "example.org", 80, True),
        ("example.org", "example.org", 8443, False),
        ("example.org", "www.example.org", 443, False),
        ("example.org", "notexample.org", 443, False),
        ("Example.ORG.", "example.org", 443, True),
        ("example.org:8443", "example.org", 8443, True),
        ("example.org:8443", "example.org", 443, False),
        ("*.example.org", "www.example.org", 443, True),
        ("*.example.org", "a.b.example.org", 443, True),
        ("*.example.org", "example.org", 443, False),
        ("*.example.org", "evilexample.org", 443, False),
        ("127.0.0.1:8080", "127.0.0.1", 8080, True),
        ("[::1]:8080", "::1", 8080, True),
        ("0:0:0:0:0:0:0:1", "::1", 443, True),
    ],
)
def test_a_host_is_allowed_as_it_is_listed(entry: str, host: str, port: int, allowed: bool) -> None:
    assert Hosts([entry]).allow(host, port) is allowed


@pytest.mark.parametrize(
    "entry", ["", "*", "*.", "http://a.org", "a.org/", "a b", "a.org:0", "a.org:70000", "ü.org",
              "*.127.0.0.1", "a..org", "-a.org", "127.1", "2130706433", "a.org:", "a%.org"],
)  # fmt: skip
def test_an_entry_that_is_no_host_is_refused(entry: str) -> None:
    with pytest.raises(InputError, match="hosts must be hosts such as"):
        Hosts([entry])


@pytest.mark.parametrize("text", ["127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "a@b", "a/b"])
def test_a_number_is_no_name(text: str) -> None:
    assert host_name(text) in (None, text) and host_name("127.1") is None
    assert not Hosts(["127.0.0.1", "b", "a"]).allow(host_name(text) or "", 80)


def test_a_host_with_its_port_is_read_in_one_way() -> None:
    assert host_and_port("A.org:80") == ("a.org", 80)
    assert host_and_port("[::1]:80") == ("::1", 80)
    assert host_and_port("a.org", 443) == ("a.org", 443)
    for text in ("a.org", "::1:80", "a.org:80:80", "u@a.org:80", "a.org:+80", "a.org:٨٠"):
        assert host_and_port(text) is None


def answers(address: str) -> object:
    def resolve(host: str, port: int) -> Addresses:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (address, port))]

    return resolve


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fe80::1", "fe80::1%lo",
                "::ffff:127.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::1", "::127.0.0.1",
                "2001:0:a00:1::", "224.0.0.1"],
)  # fmt: skip
def test_a_name_with_an_address_of_a_private_network_is_not_connected_to(address: str) -> None:
    hosts = Hosts(["example.org"], resolve=answers(address))  # type: ignore[arg-type]
    with pytest.raises(OSError, match=f"example.org has the address {address} of a private"):
        hosts.connect("example.org", 80)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07::1", "64:ff9b::808:808"])
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


def test_a_listed_address_is_connected_to() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        Hosts([f"127.0.0.1:{port}"]).connect("127.0.0.1", port).close()


def test_a_narrowed_list_opens_nothing() -> None:
    hosts = Hosts(["api.example.org", "*.example.com", "example.net:8443"])
    few = hosts.narrow(["*.example.org", "www.example.com:443", "elsewhere.org", "example.net"])
    places = [
        ("api.example.org", 443),
        ("www.example.com", 443),
        ("www.example.com", 80),
        ("img.example.com", 443),
        ("www.example.org", 443),
        ("elsewhere.org", 443),
        ("example.net", 8443),
    ]
    assert [few.allow(*place) for place in places] == [True, True, *[False] * 5]
    assert few.covers("api.example.org") and not few.covers("example.net")
    assert not hosts.narrow([]).covers("api.example.org")
