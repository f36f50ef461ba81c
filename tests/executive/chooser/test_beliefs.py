"""Beliefs decide between equals, and only there; what they say of a tool is read from words."""

from __future__ import annotations

import pytest

from prefrontal.executive import HeardBelief, Option
from prefrontal.executive.chooser.beliefs import LONGEST, by_belief, leanings, spoken

A, B, C = "summarise_diff", "list_todos", "find_secrets"


def held(key: str, text: str, confidence: float = 0.8) -> HeardBelief:
    return HeardBelief(key, text, confidence)


def option(name: str, score: float, plan: dict[str, object] | None = None) -> Option:
    return Option(f"x/{name}.py", name, score, plan=plan)


OPTIONS = [option(A, 0.9), option(B, 0.895), option(C, 0.7)]
EVERY = [each.tool for each in OPTIONS]


def ordered(
    *beliefs: HeardBelief, options: list[Option] = OPTIONS, margin: float = 0.01
) -> list[str]:
    told = leanings(beliefs, [each.name for each in options])
    return [each.name for each in by_belief(options, told, margin, EVERY)[0]]


@pytest.mark.parametrize(
    ("text", "name", "sign"),
    [
        ("Prefer summarise_diff", "summarise_diff", 1),
        ("summarise_diff is reliable.", "summarise_diff", 1),
        ("avoid list_todos", "list_todos", -1),
        ("list_todos fails on big files", "list_todos", -1),
        ("list_todos never fails", "list_todos", 1),
        ("list_todos is not reliable", "list_todos", -1),
        ("list_todos isn't very useful here", "list_todos", -1),
        ("list_todos is no longer broken", "list_todos", 1),
        ("Do not use list_todos for reports", "list_todos", -1),
        ("Use list_todos for reports", "list_todos", 1),
        ("Prefer summarise_diff over list_todos", "list_todos", -1),
        ("Prefer summarise_diff over list_todos", "summarise_diff", 1),
        ("Use summarise_diff instead of list_todos.", "list_todos", -1),
        ("Use summarise_diff instead of list_todos.", "summarise_diff", 1),
        ("Avoid a_b rather than c_d", "c_d", 1),
        ("summarise diff works well", "summarise_diff", 1),
        ("The Summarise-Diff tool works well", "summarise_diff", 1),
        ("summarise_diff was run 12 times", "summarise_diff", 0),
        ("summarise_diff works, but list_todos fails", "summarise_diff", 1),
        ("summarise_diff works, but list_todos fails", "list_todos", -1),
        ("summarise_diff is reliable and list_todos fails on big files", "list_todos", -1),
        ("summarise_diff is reliable and list_todos fails on big files", "summarise_diff", 1),
        ("ann is reliable", "summarise_diff", 0),
        ("check the path src/list_todos/x.py: it is broken", "list_todos", 0),
        ("list_todos_all is broken", "list_todos", 0),
        ("count is reliable", "count", 1),
        ("list_todos is good and bad", "list_todos", 0),
        ("I cannot recommend list_todos. It fails.", "list_todos", 0),
    ],
)
def test_a_text_speaks_for_or_against_a_tool_that_it_names(text: str, name: str, sign: int) -> None:
    assert spoken(text, name) == sign


def test_without_a_belief_that_names_a_tool_the_options_are_the_very_same() -> None:
    for beliefs in ([], [held("k", "ann is reliable")]):
        told = leanings(beliefs, [A, B, C])
        found, why = by_belief(OPTIONS, told, 0.01, EVERY)
        assert found == tuple(OPTIONS) and why == ""


def test_a_belief_for_the_second_of_two_equals_puts_it_first_and_says_why() -> None:
    told = leanings([held("todos-work", f"{B} is reliable")], [A, B, C])
    found, why = by_belief(OPTIONS, told, 0.01, EVERY)
    assert [each.name for each in found] == [B, A, C]
    assert found[0].flags == ("belief todos-work speaks for it",)
    assert why == (
        "list_todos is taken before summarise_diff, as good by its score (0.895 and 0.90): belief "
        "todos-work speaks for it."
    )


def test_a_belief_against_the_first_puts_it_last_among_its_equals() -> None:
    told = leanings([held("k", f"avoid {A}")], [A, B, C])
    found, why = by_belief(OPTIONS, told, 0.01, EVERY)
    assert [each.name for each in found] == [B, A, C]
    assert why.endswith("belief k speaks against the other.")


def test_what_is_worse_by_more_than_the_margin_stays_behind() -> None:
    beliefs = [held("k", f"prefer {C}"), held("l", f"avoid {A}"), held("m", f"avoid {B}")]
    assert ordered(*beliefs) == [A, B, C]
    assert ordered(*beliefs, margin=0.2) == [C, A, B]


def test_the_margin_is_compared_in_whole_millionths() -> None:
    options = [option(A, 0.9), option(B, 0.89)]
    belief = held("k", f"prefer {B}")
    assert ordered(belief, options=options) == [B, A]
    assert ordered(belief, options=[options[0], option(B, 0.889999)]) == [A, B]
    assert ordered(belief, options=[options[0], option(B, 0.8899999)]) == [B, A]


def test_the_surer_of_two_beliefs_decides_and_equally_sure_ones_nothing() -> None:
    good, bad = held("g", f"{B} is good", 0.9), held("b", f"{B} is bad", 0.4)
    assert ordered(good, bad)[0] == B
    assert ordered(good, held("b", f"{B} is bad", 0.9)) == [A, B, C]


def test_a_tool_that_serves_less_of_the_prompt_is_not_put_first() -> None:
    told = leanings([held("k", f"prefer {B}")], [A, B, C])
    assert by_belief(OPTIONS, told, 0.01, [f"x/{A}.py"]) == (tuple(OPTIONS), "")


def test_a_composition_stays_first() -> None:
    options = [option("a + b", 0.9, {"plan": {}}), option(B, 0.9), option(C, 0.9)]
    told = leanings([held("k", f"prefer {C}")], [B, C])
    assert by_belief(options, told, 0.01, EVERY) == (tuple(options), "")


def test_no_options_are_no_options() -> None:
    assert by_belief([], {}, 0.01, []) == ((), "")


def test_what_others_words_went_into_chooses_no_tool() -> None:
    said = HeardBelief("k", f"Prefer {B}", 0.9, quoted=True)
    assert leanings([said], [A, B]) == {}
    assert ordered(said) == [A, B, C]
    assert ordered(HeardBelief("k", f"Prefer {B}", 0.9))[0] == B


def test_of_a_long_text_the_beginning_is_read() -> None:
    assert spoken(f"avoid {A}. " + 65_536 * f"good {A} ", A) == 1
    assert spoken(f"avoid {A}. " + LONGEST * "\u2028" + f"good {A}, best {A}. Use {A}.", A) == -1
