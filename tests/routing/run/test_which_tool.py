"""Two tools that fit a prompt equally: a person says which; without one nothing is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.routing.exit_codes import NEEDS_APPROVAL, OK, UNSURE
from prefrontal.routing.layout import Layout
from prefrontal.routing.run.request import Mode

from ...exhaustive import first
from ..project import layout_of
from ..routes import Script, events, routed

PROMPT = "mail the report"
LOW = {"ranker": {"threshold": 0.3}}
"""A tau that both tools reach and neither is sure at."""
PLAN, ALONE = Mode(plan_only=True), Mode(interactive=False)


@pytest.fixture
def project(tmp_path: Path) -> Layout:
    """Two tools for mail, and others."""
    tools = {
        "send_mail": "Send a mail to somebody.",
        "print_mail": "Print a mail on paper.",
        "find_dates": "Find dates in a text.",
        "count_words": "Count the words of a text.",
    }
    for name, doc in tools.items():
        file = tmp_path / f"workflows/domains/office/mail/{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'"""{doc}"""\n\n\ndef run() -> int:\n    """{doc}"""\n    return 1\n')
    return layout_of(tmp_path)


def test_a_person_is_asked_once_and_names_both(project: Layout) -> None:
    operator = Script(reply="print_mail")
    route = routed(project, PROMPT, operator=operator, settings=LOW)
    assert operator.asked == ["tool=print_mail or send_mail?"]
    assert route.decision.selected[0].path.stem == "print_mail"
    assert operator.offered == ["Use print_mail?"]
    assert route.exit_code == OK
    asked = [one for one in events(route) if one["phase"] == "clarify"]
    assert [one["decision"] for one in asked] == ["asked"]


@pytest.mark.parametrize(
    ("reply", "name"),
    first(
        1,
        [
            ("1", "print_mail"),
            ("2", "send_mail"),
            ("Send Mail", "send_mail"),
            ("tool=send_mail", "send_mail"),
        ],
    ),
)
def test_a_number_or_a_name_in_any_case_is_an_answer(
    project: Layout, reply: str, name: str
) -> None:
    route = routed(project, PROMPT, operator=Script(reply=reply), settings=LOW)
    assert route.decision.selected[0].path.stem == name


@pytest.mark.parametrize("reply", first(1, ["", "3", "0", "neither"]))
def test_without_an_answer_the_others_are_named_again(project: Layout, reply: str) -> None:
    operator = Script(reply=reply, yes=False)
    route = routed(project, PROMPT, operator=operator, settings=LOW)
    assert operator.offered == ["Use print_mail (send_mail would fit as well)?"]
    assert route.exit_code == NEEDS_APPROVAL


@pytest.mark.exhaustive
def test_where_nobody_is_asked_nothing_is_kept_and_both_are_named(project: Layout) -> None:
    for mode in (ALONE, PLAN):
        route = routed(project, PROMPT, mode, operator=Script(reply="1"), settings=LOW)
        assert route.exit_code == UNSURE
        assert "print_mail" in route.decision.reason and "send_mail" in route.decision.reason
        assert route.promoted is None
    assert "send_mail would fit as well" in routed(project, PROMPT, ALONE, settings=LOW).sentence
