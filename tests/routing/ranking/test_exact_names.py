"""A tool that is called by its whole name comes first, whatever the others are."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.routing.ranking.index import ToolIndex

WORDS = ("create", "meeting", "list", "all", "get", "file", "mail", "x2", "tool", "use", "naïve")
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
tools = st.lists(words.map("_".join), min_size=1, max_size=8, unique=True)
FORMS = (
    "{snake}",
    "{kebab}",
    "{camel}",
    "calendar.{snake}",
    "`{plain}`",
    "'{snake}'",
    '"{plain}"',
    "use {plain}",
    "Run the {plain} tool",
    "please call the tool named {snake}",
    "via {kebab}",
    "the {plain} function",
)


def call_of(name: str, form: str) -> str:
    first, *rest = name.split("_")
    camel = first + "".join(word.capitalize() for word in rest)
    plain = name.replace("_", " ")
    return form.format(snake=name, kebab=name.replace("_", "-"), camel=camel, plain=plain)


def is_identifier(form: str) -> bool:
    return form in FORMS[:4] or form == "via {kebab}"


@settings(deadline=None)
@given(tools, st.data())
def test_a_tool_called_by_its_name_comes_first(names: list[str], data: st.DataObject) -> None:
    docs = data.draw(st.lists(words.map(" ".join), min_size=len(names), max_size=len(names)))
    entries: list[dict[str, Any]] = [
        {"name": name, "doc": doc, "history": data.draw(st.sampled_from((0.0, 0.5, 1.0)))}
        for name, doc in zip(names, docs, strict=True)
    ]
    index = ToolIndex.build(entries)
    name = data.draw(st.sampled_from(names))
    form = data.draw(st.sampled_from(FORMS))
    before, after = (data.draw(st.sampled_from(("", "hm: ", "Mail me! "))) for _ in range(2))
    prompt = f"{before}{call_of(name, form)}. {after}"
    for _ in range(data.draw(st.integers(0, 3))):
        index.reject(prompt, name)
        index.accept(prompt, data.draw(st.sampled_from(names)))
    first = index.rank(prompt, 1, explain=True)[0]
    alone = len(name.split("_")) == 1 and is_identifier(form)
    longer = len(first.name.split("_")) > len(name.split("_"))
    if not alone:
        assert first.explanation is not None and first.explanation["called"]
        assert first.name == name or longer, (prompt, first.name)


CALENDAR = [
    {"name": "create_meeting", "doc": "Put an entry into the calendar."},
    {"name": "meeting_notes", "doc": "Create meeting notes of a meeting: create, meeting."},
    {"name": "sort", "doc": "Sort a list."},
]


def called(prompt: str) -> set[str]:
    ranked = ToolIndex.build(CALENDAR).rank(prompt, explain=True)
    return {one.name for one in ranked if one.explanation and one.explanation["called"]}


@pytest.mark.parametrize(
    "prompt",
    [
        "meeting notes to create",
        "sort it",
        "run sort algorithms on this",
        "create_meeting_room",
        "recreate_meeting",
        "create. meeting",
        "use create or meeting",
        "",
    ],
)
def test_words_of_a_name_alone_are_no_call(prompt: str) -> None:
    assert called(prompt) == set()


def test_several_tools_may_be_called() -> None:
    assert called("use sort, then create_meeting") == {"sort", "create_meeting"}


@pytest.mark.parametrize("prompt", ["list_tools", "use list tools", "`list tools` please"])
def test_a_longer_name_calls_no_tool_that_has_a_part_of_it(prompt: str) -> None:
    both = [{"name": name, "doc": "List all."} for name in ("list", "list_tools")]
    ranked = ToolIndex.build(both).rank(prompt, explain=True)
    calls = [one.name for one in ranked if one.explanation and one.explanation["called"]]
    assert calls == ["list_tools"]


def test_two_tools_of_one_name_are_both_called() -> None:
    both = [{"key": key, "name": "list_tools", "doc": "List all."} for key in ("a", "b")]
    ranked = ToolIndex.build(both).rank("use list_tools, or the list tool", explain=True)
    assert [one.explanation["called"] for one in ranked if one.explanation] == [True, True]


def test_a_call_beats_a_refusal_and_a_history() -> None:
    index = ToolIndex.build([{**tool, "history": 1.0} for tool in CALENDAR])
    for _ in range(5):
        index.reject("use create meeting", "create_meeting")
        index.accept("use create meeting", "meeting_notes")
    assert index.rank("use create meeting", 1)[0].name == "create_meeting"


def test_a_call_is_found_at_the_end_of_a_long_prompt() -> None:
    filler = " ".join(f"word{number}" for number in range(3_000))
    assert called(f"{filler} create_meeting") == {"create_meeting"}


def test_names_are_saved_and_loaded(tmp_path: Path) -> None:
    index = ToolIndex.build([{**tool, "key": f"k{at}"} for at, tool in enumerate(CALENDAR)])
    index.save(tmp_path / "index")
    loaded = ToolIndex.load(tmp_path / "index")
    assert loaded.rank("via create-meeting", 1)[0].name == "k0"
    loaded.update([{"key": "k9", "name": "other"}])
    loaded.remove("k2")
    assert loaded.rank("via create-meeting", 1)[0].name == "k0"


OLD_INDEX = (
    "c-rlnzfZzY5XWCjsr472!eHWn2K=?Sy1``PW}<O3roksxp<w$QOdR|d{ErwN9Q_*{oSa-tRG@dJ?<GxWB_evC<mG"
    "Z-j=O7LA?fAq?HufCtji|rbNBwdY-F<!D}l>2u(zqe&V#Rm?SMW5KDdk-U~{s|@_{LWn+97|bQA05<vbIpm*jX0`"
    "zgu&Ok&-#96yD1L0<xY8uORsdYG>R`ZoBpn15AjlVvc!qGvJxs+<=;?<o2l=3kR_+=nXY7Hky9{Oe5ORMBxi>R4B"
    "aKT~v!cQ9Z>jz5pkFCz4YqGSFhUY8Q@Dmuou@Vb=vwxVPFC0>^j??vc-gf0}_V9BU?+!p+}$+>Xcy5I6d{2ZCk^A"
    "ML0f*=TjAP9mW2x9D^_q*?-{qcKPvm4w!vAtjp;R>(e_@XzBXkUpzrx6y+!Fsc*LU%2~JgrFc2Z9(HY5Khk1!IKw"
    "QKvm52!a?nDf%xa2;vvN>zgC$>8IY!S?HV*E*(}X#yJL!B}WU@GvG{;89Muuq=!NK(fa6#dtZ3kdb_`Qt;DtX{g="
    "aQXaDH2f;L%wv#RDD6a(&c(*4WjEXJxCR`@#66^|wt+;0i5<_Vh(34E6R(;~)`PyK5u`2"
)
"""The tools create_meeting and sort, saved before indexes held whole names."""


def test_an_index_saved_before_takes_keys_for_names(tmp_path: Path) -> None:
    (tmp_path / "index").write_bytes(zlib.decompress(base64.b85decode(OLD_INDEX)))
    index = ToolIndex.load(tmp_path / "index")
    assert index.names() == ["create_meeting", "sort"]
    best = index.rank("a sorted list: sort it, use create meeting", 1, explain=True)[0]
    assert best.name == "create_meeting"
    assert best.explanation is not None and best.explanation["called"]
