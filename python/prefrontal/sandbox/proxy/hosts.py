"""The hosts that a sandboxed command may reach."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ...errors import InputError

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*\Z")
_LAST_BYTES = [ipaddress.IPv6Network(each) for each in ("64:ff9b::/96", "::ffff:0:0/96", "::/96")]
"""IPv6 networks whose addresses end in an IPv4 address (RFC 6052, RFC 4291)."""
_WEB = frozenset({80, 443})
_CONNECT_S = 10.0

Addresses = list[tuple[Any, ...]]
Resolve = Callable[[str, int], Addresses]


def resolve(host: str, port: int) -> Addresses:
    """The TCP addresses of a host, as `socket.getaddrinfo` returns them. Raises OSError."""
    return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))


@dataclass(frozen=True, slots=True)
class _Entry:
    """subdomains: whether it stands for what lies below the name, and not for the name."""

    name: str
    subdomains: bool
    ports: frozenset[int]

    def matches(self, host: str, port: int) -> bool:
        same = host.endswith("." + self.name) if self.subdomains else host == self.name
        return same and port in self.ports


class Hosts:
    """A list of hosts: "example.org" (ports 80 and 443), "*.example.org" (what lies below it),
    "example.org:8443", "127.0.0.1:8080".

    A name is never connected to an address of this machine or of a private network; whoever wants
    that lists the address itself. Raises InputError for an entry that is no host.
    """

    def __init__(
        self, entries: Iterable[str], resolve: Resolve = resolve, within: Hosts | None = None
    ) -> None:
        """within: a list that must have them, too."""
        self._entries = [_entry(each) for each in entries]
        self._resolve = resolve
        self._within = within

    def narrow(self, entries: Iterable[str]) -> Hosts:
        """What both this list and the entries allow. Raises InputError as the list itself does."""
        return Hosts(entries, self._resolve, self)

    def allow(self, host: str, port: int) -> bool:
        """Whether the host, as `host_name` writes it, may be reached at the port."""
        if self._within is not None and not self._within.allow(host, port):
            return False
        return any(entry.matches(host, port) for entry in self._entries)

    def covers(self, host: str) -> bool:
        """Whether the host may be reached at some port."""
        return any(self.allow(host, port) for entry in self._entries for port in entry.ports)

    def connect(self, host: str, port: int) -> socket.socket:
        """A connection to an allowed host. Raises OSError."""
        literal = _address(host) is not None
        failure = OSError(f"{host} has no address")
        for family, kind, protocol, _, place in self._resolve(host, port):
            if not (literal or is_public(place[0])):
                failure = OSError(f"{host} has the address {place[0]} of a private network")
                continue
            connection = socket.socket(family, kind, protocol)
            try:
                connection.settimeout(_CONNECT_S)
                connection.connect(place)
            except OSError as error:
                connection.close()
                failure = error
                continue
            return connection
        raise failure


def is_public(address: str) -> bool:
    """Whether an address is one of the Internet; so must be the IPv4 address that an IPv6 address
    leads to through a translator (NAT64, 6to4, Teredo) or in its last four bytes.
    """
    outer = ipaddress.ip_address(address.partition("%")[0])
    inner: list[ipaddress.IPv4Address | None] = []
    if isinstance(outer, ipaddress.IPv6Address):
        inner = [outer.sixtofour, *(outer.teredo or ())]
        if any(outer in network for network in _LAST_BYTES):
            inner.append(ipaddress.IPv4Address(outer.packed[-4:]))
    return all(each.is_global and not each.is_multicast for each in (outer, *filter(None, inner)))


def host_name(text: str) -> str | None:
    """A host as the list writes it: lower case, no dot at the end; None when it is not one."""
    bare = text.removeprefix("[").removesuffix("]") if text.startswith("[") else text
    if (address := _address(bare)) is not None:
        return address
    name = text.lower().removesuffix(".")
    return name if _NAME.match(name) and not name.rpartition(".")[2].isdigit() else None


def host_and_port(text: str, default: int | None = None) -> tuple[str, int] | None:
    """The two halves of "host:port" or "[::1]:port"; None when it is neither."""
    match = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(?::([0-9]{1,5}))?", text)
    if match is None:
        return None
    host = host_name(match[1])
    port = int(match[2]) if match[2] else default
    return None if host is None or port is None or not 0 < port < 65_536 else (host, port)


def _entry(text: str) -> _Entry:
    subdomains = text.startswith("*.")
    bare = text.removeprefix("*.")
    place = host_and_port(bare)
    host = host_name(bare) if place is None else place[0]
    if host is None or (subdomains and _address(host) is not None):
        rule = "be hosts such as 'example.org', '*.example.org' or 'example.org:8443'"
        raise InputError(f"hosts must {rule}, got {text!r}")
    return _Entry(host, subdomains, _WEB if place is None else frozenset({place[1]}))


def _address(text: str) -> str | None:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None
