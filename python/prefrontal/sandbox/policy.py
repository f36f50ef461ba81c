"""What a sandboxed command may read, and where it may write."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import InputError, shown
from .ladder import LEVELS
from .launcher import launcher

_PACKAGE = Path(__file__).resolve().parent.parent
# The system's programs and libraries, and what they need of /etc.
_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/etc/ld.so.cache", "/etc/alternatives"),
    *("/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu"),
)
CERTIFICATES = ("/etc/ssl/certs", "/etc/ca-certificates", "/etc/pki/tls")
_OF_NETWORK = (
    *("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf"),
    *CERTIFICATES,
)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class Policy:
    """scratch: the only writable folder and the working directory; nothing there is executable.

    readable: files and folders besides the interpreter, this package and the system's programs.
    network: whether it may reach the internet, and then also this machine's ports. level: "auto"
    is the strongest enforced one that works here; a named one is that or nothing. allow_weak:
    "auto" may choose an unenforced level. environment: variables besides the default ones;
    inherits nothing from this process.
    """

    scratch: Path
    readable: Sequence[Path] = ()
    network: bool = False
    level: str = "auto"
    allow_weak: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.level not in ("auto", *LEVELS):
            raise InputError(f"level must be auto or one of {LEVELS}, got {self.level!r}")
        if not _are_paths(self.readable):
            rule = "be a sequence of paths, such as [Path('data')]"
            raise InputError(f"readable must {rule}, got {shown(self.readable)}")
        for name, value in self.environment.items():
            if not _is_variable(name, value):
                rule = "be a plain name, not of the loader, with a text"
                raise InputError(f"environment must {rule}, got {name!r}: {value!r}")


def _are_paths(paths: object) -> bool:
    """A single path is iterable, too, as a text is, but no sequence of paths."""
    if not isinstance(paths, Iterable) or isinstance(paths, str | bytes | Iterator):
        return False
    return all(isinstance(path, str | os.PathLike) for path in paths)


def _is_variable(name: object, value: object) -> bool:
    """Whether the kernel takes them as a variable that the loader does not obey."""
    if not isinstance(name, str) or not isinstance(value, str):
        return False
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        return False
    return bool(_VARIABLE.match(name)) and not name.startswith("LD_") and "\0" not in value


def scratch_of(policy: Policy) -> Path:
    """The scratch folder, resolved.

    Raises InputError when it is no folder, or contains code that the command runs.
    """
    scratch = Path(policy.scratch).resolve()
    if not scratch.is_dir():
        raise InputError(f"scratch must be an existing folder, got {str(policy.scratch)!r}")
    for fixed in (*(path.resolve() for path in _interpreter()), _PACKAGE):
        if scratch.is_relative_to(fixed) or fixed.is_relative_to(scratch):
            rule = f"lie apart from {fixed}, which must not change"
            raise InputError(f"scratch must {rule}, got {str(policy.scratch)!r}")
    return scratch


def readable_paths(policy: Policy) -> list[str]:
    """All readable paths, without nested ones. Raises InputError."""
    paths: list[Path] = [Path(name) for name in _SYSTEM if _is_own(name)]
    paths += [Path(name) for name in _OF_NETWORK if policy.network]
    paths += [*_interpreter(), _PACKAGE, launcher()]
    for path in policy.readable:
        if not Path(path).exists():
            raise InputError(f"readable must exist, got {str(path)!r}")
        if "\0" in str(path) or Path(path).resolve() == Path("/"):
            raise InputError(f"readable must be less than everything, got {str(path)!r}")
        paths.append(Path(path))
    return _without_nested(_as_given_and_real(path for path in paths if path.exists()))


def variables(policy: Policy, scratch: Path) -> dict[str, str]:
    """The command's environment; apart from paths the same on every machine."""
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return {
        "PATH": os.pathsep.join((f"{sys.prefix}/bin", "/usr/local/bin", "/usr/bin", "/bin")),
        "HOME": "/nonexistent",
        "USER": "nobody",
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        **dict.fromkeys(threads, "1"),  # a pool's stacks count as memory
        **policy.environment,
    }


def _interpreter() -> list[Path]:
    """Its folders by the names it calls itself by, which may lead over links."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    paths = sorted(map(Path, prefixes))
    return [path for path in paths if path.resolve() not in (Path("/usr"), Path("/"))]


def _is_own(name: str) -> bool:
    """Whether it is no link into /usr; the launcher makes those itself."""
    return not Path(name).is_symlink()


def _as_given_and_real(paths: Iterable[Path]) -> Iterator[Path]:
    """Each path and its target, so that links work inside, such as a venv's interpreter."""
    for path in paths:
        yield Path(os.path.abspath(path))  # noqa: PTH100 (does not follow links)
        yield path.resolve()


def _without_nested(paths: Iterable[Path]) -> list[str]:
    outermost: list[Path] = []
    for path in sorted(set(paths), key=lambda path: (len(path.parts), path)):
        inside = any(path.is_relative_to(outer) for outer in outermost if outer.resolve() == outer)
        if not (inside and path.parent.resolve() == path.parent):  # a link there is seen as one
            outermost.append(path)
    return [str(path) for path in outermost]
