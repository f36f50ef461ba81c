"""Attempts to get new rights or to reach parts of the kernel that a tool never needs."""

from __future__ import annotations

from .attempt import Attempt

_NEW_USER, _NEW_MOUNTS = 0x10000000, 0x00020000

KERNEL = (
    Attempt("new_user_namespace", f"call(272, 97, {_NEW_USER}); return True", shown="perhaps"),
    Attempt(
        "new_user_namespace_by_clone",
        f"""
        child = call(56, 220, {_NEW_USER} | signal.SIGCHLD, None, None, None, None)
        if child == 0:
            os._exit(0)
        return os.waitpid(child, 0)[0] == child
        """,
        shown="perhaps",
    ),
    Attempt("new_namespace_by_clone3", """
        arguments = struct.pack('QQQQQQQQ', 0x10000000, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
        child = call(435, 435, arguments, ctypes.c_long(len(arguments)))
        if child == 0:
            os._exit(0)
        return os.waitpid(child, 0)[0] == child
        """, shown="perhaps"),
    Attempt(
        "mount",
        f"""
        call(272, 97, {_NEW_USER} | {_NEW_MOUNTS})
        call(165, 40, None, b'/', None, ctypes.c_long(0x4000 | 0x40000), None)
        call(165, 40, b'tmpfs', os.getcwd().encode(), b'tmpfs', ctypes.c_long(0), None)
        return True
        """,
        shown="perhaps",
    ),
    Attempt("mount_by_the_new_calls", "call(430, 430, b'tmpfs', 0); return True", shown="perhaps"),
    Attempt("copy_a_mount", "call(428, 428, -100, b'/', 1); return True", shown="perhaps"),
    Attempt("join_a_namespace", """
        call(308, 268, os.open(f"/proc/{C['decoy']}/ns/net", os.O_RDONLY), 0)
        return True
        """, shown="perhaps"),
    Attempt("change_the_root", "os.chroot('.'); return True", shown="root"),
    Attempt("become_root", """
        open('own', 'w').close()
        os.setuid(0)
        os.chown('own', 4242, 4242)
        return True
        """, shown="root"),
    Attempt("become_another_user", "os.setresuid(4242, 4242, 4242); return True", shown="root"),
    Attempt("allow_new_privileges", """
        LIBC.prctl(38, 0, 0, 0, 0)
        return LIBC.prctl(39, 0, 0, 0, 0) == 0
        """),
    Attempt("hide_from_the_watch", """
        if LIBC.prctl(4, 0, 0, 0, 0) != 0:  # PR_SET_DUMPABLE
            return False
        return True
        """),
    Attempt("programs_in_the_kernel", """
        an_array = struct.pack('IIII', 2, 4, 4, 1) + bytes(56)
        call(321, 280, 0, an_array, 72)
        return True
        """, shown="perhaps"),
    Attempt("page_faults_of_its_own", "call(323, 282, 1); return True", shown="perhaps"),
    Attempt("performance_counters", """
        attributes = struct.pack('IIQ', 1, 112, 0) + bytes(96)
        call(298, 241, attributes, 0, -1, -1, 0)
        return True
        """, shown="perhaps"),
    Attempt("keys_of_the_kernel", "call(250, 219, 0, -3, 1); return True", shown="perhaps"),
    Attempt("fixed_addresses", """
        call(135, 92, ctypes.c_ulong(0x0040000))
        return True
        """,
        shown="perhaps",
    ),
    Attempt("messages_of_the_kernel", "call(103, 116, 10, None, 0); return True", shown="perhaps"),
    Attempt("name_of_the_machine", """
        name = os.uname().nodename.encode()
        call(170, 161, name, ctypes.c_long(len(name)))
        return True
        """, shown="perhaps"),
    Attempt("watch_the_whole_disk", "call(300, 262, 0, 0); return True", shown="perhaps"),
)  # fmt: skip
