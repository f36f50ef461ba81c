"""Who else has an account on this machine: they reach what listens on 127.0.0.1, too."""

from __future__ import annotations

import os
from pathlib import Path

FIRST_UID, NOBODY = 1000, 65534
_NO_LOGIN = ("nologin", "false", "sync")


def other_accounts(
    passwd: Path = Path("/etc/passwd"), homes: Path = Path("/home"), uid: int | None = None
) -> list[str]:
    """Names of people who may log in here, without us: of the list of accounts, and owners of home
    folders whose account is kept elsewhere. uid: ours. Asks no directory server.
    """
    own = os.getuid() if uid is None else uid
    names = _with_login(passwd)
    for number, name in _owners(homes).items():
        names.setdefault(number, name)
    return sorted(name for number, name in names.items() if number != own)


def _with_login(passwd: Path) -> dict[int, str]:
    try:
        lines = passwd.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    names = {}
    for name, _, number, _, _, _, shell in (
        parts for line in lines if len(parts := line.split(":")) == 7
    ):
        if number.isdigit() and _is_person(int(number)) and not shell.endswith(_NO_LOGIN):
            names[int(number)] = name
    return names


def _owners(homes: Path) -> dict[int, str]:
    try:
        with os.scandir(homes) as entries:
            owners = {each.stat(follow_symlinks=False).st_uid: each.name for each in entries}
    except OSError:
        return {}
    return {number: name for number, name in owners.items() if _is_person(number)}


def _is_person(number: int) -> bool:
    return number >= FIRST_UID and number != NOBODY
