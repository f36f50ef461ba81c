"""The command `prefrontal`, also as `python -m prefrontal`.

Little is imported here: what comes before the first line of `main` ends with a traceback when
somebody presses Ctrl-C just then.
"""

import sys
from io import TextIOWrapper

from .interrupts import leave_at_once


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
