from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.routing.prompt.denials import affirmed, denied


@pytest.mark.parametrize(
    ("prompt", "rest", "part"),
    [
        ("find todos but not secrets in a.py", "find todos in a.py", "not secrets"),
        ("find todos, but not for secrets", "find todos", "not for secrets"),
        ("find todos and not secrets or passwords", "find todos", "not secrets or passwords"),
        ("zip the folder but not the old files.", "zip the folder.", "not the old files"),
        ("check links but not headings, then list it", "check links, then list it", "not headings"),
        ("play songs but not loud ones", "play songs", "not loud ones"),
        ("find todos but no secrets in a.py", "find todos in a.py", "no secrets"),
        ("find links, but neither todos nor secrets", "find links", "neither todos nor secrets"),
    ],
)
def test_things_that_are_not_meant_are_left_out(prompt: str, rest: str, part: str) -> None:
    assert affirmed(prompt) == rest
    assert denied(prompt) == (part,)


@pytest.mark.parametrize(
    "prompt",
    [
        "zip it but not delete it",
        "mail it, but not yet",
        "count words but not more than 100",
        "find notes but not in docs/",
        "find files but not only in src",
        "read it but not to me",
        "learn all, including but not limited to physics",
        "they say it fails but not why",
        "find todos, not secrets",
        "find todos, but no more than 10",
        "find todos but no longer than 10",
    ],
)
def test_what_says_how_leaves_out_no_thing(prompt: str) -> None:
    assert affirmed(prompt) == prompt and denied(prompt) == ()


@pytest.mark.parametrize(
    ("prompt", "rest"),
    [
        ("zip the folder but do not delete the old files", "zip the folder"),
        ("fetch the page, don't count the words", "fetch the page"),
        ("do not unzip it, just zip the folder", "just zip the folder"),
        ("Don't delete notes.txt. Copy it.", "Copy notes.txt."),
        ("never mail it and zip the folder", "zip the folder"),
        (
            "read it, please don’t delete or move it, and count its words",
            "read it, and count its words",
        ),
        ("don't delete the files", ""),
        ("please do not ever unzip anything", ""),
        ("never send payment reminders!", ""),
        ("don't delete and move the files", ""),
        ("unzip it without deleting old files", "unzip it"),
        ("copy it without sorting the rows, then list it", "copy it, then list it"),
        ("1. zip the folder\n2. do not delete it", "1. zip the folder"),
        ("zip it\n- don't delete it\n- list it", "zip it\n\n- list it"),
        ("no need to sort it, list it", "list it"),
        ("instead of deleting it, archive the mail", "archive the mail"),
        ("copy the file instead of moving it", "copy the file"),
        ("Rather than emailing the report, print it", "print the report"),
        ("make sure not to delete anything, just list old files", "just list old files"),
        ("avoid sending mails, list them", "list mails"),
        ("you don't have to sort it, just count the rows", "just count the rows"),
        ("list rooms without booking them", "list rooms"),
        ("compile the code without running tests", "compile the code"),
        ("please list the files, no deleting", "please list the files"),
        ("No deleting! Just list the files", "Just list the files"),
        ("list the files, no deleting old ones", "list the files"),
        ("list the files, no deletions please", "list the files"),
        ("copy the folder, no overwriting newer files", "copy the folder"),
        ("show the rooms, no booking yet", "show the rooms"),
        ("read a.csv, not sorting it", "read a.csv"),
        ("summarize the report, no translation", "summarize the report"),
        ("copy the files, no overwriting", "copy the files"),
        ("list the files (no deleting)", "list the files"),
        ("do not zip (or delete) the files, list them", "list them"),
        ("zip the folder and do not delete it", "zip the folder"),
        ("zip the folder, and then please do not delete it", "zip the folder"),
        ("zip the folder and no mailing it", "zip the folder"),
        ("zip the folder that I made and never mail it", "zip the folder that I made"),
        ("zip the folder and do not shred it", "zip the folder"),
        ("list the pages and never feed them to the index", "list the pages"),
        ("convert the video and don't embed it", "convert the video"),
        ("don't delete a.txt, b.txt and c.txt, copy them", "copy a.txt, b.txt and c.txt"),
        (
            "don't touch a.txt, src/b.txt, and c.txt; copy them to out/",
            "copy a.txt, src/b.txt and c.txt to out/",
        ),
        ("never mail the logs, my notes or photos, zip them", "zip the logs, my notes and photos"),
        ("don't delete photos, songs and videos, list them", "list photos, songs and videos"),
        ("zip src/, don't delete a.txt, b.txt or c.txt", "zip src/"),
        ("zip src/, don't delete a.txt, b.txt", "zip src/"),
        ("don't move a.txt, b.txt and c.txt to old/, copy them", "copy a.txt, b.txt and c.txt"),
        ("copy a.txt, don't rename, move or delete it", "copy a.txt"),
        ("don't rename, move or delete a.txt, copy it", "copy a.txt"),
        ("don't run tests, count lines or find todos, just check links", "just check links"),
        ("check the links, don't run tests, count lines or find todos", "check the links"),
        ("never run tests, mail the report or delete old files. Zip src/", "Zip src/"),
        ("don't open, install or run a.sh, list it", "list a.sh"),
        ("don't rename a.txt, move b.txt or delete c.txt. List them", "List them"),
        ("don't rename the notes or delete b.txt. List them", "List the notes"),
        ("don't rename the notes or uninstall b.exe. List them", "List the notes"),
        ("don't rename the notes, nor delete b.txt. List them", "List the notes"),
        ("don't delete the notes nor the photos, list them", "list the notes and the photos"),
        ("don't rename, move, nor delete a.txt, copy it", "copy a.txt"),
        ("don't delete a.txt, b.txt nor c.txt. Copy them", "Copy a.txt, b.txt and c.txt"),
        ("don't download, unpack or install it, open the page", "open the page"),
        ("zip src/, don't rename, destroy or overwrite a.txt", "zip src/"),
        ("don't commit, push or tag it, run the tests", "run the tests"),
        ("don't run tests, install packages or delete files, just count lines", "just count lines"),
        ("don't rename it, move it or delete it, list it", "list it"),
        ("don't rename it, move it or delete it", ""),
        ("never rename them, move them, or delete them; list them", "list them"),
        ("don't rename a.txt, move it or delete it. List it.", "List a.txt."),
        ("don't rename the file, move it or delete it, please list it", "please list the file"),
        ("find neither todos nor secrets", ""),
        ("run the tests without formatting the code first", "run the tests"),
        ("copy src/ without overwriting newer files", "copy src/"),
        ("avoid replacing the rows, list them", "list the rows"),
        ("look for neither todos nor secrets in src/, list the links", "list the links"),
        ("delete neither a.txt nor b.txt. Copy them", "Copy a.txt and b.txt"),
        ("please neither rename, move nor delete it, list it", "list it"),
        ("neither rename the notes nor delete a.txt, list them", "list the notes"),
        ("copy it but neither rename nor delete it", "copy it"),
        ("list them, but don't delete the branches and then the containers", "list them"),
        ("don't delete the logs, then my mails, also the old photos. Go on", "Go on"),
        ("don't delete the branches and then the containers, list the logs", "list the logs"),
    ],
)
def test_what_is_not_to_be_done_is_left_out(prompt: str, rest: str) -> None:
    assert affirmed(prompt) == rest and denied(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "list the files that do not compile",
        "find functions that are never called",
        "don't forget to zip the folder",
        "don't just count the words, list them",
        "why don't you zip the folder",
        "I don't know which files are large, and don't have time",
        "translate: do not enter",
        "print 'do not disturb'",
        "find functions without docstrings",
        "find texts without meaning",
        "list rows without missing values",
        "find the functions without testing code in src",
        "please list files without reading permission",
        "use gzip instead of zip",
        "remind me not to send the invoice",
        "find ways to avoid sending mails",
        "zip everything except the logs",
        "count the words, not the lines",
        "list the functions, no testing code",
        "list the pages, no translations",
        "list files, not including logs",
        "there is no sorting in this file, add it",
        "find rooms with no booking fees",
        "show the total, no problem",
        "list the functions that are old and do not compile",
        "list the functions that are old and never opened",
        "I'm not finding the file, list the folder",
        "they are slow and don't open the file",
        "find rooms, no booking fees",
        "find fans, no moving parts",
        "convert the file, no moving average",
        "write a letter, no signing bonus",
        "list files that are neither old nor large",
        "neither of them works or so I think, list them",
        "neither the page nor the file opens, print it",
        "find neither of these",
        "",
    ],
)
def test_what_denies_no_act_stays(prompt: str) -> None:
    assert affirmed(prompt) == prompt and denied(prompt) == ()


@pytest.mark.parametrize(
    ("prompt", "rest"),
    [
        ("don't translate the report, summarize it instead", "summarize the report instead"),
        ("never mail the report; print it and archive it", "print the report and archive it"),
        ("don't move a.txt to /tmp, could you copy it", "could you copy a.txt"),
        ("don't translate or mail the report, read it", "read the report"),
        ("instead of deleting old mails, archive them", "archive old mails"),
        ("don't delete any files, just list them", "just list files"),
        ("do not run the tests in src. List them.", "List the tests in src."),
        ("don't sort the rows of a.csv, copy it", "copy a.csv"),
        ("don't count the lines of src, find large files in it", "find large files in src"),
        ("don't mail the report, add a line to it", "add a line to the report"),
        ("zip the folder, don't delete old files, just list them",
         "zip the folder, just list old files"),
        ("I don't remember my password, could you reset it?", "could you reset my password?"),
        ("don't translate the analysis, summarize it", "summarize the analysis"),
        ("don't mail the settings, list them", "list the settings"),
        ("don't send me the report, print it", "print the report"),
        ("don't count words of the page, summarize it", "summarize the page"),
        ("don't mail Ann's report, print it", "print Ann's report"),
        ("Don't delete the report and the slides, zip them", "zip the report and the slides"),
        ("don't move a.txt and b.txt to /tmp, copy them", "copy a.txt and b.txt"),
        ("don't delete a.txt or the slides and notes, zip them",
         "zip a.txt, the slides and notes"),
        ("don't delete old files or print the report, list them", "list old files"),
        ("don't delete the report and the slides. Zip it.", "Zip the report."),
    ],
)  # fmt: skip
def test_a_pronoun_is_said_again_where_its_noun_is_left_out(prompt: str, rest: str) -> None:
    assert affirmed(prompt) == rest


@pytest.mark.parametrize(
    ("prompt", "rest"),
    [
        ("zip the folder, don't delete the report, mail it", "zip the folder, mail it"),
        ("don't mention the names, summarize it", "summarize it"),
        ("don't delete the file, read a.csv and plot it", "read a.csv and plot it"),
        ("don't delete it, list it", "list it"),
        (
            "don't mail the report, read the page and add a line to it",
            "read the page and add a line to it",
        ),
        ("don't delete the file, it's mine", "it's mine"),
        ("don't unzip a.zip, list its files", "list its files"),
        ("don't say that it is late, mail it", "mail it"),
        ("don't lose quality, compress it", "compress it"),
        ("don't waste time, zip it", "zip it"),
        ("don't use numpy, sort it", "sort it"),
        ("don't install anything, run it", "run it"),
        ("don't include the header, convert it", "convert it"),
        ("don't change the formatting, translate it", "translate it"),
        ("don't send something of mine, list it", "list it"),
        ("don't ask questions, zip it", "zip it"),
        ("don't delete the report to save time and the slides, zip them", "zip them"),
    ],
)
def test_a_pronoun_that_may_mean_something_else_stays(prompt: str, rest: str) -> None:
    assert affirmed(prompt) == rest


@pytest.mark.parametrize(
    ("prompt", "rest"),
    [
        ("don't delete a.txt, zip b.txt and mail c.txt", "zip b.txt and mail c.txt"),
        ("don't delete a.txt, b.txt and zip c.txt", "zip c.txt"),
        ("don't delete the file, the user wants a copy", "the user wants a copy"),
        ("don't open a.txt, the lines of b.txt are old", "the lines of b.txt are old"),
        ("don't delete a.txt, notes are in b.txt", "notes are in b.txt"),
        ("don't delete the mail, the notes and list the rest", "the notes and list the rest"),
        ("don't delete a.txt, copy or move b.txt", "copy or move b.txt"),
        ("don't delete the report, print it or mail it", "print the report or mail it"),
        ("don't wait, the lines or words are many", "the lines or words are many"),
    ],
)
def test_what_is_listed_with_a_denied_thing_ends_where_an_act_or_a_statement_begins(
    prompt: str, rest: str
) -> None:
    assert affirmed(prompt) == rest


def test_what_is_denied_is_told_as_it_was_written() -> None:
    assert denied("Rather than emailing it, print it") == ("Rather than emailing it",)
    assert denied("zip it, but instead of moving it copy it") == ("instead of moving it copy it",)


def test_a_long_prompt_is_read_in_one_pass() -> None:
    many = 20_000
    assert affirmed("do not delete it " * many) == ""
    assert affirmed("don't " + " " * many + "delete it, list it") == "list it"
    assert affirmed("list it " + "x " * many + "never mind " * many).startswith("list it")
    assert affirmed("don't mail the x, list it. " * many).startswith("list the x, list it")
    assert affirmed("don't mail a.txt," + " please" * many + " list it").endswith("list a.txt")
    assert affirmed("don't mail" + " the x and" * many + " the y, zip them").endswith("the y")
    assert affirmed("don't mail a.txt" + ", b.txt" * many + ", zip c.txt") == "zip c.txt"
    assert affirmed("don't mail a.txt" + ", the x" * many + ", zip it").startswith("the x, the")
    assert affirmed("don't mail a.txt" + ", zip the x" * many).startswith("zip the x, zip")
    assert affirmed("find neither x " * many + "nor y").endswith("find neither x nor y")
    assert affirmed("zip neither " * many).startswith("zip neither zip")
    assert affirmed("don't zip it, " + "zip x or " * many) == ""
    assert affirmed("never mail a.txt, zip the x, " * many).startswith("zip the x")
    assert affirmed("don't mail, zip" + ", zip" * many).startswith("zip, zip")
    assert affirmed("don't mail a.txt," + " " * many + "the x" + " " * many + "zip it")
    assert affirmed(" " * many + "list it without deleting it " * many) == "list it"


WORDS = st.sampled_from(
    [
        "do",
        "not",
        "don't",
        "never",
        "delete",
        "it",
        ",",
        ".",
        "but",
        "and",
        "then",
        "zip",
        "please",
        "the",
    ]
)


@given(st.text() | st.lists(WORDS).map(" ".join))
def test_what_is_left_is_part_of_the_prompt(prompt: str) -> None:
    assert all(part in prompt for part in (*denied(prompt), *affirmed(prompt).split()))


def test_a_statement_or_a_request_behind_then_is_not_denied() -> None:
    for prompt in (
        "don't delete the logs, then the music starts",
        "don't delete the logs, then the job is done",
        "don't delete the logs, then list the files",
        "don't delete the logs, then plot the rows of the table",
    ):
        assert denied(prompt) == ("don't delete the logs",), prompt
