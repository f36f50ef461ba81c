"""Attempts to get around a wall: other names of a file, other calls for an act, other processes."""

from __future__ import annotations

from .attempt import ISOLATED, Attempt

AROUND_FILES = (
    Attempt("write_through_the_folder_it_starts_in",
            "return can_make('/proc/self/cwd/../outside/by_cwd')"),
    Attempt(
        "write_through_an_open_folder",
        """
        folder = os.open(C['outside'], os.O_RDONLY | os.O_DIRECTORY)
        os.close(os.open('by_folder', os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=folder))
        return True
        """,
    ),
    Attempt(
        "write_through_the_name_of_a_descriptor",
        """
        folder = os.open(C['outside'], os.O_PATH)
        return can_make(f'/proc/self/fd/{folder}/by_descriptor')
        """,
    ),
    Attempt(
        "exchange_a_file_with_one_outside",
        """
        open('mine', 'w').close()
        call(316, 276, -100, b'mine', -100, (C['outside'] + '/in').encode(), 2)
        return open('mine').read() == 'secret'
        """,
    ),
    Attempt(
        "move_a_folder_out",
        """
        os.mkdir('folder')
        os.rename('folder', C['outside'] + '/moved')
        return True
        """,
    ),
    Attempt(
        "put_a_file_in_the_place_of_a_readable_one",
        """
        open('mine', 'w').close()
        os.replace('mine', C['readable'] + '/secret')
        return True
        """,
    ),
    Attempt(
        "write_a_readable_file_in_memory",
        """
        with open(C['readable'] + '/append', 'r+b') as file:
            mmap.mmap(file.fileno(), 0)[0:1] = b'x'
        return True
        """,
    ),
    Attempt(
        "give_a_file_outside_away",
        "os.chown(C['readable'] + '/mode', os.getuid(), os.getgid()); return True",
    ),
    Attempt("make_a_pipe_outside", "os.mkfifo(C['outside'] + '/pipe'); return True"),
    Attempt("make_a_socket_file", "os.mknod('socket', stat.S_IFSOCK | 0o600); return True"),
    Attempt(
        "listen_at_a_path",
        """
        socket.socket(socket.AF_UNIX).bind('listener')
        return True
        """,
    ),
    Attempt("write_beside_the_devices", "return can_make('/dev/' + C['unique'])", shown="root"),
    Attempt("write_to_the_folder_of_services", "return nameless('/run')", shown="root"),
    Attempt(
        "stay_when_memory_is_short",
        "open('/proc/self/oom_score_adj', 'w').write('-500'); return True",
        shown="root",
    ),
    Attempt(
        "a_file_of_a_terabyte",
        """
        open('sparse', 'w').close()
        os.truncate('sparse', 1 << 40)
        return os.stat('sparse').st_size == 1 << 40
        """,
        ("", "file size"),
        shown="perhaps",
    ),
    Attempt(
        "attributes_of_the_disk",
        """
        import fcntl
        with open('own', 'w') as file:
            fcntl.ioctl(file, 0x40086602, struct.pack('l', 0x40))  # FS_NODUMP_FL
        return True
        """,
        shown="perhaps",
    ),
    Attempt(
        "take_a_lease_of_a_readable_file",
        """
        import fcntl
        file = os.open(C['readable'] + '/secret', os.O_RDONLY)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        return True
        """,
        shown="perhaps",
    ),
    Attempt(
        "be_told_of_changes_in_a_readable_folder",
        """
        import fcntl
        signal.signal(signal.SIGIO, signal.SIG_IGN)
        fcntl.fcntl(os.open(C['readable'], os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_MODIFY)
        return True
        """,
        shown="perhaps",
    ),
    Attempt(
        "lock_a_part_of_a_readable_file",
        """
        import fcntl
        fcntl.lockf(open(C['readable'] + '/secret'), fcntl.LOCK_SH | fcntl.LOCK_NB)
        return True
        """,
        only=("oci",),
    ),
)  # fmt: skip

AROUND_READING = (
    Attempt("read_through_the_folder_it_starts_in",
            "return open('/proc/self/cwd/../outside/secret').read() == 'secret'"),
    Attempt("ask_for_the_size_of_a_file_outside",
            "return os.stat(C['outside'] + '/secret').st_size == 6", only=ISOLATED),
    Attempt("list_every_process",
            "return str(C['decoy']) in os.listdir('/proc')"),
    Attempt("open_files_of_another", "return bool(os.listdir(f\"/proc/{C['decoy']}/fd\"))"),
    Attempt("folder_of_another", "return bool(os.readlink(f\"/proc/{C['decoy']}/cwd\"))",
            shown="perhaps"),
    Attempt("program_of_another", "return bool(os.readlink(f\"/proc/{C['decoy']}/exe\"))",
            shown="perhaps"),
    Attempt("limits_of_another", "return bool(open(f\"/proc/{C['decoy']}/limits\").read())"),
    Attempt("state_of_another", "return bool(open(f\"/proc/{C['decoy']}/status\").read())"),
    Attempt("limits_of_another_by_a_call",
            "return bool(resource.prlimit(C['decoy'], resource.RLIMIT_CORE))"),
    Attempt("connections_of_the_machine",
            "return f\"{C['tcp']:04X} \" in open('/proc/net/tcp').read()"),
    Attempt("mounts_of_another", "return bool(open(f\"/proc/{C['decoy']}/mountinfo\").read())"),
    Attempt("control_group_of_another", "return bool(open(f\"/proc/{C['decoy']}/cgroup\").read())"),
    Attempt("list_temporary_files", "return C['seen'] in os.listdir('/tmp')"),
    Attempt("list_the_folder_of_services", "return bool(os.listdir('/run'))"),
    Attempt("list_the_logs", "return bool(os.listdir('/var/log'))", shown="perhaps"),
    Attempt("list_the_settings_of_the_machine", "return 'passwd' in os.listdir('/etc')"),
    Attempt("read_the_groups", "return bool(open('/etc/group').read())"),
    Attempt("scheduling_of_another", "return os.sched_getscheduler(C['decoy']) >= 0",
            only=ISOLATED),
    Attempt("group_of_another", "return os.getpgid(C['decoy']) > 0", only=ISOLATED),
    Attempt("priority_of_another", "return os.getpriority(os.PRIO_PROCESS, C['decoy']) > -21",
            only=ISOLATED),
)  # fmt: skip

AROUND_PROCESSES = (
    Attempt(
        "hand_a_child_to_its_parent",
        """
        child = call(56, 220, 0x8000 | signal.SIGCHLD, None, None, None, None)  # CLONE_PARENT
        if child == 0:
            time.sleep(0.3)
            open('survived', 'w').close()
            os._exit(0)
        return False
        """,
    ),
    Attempt("collect_orphans", "return LIBC.prctl(36, 1, 0, 0, 0) == 0"),
    Attempt("signal_a_thread_in_the_old_way", "call(200, 130, C['decoy'], 0); return True"),
    Attempt("signal_a_thread_with_a_message",
            "call(297, 240, C['decoy'], C['decoy'], 0, struct.pack('iii', 0, 0, -1) + bytes(116));"
            " return True"),
    Attempt("slow_the_disk_of_another_down",
            "call(251, 30, 1, C['decoy'], 7 | 2 << 13); return True"),
    Attempt("keep_another_to_a_processor",
            "os.sched_setaffinity(C['decoy'], os.sched_getaffinity(0)); return True"),
    Attempt("another_at_real_time",
            "os.sched_setscheduler(C['decoy'], os.SCHED_OTHER, os.sched_param(0)); return True"),
    Attempt("move_the_pages_of_another",
            "call(279, 239, C['decoy'], ctypes.c_ulong(0), None, None, None, 0); return True",
            shown="perhaps"),
    Attempt("compare_itself_with_another",
            "call(312, 272, os.getpid(), C['decoy'], 1, ctypes.c_ulong(0), ctypes.c_ulong(0));"
            " return True", shown="perhaps"),
    Attempt(
        "write_the_memory_of_another",
        """
        try:
            lines = open(f"/proc/{C['victim']}/maps").readlines()
            first = next(line for line in lines if ' rw' in line)
        except (OSError, StopIteration):
            first = '400000-'
        space = ctypes.create_string_buffer(8)
        address = int(first.split('-')[0], 16)
        here = (ctypes.c_ulong * 2)(ctypes.addressof(space), 8)
        there = (ctypes.c_ulong * 2)(address, 8)
        one = ctypes.c_long(1)
        call(310, 270, C['victim'], here, one, there, one, ctypes.c_long(0))  # what is there
        return call(311, 271, C['victim'], here, one, there, one, ctypes.c_long(0)) == 8
        """,
        shown="perhaps",
    ),
    Attempt("more_than_its_share",
            "before = os.nice(0); return os.nice(-1) < before", shown="root"),
    Attempt("first_at_every_processor",
            "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)); return True",
            shown="root"),
    Attempt(
        "memory_that_stays",
        """
        memory = mmap.mmap(-1, 1 << 20)
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        return LIBC.mlock(ctypes.c_void_p(address), ctypes.c_size_t(1 << 20)) == 0
        """,
    ),
)  # fmt: skip

AROUND_KERNEL = (
    Attempt(
        "semaphores_that_outlive_it",
        """
        number = call(64, 190, 0, 1, 0o1600)
        call(66, 191, number, 0, 0)
        return True
        """,
    ),
    Attempt(
        "queues_that_outlive_it",
        """
        number = call(68, 186, 0, 0o1600)
        call(71, 187, number, 0, None)
        return True
        """,
    ),
    Attempt(
        "flood_of_timers",
        """
        number = ctypes.c_int()
        event = struct.pack('qii', 0, signal.SIGUSR1, 0) + bytes(48)
        for _ in range(2000):
            call(222, 107, 1, event, ctypes.byref(number))
        return True
        """,
    ),
    Attempt("set_the_clock", "call(159, 171, bytes(208)); return True"),
    Attempt("set_the_clock_in_the_new_way", "call(305, 266, 0, bytes(208)); return True"),
    Attempt("accounting_of_processes", "call(163, 89, None); return True", shown="perhaps"),
    Attempt("segments_of_the_processor", """
        return X86 and call(154, 0, 0, ctypes.create_string_buffer(64), ctypes.c_ulong(64)) >= 0
        """, shown="perhaps"),
    Attempt("choose_the_signal_of_input", """
        import fcntl
        fcntl.fcntl(os.pipe()[0], fcntl.F_SETSIG, signal.SIGUSR1)
        return True
        """),
)  # fmt: skip

AROUND_NETWORK = (
    Attempt(
        "connect_while_sending",  # a call that no rule about connect sees
        """
        client = socket.socket()
        client.sendto(b'x', 0x20000000, ('127.0.0.1', C['tcp']))  # MSG_FASTOPEN
        return client.recv(5) == b'hello'
        """,
    ),
    Attempt(
        "connect_through_the_newer_protocol",
        """
        client = socket.socket(socket.AF_INET6)
        client.settimeout(2)
        client.connect(('::ffff:127.0.0.1', C['tcp']))
        return client.recv(5) == b'hello'
        """,
        shown="perhaps",
    ),
    Attempt("many_paths_at_once",
            "socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262); return True",
            shown="perhaps"),
    Attempt("raw_internet_of_the_newer_protocol",
            "socket.socket(socket.AF_INET6, socket.SOCK_RAW, 58); return True", shown="perhaps"),
    Attempt("events_of_the_kernel",
            "socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 15).bind((0, 1)); return True",
            shown="perhaps"),
    Attempt("routes_of_the_machine", """
        client = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
        client.send(struct.pack('IHHIIB7x', 24, 26, 0x301, 1, 0, 2))
        return len(client.recv(65536)) > 24
        """),
    Attempt("listen_by_an_abstract_name", """
        server = socket.socket(socket.AF_UNIX)
        server.bind('\\0' + C['unique'] + '-own')
        server.listen()
        return True
        """),
    Attempt(
        "pass_a_descriptor_on",
        """
        client = socket.socket(socket.AF_UNIX)
        client.connect('\\0' + C['abstract'])
        return socket.send_fds(client, [b'.'], [0]) == 1
        """,
    ),
    Attempt("look_a_name_up", """
        question = struct.pack('>6H', 1, 256, 1, 0, 0, 0) + b'\\x07example\\x03org\\0\\0\\1\\0\\1'
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        return sender.sendto(question, ('127.0.0.1', C['udp'])) == len(question)
        """),
)  # fmt: skip
