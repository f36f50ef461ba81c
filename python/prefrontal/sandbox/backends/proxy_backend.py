"""Runs commands by the launcher, with a proxy as the only way out."""

from __future__ import annotations

import ssl
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError, SourceError
from ..ladder import Rung, rung
from ..launching import Launch
from ..policy import CERTIFICATES, readable_paths, variables
from ..proxy import Credential, Hosts, Proxy
from ..proxy.certificate import HostCertificate
from ..proxy.connection import Way
from ..proxy.credentials import Placeholders
from ..proxy.hosts import host_name
from ..result import not_run
from .launcher_backend import launched

if TYPE_CHECKING:
    from ..policy import Policy
    from ..result import SandboxResult
    from .backend import Job

LEVEL = "proxy"
_ADDRESS = "http://127.0.0.1:3128"
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@dataclass(frozen=True, slots=True)
class ProxyBackend:
    """The level "namespace" with a list of hosts that can be reached by HTTP and TLS.

    credentials: for hosts of the list. upstream: the TLS towards these, by default with the
    system's authorities. Raises InputError for a credential whose host is not in the list.
    """

    hosts: Hosts
    credentials: Sequence[Credential] = ()
    upstream: ssl.SSLContext | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for credential in self.credentials:
            for host in credential.hosts:
                if host_name(host) != host or not self.hosts.covers(host):
                    rule = "be for hosts of the list, without a port"
                    raise InputError(f"credential {credential.name!r} must {rule}, got {host!r}")

    def narrow(self, hosts: Iterable[str]) -> ProxyBackend:
        """The same with those of its hosts that are among `hosts`, and their credentials."""
        fewer = self.hosts.narrow(hosts)
        credentials = [
            replace(credential, hosts=of_it)
            for credential in self.credentials
            if (of_it := tuple(host for host in credential.hosts if fewer.covers(host)))
        ]
        return replace(self, hosts=fewer, credentials=credentials)

    def rung(self, policy: Policy) -> Rung:
        """Works where the level "namespace" does."""
        if policy.network or policy.level not in ("auto", "namespace"):
            why = "a list of hosts needs the level namespace, and no network beside it"
            return Rung(LEVEL, False, why)
        held = rung("namespace")
        return Rung(LEVEL, held.works, held.why)

    def run(self, job: Job) -> SandboxResult:
        """Run with the proxy; hosts that it refused are in the notes."""
        held = self.rung(job.policy)
        if not held.works:
            return not_run(LEVEL, held.why)
        try:
            with self._proxy() as (proxy, own, bundle), proxy:
                result = launched(self._order(job, proxy, own, bundle), LEVEL)
                return replace(result, notes=(*result.notes, *proxy.notes))
        except (SourceError, OSError) as error:
            return not_run(LEVEL, f"the proxy cannot be started: {error}")

    @contextmanager
    def _proxy(self) -> Iterator[tuple[Proxy, dict[str, str], list[Path]]]:
        """The proxy, its variables for the command, and files that the command must read."""
        placeholders = Placeholders(self.credentials)
        own = {**dict.fromkeys(_PROXIES, _ADDRESS), "NO_PROXY": "", **placeholders.variables}
        if not self.credentials:
            yield Proxy(Way(self.hosts, placeholders)), own, []
            return
        with tempfile.TemporaryDirectory(prefix="prefrontal-proxy-") as folder:
            Path(folder).chmod(0o755)
            certificate = HostCertificate(placeholders.hosts, Path(folder))
            way = Way(self.hosts, placeholders, certificate.context, self.upstream)
            yield Proxy(way), {**own, **certificate.variables}, [certificate.bundle]

    def _order(self, job: Job, proxy: Proxy, own: dict[str, str], bundle: list[Path]) -> Launch:
        authorities = [path for path in map(Path, CERTIFICATES) if path.exists()]
        policy = replace(job.policy, readable=(*job.policy.readable, *authorities, *bundle))
        environment = {**own, **variables(policy, job.scratch)}
        return Launch(
            "namespace", job.scratch, readable_paths(policy), environment, job.limits,
            "proxy", job.words, job.stdin, proxy.inner.fileno(),
        )  # fmt: skip
