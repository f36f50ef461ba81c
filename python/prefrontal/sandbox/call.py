"""Inside the sandbox: call a function of a file and print its result as JSON.

Run as `python -I -B call.py FILE FUNCTION`, arguments as a JSON object on stdin. What is no JSON
(NaN, a set, a coroutine) makes the call fail. Imports nothing of this package.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys


def main(path: str, name: str) -> None:
    arguments = json.load(sys.stdin)
    answer = os.dup(1)
    os.dup2(2, 1)  # its own output goes to stderr
    spec = importlib.util.spec_from_file_location("sandboxed", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["sandboxed"] = module
    spec.loader.exec_module(module)
    value = getattr(module, name)(**arguments)
    with os.fdopen(answer, "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False, allow_nan=False)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
