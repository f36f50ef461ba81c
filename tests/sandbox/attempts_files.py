"""Attempts to write, move, delete, link or change files outside the scratch folder."""

from __future__ import annotations

from .attempt import Attempt

FILES = (
    Attempt("write_beside_the_scratch_folder", "return can_make(C['outside'] + '/new')"),
    Attempt("write_through_dot_dot", "return can_make('../outside/dotdot')"),
    Attempt("write_to_tmp", "return can_make(C['tmp'])"),
    Attempt("write_to_var_tmp", "return can_make('/var/tmp/' + C['unique'])"),
    Attempt("write_to_shared_memory", "return can_make('/dev/shm/' + C['unique'])"),
    Attempt("write_to_etc", "return nameless('/etc')", shown="root"),
    Attempt("write_to_root_folder", "return can_make('/' + C['unique'])", shown="perhaps"),
    Attempt("write_to_the_package", "return nameless(C['package'])", shown="root"),
    Attempt("write_to_the_interpreter", "return nameless(sys.prefix)", shown="root"),
    Attempt("write_to_a_readable_folder", "return can_make(C['readable'] + '/new')"),
    Attempt(
        "append_to_a_readable_file",
        """
        open(C['readable'] + '/append', 'a').write('x')
        return True
        """,
    ),
    Attempt("truncate_a_readable_file", "os.truncate(C['readable'] + '/truncate', 0); return True"),
    Attempt(
        "truncate_while_opening_to_read",
        """
        path = C['readable'] + '/trunc'
        os.close(os.open(path, os.O_RDONLY | os.O_TRUNC))
        return os.stat(path).st_size == 0
        """,
    ),
    Attempt("rename_a_file_in", "os.rename(C['outside'] + '/in', 'stolen'); return True"),
    Attempt(
        "rename_a_file_out",
        """
        open('mine', 'w').close()
        os.rename('mine', C['outside'] + '/out')
        return True
        """,
    ),
    Attempt("delete_outside", "os.remove(C['outside'] + '/delete'); return True"),
    Attempt("make_a_folder_outside", "os.mkdir(C['outside'] + '/folder'); return True"),
    Attempt("remove_a_folder_outside", "os.rmdir(C['outside'] + '/empty'); return True"),
    Attempt(
        "write_through_an_own_symlink",
        """
        os.symlink(C['outside'], 'link')
        return can_make('link/symlinked')
        """,
    ),
    Attempt("write_through_a_symlink_that_was_there", "return can_make('planted/symlinked')"),
    Attempt(
        "leave_a_symlink_for_whoever_reads_later",
        """
        os.symlink('/etc/passwd', 'report.txt')
        return os.path.islink('report.txt')
        """,
    ),
    Attempt(
        "hardlink_a_file_in_and_write",
        """
        os.link(C['readable'] + '/hard', 'hard')
        open('hard', 'a').write('x')
        return True
        """,
    ),
    Attempt(
        "hardlink_an_own_file_out",
        """
        open('own', 'w').close()
        os.link('own', C['outside'] + '/hardlinked')
        return True
        """,
    ),
    Attempt(
        "change_a_mode_outside",
        """
        os.chmod(C['readable'] + '/mode', 0o777)
        return os.stat(C['readable'] + '/mode').st_mode & 0o777 == 0o777
        """,
    ),
    Attempt(
        "change_a_time_outside",
        """
        os.utime(C['readable'] + '/time', (1, 1))
        return os.stat(C['readable'] + '/time').st_mtime == 1
        """,
    ),
    Attempt(
        "change_an_attribute_outside",
        "os.setxattr(C['readable'] + '/attribute', 'user.x', b'1'); return True",
        shown="perhaps",
    ),
    Attempt(
        "make_a_setuid_file",
        """
        os.close(os.open('setuid', os.O_CREAT | os.O_WRONLY, 0o755))
        os.chmod('setuid', 0o4755)
        return bool(os.stat('setuid').st_mode & stat.S_ISUID)
        """,
    ),
    Attempt(
        "open_with_the_setuid_bit",
        """
        os.close(os.open('setuid2', os.O_CREAT | os.O_WRONLY, 0o4755))
        return bool(os.stat('setuid2').st_mode & stat.S_ISUID)
        """,
    ),
    Attempt(
        "make_a_device",
        "os.mknod('device', stat.S_IFCHR | 0o600, os.makedev(1, 3)); return True",
        shown="root",
    ),
    Attempt("make_a_pipe_that_hangs_readers", "os.mkfifo('pipe'); return True"),
    Attempt(
        "run_a_program_of_its_own",
        """
        with open('evil', 'w') as file:
            file.write('#!/bin/sh\\necho ran')
        os.chmod('evil', 0o755)
        return subprocess.run(['./evil'], capture_output=True).stdout == b'ran\\n'
        """,
        shown="perhaps",
    ),
    Attempt(
        "open_by_handle",
        """
        handle = ctypes.create_string_buffer(struct.pack('Ii', 128, 0) + bytes(128))
        mount = ctypes.c_int()
        path = (C['readable'] + '/secret').encode()
        call(303, 264, -100, path, handle, ctypes.byref(mount), 0)
        folder = os.open(C['readable'], os.O_RDONLY)
        return os.read(call(304, 265, folder, handle, os.O_RDONLY), 6) == b'secret'
        """,
        shown="perhaps",
    ),
)  # fmt: skip
