"""A certificate for the hosts whose traffic the proxy opens; only one run's command trusts it."""

from __future__ import annotations

import ipaddress
import shutil
import ssl
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ...errors import SourceError

_SYSTEM = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")
_TRUSTED = (
    *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO"),
    "NODE_EXTRA_CA_CERTS",
)


class HostCertificate:
    """Made by the program `openssl`, for two days. Raises SourceError when that fails."""

    def __init__(self, hosts: Sequence[str], folder: Path) -> None:
        openssl = shutil.which("openssl")
        if openssl is None:
            raise SourceError("credentials need the program openssl, which is not here")
        key, certificate = folder / "key.pem", folder / "certificate.pem"
        words = [
            *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=prefrontal sandbox"),
            *("-addext", "subjectAltName=" + ",".join(_alternative(host) for host in hosts)),
            *("-keyout", str(key), "-out", str(certificate)),
        ]
        ended = subprocess.run(words, capture_output=True, check=False, timeout=30)
        if ended.returncode != 0:
            last = ended.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise SourceError(f"openssl could not make a certificate: {last}")
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.set_alpn_protocols(["http/1.1"])
        self.context.load_cert_chain(certificate, key)
        key.unlink()
        self._bundle = folder / "trusted.pem"
        self._bundle.write_bytes(_system_bundle() + certificate.read_bytes())
        self._bundle.chmod(0o644)

    @property
    def bundle(self) -> Path:
        """A file with the system's authorities and this certificate."""
        return self._bundle

    @property
    def variables(self) -> dict[str, str]:
        """The variables by which programs find the bundle."""
        return dict.fromkeys(_TRUSTED, str(self._bundle))


def _alternative(host: str) -> str:
    try:
        return f"IP:{ipaddress.ip_address(host)}"
    except ValueError:
        return f"DNS:{host}"


def _system_bundle() -> bytes:
    default = ssl.get_default_verify_paths().cafile
    for name in filter(None, (default, *_SYSTEM)):
        if Path(name).is_file():
            return Path(name).read_bytes() + b"\n"
    return b""
