from __future__ import annotations

import json
import shutil
import ssl
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from prefrontal.errors import InputError
from prefrontal.sandbox import Limits, Policy, SandboxResult, SandboxRunner, run
from prefrontal.sandbox.backends.proxy_backend import ProxyBackend
from prefrontal.sandbox.ladder import rung
from prefrontal.sandbox.proxy import Credential, Hosts
from prefrontal.sandbox.proxy.certificate import HostCertificate

from .servers import Echo, echo, silent

pytestmark = pytest.mark.skipif(not rung("namespace").works, reason=rung("namespace").why)
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
SECRET = "s3cret-Value+0123456789"


@pytest.fixture
def web() -> Iterator[Echo]:
    with echo() as server:
        yield server


def ask(
    program: str, scratch: Path, backend: ProxyBackend, *words: object, readable: Path | None = None
) -> SandboxResult:
    begin = "import json, os, socket, ssl, sys, urllib.request\n"
    begin += "opened = urllib.request.urlopen\n"
    command = [sys.executable, "-I", "-B", "-c", begin + program, *map(str, words)]
    policy = Policy(scratch, () if readable is None else (readable,))
    return run(command, Limits(max_seconds=15), policy, backend=backend)


def test_a_listed_host_is_reached_and_another_is_refused(tmp_path: Path, web: Echo) -> None:
    program = """
print(json.load(opened(f"http://127.0.0.1:{sys.argv[1]}/a?b=c", b"body"))["body"])
try:
    opened("http://example.org/")
except urllib.error.HTTPError as error:
    print(error.code, error.read())
try:
    opened("https://example.org/")
except OSError as error:
    print(error)
"""
    backend = ProxyBackend(Hosts([f"127.0.0.1:{web.port}"]))
    result = ask(program, tmp_path, backend, web.port)
    assert result.ok and result.level == "proxy", result
    lines = result.stdout.decode().splitlines()
    assert lines[0] == "body" and lines[1].startswith("403 b'example.org:80 is not among the hosts")
    assert "403 Forbidden" in lines[2]
    assert result.notes == tuple(
        f"example.org:{port} is not among the hosts that may be reached" for port in (80, 443)
    )
    assert web.requests[0]["line"] == "POST /a?b=c HTTP/1.1"


def test_a_narrowed_runner_reaches_what_both_lists_have(tmp_path: Path, web: Echo) -> None:
    program = """
import sys, urllib.request
for port in sys.argv[1:]:
    try:
        print(urllib.request.urlopen(f"http://127.0.0.1:{port}/").status)
    except urllib.error.HTTPError as error:
        print(error.code)
"""
    with echo() as other:
        runner = SandboxRunner(backend=ProxyBackend(Hosts([f"127.0.0.1:{web.port}"])))
        words = [sys.executable, "-I", "-B", "-c", program, str(web.port), str(other.port)]
        lists = [f"127.0.0.1:{web.port}", f"127.0.0.1:{other.port}"], ["example.org"]
        results = [runner.narrow(hosts).run(words, scratch=tmp_path) for hosts in lists]
    assert [result.stdout.split() for result in results] == [[b"200", b"403"], [b"403", b"403"]]


def test_a_narrowed_backend_has_the_credentials_of_its_hosts_alone() -> None:
    credentials = [
        Credential("ONE", SECRET, ("a.org", "b.org")),
        Credential("TWO", SECRET, ("c.org",)),
    ]
    backend = ProxyBackend(Hosts(["a.org", "b.org", "c.org"]), credentials).narrow(["b.org"])
    assert [(one.name, one.hosts) for one in backend.credentials] == [("ONE", ("b.org",))]


@pytest.mark.exhaustive
def test_there_is_no_way_past_the_proxy(tmp_path: Path, web: Echo) -> None:
    program = """
for kind in ("SOCK_DGRAM", "SOCK_RAW", "SOCK_SEQPACKET"):
    for family in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET"):
        try:
            print(socket.socket(getattr(socket, family), getattr(socket, kind)))
        except OSError:
            pass
for place in ("127.0.0.1", int(sys.argv[1])), ("127.0.0.1", 3129), ("192.0.2.1", 3128):
    try:
        print(socket.create_connection(place, 2))
    except OSError:
        pass
try:
    print(socket.create_server(("127.0.0.1", 0)))
except OSError:
    print("held")
"""
    result = ask(program, tmp_path, ProxyBackend(Hosts([f"127.0.0.1:{web.port}"])), web.port)
    assert result.stdout == b"held\n", result


@needs_openssl
def test_a_secret_is_used_and_never_seen(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    theirs = HostCertificate(["127.0.0.1"], tmp_path)
    program = """
token = os.environ["TOKEN"]
request = urllib.request.Request(f"https://127.0.0.1:{sys.argv[1]}/x?key=" + token)
request.add_header("Authorization", "Bearer " + token)
answer = opened(request).read().decode()
print(json.dumps({"token": token, "answer": answer, "all": dict(os.environ)}))
"""
    with echo(theirs.context) as server:
        trusting = ssl.create_default_context(cafile=str(theirs.bundle))
        hosts = Hosts([f"127.0.0.1:{server.port}"])
        credential = Credential("TOKEN", SECRET, ("127.0.0.1",))
        backend = ProxyBackend(hosts, [credential], trusting)
        result = ask(program, tmp_path / "scratch", backend, server.port)
        distrusting = ProxyBackend(hosts, [credential])
        refused = ask(program, tmp_path / "scratch", distrusting, server.port)
    assert result.ok, result
    [request] = server.requests
    headers = request["headers"]
    assert isinstance(headers, dict) and headers["Authorization"] == f"Bearer {SECRET}"
    assert request["line"] == "GET /x?key=s3cret-Value%2B0123456789 HTTP/1.1"
    assert SECRET.encode() not in result.stdout + result.stderr
    seen = json.loads(result.stdout)
    assert seen["token"] in seen["answer"] and len(seen["token"]) == len(SECRET)
    assert not refused.ok and SECRET.encode() not in refused.stdout + refused.stderr


@pytest.mark.exhaustive
@needs_openssl
def test_a_secret_does_not_travel_without_tls(tmp_path: Path, web: Echo) -> None:
    program = """
request = urllib.request.Request(f"http://127.0.0.1:{sys.argv[1]}/")
request.add_header("Authorization", "Bearer " + os.environ["TOKEN"])
opened(request)
"""
    credential = Credential("TOKEN", SECRET, ("127.0.0.1",))
    backend = ProxyBackend(Hosts([f"127.0.0.1:{web.port}"]), [credential])
    assert ask(program, tmp_path, backend, web.port).ok
    assert SECRET not in json.dumps(web.requests) and "Bearer" in json.dumps(web.requests)


@pytest.mark.exhaustive
@needs_openssl
def test_a_tunnel_is_for_its_host_and_for_tls_alone(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    theirs = HostCertificate(["127.0.0.1", "other.test"], tmp_path)
    program = """
def tunnel():
    client = socket.create_connection(("127.0.0.1", 3128))
    client.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\\r\\n\\r\\n" % int(sys.argv[1]))
    assert client.recv(1000).startswith(b"HTTP/1.1 200")
    return client
context = ssl.create_default_context(cafile=sys.argv[2])
for name in ("127.0.0.1", "other.test"):
    try:
        client = context.wrap_socket(tunnel(), server_hostname=name)
        client.sendall(b"GET / HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n")
        print(name, client.recv(15))
    except OSError:
        print(name, "refused")
client = tunnel()
client.sendall(b"GET / HTTP/1.1\\r\\n\\r\\n")
print(client.recv(100))
"""
    with echo(theirs.context) as server:
        backend = ProxyBackend(Hosts([f"127.0.0.1:{server.port}"]))
        words = server.port, theirs.bundle
        result = ask(program, tmp_path / "scratch", backend, *words, readable=theirs.bundle)
    assert result.stdout.decode().splitlines() == [
        "127.0.0.1 b'HTTP/1.1 200 OK'", "other.test refused", "b''",
    ], result  # fmt: skip
    assert len(server.requests) == 1


@pytest.mark.exhaustive
def test_a_run_that_ends_leaves_no_connection_and_no_thread(tmp_path: Path) -> None:
    program = """
for _ in range(40):
    client = socket.create_connection(("127.0.0.1", 3128))
    client.sendall(b"GET http://127.0.0.1:%d/ HTTP/1.1\\r\\n\\r\\n" % int(sys.argv[1]))
    globals().setdefault("clients", []).append(client)
print("asked")
"""
    with silent() as port:
        before = set(threading.enumerate())
        result = ask(program, tmp_path, ProxyBackend(Hosts([f"127.0.0.1:{port}"])), port)
        threads = set(threading.enumerate()) - before
        deadline = time.monotonic() + 20  # less than a connection may be silent
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        assert result.stdout == b"asked\n"
        assert [thread for thread in threads if thread.is_alive()] == []


def test_without_the_level_namespace_nothing_is_run(tmp_path: Path) -> None:
    backend = ProxyBackend(Hosts(["example.org"]))
    for policy in (Policy(tmp_path, level="landlock"), Policy(tmp_path, network=True)):
        result = run([sys.executable, "-c", "open('ran', 'w')"], Limits(), policy, backend=backend)
        assert (result.returncode, result.stopped_by, result.level) == (None, "sandbox", "proxy")
        assert "needs the level namespace" in result.notes[0]
    assert list(tmp_path.iterdir()) == []


def test_without_openssl_a_run_with_credentials_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    backend = ProxyBackend(Hosts(["a.org"]), [Credential("TOKEN", SECRET, ("a.org",))])
    result = run([sys.executable, "-c", "pass"], Limits(), Policy(tmp_path), backend=backend)
    assert result.stopped_by == "sandbox" and "need the program openssl" in result.notes[0]


def test_a_credential_for_a_host_that_is_not_listed_is_refused() -> None:
    for host in ("b.org", "A.org", "*.a.org", "a.org:443"):
        with pytest.raises(InputError, match="must be for hosts of the list, without a port"):
            ProxyBackend(Hosts(["a.org"]), [Credential("TOKEN", SECRET, (host,))])


def test_a_runner_with_a_list_of_hosts_is_enforced() -> None:
    runner = SandboxRunner(backend=ProxyBackend(Hosts(["a.org"])))
    assert runner.level == "proxy" and runner.enforced
