from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.routing.plans.links import check_tools
from prefrontal.routing.plans.plan import parse_plan, plan_document
from prefrontal.routing.plans.wiring import wire
from prefrontal.routing.types import Candidate, Manifest, Plan, Tool

from ..sample_tools import ROOT, arg, tool


def first(args: Sequence[str] = (), returns: Sequence[str] = (), hint: str | None = None) -> Tool:
    return tool("domains/d/x/one.py", args, returns, hint)


def second(args: Sequence[str] = (), returns: Sequence[str] = (), hint: str | None = None) -> Tool:
    return tool("domains/d/y/two.py", args, returns, hint)


def wired(*tools: Tool, **told: Any) -> Plan:
    plan = wire([Candidate(one, 0.7, {}) for one in tools], "do one then two", **told)
    assert plan is not None
    assert parse_plan(plan_document(plan)) == plan
    assert check_tools(plan, [*tools, *told.get("tools", ())]) == tools
    return plan


def inputs(plan: Plan, number: int = 2) -> dict[str, Any]:
    return dict(plan.steps[number - 1].inputs)


SUMMARY, RESULT = "{{steps.s1.outputs.summary}}", "{{steps.s1.outputs.result}}"


def test_the_documented_example_is_wired_as_documented() -> None:
    plan = wired(first(["df"], ["summary"]), second(["summary"], ["figure_path"]))
    assert plan_document(plan) == {
        "plan": {
            "description": "do one then two",
            "steps": [
                {
                    "id": "s1",
                    "tool": "one.py::run",
                    "inputs": {"df": "{{input.df}}"},
                    "outputs": {"summary": "summary"},
                },
                {
                    "id": "s2",
                    "tool": "two.py::run",
                    "inputs": {"summary": SUMMARY},
                    "outputs": {"figure_path": "figure_path"},
                },
            ],
        },
        "io": {"params": ["df"], "returns": ["figure_path"]},
    }


LINKS: list[tuple[str, Tool, Tool, dict[str, str]]] = [
    ("by name", first([], ["summary"]), second(["summary"]), {"summary": SUMMARY}),
    ("by name to an optional one", first([], ["n"]), second(["n = 3"]),
     {"n": "{{steps.s1.outputs.n}}"}),
    ("by name not to an optional amount", first([], ["count"]), second(["count = 3"]), {}),
    ("by name to a required amount", first([], ["count"]), second(["count"]),
     {"count": "{{steps.s1.outputs.count}}"}),
    ("by name to an optional thing beside an amount", first([], ["row_count"]),
     second(["row_count = 3"]), {"row_count": "{{steps.s1.outputs.row_count}}"}),
    ("not by a contradicting type", first([], ["n"], "int"), second(["n: str"]),
     {"n": "{{input.n}}"}),
    ("by the values' type", first([], ["n"], "dict[str, int]"), second(["n: int"]),
     {"n": "{{steps.s1.outputs.n}}"}),
    ("by name where Any and object meet",
     first(["df"], ["summary"], "dict[str, dict[str, object]]"),
     second(["summary: dict[str, Any]"]), {"summary": SUMMARY}),
    ("by name to a kindred type", first([], ["n"], "list[int]"), second(["n: Sequence"]),
     {"n": "{{steps.s1.outputs.n}}"}),
    ("by type", first([], [], "DataFrame"), second(["frame: pd.DataFrame"]), {"frame": RESULT}),
    ("by type, None apart", first([], [], "DataFrame"), second(["x: DataFrame | None"]),
     {"x": RESULT}),
    ("by type only once", first([], [], "Frame"), second(["left: Frame", "right: Frame"]),
     {"left": RESULT, "right": "{{input.right}}"}),
    ("name before type", first([], ["b"], "Frame"), second(["a: Frame", "b: Frame"]),
     {"a": "{{input.a}}", "b": "{{steps.s1.outputs.b}}"}),
    ("by type not to an optional one", first([], [], "Frame"), second(["x: Frame = None"]), {}),
    ("by words", first([], ["figure_path"]), second(["path"]),
     {"path": "{{steps.s1.outputs.figure_path}}"}),
    ("by words for a file", first([], ["saved_file"]), second(["path"]),
     {"path": "{{steps.s1.outputs.saved_file}}"}),
    ("not by words for another place", first([], ["page_url"]), second(["path"]),
     {"path": "{{input.path}}"}),
    ("by words only with one head", first([], ["matrix_summary"]), second(["matrix"]),
     {"matrix": "{{input.matrix}}"}),
    ("not several for one", first([], ["files"]), second(["path"]), {"path": "{{input.path}}"}),
    ("not several names for one", first([], ["names"]), second(["page_name"]),
     {"page_name": "{{input.page_name}}"}),
    ("not by a type alone", first([], ["seconds"], "int"), second(["path: str", "width: int"]),
     {"path": "{{input.path}}", "width": "{{input.width}}"}),
    ("several for several", first([], ["files"]), second(["paths"]),
     {"paths": "{{steps.s1.outputs.files}}"}),
    ("one that is called like several", first([], ["contents"]), second(["content"]),
     {"content": "{{steps.s1.outputs.contents}}"}),
    ("not by words that say nothing", first([], ["result"]), second(["end_result"]),
     {"end_result": "{{input.end_result}}"}),
    ("neighbours by a plain type", first([], [], "str"), second(["text: str"]), {"text": RESULT}),
    ("not where two are meant", first([], [], "str"), second(["a: str", "b: str"]),
     {"a": "{{input.a}}", "b": "{{input.b}}"}),
    ("what was made of what was given", first(["text: str"], [], "str"),
     second(["text: str", "language: str"]), {"text": RESULT, "language": "{{input.language}}"}),
    ("not of what had another name", first(["words: str"], [], "str"),
     second(["text: str", "language: str"]),
     {"text": "{{input.text}}", "language": "{{input.language}}"}),
    ("not to a place", first([], [], "str"), second(["path: str"]), {"path": "{{input.path}}"}),
    ("not when linked already", first([], ["a", "b"], "str"), second(["a: str", "c: str"]),
     {"a": "{{steps.s1.outputs.a}}", "c": "{{input.c}}"}),
    ("not where a file lies", first([], ["figure_path"], "dict[str, str]"),
     second(["text: str"]), {"text": "{{input.text}}"}),
    ("not without a type", first([], []), second(["data"]), {"data": "{{input.data}}"}),
    ("nothing from None", first([], [], "None"), second(["data: None"]),
     {"data": "{{input.data}}"}),
    ("not from Any", first([], [], "Any"), second(["data: Any"]), {"data": "{{input.data}}"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "one", "two", "links"), LINKS)
def test_an_argument_takes_what_fits(
    name: str, one: Tool, two: Tool, links: dict[str, str]
) -> None:
    assert inputs(wired(one, two)) == links


def test_the_latest_step_comes_first() -> None:
    middle = tool("domains/d/z/mid.py", [], ["summary"])
    plan = wired(first([], ["summary"]), middle, second(["summary"]))
    assert inputs(plan, 3) == {"summary": "{{steps.s2.outputs.summary_s2}}"}
    assert plan.steps[1].outputs == {"summary_s2": "summary"}


def test_a_plain_type_links_neighbours_only() -> None:
    plan = wired(
        first([], [], "str"), tool("domains/d/z/mid.py", [], [], "int"), second(["t: str"])
    )
    assert inputs(plan, 3) == {"t": "{{input.t}}"}


def test_arguments_of_one_name_and_type_share_a_param() -> None:
    assert wired(first(["df: Frame"]), second(["df: Frame"])).params == ("df",)
    assert wired(first(["n: int"]), second(["n: str"])).params == ("n", "n_2")
    assert wired(first(["n"]), second(["n: str"])).params == ("n",)


PATH, SECOND = "{{input.path}}", "{{input.path_2}}"
READS = tool("domains/d/r/read_csv.py", ["path: str"], ["rows"])
LISTS = tool("domains/d/l/list_csv.py", ["path: str"], ["names"])
SAVES = tool("domains/d/s/save_csv.py", ["rows", "path: str"], ["size"])
GIVES = tool("domains/d/g/store_csv.py", ["path: str"], ["path"])
COPIES = tool("domains/d/c/copy_file.py", ["path: str", "target: str"], ["size"])


@pytest.mark.parametrize(
    ("tools", "texts", "paths"),
    [
        ([READS, LISTS], ["read a.csv", "list b.csv"], [PATH, SECOND]),
        ([READS, LISTS], ["read a.csv", "list a.csv"], [PATH, PATH]),
        ([READS, LISTS], ["read the file", "list its names"], [PATH, PATH]),
        ([READS, LISTS], ["read the file", "list a.csv"], [PATH, PATH]),
        ([READS, LISTS, READS], ["read a.csv", "list b.csv", "read a.csv"], [PATH, SECOND, PATH]),
        ([READS, SAVES], ["read the file", "save it"], [PATH, SECOND]),
        ([READS, SAVES], ["read a.csv", "save it to a.csv"], [PATH, PATH]),
        ([READS, SAVES, LISTS], ["read a.csv", "save it", "list it"], [PATH, SECOND, SECOND]),
        ([COPIES, READS], ["copy a.csv to b.csv", "read b.csv"], [PATH, "{{input.target}}"]),
        ([GIVES, READS], ["store it", "read it"], [PATH, "{{steps.s1.outputs.path}}"]),
        ([GIVES, READS], ["store it in a.csv", "read b.csv"], [PATH, SECOND]),
        ([GIVES, READS], ["store it in a.csv", "read a.csv"],
         [PATH, "{{steps.s1.outputs.path}}"]),
    ],
)  # fmt: skip
def test_steps_take_the_place_that_is_meant_for_each(
    tools: list[Tool], texts: list[str], paths: list[str]
) -> None:
    plan = wired(*tools, texts=texts)
    assert [step.inputs["path"] for step in plan.steps] == paths


UNZIPS = tool("domains/d/u/unzip.py", ["path: str"], ["files"], "dict[str, list[str]]")
TURNS = tool("domains/d/u/convert_song.py", ["path: str"], [], "str")
CROPS = tool("domains/d/u/crop.py", ["path: str"], [], "None")
EXIF = tool("domains/d/e/read_exif.py", ["path: str"], ["exif"])
MAILS = tool("domains/d/m/mail.py", ["path: str", "to: str"], ["size"])
THIRD = "{{input.path_3}}"


@pytest.mark.parametrize(
    ("tools", "texts", "paths"),
    [
        ([UNZIPS, EXIF], ["unzip a.zip", "read the exif of the photo"], [PATH, SECOND]),
        ([UNZIPS, EXIF], ["unzip a.zip", "read exif of a.jpg"], [PATH, SECOND]),
        ([UNZIPS, EXIF], ["unzip the archive", "read exif of a.jpg"], [PATH, SECOND]),
        ([UNZIPS, LISTS], ["unzip it", "list the names"], [PATH, SECOND]),
        ([UNZIPS, MAILS], ["unzip a.zip", "mail the zip"], [PATH, PATH]),
        ([UNZIPS, EXIF, MAILS], ["unzip a.zip", "read the exif of the photo", "mail the picture"],
         [PATH, SECOND, SECOND]),
        ([UNZIPS, EXIF, MAILS], ["unzip a.zip", "read the exif of the photo", "mail the zip"],
         [PATH, SECOND, PATH]),
        ([TURNS, LISTS], ["convert a.mp3", "list its names"], [PATH, SECOND]),
        ([CROPS, MAILS], ["crop a.png", "mail it"], [PATH, PATH]),
        ([READS, EXIF], ["read a.csv", "read the exif of the photo"], [PATH, SECOND]),
        ([READS, EXIF], ["read a.pdf", "extract the images"], [PATH, PATH]),
        ([READS, EXIF], ["read a.csv", "draw a picture"], [PATH, PATH]),
        ([READS, UNZIPS, TURNS], ["read a.csv", "unzip b.zip", "convert the song"],
         [PATH, SECOND, THIRD]),
        ([READS, UNZIPS, LISTS], ["read a.csv", "unzip b.zip", "count the rows of the csv"],
         [PATH, SECOND, PATH]),
        ([EXIF, TURNS, LISTS], ["read a.mp3", "convert a.mp3", "list its names"],
         [PATH, PATH, SECOND]),
    ],
)  # fmt: skip
def test_a_step_takes_no_file_that_another_one_has_made_something_of(
    tools: list[Tool], texts: list[str], paths: list[str]
) -> None:
    plan = wired(*tools, texts=texts)
    assert [step.inputs["path"] for step in plan.steps] == paths


def test_a_place_comes_from_no_step_that_makes_another_kind() -> None:
    zips = tool("domains/d/z/zip_folder.py", ["folder: str"], ["archive_path"])
    made = "{{steps.s1.outputs.archive_path}}"
    assert (
        inputs(wired(zips, EXIF, texts=["zip src", "read the exif of the photo"]))["path"] == PATH
    )
    assert inputs(wired(zips, MAILS, texts=["zip src", "mail the zip"]))["path"] == made
    assert inputs(wired(zips, MAILS, texts=["zip src", "mail it"]))["path"] == made


def test_steps_take_the_folder_that_is_named_for_each() -> None:
    zips = tool("domains/d/z/zip_folder.py", ["folder: str"], ["size"])
    lists = tool("domains/d/z/list_files.py", ["directory: str"], ["size"])
    counts = tool("domains/d/z/count.py", ["folder: str"], ["size"])
    texts = ["zip the folder src", "list the docs directory", "count the files of folder tests"]
    plan = wired(zips, lists, counts, texts=texts)
    assert plan.params == ("folder", "directory", "folder_2")
    assert wired(zips, counts, texts=["zip the folder src", "count it"]).params == ("folder",)


def test_a_place_is_that_of_what_was_made_of_it_last() -> None:
    gets = tool("domains/d/g/download.py", ["url: str"], ["path"])
    crops = tool("domains/d/c/crop_image.py", ["path: str"], ["cropped_path"])
    plan = wired(gets, crops, EXIF, MAILS, texts=["get x", "crop it", "read exif", "mail it"])
    made = "{{steps.s2.outputs.cropped_path}}"
    assert [inputs(plan, number)["path"] for number in (3, 4)] == [made, made]


def test_a_folder_is_handed_on_whatever_it_is_called() -> None:
    unpacks = tool("domains/d/u/unpack.py", ["path: str"], ["directory"])
    counts = tool("domains/d/z/count.py", ["folder: str"], ["size"])
    assert inputs(wired(unpacks, counts)) == {"folder": "{{steps.s1.outputs.directory}}"}


@pytest.mark.parametrize("text", ["list the folder recursively", "list the extracted folder"])
def test_a_word_that_names_no_folder_cuts_no_link(text: str) -> None:
    unzips = tool("domains/d/u/unzip.py", ["path: str"], ["folder"])
    lists = tool("domains/d/z/list_files.py", ["folder: str"], ["size"])
    plan = wired(unzips, lists, texts=["unzip a.zip", text])
    assert inputs(plan) == {"folder": "{{steps.s1.outputs.folder}}"}
    for named in ("list the folder ./src", "list the folder src", "list the docs directory"):
        plan = wired(unzips, lists, texts=["unzip a.zip", named])
        assert inputs(plan) == {"folder": "{{input.folder}}"}
    plan = wired(unzips, lists, texts=["unzip a.zip to src", "list the folder src"])
    assert inputs(plan) == {"folder": "{{steps.s1.outputs.folder}}"}
    zips = tool("domains/d/z/zip_folder.py", ["folder: str"], ["size"])
    texts = ["zip the folder src", "list the files in the folder recursively"]
    assert wired(zips, lists, texts=texts).params == ("folder",)


def test_a_text_is_not_to_whom_or_how_a_file_is_sent() -> None:
    sums = tool("domains/d/s/summarize.py", ["path: str"], [], "str")
    texts = ["summarize a.txt", "mail it to ann"]
    assert inputs(wired(sums, MAILS, texts=texts)) == {"path": PATH, "to": "{{input.to}}"}
    writes_ = tool("domains/d/w/append.py", ["path: str", "text: str"], ["size"])
    assert inputs(wired(sums, writes_))["text"] == RESULT


@pytest.mark.parametrize(
    ("text", "customer"),
    [("send a reminder to bob", "{{input.customer}}"), ("greet them", RESULT)],
)
def test_a_text_is_no_person(text: str, customer: str) -> None:
    makes = tool("domains/d/p/new_password.py", ["length: int = 8"], [], "str")
    reminds = tool("domains/d/r/remind.py", ["customer: str", "amount: float"], [], "str")
    plan = wired(makes, reminds, texts=["make a password", text])
    assert inputs(plan)["customer"] == customer


def test_of_a_text_and_a_person_the_text_is_handed_on() -> None:
    writes_ = tool("domains/d/w/write_poem.py", ["topic: str"], [], "str")
    mails = tool("domains/d/m/mail.py", ["text: str", "to: str"], [], "bool")
    plan = wired(writes_, mails, texts=["write a poem", "send it to bob"])
    assert inputs(plan) == {"text": RESULT, "to": "{{input.to}}"}


def test_what_is_no_place_is_shared_whatever_the_texts_name() -> None:
    plan = wired(first(["df: Frame"]), second(["df: Frame"]), texts=["plot a.csv", "plot b.csv"])
    assert plan.params == ("df",)


COLUMN, OTHER = "{{input.column}}", "{{input.column_2}}"
SUMS = tool("domains/d/s/sum_column.py", ["rows: list", "column: str"], ["total"])
SORTS = tool("domains/d/o/sort_rows.py", ["rows: list", "column: str"], ["sorted_rows"])


@pytest.mark.parametrize(
    ("texts", "columns"),
    [
        (["sum column price", "sort by column name", "sum column price"], [COLUMN, OTHER, COLUMN]),
        (["sum the price column", "sort by it", "sum it"], [COLUMN, COLUMN, COLUMN]),
        (["the sum of price", "sort the rows by name", "sum it"], [COLUMN, OTHER, OTHER]),
        (["sum a column", "sort by column name", "sum column name"], [COLUMN, COLUMN, COLUMN]),
    ],
)
def test_steps_take_the_value_that_each_ones_text_names(
    texts: list[str], columns: list[str]
) -> None:
    plan = wired(SUMS, SORTS, SUMS, texts=texts)
    assert [step.inputs["column"] for step in plan.steps] == columns


def test_a_value_that_is_no_place_may_come_from_an_earlier_step() -> None:
    finds = tool("domains/d/f/find_column.py", ["rows: list"], ["column"])
    plan = wired(finds, SORTS, texts=["find the longest column", "sort by the found column"])
    assert inputs(plan)["column"] == "{{steps.s1.outputs.column}}"


TRANSLATES = tool("domains/d/t/translate_text.py", ["text: str"], [], "str")
SUMS_UP = tool("domains/d/s/summarize_text.py", ["text: str"], [], "str")
READS = tool("domains/d/r/read_text.py", ["path: str"], [], "str")
PLAYS = tool("domains/d/p/play_song.py", ["song: str"], [], "str")
SENDS = tool("domains/d/m/send_mail.py", ["body: str"], [], "str")
SHORTENS = tool("domains/d/c/shorten.py", ["message: str"], [], "str")
SPELLS = tool("domains/d/c/check_spelling.py", ["text: str"], [], "str")


@pytest.mark.parametrize(
    ("one", "two", "texts", "taken"),
    [
        (TRANSLATES, PLAYS, ["translate the letter", "play the song"], "{{input.song}}"),
        (TRANSLATES, PLAYS, ["translate it", "play my new song again"], "{{input.song}}"),
        (SUMS_UP, TRANSLATES, ["summarize the notes", "translate the letter"],
         "{{input.text_2}}"),
        (TRANSLATES, SUMS_UP, ["translate the letter", "summarize the end of the report"],
         "{{input.text_2}}"),
        (TRANSLATES, PLAYS, ["translate the letter", "play it"], RESULT),
        (TRANSLATES, PLAYS, ["translate the song", "play the song"], RESULT),
        (TRANSLATES, PLAYS, ["translate the letter", "make it a song"], RESULT),
        (SUMS_UP, TRANSLATES, ["summarize the notes", "translate the summary"], RESULT),
        (SUMS_UP, TRANSLATES, ["summarize the notes", "translate the document"], RESULT),
        (SUMS_UP, TRANSLATES, ["condense the notes", "translate the summary"], RESULT),
        (SUMS_UP, TRANSLATES, ["summarize it", "translate the letter"], RESULT),
        (TRANSLATES, SUMS_UP, ["translate the letter", "summarize the introduction"], RESULT),
        (TRANSLATES, SPELLS, ["translate the letter", "check the spelling"], RESULT),
        (TRANSLATES, SENDS, ["translate the letter", "send the mail"], RESULT),
        (READS, SUMS_UP, ["read the page", "summarize the article"], RESULT),
        (READS, PLAYS, ["read the page", "play the song"], RESULT),
        (SUMS_UP, TRANSLATES, ["summarize it", "translate b.txt"], "{{input.text_2}}"),
        (READS, TRANSLATES, ["read a.txt", "translate the text of b.txt"], "{{input.text}}"),
        (READS, TRANSLATES, ["read a.txt", "translate the text of a.txt"], RESULT),
        (READS, SENDS, ["read a.txt", "mail it with b.txt"], RESULT),
        (READS, TRANSLATES, ["read src/a.txt", "translate the text of A.txt"], RESULT),
        (READS, TRANSLATES, ["read a.txt", "translate src/a.txt to German"], RESULT),
        (READS, TRANSLATES, ["read src/a.txt", "translate b/a.txt"], "{{input.text}}"),
        (TRANSLATES, SHORTENS, ["translate the letter", "shorten the content"], RESULT),
        (SHORTENS, SHORTENS, ["shorten the letter", "shorten the text again"], RESULT),
        (READS, TRANSLATES, ["read a.txt", "translate it like b.txt"], RESULT),
        (READS, TRANSLATES, ["read a.txt", "translate the text with words.txt"], RESULT),
    ],
)  # fmt: skip
def test_a_step_for_a_thing_of_its_own_takes_nothing_that_was_made(
    one: Tool, two: Tool, texts: list[str], taken: str
) -> None:
    assert list(inputs(wired(one, two, texts=texts)).values()) == [taken]


def test_hints_order_outputs_that_are_equally_good() -> None:
    one = first([], ["mean", "median"], "dict[str, Frame]")
    assert inputs(wired(one, second(["x: Frame"]))) == {"x": "{{steps.s1.outputs.mean}}"}
    hinted = wired(one, second(["x: Frame"]), hints=["the median is robust"])
    assert inputs(hinted) == {"x": "{{steps.s1.outputs.median}}"}


def test_the_manifest_gives_the_type_that_the_signature_lacks() -> None:
    manifest = Manifest("two", ROOT / "tool.yaml", args=(arg("frame: Frame"),))
    two = tool("domains/d/y/two.py", ["frame"], manifest=manifest)
    assert inputs(wired(first([], [], "Frame"), two)) == {"frame": RESULT}


def test_what_nobody_takes_is_returned() -> None:
    plan = wired(first(["df"], ["mean", "count"]), second(["df"], ["figure"]))
    assert plan.returns == ("mean", "count", "figure")
    assert wired(first([], [], "None"), second([], [], "None")).returns == ()


def test_a_key_that_is_no_name_gets_one() -> None:
    plan = wired(first([], ["mean value", "class", "été"]), second())
    assert plan.steps[0].outputs == {
        "mean_value": "mean value",
        "output_class": "class",
        "output__t_": "été",
    }


def test_a_tool_may_be_used_twice() -> None:
    one = first(["df: Frame"], [], "Frame")
    plan = wired(one, one)
    assert inputs(plan) == {"df": RESULT}
    assert [step.tool for step in plan.steps] == ["one.py::run", "one.py::run"]
    assert plan.returns == ("result_s2",)


def test_files_of_one_name_are_named_with_their_paths() -> None:
    twin = tool("shared_tools/x/one.py")
    assert wired(first(), twin).steps[0].tool == "domains/d/x/one.py::run"
    assert wired(first(), second(), tools=[twin]).steps[0].tool == "domains/d/x/one.py::run"


@pytest.mark.parametrize(
    "tools",
    [
        [],
        [first()],
        [first(), tool("mcp/git.json", runnable=False)],
        [first(), second(["_hidden"])],
        [first()] * 51,
    ],
)
def test_what_cannot_be_composed_has_no_plan(tools: list[Tool]) -> None:
    assert wire([Candidate(one, 0.7, {}) for one in tools], "x") is None


NAMES = st.sampled_from(["df", "summary", "path", "figure_path", "text", "result", "data"])
HINTS = st.sampled_from(
    [None, "str", "Frame", "dict[str, Frame]", "Frame | None", "int", "[", "Any"]
)
ARGS = st.builds(lambda name, hint: f"{name}: {hint}" if hint else name, NAMES, HINTS)


@given(
    st.lists(
        st.builds(
            lambda name, args, returns, hint: tool(f"domains/d/x/{name}.py", args, returns, hint),
            st.sampled_from("abcd"),
            st.lists(ARGS, max_size=4, unique_by=lambda text: text.partition(":")[0]),
            st.lists(NAMES, max_size=3),
            HINTS,
        ),
        min_size=2,
        max_size=5,
        unique_by=lambda one: one.name,
    )
)
def test_whatever_is_wired_is_a_plan_that_fits_its_tools(tools: list[Tool]) -> None:
    wired(*tools)
    wired(*tools, texts=[f"do it in {each.name}.csv" for each in tools])


def test_a_path_to_an_image_is_no_text() -> None:
    checks = tool("domains/d/s/spellcheck_text.py", ["text: str"], [], "str")
    speaks = tool("domains/d/t/translate_text.py", ["text: str", "language: str"], [], "str")
    converts = tool("domains/d/c/convert_image.py", ["path: str", "format: str"], [], "str")
    reads = tool("domains/d/c/convert_image_to_text.py", ["path: str"], [], "str")
    anything = tool("domains/d/c/convert_file.py", ["path: str"], [], "str")
    then = "spellcheck the text"
    plan = wired(converts, checks, texts=["convert logo.png to webp", then])
    assert inputs(plan)["text"] == "{{input.text}}"
    plan = wired(anything, checks, texts=["convert logo.png to webp", then])
    assert inputs(plan)["text"] == "{{input.text}}"
    plan = wired(converts, speaks, texts=["convert logo.png to webp", "translate it"])
    assert set(inputs(plan).values()) == {"{{input.text}}", "{{input.language}}"}
    for able in (reads, anything):
        plan = wired(able, checks, texts=["convert the file", then])
        assert inputs(plan)["text"] == RESULT


@pytest.mark.parametrize(
    ("exported", "text", "path"),
    [
        ("orders", "convert the images", SECOND),
        ("orders", "convert pictures", SECOND),
        ("orders", "convert the file", PATH),
        ("orders", "convert the csv", PATH),
        ("orders", "convert it", PATH),
        ("chart", "convert the image", PATH),
        ("photos", "convert the pictures", PATH),
    ],
)
def test_what_is_written_is_another_file_than_an_image_that_is_read(
    exported: str, text: str, path: str
) -> None:
    exports = tool(f"domains/d/e/export_{exported}.py", ["path: str"], [], "None")
    converts = tool("domains/d/c/convert_image.py", ["path: str"], [], "None")
    plan = wired(exports, converts, texts=[f"export the {exported}", text])
    assert inputs(plan)["path"] == path
