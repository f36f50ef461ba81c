"""Runs inside the sandbox, by its path and without the package: loads a tool, perhaps calls it.

The request is one JSON object on standard input: nonce, path, source (its bytes as Latin-1), name,
call (whether to call it), arguments and keywords (encoded as `example_inputs` does). The answer is
one line on a private copy of standard output: the nonce, then a JSON object. What the tool prints
goes to standard error, so that it is not taken for an answer by accident; a tool that searches
this process for the nonce can still lie about itself, and only about itself.
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


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """What became of the tool: ok, or the error with its type, text and line."""
    try:
        module = load(request)
        function = getattr(module, request["name"], None)
        if not callable(function):
            return {"ok": False, "type": "", "text": f"{request['name']}() is no function"}
        found: dict[str, Any] = {"ok": True, "signature": signature(function)}
        if request["call"]:
            found |= called(function, request)
    except BaseException as error:  # noqa: BLE001 - SystemExit and the like are answers too
        traceback.print_exc()
        return failure(error, request["path"])
    return found


def load(request: Mapping[str, Any]) -> ModuleType:
    """The module, run from the bytes of the request, whatever lies in its file by now."""
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
    found = []
    for one in inspect.signature(function).parameters.values():
        kind = KINDS[one.kind]
        required = one.default is inspect.Parameter.empty and kind not in {"rest", "keywords"}
        found.append([one.name, kind, required])
    return found


def called(function: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    """Call it and say what came back."""
    arguments = [decoded(value) for value in request["arguments"]]
    keywords = {name: decoded(value) for name, value in request["keywords"].items()}
    value = function(*arguments, **keywords)
    if inspect.isawaitable(value):
        return {"ok": False, "type": "", "text": "it returns something to await"}
    keys = [key for key in value if isinstance(key, str)] if isinstance(value, Mapping) else None
    return {"returned": type(value).__name__, "keys": keys, "shown": shown(value)}


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
    return {"ok": False, "type": kinds[0], "kinds": kinds, "text": text, "line": line or 0}


def causes(error: BaseException) -> list[BaseException]:
    """The error and what it was raised from: a composition wraps the errors of its tools."""
    found = [error]
    while found[-1].__cause__ is not None and len(found) < 10:
        found.append(found[-1].__cause__)
    return found


def main() -> None:
    """Read the request, answer once, and end without waiting for what the tool left running."""
    private = os.dup(1)
    os.dup2(2, 1)
    request = json.loads(sys.stdin.buffer.read())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    owner, write, leave = os.getpid(), os.write, os._exit
    said = json.dumps(answer(request))
    sys.stdout.flush()
    if os.getpid() == owner:  # a copy that the tool forked stays silent
        write(private, f"{request['nonce']}{said}\n".encode("utf-8", "backslashreplace"))
    leave(0)


if __name__ == "__main__":
    main()
