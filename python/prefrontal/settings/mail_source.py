"""The keys of prefrontal.yml below `sources.mail`."""

from __future__ import annotations

from typing import Literal

from .rules import Port, SettingsGroup, Text


class Mailbox(SettingsGroup):
    """A folder of mail on an IMAP server whose new messages are signals.

    host, port: of the server; without a port 993, or 143 for `starttls` and `none`. user: who logs
    in. password_env: the environment variable that holds the password, best one for this alone.
    folder: its name on the server. tls: `implicit` from the first byte, `starttls`, or `none` on
    this machine alone. ca_file: certificates to trust besides those of this machine.
    """

    host: Text
    port: Port | None = None
    user: Text
    password_env: Text
    folder: Text = "INBOX"
    tls: Literal["implicit", "starttls", "none"] = "implicit"
    ca_file: Text | None = None

    @property
    def real_port(self) -> int:
        """The port, also where none was named."""
        return self.port or (993 if self.tls == "implicit" else 143)
