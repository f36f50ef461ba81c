"""Stands in for `systemctl --user`: enable makes the link that the unit asks for."""

import sys
from pathlib import Path

UNITS = Path.home() / ".config" / "systemd" / "user"


def main(words: list[str]) -> None:
    if words == ["--user", "daemon-reload"]:
        return
    user, verb, now, unit = words
    link = UNITS / "default.target.wants" / unit
    if (user, now) != ("--user", "--now") or not (UNITS / unit).is_file():
        sys.exit(f"Failed to {verb} unit: Unit file {unit} does not exist.")
    if verb == "enable":
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(UNITS / unit)
    else:
        link.unlink()
        link.parent.rmdir()


main(sys.argv[1:])
