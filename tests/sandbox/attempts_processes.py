"""Attempts to outlive the run, to multiply, to reach other processes, to take more processors."""

from __future__ import annotations

from .attempt import Attempt

_SHORT = {"max_seconds": 0.5}
_FEW = {"max_seconds": 4.0, "max_processes": 24}

STAYING = (
    Attempt(
        "loop_for_ever",
        """
        end = time.monotonic() + 2
        while time.monotonic() < end:
            pass
        return True
        """,
        ("time",),
        _SHORT,
    ),
    Attempt("sleep_for_ever", "time.sleep(2); return True", ("time",), _SHORT),
    Attempt(
        "ignore_every_signal",
        """
        for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        time.sleep(2)
        return True
        """,
        ("time",),
        _SHORT,
    ),
    Attempt(
        "stop_itself",
        """
        if os.fork() == 0:
            time.sleep(2)
            os.kill(os.getppid(), signal.SIGCONT)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGSTOP)
        return True
        """,
        ("time",),
        _SHORT,
    ),
    Attempt(
        "double_fork_past_the_end",
        """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(0.3)
                open('survived', 'w').close()
            os._exit(0)
        return False
        """,
    ),
    Attempt(
        "double_fork_past_the_limit",
        """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(0.9)
                open('survived', 'w').close()
            os._exit(0)
        time.sleep(2)
        return True
        """,
        ("time",),
        _SHORT,
    ),
    Attempt(
        "hold_the_output_open",
        """
        if os.fork() == 0:
            os.setsid()
            time.sleep(2)
            print('ESCAPED', flush=True)
            os._exit(0)
        return False
        """,
    ),
    Attempt(
        "relay_from_process_to_process",  # each lives shorter than a poll
        """
        end = time.monotonic() + 1.2
        if os.fork() == 0:
            os.setsid()
            while time.monotonic() < end:
                if os.fork() != 0:
                    os._exit(0)
            open('survived', 'w').close()
            os._exit(0)
        time.sleep(2)
        return True
        """,
        ("time",),
        _SHORT,
    ),
    Attempt(
        "fork_bomb",  # 2^8 processes at most, two seconds
        """
        reading, writing = os.pipe()
        for _ in range(8):
            try:
                os.fork()
            except OSError:
                break
        os.write(writing, b'.')
        time.sleep(1)
        os.set_blocking(reading, False)
        return len(os.read(reading, 1000)) > 64
        """,
        ("processes", "time", ""),
        _FEW,
    ),
    Attempt(
        "bomb_of_threads",
        """
        for _ in range(200):
            threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
        time.sleep(0.3)
        return True
        """,
        ("processes", ""),
        _FEW,
    ),
)  # fmt: skip

REACHING = (
    Attempt("see_another_process", "os.kill(C['decoy'], 0); return True"),
    Attempt("end_another_process", "os.kill(C['victim'], signal.SIGTERM); return True"),
    Attempt("signal_everybody", "os.kill(-1, signal.SIGCONT); return False", shown="never"),
    Attempt("signal_the_group_of_another", "os.killpg(C['decoy'], 0); return True"),
    Attempt("signal_a_thread", "call(234, 131, C['decoy'], C['decoy'], 0); return True"),
    Attempt(
        "signal_with_a_message",
        "call(129, 138, C['decoy'], 0, struct.pack('iii', 0, 0, -1) + bytes(116)); return True",
    ),
    Attempt(
        "signal_by_a_descriptor",
        "signal.pidfd_send_signal(os.pidfd_open(C['decoy']), 0); return True",
    ),
    Attempt("stop_the_supervisor", "os.kill(os.getppid(), signal.SIGSTOP); return False",
            shown="parent"),
    Attempt("end_the_supervisor", "os.kill(os.getppid(), signal.SIGKILL); time.sleep(.1)",
            shown="parent"),
    Attempt(
        "trace_another_process",
        "call(101, 117, 0x4206, C['decoy'], None, None); return True",  # PTRACE_SEIZE,
        shown="perhaps",
    ),
    Attempt(
        "read_the_memory_of_another",
        """
        try:
            first = open(f"/proc/{C['decoy']}/maps").readline()
        except OSError:
            first = '400000-'
        space = ctypes.create_string_buffer(8)
        here = (ctypes.c_ulong * 2)(ctypes.addressof(space), 8)
        there = (ctypes.c_ulong * 2)(int(first.split('-')[0], 16), 8)
        one = ctypes.c_long(1)
        return call(310, 270, C['decoy'], here, one, there, one, ctypes.c_long(0)) == 8
        """,
        shown="perhaps",
    ),
    Attempt(
        "take_a_descriptor_of_another",
        "return call(438, 438, os.pidfd_open(C['decoy']), 0, 0) >= 0",
        shown="perhaps",
    ),
    Attempt(
        "limit_another_process",
        "resource.prlimit(C['decoy'], resource.RLIMIT_CORE, (0, 0)); return True",
    ),
    Attempt(
        "slow_another_process_down",
        "os.setpriority(os.PRIO_PROCESS, C['decoy'], 19); return True",
    ),
    Attempt(
        "send_another_process_signals_of_input",
        """
        import fcntl
        reading, writing = os.pipe()
        fcntl.fcntl(reading, fcntl.F_SETOWN, C['decoy'])
        return fcntl.fcntl(reading, fcntl.F_GETOWN) == C['decoy']
        """,
    ),
    Attempt(
        "take_every_processor",
        """
        os.sched_setaffinity(0, range(os.sysconf('SC_NPROCESSORS_CONF')))
        return len(os.sched_getaffinity(0)) > 1
        """,
        shown="perhaps",
    ),
    Attempt("real_time_scheduling", """
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        return True
        """),
)  # fmt: skip
