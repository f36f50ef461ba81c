"""Finds the tools for a parsed intent: parses their source, never imports it.

Searches domains/{domain}/{action}/, then shared_tools/{action}/. Where the domain or the action is
unknown or has no folder, the search widens.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

from ..layout import Layout, is_slug
from ..types import Discovery, ParsedIntent, Tool
from . import mcp_tools
from .cache import FactCache
from .tool_folder import FolderReader

CACHE_FOLDER = ".cache"

Place = tuple[str | None, str]
"""(domain, or None for the shared tools; action)."""


def open_cache(layout: Layout) -> FactCache:
    """The cache of this project, among its temporary files."""
    return FactCache(layout.tmp / CACHE_FOLDER)


def discover(
    layout: Layout,
    parsed: ParsedIntent,
    *,
    also_actions: Sequence[str] = (),
    cache: FactCache | None = None,
) -> Discovery:
    """The tools that may serve the intent, those of its domain before the shared ones.

    also_actions: actions of the prompt's other clauses. Imported MCP tools belong to no folder and
    are always included. Raises InputError for a domain or an action that is no slug.
    """
    search = _Search(layout, cache)
    places = _exact(parsed.domain, [parsed.action, *also_actions], search.exists)
    if places:
        return search.read(places, "exact")
    everywhere = search.everywhere()
    return search.read(_widened(parsed.domain, parsed.action, everywhere), "widened")


def discover_all(layout: Layout, *, cache: FactCache | None = None) -> Discovery:
    """Every tool below the root."""
    search = _Search(layout, cache)
    return search.read(search.everywhere(), "widened", whole=True)


def narrowed(every: Discovery, parsed: ParsedIntent, also_actions: Sequence[str] = ()) -> Discovery:
    """The result of `discover`, filtered from that of `discover_all` without reading again.

    A folder without a usable tool counts as missing; the findings are those of the whole project.
    """
    by_place: dict[Place, list[Tool]] = {}
    for tool in every.tools:
        if tool.action is not None:
            by_place.setdefault((tool.domain, tool.action), []).append(tool)
    search: Literal["exact", "widened"] = "exact"
    places = _exact(parsed.domain, [parsed.action, *also_actions], by_place.__contains__)
    if not places:
        places = _widened(parsed.domain, parsed.action, list(by_place))
        search = "widened"
    tools = [tool for place in places for tool in by_place[place]]
    tools += [tool for tool in every.tools if tool.action is None]
    return Discovery(tuple(tools), every.findings, search)


def action_folders(layout: Layout) -> tuple[Place, ...]:
    """Every place that may hold tools, the domains' first, sorted by name."""
    return tuple(_Search(layout, None).everywhere())


class _Search:
    def __init__(self, layout: Layout, cache: FactCache | None) -> None:
        self._layout = layout
        self._cache = cache if cache is not None else FactCache(None)
        self._reader = FolderReader(layout, self._cache)

    def exists(self, place: Place) -> bool:
        return self._folder(place).is_dir()

    def everywhere(self) -> list[Place]:
        domains = self._folders(self._layout.domains, "a domain")
        places: list[Place] = []
        for domain in domains:
            folder = self._layout.domains / domain
            places += [(domain, action) for action in self._folders(folder, "an action")]
        shared = self._folders(self._layout.shared_tools, "an action")
        return places + [(None, action) for action in shared]

    def read(
        self,
        places: Sequence[Place],
        search: Literal["exact", "widened"],
        whole: bool = False,
    ) -> Discovery:
        for place in places:
            self._reader.read(self._folder(place), *place)
        tools, findings = self._reader.tools, self._reader.findings
        more_tools, more_findings = mcp_tools.stored_tools(self._layout, self._cache)
        seen = {**self._reader.seen, mcp_tools.FOLDER: mcp_tools.stored_names(self._layout)}
        self._cache.forget(seen, whole=whole)
        self._cache.save()
        return Discovery((*tools, *more_tools), (*findings, *more_findings), search)

    def _folder(self, place: Place) -> Path:
        domain, action = place
        if domain is None:
            return self._layout.shared_action(action)
        return self._layout.action(domain, action)

    def _folders(self, parent: Path, kind: str) -> list[str]:
        """The names of its folders; anything else becomes a finding."""
        names = []
        for entry in self._reader.entries(parent):
            name = entry.name
            if name[0] in "._":
                continue
            if _is_folder(entry) and is_slug(name):
                names.append(name)
            elif _is_folder(entry):
                rule = "be lower-case letters, digits and underscores, at most 64, a letter first"
                text = f"name of the folder of {kind} must {rule}"
                self._reader.report(parent, 0, f"{text}, got {name!a}")
            elif name.endswith(".py"):
                path = parent / name
                self._reader.report(path, 0, "tool must lie in the folder of an action")
        return names


def _exact(
    domain: str | None, actions: Iterable[str | None], exists: Callable[[Place], bool]
) -> list[Place]:
    """The places that exist; none when the first action has none or a name is unknown."""
    named = list(dict.fromkeys(actions))
    if domain is None or None in named:
        return []
    places: list[Place] = [(domain, action) for action in named if action]
    places += [(None, action) for action in named if action]
    existing = [place for place in places if exists(place)]
    return existing if any(action == named[0] for _, action in existing) else []


def _widened(domain: str | None, action: str | None, every: Sequence[Place]) -> list[Place]:
    """The places of the action in any domain, else all of the domain, else all."""
    of_action = [place for place in every if place[1] == action]
    if of_action:
        return of_action
    if domain is not None and any(place[0] == domain for place in every):
        return [place for place in every if place[0] in (domain, None)]
    return list(every)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False
