"""Stands in for Debian's crontab: -l, - and -r on a file in the home."""

import sys
from pathlib import Path

TABLE = Path.home() / ".crontab-table"


def main(option: str) -> None:
    if option == "-":
        text = sys.stdin.buffer.read()
        if text and not text.endswith(b"\n"):
            sys.exit("new crontab file is missing newline before EOF, can't install.")
        TABLE.write_bytes(text)
    elif not TABLE.exists():
        sys.exit("no crontab for ada")
    elif option == "-l":
        sys.stdout.buffer.write(TABLE.read_bytes())
    elif option == "-r":
        TABLE.unlink()
    else:
        sys.exit(f"crontab: usage error: {option}")


main(*sys.argv[1:])
