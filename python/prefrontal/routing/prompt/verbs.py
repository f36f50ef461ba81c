"""Verbs that name an action, in groups of synonyms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..._core import routing

SAME_MEANING = (
    "summarize recap digest condense abridge synopsize summary overview",
    "visualize plot draw chart graph render depict sketch illustrate diagram",
    "describe explain clarify interpret",
    "analyze examine inspect study investigate assess evaluate profile",
    "compare diff contrast",
    "load read ingest import open parse",
    "fetch download retrieve pull scrape crawl",
    "save write store export persist dump",
    "send email mail post publish notify deliver share forward",
    "search find look locate lookup query seek",
    "delete remove erase drop discard purge wipe",
    "create make generate build produce construct compose",
    "convert transform translate turn reformat transcode",
    "clean tidy scrub sanitize normalize deduplicate",
    "filter select pick exclude",
    "sort order rank arrange",
    "merge join combine concatenate unite",
    "split divide partition separate chunk",
    "count tally total sum",
    "calculate compute derive",
    "average mean aggregate group",
    "predict forecast project extrapolate estimate",
    "train fit learn",
    "classify label categorize tag",
    "cluster segment",
    "extract mine",
    "validate check verify test lint",
    "fix repair correct debug",
    "rename relabel",
    "move relocate migrate transfer",
    "copy duplicate clone backup",
    "update edit modify change amend revise",
    "schedule plan remind book",
    "compress zip archive pack",
    "decompress unzip unpack",
    "encrypt decrypt hash sign",
    "report document",
    "list enumerate show display print",
    "run execute start launch",
    "stop cancel abort end",
)
"""Groups of synonymous verbs, in American spelling."""

UNGROUPED = (
    "keep replace append prepend add subtract multiply crop resize rotate flip truncate flatten "
    "transpose shuffle encode decode attach redact highlight annotate install uninstall deploy "
    "transcribe paraphrase rephrase rewrite capitalize tokenize shrink enlarge shorten sharpen "
    "brighten darken lighten straighten deskew denoise resample upscale downscale recolor invert "
    "unlock unmute untar gunzip dedupe concat overwrite proofread embed restore recover destroy "
    "reload undo"
)
"""Verbs of no such group that are hardly ever nouns or adjectives."""

OF_FILES = (
    "blur mirror trim scale tilt mask stitch mute dub mix play view upload trash shred fill burn "
    "cite compile squash indent stamp preview format"
)
"""Verbs at least in front of a file's name: "blur b.jpg"."""

WITH_PARTICLES = (
    "back up",
    "log in out on off",
    "sign in out up off",
    "check in out",
    "shut down off",
    "start up",
    "boot up",
    "wake up",
    "power on off up down",
    "switch on off",
    "plug in",
    "roll back out",
    "scale up down",
    "spin up down",
    "tear down",
    "lock up down",
    "tidy up",
    "free up",
    "speed up",
    "slow down",
    "print out",
    "read out",
    "write down",
    "fill out up",
    "call back up off",
    "pay back off",
    "hand in over",
    "top up",
)
"""Verbs that are known by the particle behind them, which follows: "back up the database"."""

STOP_WORDS = (
    "a about again all also am an and any are as at be been but by can could did do does each "
    "for from give get had has have he her here him his how i if in into is it its just kindly let "
    "like may me mine more most my need no not now of off on one or our out over please shall she "
    "should so some such than that the their them then there these they this those to too up us "
    "use used using very want was we were what when where which while who why will with would you "
    "your after before first next finally"
)
"""Words of a prompt without content."""


LIGHT_VERBS = "make create produce build give show display print list run execute start send report"
"""Verbs that often stand for another action: "make a summary", "show me a plot"."""


@cache
def groups() -> Mapping[str, frozenset[int]]:
    """The token of a verb -> the groups it belongs to."""
    of_token: dict[str, set[int]] = {}
    for number, words in enumerate(SAME_MEANING):
        for word in words.split():
            tokens = routing.tokens(word)
            if len(tokens) == 1:
                of_token.setdefault(tokens[0], set()).add(number)
    return {token: frozenset(numbers) for token, numbers in of_token.items()}


@cache
def stop_tokens() -> frozenset[str]:
    """The tokens of STOP_WORDS."""
    return frozenset(routing.tokens(STOP_WORDS))


@cache
def light_tokens() -> frozenset[str]:
    """The tokens of LIGHT_VERBS."""
    return frozenset(routing.tokens(LIGHT_VERBS))


def content(tokens: list[str]) -> list[str]:
    """The content tokens, in order."""
    return [token for token in tokens if token not in stop_tokens()]
