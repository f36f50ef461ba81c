"""Debian's dovecot on the loopback address, with one mailbox that tests deliver to."""

from __future__ import annotations

import getpass
import grp
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Event

import pytest

from prefrontal.pulse.sources.imap_session import ImapAddress, Tls

USER, PASSWORD = "ada@example.org", 'pass word \\ and " more'
PATIENCE_S = 30.0
_CONFIG = """
protocols = imap
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
listen = 127.0.0.1
{users}
first_valid_uid = 0
disable_plaintext_auth = no
auth_mechanisms = plain
ssl = yes
ssl_cert = <{folder}/cert.pem
ssl_key = <{folder}/key.pem
mail_location = maildir:{folder}/mail
mailbox_idle_check_interval = 1 secs
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%u {folder}/users
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/home
}}
service anvil {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {plain}
  }}
  inet_listener imaps {{
    port = {tls}
    ssl = yes
  }}
}}
"""


class Dovecot:
    """A server that runs; `deliver` puts a message into INBOX, as a mail server would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = dict(zip(("plain", "tls"), _free_ports(2), strict=True))
        self._numbers = count()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = _mail_owner()
        for name in ("mail", "mail/tmp", "mail/new", "mail/cur", "home", "run", "state"):
            (folder / name).mkdir()
            if name not in ("run", "state"):
                os.chown(folder / name, *self._owner)
        users = "" if os.getuid() == 0 else _own_users()  # Debian's are not root
        facts = {"uid": self._owner[0], "gid": self._owner[1], "users": users}
        config = _CONFIG.format(folder=folder, **facts, **self.ports)
        (folder / "dovecot.conf").write_text(config, encoding="ascii")
        (folder / "users").write_text(f"{USER}:{{PLAIN}}{PASSWORD}\n", encoding="ascii")
        subprocess.run(
            [
                *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
                *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"),
                *("-keyout", folder / "key.pem", "-out", folder / "cert.pem"),
            ],
            check=True,
            capture_output=True,
        )

    def address(self, tls: Tls = "implicit", *, password: str = PASSWORD) -> ImapAddress:
        port = self.ports["tls" if tls == "implicit" else "plain"]
        ca_file = str(self.folder / "cert.pem")
        return ImapAddress("127.0.0.1", port, USER, password, "INBOX", tls, ca_file)

    def begin(self) -> None:
        command = ["/usr/sbin/dovecot", "-F", "-c", str(self.folder / "dovecot.conf")]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        for _ in range(round(PATIENCE_S / 0.02)):
            if self._process.poll() is not None:
                assert self._process.stdout is not None
                pytest.skip(f"dovecot does not start here: {self._process.stdout.read()!r:.400}")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.ports["tls"])) == 0:
                    return
            Event().wait(0.02)
        pytest.fail("dovecot does not listen")

    def end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            try:
                process.wait(PATIENCE_S)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                assert process.stdout is not None
                process.stdout.close()

    def deliver(self, text: str = "Hello", sender: str = "Bob <bob@example.org>") -> None:
        number = next(self._numbers)
        self.deliver_raw(
            f"From: {sender}\nTo: {USER}\nSubject: {text}\nMessage-ID: <{number}@test>\n\n"
            "This is the body, which nobody reads.\n".encode()
        )

    def deliver_raw(self, content: bytes) -> None:
        name = f"{next(self._numbers):09}.test"
        path = self.folder / "mail" / "tmp" / name
        path.write_bytes(content)
        os.chown(path, *self._owner)
        path.rename(self.folder / "mail" / "new" / name)

    def number_anew(self) -> None:
        """Forget the numbers of the messages, as after a restored backup; while it is down."""
        for path in (self.folder / "mail").glob("dovecot*"):
            if "uidvalidity" not in path.name:
                path.unlink()


def _mail_owner() -> tuple[int, int]:
    """Who owns the mail: dovecot serves none of root."""
    if os.getuid():
        return os.getuid(), os.getgid()
    facts = pwd.getpwnam("mail")
    return facts.pw_uid, facts.pw_gid


def _own_users() -> str:
    user, group = getpass.getuser(), grp.getgrgid(os.getgid()).gr_name
    names = {"login_user": user, "internal_user": user, "internal_group": group}
    return "\n".join(f"default_{key} = {name}" for key, name in names.items())


def _free_ports(number: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@contextmanager
def dovecot() -> Iterator[Dovecot]:
    """One that runs; skips the test where there is none."""
    if not Path("/usr/sbin/dovecot").exists() or not shutil.which("openssl"):
        if os.environ.get("PREFRONTAL_REQUIRE_DOVECOT"):
            pytest.fail("dovecot-imapd and openssl must be installed")
        pytest.skip("needs dovecot-imapd and openssl (apt-get install dovecot-imapd openssl)")
    folder = Path(tempfile.mkdtemp(prefix="dc"))  # short: paths of sockets are
    folder.chmod(0o755)
    server = Dovecot(folder)
    try:
        server.begin()
        yield server
    finally:
        server.end()
        shutil.rmtree(folder, ignore_errors=True)
