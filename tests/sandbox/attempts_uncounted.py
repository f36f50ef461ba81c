"""Attempts to use or read what no figure of a process and no mode of a file shows."""

from __future__ import annotations

from .attempt import ISOLATED, Attempt

UNCOUNTED = (
    Attempt(
        "every_asynchronous_operation",
        """
        made = ctypes.c_ulong()
        call(206, 0, 1000, ctypes.byref(made))
        return True
        """,
    ),
    Attempt(
        "ten_mb_of_attributes",
        """
        for number in range(3400):
            open('a%d' % number, 'w').close()
            os.setxattr('a%d' % number, 'user.part', os.urandom(3000))
        return True
        """,
        limits={"max_scratch_mb": 8},
        shown="perhaps",
    ),
    Attempt(
        "huge_pages",
        """
        memory = mmap.mmap(-1, 1 << 21, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | 0x40000)
        memory[0] = 1
        return True
        """,
        shown="perhaps",
    ),
    Attempt(
        "send_its_memory_to_the_swap",
        """
        memory = mmap.mmap(-1, 1 << 21)
        memory.write(b'x' * (1 << 21))
        memory.madvise(21)
        return True
        """,
        shown="perhaps",
    ),
    Attempt(
        "rules_without_end",
        """
        rules = call(444, 444, struct.pack('QQ', 0, 3), ctypes.c_size_t(16), 0)
        for port in range(65_536):
            call(445, 445, rules, 2, struct.pack('QQ', 1, port), 0)
        return True
        """,
        shown="perhaps",
    ),
    Attempt(
        "100_mb_of_areas",
        """
        LIBC.mmap.restype = ctypes.c_ssize_t
        reading, writing = os.pipe()
        for _ in range(7):
            if os.fork() == 0:
                number = 0
                while LIBC.mmap(None, ctypes.c_size_t(4096), number % 2, 0x22, -1, 0) != -1:
                    number += 1
                os.write(writing, b'.')
                time.sleep(2)
                os._exit(0)
        os.close(writing)
        got = b''
        while len(got) < 7 and (part := os.read(reading, 7)):
            got += part
        return len(got) == 7 and not time.sleep(0.5)
        """,
        ("memory",),
    ),
    Attempt(
        "an_attribute_of_a_file_outside",
        "return os.getxattr(C['outside'] + '/secret', 'user.secret') == b'secret'",
        shown="perhaps",
    ),
    Attempt(
        "the_target_of_a_link_outside",
        "return os.readlink(C['outside'] + '/link') == 'secret'",
        only=ISOLATED,
    ),
    Attempt(
        "processor_time_of_another",
        """
        taken = (ctypes.c_long * 2)()
        call(228, 113, (~C['decoy'] << 3) | 2, taken)
        return True
        """,
        only=ISOLATED,
    ),
    Attempt(
        "ten_mb_of_locks",
        """
        import fcntl
        for number in range(12):
            file = os.open('l%d' % number, os.O_RDWR | os.O_CREAT)
            for at in range(5000):
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 2 * at)
        return True
        """,
        only=("none",),
    ),
)
