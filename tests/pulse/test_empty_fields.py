"""A field that is empty leaves a question with the words that lead up to it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.pulse.asking import question
from prefrontal.types import SignalEvent


def asked(template: str, *, as_before: bool = False, **features: Any) -> str | None:
    event = SignalEvent("git", "/src/a.py", "modified", 1.0, 0.0, features)
    return question(template, "module", [event], as_before=as_before)


@pytest.mark.parametrize(
    ("template", "of_both", "of_actor", "of_text", "of_none"),
    [
        ("{location} changed by {actor}", "/src/a.py changed by Ada", "/src/a.py changed by Ada",
         "/src/a.py changed", "/src/a.py changed"),
        ("{location} is new, by the author {actor}!", "/src/a.py is new, by the author Ada!",
         "/src/a.py is new, by the author Ada!", "/src/a.py is new!", "/src/a.py is new!"),
        ("{location}: {text}. Does it matter?", "/src/a.py: Fix. Does it matter?",
         "/src/a.py. Does it matter?", "/src/a.py: Fix. Does it matter?",
         "/src/a.py. Does it matter?"),
        ("{basename} says: {text} ({location})", "a.py says: Fix (/src/a.py)", "a.py (/src/a.py)",
         "a.py says: Fix (/src/a.py)", "a.py (/src/a.py)"),
        ("Author: {actor}, subject: {text}; {location}", "Author: Ada, subject: Fix; /src/a.py",
         "Author: Ada; /src/a.py", "subject: Fix; /src/a.py", "/src/a.py"),
        ("({actor}, {text}) {location}", "(Ada, Fix) /src/a.py", "(Ada) /src/a.py",
         "(Fix) /src/a.py", "/src/a.py"),
        ('"{text}" by {actor} in {location}', '"Fix" by Ada in /src/a.py', "by Ada in /src/a.py",
         '"Fix" in /src/a.py', "in /src/a.py"),
        ("{actor}'s change of {location}", "Ada's change of /src/a.py", "Ada's change of /src/a.py",
         "change of /src/a.py", "change of /src/a.py"),
        ("{text}. Does {location} matter?", "Fix. Does /src/a.py matter?",
         "Does /src/a.py matter?", "Fix. Does /src/a.py matter?", "Does /src/a.py matter?"),
        ("Hm. {text}. See {location} - {actor}", "Hm. Fix. See /src/a.py - Ada",
         "Hm. See /src/a.py - Ada", "Hm. Fix. See /src/a.py", "Hm. See /src/a.py"),
        ("{location} {text}{actor}", "/src/a.py FixAda", "/src/a.py Ada", "/src/a.py Fix",
         "/src/a.py"),
    ],
)  # fmt: skip
def test_the_words_that_lead_up_to_an_empty_field_leave_with_it(
    template: str, of_both: str, of_actor: str, of_text: str, of_none: str
) -> None:
    assert asked(template, actor="Ada", text="Fix") == of_both
    assert asked(template, actor="Ada") == of_actor
    assert asked(template, text="Fix") == of_text
    assert asked(template) == of_none


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("Please look at this: {text} ({location})", "Please look at this (/src/a.py)"),
        ("{location} was moved in a hurry {text}", "/src/a.py was moved in a hurry"),
        ("{location}|{text}|{actor}|", "/src/a.py|||"),
        ("{location}: a (b) {text}", "/src/a.py: a (b)"),
    ],
)
def test_words_that_say_more_stay(template: str, expected: str) -> None:
    assert asked(template) == expected


def test_before_version_4_the_words_stayed() -> None:
    template = "{location} by {actor}: {text}."
    assert asked(template, as_before=True) == "/src/a.py by : ."


words = st.text(st.sampled_from("ab ,:;.?!()[]'\"-–") | st.characters(codec="utf-8"), max_size=20)
literals = words.map(lambda text: text.replace("{", "{{").replace("}", "}}"))


@given(st.lists(literals, min_size=4, max_size=4), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=300)
def test_a_question_keeps_its_values_and_whole_fields_keep_every_word(
    parts: list[str], has_actor: bool, has_text: bool
) -> None:
    template = f"{parts[0]}{{location}}{parts[1]}{{actor}}{parts[2]}{{text}}{parts[3]}"
    features: dict[str, Any] = {"actor": "ADA" * has_actor, "text": "FIX" * has_text}
    new, old = asked(template, **features), asked(template, as_before=True, **features)
    assert new is not None
    assert old is not None
    assert "/src/a.py" in new
    assert ("ADA" in new) == has_actor
    assert ("FIX" in new) == has_text
    assert len(new) <= len(old) + 2  # at most a space for each field that left
    if has_actor and has_text:
        assert new == old
