"""What one call of `prefrontal gate` was told, read without click so that it costs little."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LIMIT_S = 2.0
SLIP = 64
"""Exit code of a slip on the command line, as sysexits.h has it: neither wake nor sleep."""
CODES = {
    "text": (0, 1),
    "json": (0, 1),
    "exit": (0, 2),
    "hermes": (0, 0),
    "openclaw": (0, 0),
    "no-work": (0, 0),
    "github": (0, 0),
}
"""Format -> its codes for wake and sleep. Where the output says it, another code is failure."""
_VALUED = ("config", "workspace", "state", "format", "exit_codes", "limit")


class GateCall:
    """folders: to look at besides those of the settings. codes: for wake and sleep.

    limit_s: after so many seconds it is over.
    """

    __slots__ = ("codes", "config", "folders", "form", "limit_s", "state", "workspace")

    def __init__(
        self,
        folders: Sequence[str] = (),
        *,
        config: str | None = None,
        workspace: str | None = None,
        state: str | None = None,
        form: str = "text",
        codes: tuple[int, int] | None = None,
        limit_s: float = LIMIT_S,
    ) -> None:
        self.folders = tuple(folders)
        self.config = config
        self.workspace = workspace
        self.state = state or os.environ.get("PREFRONTAL_STATE") or None
        self.form = form
        self.codes = CODES[form] if codes is None else codes
        self.limit_s = limit_s

    def key(self) -> str:
        """Tells this call from others: what it was told, where, and what the environment adds."""
        environment = sorted(
            f"{name}={value}"
            for name, value in os.environ.items()
            if name.startswith("PREFRONTAL_") or name in ("HOME", "XDG_STATE_HOME", "TZ")
        )
        options = (self.config, self.workspace, self.state, *self.folders)
        return "\1".join([_here(), *(repr(each) for each in options), *environment])


def call_of(words: Sequence[str]) -> GateCall | None:
    """The call that the words of the command line make; None where click has to say what is."""
    options: dict[str, str] = {}
    folders: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            folders.append(word)
        elif word == "--json":
            options["format"] = "json"
        else:
            name, value = _option(word, rest)
            if name not in _VALUED or value is None:
                return None
            options[name] = value
    form = options.get("format", "text")
    codes, limit_s = None, LIMIT_S
    try:
        if "exit_codes" in options:
            codes = exit_codes(options["exit_codes"])
        if "limit" in options:
            limit_s = seconds(options["limit"])
    except ValueError:
        return None
    if form not in CODES:
        return None
    return GateCall(
        folders,
        config=options.get("config"),
        workspace=options.get("workspace"),
        state=options.get("state"),
        form=form,
        codes=codes,
        limit_s=limit_s,
    )


def exit_codes(text: str) -> tuple[int, int]:
    """The codes for wake and sleep in "WAKE/SLEEP". Raises ValueError."""
    wake, slash, sleep = text.partition("/")
    codes = int(wake), int(sleep)
    if not slash or not all(0 <= code <= 125 for code in codes) or SLIP in codes:
        raise ValueError(text)
    return codes


def seconds(text: str) -> float:
    """A limit in seconds, from 0.1 to 600. Raises ValueError."""
    limit_s = float(text)
    if not 0.1 <= limit_s <= 600.0:
        raise ValueError(text)
    return limit_s


def _option(word: str, rest: Iterator[str]) -> tuple[str, str | None]:
    name, equals, value = word.removeprefix("--").partition("=")
    if not word.startswith("--"):
        return "", None
    return name.replace("-", "_"), value if equals else next(rest, None)


def _here() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib costs more than all of this
    except OSError:
        return ""
