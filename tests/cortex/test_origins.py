"""Where words come from: whose they are, united, kept, and never a secret."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prefrontal.cortex.origins import Origins
from prefrontal.origins import foreign, named, peer_origin, tool_origin, united
from prefrontal.plain_text import MORE

NAMES = st.lists(st.text(max_size=6), max_size=40)


def test_what_is_made_of_many_has_all_their_origins_once() -> None:
    assert united(["peer:b", "peer:a"], ["peer:a", "tool:web"]) == ("peer:a", "peer:b", "tool:web")
    assert united() == ()


def test_beyond_24_it_is_anybodys() -> None:
    many = united(f"peer:{number:02}" for number in range(30))
    assert len(many) == 25
    assert many[-1] == MORE
    assert foreign(many, "00")


def test_a_peers_own_words_are_foreign_to_everybody_else() -> None:
    assert foreign([peer_origin("bob")], "bob") == ()
    assert foreign([peer_origin("bob"), tool_origin("web")], "bob") == ("tool:web",)
    assert foreign([peer_origin("bob")], "alice") == ("peer:bob",)
    assert foreign([MORE], "bob") == (MORE,)


def test_no_secret_and_no_line_break_stands_in_an_origin() -> None:
    secret = "sk-abcdefghijklmnop1234"
    assert secret not in peer_origin(secret) + tool_origin(f"{secret}\nx")
    assert peer_origin(secret) != peer_origin("sk-abcdefghijklmnop5678")
    assert "\n" not in peer_origin("a\nb")
    assert peer_origin("a\nb") != peer_origin("a b")


def test_what_was_heard_survives_being_kept() -> None:
    origins = Origins()
    origins.hear("alice", ["peer:bob", "peer:alice"])
    origins.hear("alice", ["tool:web"])
    origins.hear("carol", ["peer:carol"])
    again = Origins()
    again.load(origins.save())
    assert again.of_peer("alice") == ("peer:alice", "peer:bob", "tool:web")
    assert again.of_peer("carol") == ("peer:carol",)


def test_a_damaged_entry_counts_as_anybodys() -> None:
    origins = Origins()
    origins.load({"alice": 7})
    assert MORE in origins.of_peer("alice")


def test_people_read_names() -> None:
    assert named(["peer:bob", "tool:web"]) == "bob, the tool web"
    assert named([f"peer:{n}" for n in range(7)]) == "0, 1, 2, 3, 4 and 2 more"


@given(NAMES, NAMES)
def test_nothing_is_lost_by_being_united(first: list[str], second: list[str]) -> None:
    one, other = united(first), united(second)
    both = united(one, other)
    assert MORE in both or set(both) == {*first, *second}
    assert united(both) == both
