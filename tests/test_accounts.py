"""Who else can log in, from the list of accounts and the owners of home folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from prefrontal.settings.accounts import other_accounts

ROOT = "root:x:0:0:root:/root:/bin/bash\n"
SYSTEM = "www-data:x:33:33::/var/www:/usr/sbin/nologin\nnobody:x:65534:65534::/:/bin/sh\n"
ADA = "ada:x:1000:1000::/home/ada:/bin/bash\n"
BOB = "bob:x:1001:1001::/home/bob:/usr/bin/zsh\n"
GONE = "eve:x:1002:1002::/home/eve:/usr/sbin/nologin\n"


@pytest.mark.parametrize(
    ("lines", "uid", "names"),
    [
        (ROOT + SYSTEM + ADA + GONE, 1000, []),
        (ROOT + SYSTEM + ADA + BOB, 1000, ["bob"]),
        (ROOT + SYSTEM + ADA + BOB, 0, ["ada", "bob"]),
        (ROOT + SYSTEM, 0, []),
        ("not a line of it\n\xff:::\n", 0, []),
    ],
)
def test_who_can_log_in_is_read_from_the_list(
    tmp_path: Path, lines: str, uid: int, names: list[str]
) -> None:
    passwd = tmp_path / "passwd"
    passwd.write_text(lines, encoding="latin-1")
    assert other_accounts(passwd, tmp_path / "no homes", uid) == names


def test_a_home_of_an_account_that_is_kept_elsewhere_counts(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "carl").mkdir(parents=True)
    if os.getuid() == 0:
        os.chown(home / "carl", 70_001, 70_001)
    owner = (home / "carl").stat().st_uid
    none = tmp_path / "no list"
    assert other_accounts(none, home, owner) == []
    assert other_accounts(none, home, owner + 1) == (["carl"] if owner >= 1000 else [])
    assert other_accounts(none, none, 0) == []
