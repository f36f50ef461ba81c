"""How gVisor differs from the launcher: what it lets out, and what it lets do inside itself."""

from __future__ import annotations

# It confines, and does not count these: processes, deleted files; nor does it forbid execution.
OUT = frozenset(
    {
        "bomb_of_threads",
        "deleted_files_held_in_memory",
        "deleted_files_held_open",
        "run_a_program_through_the_loader",
    }
)

# They work, in a kernel and a network of their own, and reach nothing of the machine. Links, pipes,
# sockets and setuid bits in the folder are removed when the run is over.
INSIDE = frozenset(
    {
        *("write_to_shared_memory", "write_beside_the_devices", "read_the_home_folder"),
        *("leave_a_symlink_for_whoever_reads_later", "make_a_pipe_that_hangs_readers"),
        *("make_a_setuid_file", "make_a_socket_file", "listen_at_a_path"),
        *("send_a_datagram", "listen", "netlink", "look_a_name_up", "routes_of_the_machine"),
        *("listen_by_an_abstract_name", "io_uring"),
        *("memory_that_outlives_it", "semaphores_that_outlive_it", "queues_that_outlive_it"),
        *("larger_pipes", "larger_buffers_of_sockets", "buffers_of_sockets_in_flight"),
        *("every_pipe_of_a_user", "a_watch_of_the_users", "flood_of_timers"),
        *("lock_a_file_that_it_may_read", "lock_the_folder", "lock_a_part_of_a_readable_file"),
        *("new_user_namespace", "new_user_namespace_by_clone", "messages_of_the_kernel"),
        *("write_all_files_of_the_disk_out", "take_every_processor", "more_than_its_share"),
        *("stay_when_memory_is_short", "hide_from_the_watch", "collect_orphans"),
        "choose_the_signal_of_input",
        *("every_asynchronous_operation", "huge_pages", "ten_mb_of_locks"),
    }
)
