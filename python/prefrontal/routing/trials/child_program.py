"""Runs inside the sandbox, without the package: loads a tool and may call it.

The request is one JSON object on standard input: nonce, path, source (its bytes as Latin-1), name,
call (whether to call it), arguments and keywords (encoded as `example_inputs` does), and perhaps
files (by name, made before; their bytes as Latin-1) and value (how many characters and items of
what is returned are asked for). The answer is one line on a private copy of standard output: the
nonce, then a JSON object. What the tool prints goes to standard error, so that it is not taken for
an answer by accident; a tool that searches this process for the nonce can still lie about itself,
and only about itself.
"""

from __future__ import annotations

import inspect
import json
import os
import reprlib
import sys
import traceback
from collections.abc import Callable, Mapping
from datetime import date, datetime
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "either",
    inspect.Parameter.VAR_POSITIONAL: "rest",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_KEYWORD: "keywords",
}

NETWORK_EVENTS = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}
INTERNET = {2, 10}
"""AF_INET and AF_INET6 of Linux."""

DEEPEST = 20
"""Maximum depth of nested values."""
MOST_KEYS, KEY_LIMIT = 500, 100
"""Reported keys of a mapping, and characters of each."""


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """The outcome: ok, or the error with its type, text and line."""
    asked_network = watch_network()
    try:
        make_files(request.get("files", {}))
        module = load(request)
        function = getattr(module, request["name"], None)
        if not callable(function):
            return {"ok": False, "type": "", "text": f"{request['name']}() is not a function"}
        result: dict[str, Any] = {"ok": True, "signature": signature(function)}
        if request["call"]:
            result |= called(function, request)
    except BaseException as error:  # noqa: BLE001 - SystemExit and the like are answers too
        traceback.print_exc()
        return failure(error, request["path"]) | {"network": bool(asked_network)}
    return result


def watch_network() -> list[str]:
    """The list to which each attempt to reach the network will be added."""
    attempts: list[str] = []

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in NETWORK_EVENTS or (event == "socket.__new__" and arguments[1] in INTERNET):
            attempts.append(event)

    sys.addaudithook(hook)
    return attempts


def make_files(files: Mapping[str, str]) -> None:
    """Write the files in the folder of the trial."""
    for name, content in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("latin-1"))


def load(request: Mapping[str, Any]) -> ModuleType:
    """The module, run from the bytes of the request, not from its file."""
    name = "tool_on_trial"
    module = ModuleType(name)
    module.__file__ = request["path"]
    module.__spec__ = ModuleSpec(name, None, origin=request["path"])
    sys.modules[name] = module  # dataclasses look their module up
    code = compile(request["source"].encode("latin-1"), request["path"], "exec", dont_inherit=True)
    exec(code, module.__dict__)
    return module


def signature(function: Any) -> list[list[Any]]:
    """Each parameter as [name, kind, whether it is required]."""
    parameters = []
    for one in inspect.signature(function).parameters.values():
        kind = KINDS[one.kind]
        required = one.default is inspect.Parameter.empty and kind not in {"rest", "keywords"}
        parameters.append([one.name, kind, required])
    return parameters


def called(function: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    """Call it and describe the result."""
    arguments = [decoded(value) for value in request["arguments"]]
    keywords = {name: decoded(value) for name, value in request["keywords"].items()}
    value = function(*arguments, **keywords)
    if inspect.isawaitable(value):
        return {"ok": False, "type": "", "text": "it returns something to await"}
    result: dict[str, Any] = {"returned": type(value).__name__, "keys": None, "shown": shown(value)}
    if request.get("value"):
        result["value"] = Cut(request["value"]).plain(value)
    elif isinstance(value, Mapping):
        keys = [key[:KEY_LIMIT] for key in value if isinstance(key, str)]
        result["keys"] = keys[:MOST_KEYS]
    return result


class Cut:
    """Converts values to JSON values within a size limit."""

    def __init__(self, room: int) -> None:
        self.room = room

    def plain(self, value: Any, depth: int = 0) -> Any:
        """The value; text for what JSON cannot hold; "…" past the limit."""
        self.room -= 1
        if self.room <= 0 or depth > DEEPEST:
            return "…"
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int | float):
            return self.number(value)
        if isinstance(value, Mapping):
            return self.mapping(value, depth)
        if isinstance(value, set | frozenset):
            value = sorted(value, key=repr)
        if isinstance(value, list | tuple):
            return self.items(value, depth)
        if hasattr(type(value), "__dataclass_fields__"):
            names = list(value.__dataclass_fields__)
            return self.mapping({name: getattr(value, name) for name in names}, depth)
        return self.text(worded(value))

    def number(self, value: Any) -> Any:
        """As it is; as text where JSON cannot hold it."""
        if isinstance(value, float):
            return float(value) if value - value == 0 else str(value)
        return int(value) if abs(value) < 2**63 else self.text(hex(value)[:100])

    def text(self, value: str) -> str:
        """The prefix within the limit."""
        start = value[: max(0, self.room)]
        self.room -= len(start)
        return start if len(start) == len(value) else start + "…"

    def mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        """By name, within the limit."""
        result: dict[str, Any] = {}
        for key in value:
            if self.room <= 0:
                break
            name = self.text(key if isinstance(key, str) else str(key))
            result[name] = self.plain(value[key], depth + 1)
        return result

    def items(self, value: Any, depth: int) -> list[Any]:
        """The items within the limit."""
        result = []
        for item in value:
            result.append(self.plain(item, depth + 1))
            if self.room <= 0:
                break
        return result


def worded(value: Any) -> str:
    """A value as text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value) if isinstance(value, str | date | Path) else shown(value)


def decoded(value: list[Any]) -> Any:
    """The Python value of an encoded one: [kind, plain value]."""
    kind, plain = value
    if kind == "path":
        return Path(plain)
    if kind == "tuple":
        return tuple(decoded(item) for item in plain)
    makers: dict[str, Callable[[Any], Any]] = {
        "bytes": str.encode,
        "set": set,
        "frozenset": frozenset,
        "date": date.fromisoformat,
        "datetime": datetime.fromisoformat,
    }
    return makers[kind](plain) if kind in makers else plain


def shown(value: Any) -> str:
    """The value, shortened, for people."""
    try:
        return reprlib.repr(value)
    except Exception as error:  # noqa: BLE001 - a stranger's __repr__
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"


def failure(error: BaseException, path: str) -> dict[str, Any]:
    """The error, with the last line of the tool that it passed through (0: none)."""
    frames = traceback.extract_tb(error.__traceback__)
    line = next((frame.lineno for frame in reversed(frames) if frame.filename == path), 0)
    if isinstance(error, SyntaxError) and error.filename == path:
        line = error.lineno
    try:
        text = str(error)[:1000]
    except Exception:  # noqa: BLE001 - a stranger's __str__
        text = ""
    kinds = [kind.__name__ for one in causes(error) for kind in type(one).__mro__]
    result = {"ok": False, "type": kinds[0], "kinds": kinds, "text": text, "line": line or 0}
    return result | {"missing": missing_file(error)}


def missing_file(error: BaseException) -> str:
    """The file that was not found; empty for another error."""
    for one in causes(error):
        if isinstance(one, FileNotFoundError) and isinstance(one.filename, str):
            return one.filename
    return ""


def causes(error: BaseException) -> list[BaseException]:
    """The error and what it was raised from: a composition wraps the errors of its tools."""
    chain = [error]
    while chain[-1].__cause__ is not None and len(chain) < 10:
        chain.append(chain[-1].__cause__)
    return chain


def main() -> None:
    """Read the request, answer once, and exit without waiting for the tool's threads."""
    private = os.dup(1)
    os.dup2(2, 1)
    request = json.loads(sys.stdin.buffer.read())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    owner, write, leave = os.getpid(), os.write, os._exit
    reply = json.dumps(answer(request))
    sys.stdout.flush()
    if os.getpid() == owner:  # a copy that the tool forked stays silent
        write(private, f"{request['nonce']}{reply}\n".encode("utf-8", "backslashreplace"))
    leave(0)


if __name__ == "__main__":
    main()
