"""Runs a writer in a copy of this process, which may be killed, and tells what became of it."""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import select
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import preload
from prefrontal.pulse.modules.fingerprint import parse_fingerprint
from prefrontal.settings import parse_settings
from starts import MODULES, tell_modules
from voice import Voice
from watched import MODULE
from writers import Writer

PATIENCE_S = 240.0
"""A copy that takes longer is killed, and is a fault."""
VOICE = "said"
"""The file below a trial's folder that the reports go to."""
_SET_CHILD_SUBREAPER = 36
DONE, SENTENCE, DEFECT, BROKEN = 0, 3, 4, 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a copy ended. code: its exit status, negative for a signal. text: what it wrote."""

    code: int
    text: str


def in_copy(work: Callable[[], object], scratch: Path, after_s: float | None = None) -> Outcome:
    """Do the work in a copy of this process. after_s: kill it then, if it still works."""
    output = scratch / "output"
    _adopt_orphans()
    child = os.fork()
    if child == 0:
        _work(work, output)
    handle = os.pidfd_open(child)
    try:
        limit_s = PATIENCE_S if after_s is None else after_s
        is_late = not select.select([handle], [], [], limit_s)[0]
        if is_late:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
    except KeyboardInterrupt:
        os.kill(child, signal.SIGKILL)  # which may have no group of its own yet
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    finally:
        os.close(handle)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    _end_group(child)
    text = output.read_text(encoding="utf-8", errors="replace") if output.exists() else ""
    if is_late and after_s is None:
        return Outcome(BROKEN, f"took more than {PATIENCE_S:g} s; {text}")
    return Outcome(code, text)


def _adopt_orphans() -> None:
    """Processes whose parent ends below this one become its children, which it can wait for."""
    if ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError("prctl refuses to make this process the parent of orphans")


def _end_group(group: int) -> None:
    """What a copy has started goes with it, and has let go of its locks when this returns."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-group, 0)


def _work(work: Callable[[], object], output: Path) -> None:
    """The copy's life; does not return."""
    code = BROKEN
    try:
        os.setpgid(0, 0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        both = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        os.dup2(nothing, 0)
        os.dup2(both, 1)
        os.dup2(both, 2)
        code = _ended(work)
        tell_modules()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _ended(work: Callable[[], object]) -> int:
    from prefrontal.errors import PrefrontalError

    try:
        work()
    except PrefrontalError as error:
        os.write(2, f"{error}\n".encode(errors="replace"))
        return SENTENCE
    except SystemExit as error:
        if error.code in (0, None):
            return DONE
        return SENTENCE if error.code == 2 else DEFECT
    except AssertionError as error:
        os.write(2, f"{error}\n".encode(errors="replace"))
        return BROKEN
    except BaseException:  # noqa: BLE001 - told, whatever it is
        os.write(2, traceback.format_exc().encode(errors="replace"))
        return DEFECT
    return DONE


def warm_up(writers: Sequence[Writer]) -> None:
    """Import what the writers need, once, before there are copies; each works in one to tell.

    Settings and a module are read once, too: what pydantic and `typed_fields` prepare at the first
    is the same in each copy.
    """
    with TemporaryDirectory(dir=preload.scratch()) as name:
        modules = Path(name) / "modules"
        os.environ[MODULES] = str(modules)
        for number, writer in enumerate(writers):
            scratch = Path(name) / str(number)
            scratch.mkdir()
            Place(scratch, writer).work()
            for each in sorted(set(modules.read_text(encoding="utf-8").split())):
                with suppress(ImportError):
                    if not each.startswith("_"):  # those come with who needs them
                        importlib.import_module(each)
        del os.environ[MODULES]
    parse_settings({})
    parse_fingerprint(MODULE)
    gc.collect()
    gc.freeze()  # the collector of a copy would write to all its pages


class Place:
    """The folder of a trial: what a writer has written, and what it has said.

    template: a folder that was prepared; the writer sees a copy of it.
    """

    def __init__(self, scratch: Path, writer: Writer, template: Path | None = None) -> None:
        self.writer = writer
        self.scratch = scratch
        self.root = scratch / "root"
        self.folder = self.root / "folder"
        self.voice = self.root / VOICE
        self.begin(template)

    def begin(self, template: Path | None) -> None:
        """Begin anew, from the template or with what the writer prepares."""
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)
        self.voice.touch()
        if template is not None:
            shutil.copytree(template, self.folder)
            return
        self.folder.mkdir()
        outcome = in_copy(lambda: self.writer.prepare(self.folder), self.scratch)
        assert outcome.code == DONE, f"{self.writer.name} cannot be prepared: {outcome.text}"

    def work(self, after_s: float | None = None) -> Outcome:
        """Let the writer work in a copy. after_s: kill it then."""

        def run() -> None:
            with Voice(self.voice) as say:
                self.writer.work(self.folder, say)

        return in_copy(run, self.scratch, after_s)

    def said(self) -> list[str]:
        """All whole lines that were said."""
        text = self.voice.read_text(encoding="utf-8")
        return [line for line in text.split("\n")[:-1] if line]

    def look(self, said: Sequence[str]) -> Outcome:
        """Whether what was said is there."""
        return in_copy(lambda: self.writer.check(self.folder, said), self.scratch)

    def check(self, said: Sequence[str]) -> Outcome:
        """Whether what was said is there after a new start, which works and leaves nothing."""
        outcome = self.look(said)
        if outcome.code != DONE:
            return outcome
        outcome = self.work()
        if outcome.code != DONE:
            return Outcome(BROKEN, f"does not work again: {outcome.text}")
        if left := leftovers(self.folder):
            return Outcome(BROKEN, f"left over after the next start: {', '.join(left)}")
        return self.look(self.said())


def leftovers(folder: Path) -> list[str]:
    """Temporary files below the folder."""
    paths = (path.relative_to(folder) for path in folder.rglob("*"))
    return sorted(str(path) for path in paths if path.suffix in {".tmp", ".new", ".part"})
