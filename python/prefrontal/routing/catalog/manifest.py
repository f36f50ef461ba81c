"""The files of manifests: tool.yaml, tool.toml, and <tool>.tool.yaml or <tool>.tool.toml.

tool.yaml holds one tool or a list of them, tool.toml one tool or tables [[tool]]. A wrong key
becomes a finding with its line and is ignored; the rest of the manifest counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import InputError, PrefrontalError, SourceError
from ...storage.documents import SIZE_LIMIT, read_document
from ..plain_values import mended
from ..types import ArgSpec, Finding, Manifest
from .manifest_keys import read_manifest

SUFFIXES = (".yaml", ".yml", ".toml")
_LINE = re.compile(r"\bline (\d+)")
_ITEM = re.compile(r"(?:- |\[\[\s*tool\s*\]\])")


def manifest_of(file_name: str) -> str | None:
    """The tool that a manifest of this name describes, "" for a folder's, None for no manifest."""
    for suffix in SUFFIXES:
        if file_name == f"tool{suffix}":
            return ""
        if file_name.endswith(f".tool{suffix}"):
            return file_name.removesuffix(f".tool{suffix}")
    return None


def read_manifests(path: Path, default_name: str = "") -> tuple[list[Manifest], list[Finding]]:
    """The tools a file describes, and findings about it.

    default_name: of a tool without a name.
    """
    findings: list[Finding] = []
    try:
        documents = _documents(path)
    except PrefrontalError as error:
        sentence = mended(str(error).removeprefix(f"{path} "))
        line = _LINE.search(sentence)
        return [], [Finding(path, int(line[1]) if line else 0, sentence)]
    lines = _lines(path)
    manifests = []
    for position, raw in enumerate(documents):
        first = _start(lines, position, len(documents))

        def report(key: str, sentence: str, first: int = first) -> None:
            findings.append(Finding(path, _line_of(lines, first, key), mended(sentence)))

        manifest = read_manifest(path, raw, default_name, report)
        if manifest is not None:
            manifests.append(manifest)
    return manifests, findings


def to_facts(manifests: Sequence[Manifest], findings: Sequence[Finding]) -> list[Any]:
    """Manifests and findings as JSON values."""
    slips = [[finding.line, finding.text] for finding in findings]
    return [[_row(manifest) for manifest in manifests], slips]


def from_facts(path: Path, facts: list[Any]) -> tuple[list[Manifest], list[Finding]]:
    """The inverse of `to_facts`, for the file at the path."""
    rows, findings = facts
    return [_from_row(path, *row) for row in rows], [Finding(path, *each) for each in findings]


def _row(manifest: Manifest) -> list[Any]:
    arguments = [[each.name, each.type_hint, each.required, each.default] for each in manifest.args]
    hints = [manifest.domain, manifest.action, list(manifest.anti_intents), manifest.side_effects]
    texts = [list(manifest.intents), list(manifest.returns)]
    return [
        manifest.name,
        *texts,
        arguments,
        *hints,
        manifest.example,
        list(manifest.files),
        manifest.hosts,
    ]


def _from_row(
    path: Path, name: str, intents: list[str], returns: list[str], args: list[Any], *rest: Any
) -> Manifest:
    domain, action, anti_intents, side_effects, example, files, hosts = rest
    return Manifest(
        name=name,
        path=path,
        intents=tuple(intents),
        args=tuple(ArgSpec(*each) for each in args),
        returns=tuple(returns),
        domain=domain,
        action=action,
        anti_intents=tuple(anti_intents),
        side_effects=side_effects,
        example=example,
        files=tuple(files),
        hosts=None if hosts is None else tuple(hosts),
    )


def _documents(path: Path) -> list[object]:
    document = _toml(path) if path.name.endswith(".toml") else read_document(path)
    if isinstance(document, dict) and document.keys() == {"tool"}:
        document = document["tool"]
    if isinstance(document, list):
        return document
    return [] if document is None else [document]


def _toml(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
        if len(data) > SIZE_LIMIT:
            raise InputError(f"{path} must have at most {SIZE_LIMIT} bytes, got more")
        return tomllib.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} must be text in UTF-8 ({error})") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path} must be TOML ({error})") from None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8-sig").splitlines()
    except (OSError, ValueError):  # it went away since: only the lines of findings are lost
        return []


def _start(lines: list[str], position: int, count: int) -> int:
    """The line, from 0, where the tool of that position begins."""
    if count < 2:
        return 0
    starts = [number for number, line in enumerate(lines) if _ITEM.match(line)]
    return starts[position] if position < len(starts) else 0


def _line_of(lines: list[str], first: int, key: str) -> int:
    """The line, from 1, that first mentions the last part of a dotted key; 0 when unknown."""
    name = re.escape(key.rsplit(".", 1)[-1])
    mention = re.compile(rf"""[\s\-{{,\[]*["']?{name}["']?\s*[:=\]]""")
    for number, line in enumerate(lines[first:], first + 1):
        if mention.match(line):
            return number
    return min(first + 1, len(lines)) if key else 0
