"""Attempts to use up what others share with it: memory of the kernel, locks, a user's quotas."""

from __future__ import annotations

from .attempt import ISOLATED, Attempt

_SMALL = {"max_mem_mb": 128, "max_seconds": 6.0}

SHARING = (
    Attempt(
        "400_mb_of_page_tables",
        """
        places = mmap.mmap(-1, 200_000 << 20, mmap.MAP_PRIVATE | 0x4000, mmap.PROT_READ)
        for at in range(0, 200_000 << 20, 2 << 20):
            places[at]
        time.sleep(0.2)
        return True
        """,
        ("memory",),
        _SMALL,
    ),
    Attempt(
        "larger_pipes",
        """
        import fcntl
        fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)
        return True
        """,
    ),
    Attempt(
        "200_mb_in_the_buffers_of_sockets",
        """
        pairs = []
        for _ in range(20):
            if os.fork() == 0:
                for _ in range(50):
                    pairs.append(socket.socketpair())
                    pairs[-1][0].setblocking(False)
                    try:
                        while True:
                            pairs[-1][0].send(bytes(32_000))
                    except BlockingIOError:
                        pass
                time.sleep(2)
                os._exit(0)
        time.sleep(1.5)
        return True
        """,
        ("memory",),
        _SMALL,
    ),
    Attempt(
        "buffers_of_sockets_in_flight",
        """
        there, here = socket.socketpair()
        for _ in range(50):
            pair = socket.socketpair()
            pair[0].setblocking(False)
            try:
                while True:
                    pair[0].send(bytes(32_000))
            except BlockingIOError:
                pass
            socket.send_fds(there, [b'.'], [each.fileno() for each in pair])
            for each in pair:
                each.close()
        return True
        """,
    ),
    Attempt(
        "larger_buffers_of_sockets",
        """
        pair = socket.socketpair()
        pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1_000_000)
        return True
        """,
    ),
    Attempt(
        "every_pipe_of_a_user",
        """
        for _ in range(20):
            if os.fork() == 0:
                pipes = [os.pipe() for _ in range(50)]
                time.sleep(2)
                os._exit(0)
        time.sleep(1.5)
        return True
        """,
        ("memory",),
        {"max_seconds": 6.0},
    ),
    Attempt(
        "lock_a_file_that_it_may_read",
        """
        import fcntl
        file = open(C['readable'] + '/secret')
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
        """,
    ),
    Attempt(
        "lock_the_folder",
        """
        import fcntl
        fcntl.flock(os.open('.', os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
        """,
    ),
    Attempt("a_watch_of_the_users", "call(294, 26, 0); return True"),
    Attempt("write_all_files_of_the_disk_out", "call(306, 267, os.open('.', 0)); return True"),
    Attempt(
        "make_a_device_by_renaming",
        """
        open('here', 'w').close()
        call(316, 276, -100, b'here', -100, b'there', 4)
        return stat.S_ISCHR(os.lstat('here').st_mode)
        """,
        shown="perhaps",
    ),
    Attempt(
        "run_a_program_through_the_loader",
        """
        import shutil
        shutil.copy('/usr/bin/true' if os.path.exists('/usr/bin/true') else '/bin/true', 'own')
        loader = '/lib64/ld-linux-x86-64.so.2' if X86 else '/lib/ld-linux-aarch64.so.1'
        return subprocess.run([loader, './own']).returncode == 0
        """,
        only=ISOLATED,
    ),
    Attempt(
        "run_a_file_without_a_name",
        """
        program = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o700)
        source = '/usr/bin/true' if os.path.exists('/usr/bin/true') else '/bin/true'
        os.write(program, open(source, 'rb').read())
        again = os.open('/proc/self/fd/%d' % program, os.O_RDONLY)
        os.close(program)
        if os.fork() == 0:
            os.execve(again, ['true'], {})
        return os.wait()[1] == 0
        """,
        shown="perhaps",
        only=ISOLATED,
    ),
    Attempt(
        "look_at_another_process",
        "return bool(open('/proc/%d/cmdline' % C['decoy']).read())",
    ),
    Attempt(
        "ask_for_the_session_of_another",
        "return os.getsid(C['decoy']) > 0",
        only=ISOLATED,
    ),
    Attempt(
        "ask_for_the_processors_of_another",
        "return len(os.sched_getaffinity(C['decoy'])) > 0",
        only=ISOLATED,
    ),
)
