"""An attempt to get out: a small program that prints ESCAPED when it worked and HELD when not.

Each is harmless where it works: it reaches for decoys of the driver, or stops by itself.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

PRELUDE = '''
import ctypes, errno, json, mmap, os, resource, signal, socket, stat, struct, subprocess, sys
import threading, time
C = json.loads(sys.argv[1])  # where the decoys are
LIBC = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"

def call(x86, arm, *arguments):
    """A system call by its number; raises OSError."""
    result = LIBC.syscall(ctypes.c_long(x86 if X86 else arm), *arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def can_make(path):
    """Whether a file of that name can be made outside; it is taken away again."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))
    os.remove(path)
    return True

def nameless(folder):
    """Whether a file can be made in the folder; it never has a name."""
    os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600))
    return True

def attempt():
{body}

try:
    escaped = attempt()
except (OSError, MemoryError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
    escaped = False
    print("error", type(error).__name__, error, flush=True)
print("ESCAPED" if escaped else "HELD", flush=True)
'''

ISOLATED = ("namespace", "proxy", "oci")  # levels where nothing of the machine has a name
Shown = Literal["always", "root", "perhaps", "parent", "never"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """body: of a function that returns whether it got out.

    stopped: what may end it besides itself. limits: other limits than the driver's. shown: who can
    show without a sandbox that it works: anybody, root, some kernels, anybody at a parent of its
    own, or nobody without harm. only: levels that hold it, where not all do; docs/sandbox.md says
    what the others let through.
    """

    name: str
    body: str
    stopped: tuple[str, ...] = ("",)
    limits: Mapping[str, float] = field(default_factory=dict)
    shown: Shown = "always"
    only: tuple[str, ...] = ()

    def program(self) -> str:
        body = textwrap.indent(textwrap.dedent(self.body).strip(), "    ")
        return PRELUDE.replace("{body}", body)
