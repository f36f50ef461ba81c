"""Tools of MCP servers, from their `tools/list` replies: ranked and explained, not run here.

A list is checked and stored as mcp/{server}.json below workflows_root. Accepts the result
{"tools": [...]}, the JSON-RPC reply around it, the list alone, and a list of pages.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import InputError, SourceError
from ...storage import write_atomic
from ..layout import Layout, is_slug, slug
from ..types import ArgSpec, Finding, Manifest, Tool, ToolSpec
from .cache import FactCache
from .mcp_schema import INTENTS, intents_in, read_tool

FOLDER = "mcp"
MOST_BYTES = 16 << 20

Listed = tuple[list[Tool], list[Finding]]


def import_mcp(layout: Layout, file: Path, server: str | None = None) -> Listed:
    """Store the tools a file lists; returns them, and findings about single ones.

    server: a slug, by default from the file's name; replaces an earlier import of that name.
    Raises InputError when the file is no such list or has no usable tool, SourceError when it
    cannot be read or stored.
    """
    name = slug(file.stem, "server") if server is None else server
    return import_listed(layout, file, _document(file, _bytes(file)), name)


def import_listed(layout: Layout, origin: Path, document: object, name: str) -> Listed:
    """Store the tools that a document lists as those of the server `name`; as `import_mcp`.

    origin: what errors and findings call the document.
    """
    if not is_slug(name):
        rule = "be lower-case letters, digits and underscores, at most 64, a letter first"
        raise InputError(f"server must {rule}, got {name!r}")
    good, findings = _checked(origin, _tools(origin, document))
    if not good:
        raise InputError(f"{origin} must list a tool that can be used, got none")
    path = layout.root / FOLDER / f"{name}.json"
    if not layout.holds(path):
        raise InputError(f"path must lie below {layout.root}, got {str(path)!r}")
    good = _with_own_intents(good, path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SourceError(f"{path.parent} cannot be made: {error.strerror}") from error
    write_atomic(path, _listing(good))
    tools, _ = _stored(layout, path, FactCache(None))
    return tools, findings


def with_intents(path: Path, name: str, intents: Sequence[str]) -> str:
    """The stored list at `path` with more phrasings of the tool of that name."""
    tools: list[Any] = _tools(path, _document(path, _bytes(path)))
    return _listing([_phrased(raw, intents) if raw["name"] == name else raw for raw in tools])


def _with_own_intents(tools: list[Any], path: Path) -> list[Any]:
    """With the phrasings that an earlier import of the list was given here, and no others."""
    own: dict[str, list[str]] = {}
    if path.is_file():
        rows, _ = _facts(path, _bytes(path))
        own = {row["name"]: row["intents"] for row in rows}
    return [_phrased(_unphrased(raw), own.get(raw["name"], [])) for raw in tools]


def _unphrased(raw: dict[str, Any]) -> dict[str, Any]:
    meta = {key: value for key, value in (raw.get("_meta") or {}).items() if key != INTENTS}
    return {**raw, "_meta": meta} if "_meta" in raw else raw


def _phrased(raw: dict[str, Any], intents: Sequence[str]) -> dict[str, Any]:
    meta = raw.get("_meta") or {}
    both = dict.fromkeys([*intents_in(meta), *intents])
    return {**raw, "_meta": {**meta, INTENTS: list(both)}} if intents else raw


def _listing(tools: list[Any]) -> str:
    return json.dumps({"tools": tools}, ensure_ascii=False, indent=1) + "\n"


def stored_names(layout: Layout) -> list[str]:
    """The files of imported lists, sorted by name."""
    try:
        names = [path.name for path in (layout.root / FOLDER).iterdir()]
    except OSError:  # nothing was imported
        return []
    return sorted(name for name in names if name.endswith(".json"))


def stored_tools(layout: Layout, cache: FactCache) -> Listed:
    """The tools of every import, by server, in the order of its list."""
    tools: list[Tool] = []
    findings: list[Finding] = []
    folder = layout.root / FOLDER
    for name in stored_names(layout):
        more_tools, more_findings = _stored(layout, folder / name, cache)
        tools += more_tools
        findings += more_findings
    return tools, findings


def _stored(layout: Layout, path: Path, cache: FactCache) -> Listed:
    if not is_slug(path.stem) or not layout.holds(path) or not path.is_file():
        rule = "list of MCP tools must be a plain file below the root, named by a slug"
        return [], [Finding(path.parent, 0, f"{rule}, got {path.name!a}")]
    relative = f"{FOLDER}/{path.name}"
    try:
        sha256, facts = cache.facts(
            relative, path.stat(), lambda: _bytes(path), lambda data: _facts(path, data)
        )
    except (OSError, SourceError) as error:
        return [], [Finding(path, 0, f"file cannot be read: {error}")]
    rows, findings = facts
    tools = [_tool(path, relative, sha256, row) for row in rows]
    return tools, [Finding(path, *each) for each in findings]


def _facts(path: Path, data: bytes) -> list[Any]:
    """[a row for each good tool, [line, sentence] for each slip]."""
    try:
        good, findings = _checked(path, _tools(path, _document(path, data)))
    except InputError as error:
        return [[], [[0, str(error).removeprefix(f"{path} ")]]]
    return [[read_tool(raw) for raw in good], [[each.line, each.text] for each in findings]]


def _checked(path: Path, tools: list[object]) -> tuple[list[object], list[Finding]]:
    """The tools that can be used, each name once, and a finding for each of the others."""
    good, findings, names = list[object](), list[Finding](), set[str]()
    for number, raw in enumerate(tools, 1):
        try:
            name = str(read_tool(raw)["name"])
            if name in names:
                raise ValueError(f"have a name of its own, got {name!r} again")
        except ValueError as error:
            findings.append(Finding(path, 0, f"tool {number} must {error}"))
            continue
        names.add(name)
        good.append(raw)
    return good, findings


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"{path} cannot be read: {reason}") from None
    if len(data) > MOST_BYTES:
        raise SourceError(f"{path} cannot be read: it has more than {MOST_BYTES} bytes")
    return data


def _document(path: Path, data: bytes) -> object:
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} must be JSON ({error})") from None


def _tools(path: Path, document: object) -> list[object]:
    """The tools of every page, in any of the accepted forms. Raises InputError."""
    if isinstance(document, dict) and isinstance(document.get("error"), dict):
        message = document["error"].get("message")
        raise InputError(f"{path} must hold a list of tools, got the server's error {message!r}")
    if isinstance(document, dict) and "result" in document:
        document = document["result"]
    if isinstance(document, dict) and isinstance(document.get("tools"), list):
        return list(document["tools"])
    if isinstance(document, list):
        if document and all(isinstance(page, dict) and "name" not in page for page in document):
            return [tool for page in document for tool in _tools(path, page)]
        return document
    raise InputError(f'{path} must hold a list of tools, {{"tools": [...]}}, got none')


def _tool(path: Path, relative: str, sha256: str, row: dict[str, Any]) -> Tool:
    arguments = [ArgSpec(*each) for each in row["args"]]
    side_effects, intents = row["side_effects"], tuple(row.get("intents", ()))
    known = bool(side_effects or intents)
    manifest = Manifest(row["name"], path, intents, side_effects=side_effects) if known else None
    return Tool(
        spec=ToolSpec(path, "run", arguments, row["doc"], 0.0, row["name"]),
        name=row["name"],
        domain=None,
        action=None,
        shared=True,
        relative=f"{relative}#{row['name']}",
        sha256=sha256,
        returns=tuple(row["returns"]),
        return_hint=row["hint"],
        arg_docs=row["arg_docs"],
        manifest=manifest,
        runnable=False,
    )
