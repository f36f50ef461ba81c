"""Prompts made from the sets of bench_routing.py: for several tools, of agents, misspelt."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from prefrontal._core.routing import is_stop_word, tokens
from prefrontal.routing.catalog.discovery import discover_all
from prefrontal.routing.layout import Layout

JOINTS = (" and then ", ", also ", ", ")
MOST_WORDS = 8
"""Words of a prompt that an agent keeps."""
TOOLS = Path(__file__).parents[1] / "examples/tools"

Pair = tuple[str, str | None]
Several = tuple[str, frozenset[str]]
"""A prompt and all tools that it needs."""


def joined(one: Pair, other: Pair, joint: str) -> Several:
    """Two prompts as one."""
    (first, tool), (second, another) = one, other
    if not second.startswith(("I ", "I'")):
        second = second[:1].lower() + second[1:]
    return first.rstrip(" .?!,") + joint + second, frozenset((str(tool), str(another)))


def drawn_pairs(pairs: Sequence[Pair], count: int) -> list[Several]:
    """`count` prompts of two that mean different tools, each joint as often."""
    dice = random.Random(11)
    out: list[Several] = []
    while len(out) < count:
        one, other = dice.sample(pairs, 2)
        if one[1] != other[1]:
            out.append(joined(one, other, JOINTS[len(out) % len(JOINTS)]))
    return out


def phrasings_of(pairs: Iterable[Pair], count: int, dice: random.Random) -> dict[str, list[str]]:
    """At most `count` prompts of each tool, drawn by chance."""
    every: dict[str, list[str]] = {}
    for prompt, tool in pairs:
        if tool is not None:
            every.setdefault(tool, []).append(prompt)
    return {tool: dice.sample(own, min(count, len(own))) for tool, own in every.items()}


def all_pairs(pairs: Sequence[Pair]) -> list[Several]:
    """Every two that mean different tools, with every joint."""
    return [
        joined(one, other, joint)
        for place, one in enumerate(pairs)
        for other in pairs[place + 1 :]
        if one[1] != other[1]
        for joint in JOINTS
    ]


def example_tools() -> tuple[list[tuple[str, str]], list[Pair]]:
    """(name and doc of the tools of examples/tools, the phrasings of their manifests)."""
    tools = discover_all(Layout.of(TOOLS)).tools
    phrasings: list[Pair] = [
        (text, tool.name) for tool in tools if tool.manifest for text in tool.manifest.intents
    ]
    return [(tool.name, tool.spec.doc) for tool in tools], phrasings


def from_catalogue(tools: Sequence[tuple[str, str]]) -> list[Pair]:
    """What an agent writes that does not know a tool's name: every other word of its doc, without
    stop words and those of the name.
    """
    out: list[Pair] = []
    for name, doc in tools:
        named = set(tokens(name))
        words = [word for word in _content(doc) if not named & set(tokens(word))]
        out.append((f"tool to {' '.join(words[::2])}", name))
    return out


def condensed(pairs: Sequence[Pair]) -> list[Pair]:
    """What an agent makes of people's prompts: the first words of each, without stop words."""
    return [(f"tool to {' '.join(_content(text)[:MOST_WORDS])}", tool) for text, tool in pairs]


def _content(text: str) -> list[str]:
    """The different words that are not in scikit-learn's list, as typed."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words = (word.strip(".,;:!?()\"'") for word in text.split())
    return list(dict.fromkeys(w for w in words if w and w.lower() not in ENGLISH_STOP_WORDS))


def misspelt(pairs: Sequence[Pair]) -> list[Pair]:
    """The prompts with slips of the keys in two of their longer words, where there are so many."""
    dice = random.Random(19)
    return [(_with_slips(prompt, dice), tool) for prompt, tool in pairs]


def _with_slips(prompt: str, dice: random.Random) -> str:
    words = prompt.split()
    longer = [
        place
        for place, word in enumerate(words)
        if len(word) >= 5 and word.isalpha() and not is_stop_word(word.lower())
    ]
    for place in dice.sample(longer, min(2, len(longer))):
        words[place] = _slip(words[place], dice)
    return " ".join(words)


def _slip(word: str, dice: random.Random) -> str:
    """Two letters the other way round, one left out, one twice, or another one."""
    at = dice.randrange(1, len(word) - 1)
    forms = (
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[: at + 1] + word[at:],
        word[:at] + dice.choice("aeilnorst") + word[at + 1 :],
    )
    return dice.choice(forms)
