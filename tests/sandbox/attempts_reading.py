"""Attempts to read what is not for it: files, other processes, secrets of the environment."""

from __future__ import annotations

from .attempt import Attempt

READING = (
    Attempt("read_a_file_outside", "return open(C['outside'] + '/secret').read() == 'secret'"),
    Attempt("list_a_folder_outside", "return bool(os.listdir(C['outside']))"),
    Attempt("read_the_password_hashes", "return bool(open('/etc/shadow').read())", shown="root"),
    Attempt("read_the_users", "return bool(open('/etc/passwd').read())"),
    Attempt("read_the_home_folder", "return bool(os.listdir(C['home']))"),
    Attempt(
        "read_through_the_root_of_its_process",
        "return open('/proc/self/root' + C['outside'] + '/secret').read() == 'secret'",
    ),
    Attempt(
        "read_through_the_root_of_its_parent",
        """
        path = f"/proc/{os.getppid()}/root{C['outside']}/secret"
        return open(path).read() == 'secret'
        """,
    ),
    Attempt(
        "read_through_the_folder_of_the_first_process",
        "return open('/proc/1/root' + C['outside'] + '/secret').read() == 'secret'",
        shown="perhaps",
    ),
    Attempt("secret_in_the_environment", "return 'PREFRONTAL_TEST_SECRET' in os.environ"),
    Attempt(
        "secret_in_the_environment_of_the_parent",
        "return b'PREFRONTAL_TEST_SECRET' in open(f'/proc/{os.getppid()}/environ', 'rb').read()",
    ),
    Attempt(
        "secret_in_the_environment_of_another",
        "return b'PREFRONTAL_TEST_SECRET' in open(f\"/proc/{C['decoy']}/environ\", 'rb').read()",
    ),
    Attempt("memory_map_of_another", "return bool(open(f\"/proc/{C['decoy']}/maps\").read())"),
    Attempt("command_line_of_another", "return bool(open(f\"/proc/{C['decoy']}/cmdline\").read())"),
    Attempt(
        "open_file_of_the_parent",
        """
        for number in range(3, 64):
            try:
                if os.pread(number, 6, 0) == b'secret':
                    return True
            except OSError:
                continue
        return False
        """,
    ),
    Attempt("steer_the_kernel", "os.open('/proc/sysrq-trigger', os.O_WRONLY); return True",
            shown="perhaps"),
    Attempt("settings_of_the_kernel",
            "os.open('/proc/sys/kernel/hostname', os.O_RDWR); return True", shown="perhaps"),
    Attempt("memory_of_the_kernel", "os.open('/dev/kmsg', os.O_RDONLY); return True",
            shown="perhaps"),
    Attempt(
        "raw_disk",
        """
        names = [line.split()[3] for line in open('/proc/partitions').readlines()[2:]]
        return any(os.open('/dev/' + name, os.O_RDONLY) for name in names)
        """,
        shown="perhaps",
    ),
    Attempt("own_terminal", "os.open('/dev/tty', os.O_RDWR); return True", shown="perhaps"),
    Attempt("control_groups", "return bool(os.listdir('/sys/fs/cgroup'))", shown="perhaps"),
)  # fmt: skip
