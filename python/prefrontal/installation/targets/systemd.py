"""systemd: a unit of the user that runs `prefrontal watch`, hardened."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ...errors import InputError
from ...home_folder import home_folder
from ..jobs import SystemdJob
from ..places import FilePlace
from ..programs import Caller
from ..target import InstallTarget
from ..whole_file import MARK, WholeFile

UNIT = "prefrontal.service"
_TEXT = """\
# {mark} systemd`; `prefrontal uninstall systemd` takes it away.
[Unit]
Description=Wakes the agent only when a signal matters

[Service]
ExecStart={command}
EnvironmentFile=-%E/prefrontal.env
Restart=on-failure
RestartSec=5
KillSignal=SIGINT
SuccessExitStatus=130 143

# What a user's systemd can enforce on every kernel. Stricter, where it may make namespaces:
# ProtectSystem=strict, ReadWritePaths=%h, PrivateTmp=yes, ProtectKernelTunables=yes.
NoNewPrivileges=yes
UMask=0077
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallErrorNumber=EPERM
SystemCallFilter=@system-service
SystemCallFilter=~@clock @debug @module @mount @obsolete @raw-io @reboot @swap
TasksMax=512

[Install]
WantedBy=default.target
"""


def systemd(caller: Caller) -> InstallTarget:
    home = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    units = (home if home.is_absolute() else home_folder() / ".config") / "systemd" / "user"
    text = _TEXT.format(mark=MARK, command=_words(caller.words("watch")))
    path = units / UNIT
    return InstallTarget(
        name="systemd",
        key="systemd",
        title="systemd",
        pieces=[(FilePlace(path), WholeFile(str(path), text))],
        jobs=[SystemdJob(UNIT, units / "default.target.wants")],
        following=[
            (f"journalctl --user -u {UNIT} -f", "what it does"),
            ("loginctl enable-linger", "or it ends when you log out"),
        ],
    )


def _words(words: Sequence[str]) -> str:
    """As ExecStart reads them: systemd.syntax(7) and the specifiers of systemd.unit(5)."""
    return " ".join(_word(each) for each in words)


def _word(word: str) -> str:
    if not word.isprintable():
        raise InputError(f"a path in a unit must be printable, got {word!r}")
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return escaped if escaped.replace("/", "").replace("-", "").isalnum() else f'"{escaped}"'
