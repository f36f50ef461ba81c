"""The facts of one Python file as cacheable values, and the tool they describe."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, TypedDict

from ..plain_values import mended
from ..types import ArgSpec, Manifest, Tool, ToolSpec
from . import docstring, signature
from .example_call import example_arguments
from .written_docstring import written_docstring

Facts = dict[str, Any]
"""Keys of a tool: entry, line, args, open, doc, returns, told, hint, arg_docs, example.

A file that should be a tool and is not: refused, [line, sentence]. Any other file: no keys.
open: whether it has **kwargs. returns: keys it returns. told: outputs named in the docstring.
"""


class ToolPlace(TypedDict):
    """The location of a tool."""

    path: Path
    relative: str
    domain: str | None
    action: str | None


def read_facts(data: bytes, stem: str) -> Facts:
    """The facts of a file's bytes; runs nothing. stem: the file's name without .py."""
    try:
        source = data.decode("utf-8-sig")
        return _facts(signature.parse_python(source), source, stem)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return _refused(line, f"file must be text in UTF-8, got byte 0x{data[error.start]:02x}")
    except SyntaxError as error:
        return _refused(error.lineno or 0, f"file must be Python, got: {mended(error.msg)}")
    except (RecursionError, MemoryError):
        return _refused(0, "file must be nested less deep")


def _refused(line: int, sentence: str) -> Facts:
    return {"refused": [line, sentence]}


def _facts(tree: ast.Module, source: str, stem: str) -> Facts:
    function = signature.entry_of(tree)
    if function is None:
        indirect = signature.indirect_entry(tree)
        return _refused(*indirect) if indirect else {}
    if why := signature.refusal(function):
        return _refused(function.lineno, why)
    doc = _joined(ast.get_docstring(tree), ast.get_docstring(function))
    if not doc:
        rule = f"{function.name}() must have a docstring, its own or the module's"
        return _refused(function.lineno, f"{rule}, got none")
    callee = (function.name, stem)
    parts = (written_docstring(one, source, callee) for one in (tree, function))
    return _described(function, mended(doc), mended(_joined(*parts)), stem)


def _joined(module: str | None, function: str | None) -> str:
    """The docstrings of the module and of the function, each once."""
    parts = [part.strip() for part in (module, function) if part and part.strip()]
    return "\n\n".join(dict.fromkeys(parts))


def _described(function: signature.Function, doc: str, written: str, stem: str) -> Facts:
    """doc: as Python has it. written: as it was meant, for what is read from its sections."""
    arguments = signature.arguments(function)
    names = [argument.name for argument in arguments]
    arg_docs = docstring.argument_docs(written)
    open_ended = signature.takes_any_name(function)
    return {
        "entry": function.name,
        "line": function.lineno,
        "args": [[each.name, each.type_hint, each.required, each.default] for each in arguments],
        "open": open_ended,
        "doc": doc,
        "returns": list(signature.returned_keys(function)),
        "told": list(docstring.returned_names(written)),
        "hint": signature.hint(function.returns),
        "arg_docs": {name: arg_docs[name] for name in arg_docs if open_ended or name in names},
        "example": example_arguments(written, (function.name, stem), names),
    }


def tool_of(facts: Facts, sha256: str, place: ToolPlace, manifest: Manifest | None) -> Tool:
    """The tool that the facts describe. The file takes precedence over the manifest."""
    path, example = place["path"], facts["example"]
    declared: tuple[str, ...] = ()
    arguments = [ArgSpec(*each) for each in facts["args"]]
    if manifest is not None:
        declared = manifest.returns
        example = example if manifest.example is None else manifest.example
        if facts["open"]:
            known = {argument.name for argument in arguments}
            arguments += [each for each in manifest.args if each.name not in known]
    return Tool(
        spec=ToolSpec(path, facts["entry"], arguments, facts["doc"], 0.0),
        name=path.stem,
        domain=place["domain"],
        action=place["action"],
        shared=place["domain"] is None,
        relative=place["relative"],
        sha256=sha256,
        returns=tuple(facts["returns"]) or declared or tuple(facts["told"]),
        return_hint=facts["hint"],
        arg_docs=facts["arg_docs"],
        example=example,
        manifest=manifest,
    )


def contradictions(facts: Facts, manifest: Manifest) -> list[str]:
    """Contradictions between manifest and file, a sentence each."""
    arguments = {name: required for name, _, required, _ in facts["args"]}
    declared = {argument.name for argument in manifest.args}
    wrong = []
    if not facts["open"]:
        wrong += [_no_argument(facts, "args", name) for name in sorted(declared - arguments.keys())]
        example = manifest.example or {}
        wrong += [_no_argument(facts, "example", name) for name in example if name not in arguments]
    if declared:
        silent = [name for name in arguments if arguments[name] and name not in declared]
        wrong += [f"args must name {name!r}, which {facts['entry']}() requires" for name in silent]
    if facts["returns"] and manifest.returns:
        missing = [name for name in manifest.returns if name not in facts["returns"]]
        rule = f"returns must be among the keys {facts['entry']}() returns"
        wrong += [f"{rule} ({', '.join(facts['returns'])}), got {name!r}" for name in missing]
    return wrong


def _no_argument(facts: Facts, key: str, name: str) -> str:
    return f"{key} must name arguments of {facts['entry']}(), got {name!r}"
