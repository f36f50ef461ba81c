"""What Ctrl-C and SIGTERM do to a command, from its first line to the end of the process.

While a command does its work they are exceptions, KeyboardInterrupt and SystemExit, so that it can
put things in order. Before and after that, while modules are imported or the interpreter ends, an
exception would become a traceback; there is nothing to put in order, and the process just leaves.
A signal during a late import comes again when the import is over, since modules in C swallow
exceptions there; so does one while asyncio sets up its event loop, or pydantic, whose compiled core
swallows what a default's hash raises, a class. Nothing is set up in a process
that does not call `leave_at_once` first, as one that uses the package does not, nor where a signal
is ignored, as under nohup.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from types import FrameType

INTERRUPTED = 130
TERMINATED = 143
_LATER_S = 0.01
_LONGEST_DELAY_S = 5.0
_WORDS = {"KeyboardInterrupt": INTERRUPTED, "Terminated": TERMINATED}
_SETTING_UP = (
    "/asyncio/runners.py",  # half a loop complains when it goes
    "/pydantic/_internal/_model_construction.py",
    "/pydantic/plugin/_schema_validator.py",
)
"""Files of the standard library and of others in which a signal waits."""
_exceptions: set[signal.Signals] = set()
"""The signals that `raise_at_signals` made exceptions."""
_delays: dict[int, float] = {}
"""Signal -> when it was first delayed, in seconds of the monotonic clock."""
_python_handler = signal.default_int_handler


def leave_at_once() -> None:
    """From now on a signal ends the process without a word."""
    for number, handlers in _HANDLERS.items():
        if signal.getsignal(number) in handlers:
            signal.signal(number, _leave)


def raise_at_signals() -> None:
    """From now on a signal is an exception in the main thread, where `leave_at_once` was called."""
    for number, (*_, raising) in _HANDLERS.items():
        if signal.getsignal(number) is _leave:
            _exceptions.add(number)
            signal.signal(number, raising)
            sys.unraisablehook = _again_or_tell
            if (
                number == signal.SIGINT
            ):  # asyncio puts its own handler in the place of this one only
                signal.default_int_handler = _raise_interrupt  # type: ignore[assignment]


def leave_again() -> None:
    """Undo `raise_at_signals`; a process in which it did nothing keeps its own handlers."""
    for number in _exceptions:
        if signal.getsignal(number) in _HANDLERS[number]:
            signal.signal(number, _leave)
    signal.default_int_handler = _python_handler


class leaving_at_once:  # noqa: N801 - used as a function; contextlib would be imported too early
    """While inside, as while a command imports what it works with, nothing has to be put in order:
    a signal ends the process without waiting for the imports.
    """

    def __enter__(self) -> None:
        leave_again()

    def __exit__(self, *_: object) -> None:
        raise_at_signals()


def exit_code(error: BaseException) -> int | None:
    """The exit code when a signal is what led to this exception, however it was wrapped."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, KeyboardInterrupt):
            return INTERRUPTED
        if isinstance(each, Terminated):
            return TERMINATED
        if type(each).__name__ == "SchemaError":  # pydantic's compiled core keeps only the words
            for word, code in _WORDS.items():
                if f"{word}: " in str(each):
                    return code
        grouped = each.exceptions if isinstance(each, BaseExceptionGroup) else ()
        waiting += [each.__cause__, each.__context__, *grouped]
    return None


class Terminated(SystemExit):
    """SIGTERM came."""


def leave_after(number: int | None) -> None:
    """End the command as its signal asks; nothing where there was none."""
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    if number is not None:
        raise Terminated(128 + number)


def end_line() -> None:
    """A terminal shows ^C and stays in that line."""
    if os.isatty(2):
        os.write(2, b"\n")


def _leave(number: int, _: FrameType | None) -> None:
    end_line()
    os._exit(128 + number)


def _raise_interrupt(number: int, frame: FrameType | None) -> None:
    if not _delayed(number, frame):
        raise KeyboardInterrupt


def _raise_terminated(number: int, frame: FrameType | None) -> None:
    if not _delayed(number, frame):
        raise Terminated(128 + number)


def _delayed(number: int, frame: FrameType | None) -> bool:
    """Whether the signal met an import or another set-up, and will come again."""
    if not _sets_up(frame):
        _delays.pop(number, None)
        return False
    now = time.monotonic()
    if now - _delays.setdefault(number, now) > _LONGEST_DELAY_S:
        return False
    _thread.start_new_thread(_send, (number,))
    return True


def _sets_up(frame: FrameType | None) -> bool:
    while frame is not None:
        code = frame.f_code
        if code.co_filename == "<frozen importlib._bootstrap>":
            return True
        if code.co_filename.endswith(_SETTING_UP):
            return True
        if code.co_name == "run_until_complete":
            return False
        frame = frame.f_back
    return False


def _again_or_tell(unraisable: sys.UnraisableHookArgs) -> None:
    """A signal that came inside a destructor would be lost: it comes again, a little later."""
    error = unraisable.exc_value
    if isinstance(error, KeyboardInterrupt):
        _thread.start_new_thread(_send, (signal.SIGINT,))
    elif isinstance(error, Terminated):
        _thread.start_new_thread(_send, (signal.SIGTERM,))
    else:
        sys.__unraisablehook__(unraisable)


def _send(number: int) -> None:
    time.sleep(_LATER_S)
    os.kill(os.getpid(), number)


_HANDLERS = {
    signal.SIGINT: (_leave, signal.default_int_handler, _raise_interrupt),
    signal.SIGTERM: (_leave, signal.SIG_DFL, _raise_terminated),
}
"""Signal -> what may stand there while a command runs; the last raises the exception."""
