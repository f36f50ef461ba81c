"""The command `prefrontal`, also as `python -m prefrontal`.

Little is imported here: before the first line of `main` Ctrl-C would end with a traceback, and so
it would in the import that prevents that.
"""

import os
import sys
from io import TextIOWrapper

try:
    from .interrupts import leave_at_once
except KeyboardInterrupt:
    os._exit(130)


def main() -> None:
    """Run the command line and leave with its exit code."""
    leave_at_once()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # names of files may be no UTF-8
            stream.reconfigure(errors="backslashreplace")
    if sys.argv[1:2] == ["gate"]:
        from .cli.gate.supervisor import answer_words

        answer_words(sys.argv[2:])
    from .cli import main as command

    command(prog_name="prefrontal")


if __name__ == "__main__":
    main()
