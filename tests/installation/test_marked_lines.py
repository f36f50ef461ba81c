"""Lines of ours in a crontab of somebody else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prefrontal.installation.marked_lines import MarkedLines
from prefrontal.installation.own_part import taken_out

PART = MarkedLines("cron", ["*/10 * * * * /usr/bin/prefrontal gate"])
LINES = st.sampled_from(
    [
        *("", "# a note", "MAILTO=me", "0 7 * * 1\tdate +\\%F", "@reboot x", "  # prefrontal"),
        *("0 * * * * other | prefrontal gate", "# prefrontal: my own note"),
    ]
)


@st.composite
def crontabs(draw: st.DrawFn) -> str:
    text = "".join(f"{line}\n" for line in draw(st.lists(LINES, max_size=6)))
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(crontabs())
def test_what_is_put_in_goes_to_the_byte(before: str) -> None:
    after = PART.with_own(before)
    assert after.startswith(before) and after.endswith("\n")
    assert PART.has_own(after) and not PART.has_own(before)
    assert taken_out(PART, after, before, after) == before


@given(crontabs(), crontabs(), crontabs())
def test_what_somebody_wrote_around_it_stays(before: str, above: str, below: str) -> None:
    above = above and above.rstrip("\r\n") + "\n"
    before = before and before.rstrip("\r\n") + "\n"
    after = PART.with_own(before)
    assert taken_out(PART, above + after + below, before, after) == above + before + below


def test_a_crontab_that_was_not_there_is_nothing_again() -> None:
    assert PART.without_own(PART.with_own(""), None) is None
