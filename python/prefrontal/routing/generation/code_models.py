"""The models that write a module when no tool fits: a command or recorded replies."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError, SourceError
from .model_process import ask_command

if TYPE_CHECKING:
    from ...protocols import CodeModel
    from ...settings.routing import Model

LARGEST_REPLY = 1 << 20
"""Most bytes of a reply."""


def code_model(settings: Model, folder: Path) -> CodeModel | None:
    """The model of the settings; None for the provider "none".

    folder: base of a relative folder of recorded replies. Raises InputError for a command that
    cannot be split into words.
    """
    if settings.provider == "none" or settings.command is None:
        return None
    name = settings.name or settings.provider
    if settings.provider == "recorded":
        return RecordedModel(folder / settings.command, name, settings.temperature)
    try:
        argv = shlex.split(settings.command)
    except ValueError as error:
        rule = "be words as on a command line"
        raise InputError(f"model.command must {rule}, got {settings.command!r} ({error})") from None
    if not argv:
        raise InputError(f"model.command must name a program, got {settings.command!r}")
    return CommandModel(argv, name, settings.temperature, settings.timeout_s)


class CommandModel:
    """A program that reads the prompt from standard input and writes the reply to standard output.

    Runs without a shell, with the environment and working folder of this process.
    """

    provider = "command"

    def __init__(
        self,
        argv: Sequence[str],
        name: str = "command",
        temperature: float = 0.3,
        timeout_s: float = 120.0,
    ) -> None:
        self.name = name
        self.temperature = temperature
        self._argv = tuple(argv)
        self._timeout_s = timeout_s

    def complete(self, prompt: str) -> str:
        """The reply. Raises SourceError when the program is missing, fails, times out, or replies
        with nothing, too much or no text; kills its process group at the end."""
        reply = ask_command(
            self._argv, prompt.encode(errors="replace"), self._timeout_s, LARGEST_REPLY
        )
        return _text(reply, shlex.join(self._argv))


class RecordedModel:
    """Replies from the files of a folder: <sha256 of the prompt>.txt, else default.txt."""

    provider = "recorded"

    def __init__(self, folder: Path, name: str = "recorded", temperature: float = 0.3) -> None:
        self.name = name
        self.temperature = temperature
        self._folder = folder

    def complete(self, prompt: str) -> str:
        """The reply. Raises SourceError when there is none for the prompt."""
        key = prompt_key(prompt)
        for file in (self._folder / f"{key}.txt", self._folder / "default.txt"):
            try:
                with file.open("rb") as stream:
                    data = stream.read(LARGEST_REPLY + 1)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise SourceError(f"{file} cannot be read: {error.strerror or error}") from None
            return _text(data, str(file))
        raise SourceError(f"{self._folder} has no reply to this prompt ({key}.txt or default.txt)")


def prompt_key(prompt: str) -> str:
    """The file name of a recorded reply: the prompt's SHA-256, hexadecimal."""
    return hashlib.sha256(prompt.encode(errors="replace")).hexdigest()


def _text(data: bytes, source: str) -> str:
    if len(data) > LARGEST_REPLY:
        raise SourceError(f"{source} must reply with at most {LARGEST_REPLY} bytes, got more")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"{source} must reply with text in UTF-8, got: {error}") from None
    if not text.strip():
        raise SourceError(f"{source} must reply with text, got nothing")
    return text
