"""Answers a call in any case: a process of its own does the work, and this one waits for it.

What is stuck in C, waits for a lock or has crashed cannot keep the answer back: after the limit the
answer is wake. Little is imported here, since what fails to be imported answers nothing.
"""

from __future__ import annotations

import os
import select
import signal
import time

from .call import GateCall, call_of
from .faults import GateFaults
from .formats import GateVerdict, report_of
from .report import ALIVE, Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, NoReturn

    Print = Callable[[int, bytes], object]

GRACE_S = 1.0
"""For noting that the questions were told, once they are."""
_ENDING = (signal.SIGINT, signal.SIGTERM)
_ENDED = "the process that decides was ended before it had decided"


def write(descriptor: int, data: bytes) -> None:
    """Write all of it."""
    while data:
        data = data[os.write(descriptor, data) :]


def answer_words(words: Sequence[str]) -> None:
    """Answer and leave; returns where click has to say what is wrong, or to help."""
    call = call_of(words)
    if call is not None:
        os._exit(answer_call(call))


def answer_call(call: GateCall, print_: Print = write) -> int:
    """Print the answer in the form of the call; its exit code.

    print_: takes the descriptor of a standard stream, and bytes for it.
    """
    try:
        return _supervised(call, print_)
    except Exception as error:  # noqa: BLE001 - whatever it is, the answer is wake
        report = Report(True, fault=f"{type(error).__name__}: {error}")
        code = _tell(call, report, print_)
        return call.codes[0] if code is None else code


def _supervised(call: GateCall, print_: Print) -> int:
    end = time.monotonic() + call.limit_s
    worker = _Worker(call)
    before: dict[int, Any] = {}
    try:
        try:
            before |= {each: signal.getsignal(each) for each in _ENDING}
            for each in _ENDING:
                signal.signal(each, _raise)
            return _answered(worker, end, call, print_)
        finally:
            _restore(before)  # a signal that comes meanwhile is heard, too
    except _Signal as error:
        _restore(before)
        return 128 + error.number
    finally:
        worker.end()


def _restore(handlers: Mapping[int, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _answered(worker: _Worker, end: float, call: GateCall, print_: Print) -> int:
    report = worker.report(end)
    if report is None:
        why = _ENDED if worker.is_gone else f"no decision within {call.limit_s:g} s"
        report = Report(True, fault=why)
    code = _tell(call, report, print_)
    if report.waits and code is not None:
        worker.leave()
    return call.codes[0] if code is None else code


class _Worker:
    """The process that decides."""

    def __init__(self, call: GateCall) -> None:
        self.is_gone = False
        """Whether it ended by itself before it had reported."""
        self._limit_s = call.limit_s
        self._answers, writing = os.pipe()
        reading, self._acks = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(self._answers)
            os.close(self._acks)
            _work(call, writing, reading)
        os.close(writing)
        os.close(reading)

    def report(self, end: float) -> Report | None:
        """What it found; None when it takes longer than until `end`, or has ended without.

        Time for which the machine had no processor for it does not count, as far as it is known,
        and each sign of life gives it half of the limit from then on; both within five limits.
        """
        data, credit_s, last = b"", 0.0, end + 4 * self._limit_s
        while not Report.is_whole(data):
            left = end - time.monotonic()
            if not select.select([self._answers], [], [], max(left, 0.0))[0]:
                if left > 0:
                    continue
                if (starved_s := self._starved_s()) <= credit_s or end >= last:
                    return None
                end, credit_s = min(end + starved_s - credit_s, last), starved_s
                continue
            part = os.read(self._answers, 1 << 16)
            if not part:
                self.is_gone = True
                return None
            data += part
            while data.startswith(ALIVE):
                data = data.removeprefix(ALIVE)
                end = max(end, min(time.monotonic() + self._limit_s / 2, last))
        return Report.of(data)

    def _starved_s(self) -> float:
        """How long its threads were ready and did not run."""
        total, folder = 0, f"/proc/{self._process}/task"
        try:
            for thread in os.listdir(folder):  # noqa: PTH208
                with open(f"{folder}/{thread}/schedstat", encoding="ascii") as file:  # noqa: PTH123
                    total += int(file.read().split()[1])
        except (OSError, ValueError, IndexError):
            return 0.0
        return total / 1e9

    def leave(self) -> None:
        """Let it note that the questions were told, and end."""
        os.write(self._acks, b"!")
        end = time.monotonic() + GRACE_S
        while self._process and time.monotonic() < end:
            if os.waitpid(self._process, os.WNOHANG)[0]:
                self._process = 0
            else:
                time.sleep(0.001)

    def end(self) -> None:
        """End it, whatever it is at; a second call does nothing."""
        process, self._process = self._process, 0
        if process:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


class _Signal(BaseException):
    def __init__(self, number: int) -> None:
        self.number = number


def _raise(number: int, _: object) -> None:
    for each in _ENDING:
        signal.signal(each, signal.SIG_IGN)  # one is enough
    raise _Signal(number)


def _work(call: GateCall, writing: int, reading: int) -> NoReturn:
    """Decide, report and end this process, which prints nothing itself."""
    try:
        for number in (*_ENDING, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        longest_s = 5 * call.limit_s + GRACE_S  # if nobody is left to end it
        signal.setitimer(signal.ITIMER_REAL, longest_s)
        os.dup2(2, 1)
        from .plan import GatePlan

        if GatePlan(call.key()).nothing_new():
            GateFaults(call.key()).wakes("")
            _send(writing, report_of(call, GateVerdict()))
        else:
            from .turn import take_turn

            take_turn(call, _Caller(writing, reading))
    except BaseException as error:  # noqa: BLE001 - the other process tells of it
        _confess(error, writing)
    finally:
        os._exit(0)


class _Caller:
    """The process that was called, as the one that decides sees it; the role `GateCaller`."""

    def __init__(self, writing: int, reading: int) -> None:
        self._writing = writing
        self._reading = reading

    def go_on(self) -> None:
        write(self._writing, ALIVE)

    def print(self, report: Report) -> bool:
        _send(self._writing, report)
        return not report.waits or bool(os.read(self._reading, 1))


def _send(writing: int, report: Report) -> None:
    write(writing, report.to_bytes())


def _confess(error: BaseException, writing: int) -> None:
    from ..path_faults import path_fault  # most calls need nothing of it

    words = str(error)
    if any(each.__name__ == "PrefrontalError" for each in type(error).__mro__):
        pass
    elif (fault := path_fault(error)) is not None:
        words = fault
    else:
        words = f"a defect of prefrontal, please report it: {type(error).__name__}: {words}"
        if os.environ.get("PREFRONTAL_TRACEBACK"):
            import traceback

            traceback.print_exception(error)
    _send(writing, Report(True, fault=words))


def _tell(call: GateCall, report: Report, print_: Print) -> int | None:
    """Print the answer; its exit code, or None where nobody takes it."""
    faults = GateFaults(call.key())
    if report.fault:
        wake = faults.wakes(report.fault)
        report = report_of(call, GateVerdict(fault=report.fault, wake=wake))
    try:
        for path, text in report.files:
            with open(path, "ab") as file:  # noqa: PTH123 - pathlib costs more than the answer
                file.write(text)
        print_(2, report.errors)
        print_(1, report.output)
    except (OSError, ValueError):
        return None
    faults.told()
    return call.codes[0 if report.wake else 1]
