"""Clauses that ask to send or to delete something, where no selected tool does so.

"Send the summary to bob@example.com" shares its words with a tool that summarises. That tool may
be a part of what is meant, but sends nothing, and whoever asked must know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..._core import routing as core
from ..prompt.clause_words import BEFORE_OBJECTS, pieces, skip_polite, word_set
from ..stems import stems
from ..types import SubIntent, Tool
from .extra_steps import has_effects
from .removal import may_remove

SENDING = "send upload publish notify transmit"
SENDING_OR_NOUN = "email mail post forward push reply message submit"
"""Verbs that ask to send only before an object: "mail the summary", not "mail addresses"."""
ALSO_SENDING = "deliver share transfer dispatch pay"
"""Of a tool they say that it sends; who asks for it with them may want to be shown something."""
DELETING = "delete erase wipe purge uninstall"

_TO_THE_PERSON = word_set("me us")
"""Behind the verb they say that something is to be shown."""


def act_of(clause: str) -> str:
    """The verb that opens the clause and asks to send or to delete, in lower case; else empty."""
    words = pieces(clause)
    purpose = bool(words) and words[0].text == "to"
    words = words[skip_polite(words, 0) :]
    if purpose or len(words) < 2 or words[0].kind != "word" or words[1].text in _TO_THE_PERSON:
        return ""
    verb, after = words[0].text, words[1]
    if verb in word_set(f"{SENDING} {DELETING}"):
        return verb
    before_object = after.kind == "quoted" or after.text in BEFORE_OBJECTS
    return verb if before_object and verb in word_set(SENDING_OR_NOUN) else ""


def does_act(tool: Tool, verb: str) -> bool:
    """Whether its name, the first sentence of its text, or an intent speaks of that act.

    A tool that only reads may speak of mails, posts and messages without sending any.
    """
    if set(core.tokens(verb)) & stems(DELETING):
        return may_remove(tool)
    nouns = SENDING_OR_NOUN if has_effects(tool) else ""
    return bool(stems(SENDING, ALSO_SENDING, nouns) & _telling_words(tool))


def open_acts(clauses: Sequence[SubIntent], tools: Iterable[Tool]) -> dict[int, str]:
    """By the positions of the clauses that ask for an act which none of the tools does: its verb.

    Nothing without a tool.
    """
    chosen = list(tools)
    acts = {place: act_of(clause.text) for place, clause in enumerate(clauses)}
    return {
        place: verb
        for place, verb in acts.items()
        if verb and chosen and not any(does_act(tool, verb) for tool in chosen)
    }


def _telling_words(tool: Tool) -> set[str]:
    intents = tool.manifest.intents if tool.manifest else ()
    first_sentence = tool.spec.doc.strip().partition("\n\n")[0].partition(". ")[0]
    return {one for text in (tool.name, first_sentence, *intents) for one in core.tokens(text)}
