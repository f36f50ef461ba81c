"""Attempts to use more memory, disk, output and files than is given, bounded by themselves."""

from __future__ import annotations

from .attempt import Attempt

_SMALL_DISK = {"max_scratch_mb": 8, "max_file_mb": 4, "max_scratch_entries": 500}
_TIMES_OUT = {"max_seconds": 4.0}

MEMORY = (
    Attempt("700_mb_in_one_process", "return len(b'x' * 700_000_000) > 0", ("", "memory")),
    Attempt(
        "800_mb_in_four_processes",
        """
        reading, writing = os.pipe()
        for _ in range(4):
            if os.fork() == 0:
                kept = b'x' * 200_000_000
                os.write(writing, b'.')
                time.sleep(2)
                os._exit(0)
        os.close(writing)
        got = b''
        while len(got) < 4 and (part := os.read(reading, 4)):
            got += part
        return len(got) == 4 and not time.sleep(0.2)
        """,
        ("memory", "time"),
        _TIMES_OUT,
    ),
    Attempt(
        "700_mb_of_shared_memory",
        """
        memory = mmap.mmap(-1, 700_000_000)
        for at in range(0, 700_000_000, 4096):
            memory[at] = 1
        time.sleep(0.2)
        return True
        """,
        ("", "memory"),
        _TIMES_OUT,
    ),
    Attempt(
        "700_mb_in_files_without_a_disk",
        """
        for _ in range(7):
            descriptor = os.memfd_create('x')
            for _ in range(100):
                os.write(descriptor, bytes(1_000_000))
        return True
        """,
    ),
    Attempt(
        "secret_memory", "os.ftruncate(call(447, 447, 0), 4096); return True", shown="perhaps"
    ),
    Attempt(
        "memory_that_outlives_it",
        """
        segment = call(29, 194, 0, 4096, 0o1600)
        call(31, 195, segment, 0, 0)
        return True
        """,
    ),
    Attempt(
        "messages_that_outlive_it",
        """
        name = C['unique'].encode()
        call(240, 180, name, os.O_CREAT | os.O_RDWR, 0o600, None)
        call(241, 181, name)
        return True
        """,
        shown="perhaps",
    ),
    Attempt(
        "raise_the_limits",
        """
        for name in ('DATA', 'NOFILE', 'FSIZE', 'NPROC'):
            number = getattr(resource, 'RLIMIT_' + name)
            now = resource.getrlimit(number)[1]
            if now == resource.RLIM_INFINITY:
                return True
            resource.setrlimit(number, (now + 1, now + 1))
        return True
        """,
        shown="root",
    ),
)  # fmt: skip

FLOODS = (
    Attempt(
        "flood_of_output",
        """
        for _ in range(80):
            os.write(1, b'x' * 100_000)
        os.write(2, b'ESCAPED')
        return True
        """,
        ("output",),
    ),
    Attempt(
        "flood_of_errors",
        """
        for _ in range(80):
            os.write(2, b'x' * 100_000)
        return True
        """,
        ("output",),
    ),
    Attempt(
        "flood_of_open_files",
        "return len([os.open('/dev/null', os.O_RDONLY) for _ in range(300)]) == 300",
    ),
    Attempt(
        "one_big_file",
        """
        with open('big', 'wb', 0) as file:
            for _ in range(20):
                file.write(bytes(1_000_000))
        return True
        """,
        ("", "disk", "file size"),
        _SMALL_DISK,
    ),
    Attempt(
        "many_files",
        """
        for number in range(12):
            with open(f'part{number}', 'wb', 0) as file:
                file.write(bytes(2_000_000))
            time.sleep(0.05)
        time.sleep(0.3)
        return True
        """,
        ("disk",),
        _SMALL_DISK,
    ),
    Attempt(
        "many_empty_files",
        """
        for number in range(1500):
            os.close(os.open(f'e{number}', os.O_CREAT | os.O_WRONLY))
        time.sleep(3)
        return True
        """,
        ("disk",),
        _SMALL_DISK,
    ),
    Attempt(
        "deleted_files_held_open",
        """
        held = []
        for number in range(12):
            held.append(open('held', 'wb', 0))
            os.remove('held')
            held[-1].write(bytes(2_000_000))
        time.sleep(3)
        return True
        """,
        ("disk",),
        _SMALL_DISK,
    ),
    Attempt(
        "deleted_files_held_in_memory",
        """
        held = []
        for number in range(12):
            with open('held', 'w+b', 0) as file:
                file.write(bytes(2_000_000))
                held.append(mmap.mmap(file.fileno(), 0))
            os.remove('held')
        time.sleep(3)
        return True
        """,
        ("disk",),
        _SMALL_DISK,
    ),
    Attempt(
        "space_reserved_past_the_size",
        """
        descriptor = os.open('reserved', os.O_CREAT | os.O_WRONLY)
        call(285, 47, descriptor, 1, ctypes.c_long(0), ctypes.c_long(16_000_000))
        return True
        """,
        limits=_SMALL_DISK,
        shown="perhaps",
    ),
    Attempt(
        "folders_nested_without_end",
        """
        for _ in range(120):
            os.mkdir('d')
            os.chdir('d')
        time.sleep(3)
        return True
        """,
        ("disk",),
        _SMALL_DISK,
    ),
)  # fmt: skip
