"""The command `prefrontal`, also as `python -m prefrontal`.

Little is imported here: before the first line of `main` Ctrl-C would end with a traceback, and so
it would in the import that prevents that.
"""

import codecs
import os
import sys
from io import TextIOWrapper

try:
    from .interrupts import leave_at_once
except KeyboardInterrupt:
    os._exit(130)


_SHOWABLE = "prefrontal.showable"


def _showable(error: UnicodeError) -> tuple[str | bytes, int]:
    """What stands for characters that the terminal cannot show.

    In UTF-8 that is half of a surrogate pair, as where the name of a file is no UTF-8.
    """
    if isinstance(error, UnicodeEncodeError) and error.encoding == "utf-8":
        marks = "\N{REPLACEMENT CHARACTER}" * (error.end - error.start)
        return marks.encode(), error.end  # a codec takes only ASCII as text
    return codecs.backslashreplace_errors(error)


codecs.register_error(_SHOWABLE, _showable)


def main() -> None:
    """Run the command line and leave with its exit code."""
    leave_at_once()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_SHOWABLE)
    if sys.argv[1:2] == ["gate"]:
        from .cli.gate.supervisor import answer_words

        answer_words(sys.argv[2:])
    from .cli import main as command

    command(prog_name="prefrontal")


if __name__ == "__main__":
    main()
