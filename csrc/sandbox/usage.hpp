// The text of prefrontal-sbx --help.
#pragma once

namespace prefrontal::sandbox {

inline constexpr char kUsage[] =
    R"(Usage: prefrontal-sbx --scratch FOLDER [OPTION VALUE]... -- COMMAND [ARGUMENT]...
       prefrontal-sbx --request FILE
       prefrontal-sbx --probe | --help | --version

Runs a command with one folder to write, no network, little time and memory, one processor, and
nobody left when it is over. Where it cannot be confined, it is not run.

  --scratch FOLDER      the one folder that it may write, and where it starts
  --level LEVEL         auto (default), namespace, landlock, landlock-fs, seccomp or none; auto is
                        the strongest of the first three that works here
  --read PATH           a file or folder that it may read; as often as needed. "system" is what
                        programs need of /usr, /lib, /etc, and what is read when none is named
  --variable NAME=VALUE of its environment; as often as needed. Without any: PATH, HOME, LANG, TMPDIR
  --network MODE        off (default), on, or proxy: see --proxy-socket
  --proxy-socket N      descriptor of a Unix socket that is sent a listening socket; what connects
                        to 127.0.0.1:3128 inside arrives there. Level namespace alone
  --seconds S           wall clock (30)             --memory-mb M        of all its processes (512)
  --processes N         with their threads (64)     --processors N       in use at a time (1)
  --file-mb M           of each file (64)           --open-files N       of each process (128)
  --scratch-mb M        of the folder (256)         --scratch-entries N  of the folder (20000)
  --report N            write the report, one JSON object, to this descriptor
  --request FILE        take all of this from a JSON object: {"scratch": "/folder", "seconds": 3,
                        "read": ["system"], "variables": {"A": "b"}, "command": ["/bin/true"]}

Without --report the exit status is the command's, 128 and the number of a signal that ended it, 124
when a limit stopped it, 125 when it was not run (standard error says why). With --report it is 0
when the command ran, and 125 when not.
)";

}  // namespace prefrontal::sandbox
