"""A person's regular expression, searched for with a limit on time.

Python's matcher may take longer than anybody lives ("(a+)+$") and cannot be stopped in a thread, so
what can take long is searched for in a process of its own, which ends itself.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import weakref
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock

from ...errors import InputError

SEARCH_S = 5.0
"""Seconds of processor time within which TEXTS of them must be searched."""
TEXTS = 1_000

# A pattern that repeats nothing takes a time bounded by the text's length.
_NO_REPEAT = re.compile(
    r"(?:\\.|\[\^?\]?[^\]\\]*+\]|\(\?[aimsux-]++[:)]|\(\?[:=!]|[^\\*+?{\[])*+", re.DOTALL
)
_PROGRAM = """\
import json, re, signal, sys
pattern, flags, seconds = json.loads(sys.stdin.readline())
search = re.compile(pattern, flags).search
for line in sys.stdin:
    signal.setitimer(signal.ITIMER_PROF, seconds)  # ends this process
    answer = "".join("01"[search(text) is not None] for text in json.loads(line))
    signal.setitimer(signal.ITIMER_PROF, 0)
    print(answer, flush=True)
"""


@lru_cache(maxsize=4)
def timed_search(pattern: re.Pattern[str]) -> TimedSearch:
    """The search for it, of which there is one."""
    return TimedSearch(pattern)


class TimedSearch:
    """Says which texts a pattern is found in. seconds: of processor time, for TEXTS of them."""

    def __init__(self, pattern: re.Pattern[str], seconds: float = SEARCH_S) -> None:
        self._pattern = pattern
        self._seconds = seconds
        self._lock = Lock()
        self._process: subprocess.Popen[str] | None = None
        self.is_quick = _NO_REPEAT.fullmatch(pattern.pattern) is not None
        """Whether it needs no limit."""

    def matches(self, texts: Sequence[str]) -> list[bool]:
        """Of each of the texts, TEXTS at most, whether the pattern is found in it.

        Raises InputError when that takes too long.
        """
        if self.is_quick:
            return [self._pattern.search(text) is not None for text in texts]
        with self._lock:
            answer = self._asked(json.dumps(texts)) if texts else ""
        return [letter == "1" for letter in answer]

    def _asked(self, line: str) -> str:
        process = self._process = self._process or self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        except BaseException:  # half an answer may wait there
            self._process = None
            _end(process)
            raise
        if not answer:
            self._process = None
            _end(process)
            raise InputError(
                f"message must be a regular expression that is searched within {self._seconds:g} s,"
                f" got {self._pattern.pattern!r:.200}, which takes longer: repeats in a repeat?"
            )
        return answer.rstrip("\n")

    def _started(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="ascii",
            start_new_session=True,  # Ctrl-C is for us
        )
        weakref.finalize(self, _end, process)
        assert process.stdin is not None
        start = json.dumps([self._pattern.pattern, self._pattern.flags, self._seconds])
        process.stdin.write(f"{start}\n")
        return process


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
