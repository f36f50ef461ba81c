"""The whole page: everything is in it when it comes, and changes arrive afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .markup import Html, fill, join
from .part_conversations import SEARCH

if TYPE_CHECKING:
    from .assets import Assets
    from .regions import Regions

HTMX = '{"includeIndicatorCSS":false,"history":false,"defaultTimeout":10000}'

_MARKS = Html("""\
<svg class="marks" width="0" height="0" aria-hidden="true" focusable="false">
<symbol id="mark-caught" viewBox="-8 -8 16 16"><circle r="6"/></symbol>
<symbol id="mark-wasted" viewBox="-8 -8 16 16"><path class="bare" d="M0 6 6.5-5H-6.5Z"/></symbol>
<symbol id="mark-woke" viewBox="-8 -8 16 16"><circle class="bare" r="5"/></symbol>
<symbol id="mark-missed" viewBox="-8 -8 16 16">\
<path class="bare heavy" d="M-5.5-5.5 5.5 5.5M-5.5 5.5 5.5-5.5"/></symbol>
<symbol id="mark-audit" viewBox="-8 -8 16 16"><path d="M0-7 7 0 0 7-7 0Z"/></symbol>
<symbol id="mark-held" viewBox="-8 -8 16 16"><path class="bare" d="M-3-5V5M3-5V5"/></symbol>
<symbol id="mark-slept" viewBox="-8 -8 16 16"><path class="bare" d="M-4.5 0H4.5"/></symbol>
</svg>""")

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="$htmx">
<title>Prefrontal</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="$dash_css"><link rel="stylesheet" href="$uplot_css">
<script src="$regions_js" defer></script><script src="$stream_js" defer></script>
<script src="$dash_js" defer></script><script src="$htmx_js" defer></script>
<script src="$uplot_js" defer></script><script src="$curve_js" defer></script>
</head>
<body data-instance="$instance" data-number="$number" data-key="$key" data-version="$version" \
data-stream="$stream_js">
$marks
<a class="skip" href="#questions-section">Skip to the questions</a>
<header class="top"><p class="brand"><b>Prefrontal</b> <span id="live" class="live">\
<span class="dot" aria-hidden="true"></span><span id="live-words">connecting</span></span></p>
<nav aria-label="Sections">$links</nav></header>
<p id="said" role="status" aria-live="polite"></p>
<p id="trouble" class="trouble" role="alert" hidden></p>
<noscript><p class="trouble">Without JavaScript the page shows what was so when it was loaded; \
nothing can be answered.</p></noscript>
<main>
<h1 class="unseen">What the agent is woken for</h1>
<section aria-labelledby="today-title" id="today-section"><h2 id="today-title">Today</h2>
<dl id="figures" class="figures" data-region>$figures</dl>
<div id="strip" class="strip" role="group" data-region aria-label="The latest events of today, \
the newest last; arrow keys walk along them">$strip</div>
<p class="empty">Nothing was decided yet today. <code>prefrontal init</code> writes settings for \
this machine, <code>prefrontal watch FOLDER</code> watches a folder and asks when something there \
matters; what it decides appears here.</p>
<ul id="legend" class="legend" data-region>$legend</ul></section>
<section aria-labelledby="so-far-title" id="so-far-section"><h2 id="so-far-title">So far</h2>
<dl id="so-far" class="figures" data-region>$so_far</dl></section>
<div class="columns"><div>
$first</div><div>
$second</div></div>
</main>
<footer><p>Questions, paths and names on this page were written by strangers. What you answer is \
kept in the log of decisions; <code>prefrontal explain</code> tells more of each.</p></footer>
<div id="tip" role="tooltip" hidden></div>
</body>
</html>
"""
_SECTION = """\
<section aria-labelledby="$name-title" id="$name-section"><h2 id="$name-title">$title</h2>
<$tag id="$name" class="$kind" data-region>$pieces</$tag>
<p class="empty">$empty</p></section>
"""


@dataclass(frozen=True, slots=True)
class Section:
    """One region under a heading. empty: what to do when there is nothing in it, as markup."""

    name: str
    title: str
    empty: Html
    kind: str = "cards"
    tag: str = "ul"

    def render(self, regions: Regions) -> Html:
        return fill(
            _SECTION,
            name=self.name,
            title=self.title,
            tag=self.tag,
            kind=self.kind,
            pieces=join(regions.get(self.name, {}).values()),
            empty=self.empty,
        )


FIRST = (
    Section("questions", "Questions", Html("No question waits. Each wake and each audit "
            "brings one here; your answer is the label it learns from."), "cards", "ol"),
    Section("routes", "Routes", Html("Nothing was routed yet. <code>prefrontal run</code> "
            "routes a wake to a tool, and says here why it chose that one."), "cards", "ol"),
    Section("reflections", "Reflection", Html("The agent has not looked back yet. <code>prefrontal "
            "agent run</code> reflects beside its work."), "cards", "ol"),
)  # fmt: skip
SECOND = (
    Section("modules", "Modules", Html("No module is known. <code>prefrontal modules add "
            "FILE</code> adds one; a watched folder gets a built-in one.")),
    Section("beliefs", "Beliefs", Html("Nothing is believed for now. Reflection forms beliefs; "
            "they expire unless they are confirmed, or pinned here.")),
    Section("directives", "Directives", Html("No directive waits. What the agent asks of itself "
            "waits here when others' words went into it, or the settings want approval.")),
    Section("facts", "Facts", Html("Nobody stated anything that is known yet. What peers say of "
            "themselves and their projects, such as where they live, stands here.")),
    Section("peers", "Peers", Html("The agent has met nobody yet.")),
    Section("health", "Health", Html("Nothing is known."), "facts", "dl"),
)  # fmt: skip


def render_page(number: int, regions: Regions, instance: str, key: str, assets: Assets) -> Html:
    """The page in that state. key: what a change made on it must carry."""
    sections = [
        ("today", "Today"),
        ("so-far", "So far"),
        *((each.name, each.title) for each in (*FIRST, *SECOND)),
        ("conversations", "Conversations"),
    ]
    links = join(
        fill('<a href="#$name-section">$title</a> ', name=name, title=title)
        for name, title in sections
    )
    return fill(
        _PAGE,
        htmx=HTMX,
        instance=instance,
        number=number,
        key=key,
        version=assets.version,
        marks=_MARKS,
        links=links,
        first=join(each.render(regions) for each in FIRST),
        second=join((*(each.render(regions) for each in SECOND), SEARCH)),
        **{
            name.replace("-", "_"): join(regions.get(name, {}).values())
            for name in ("figures", "strip", "legend", "so-far")
        },
        **assets.addresses(),
    )
