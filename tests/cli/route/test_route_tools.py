"""`prefrontal route tools` and `route audit`: list, show, promote, import, check."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path

import pytest

from ..routed import SUMMARIZE, confined, example, kept, route, settings

MINE = '''"""Frobnicate invoices.

Example:
    run(month=3)
"""


def run(month: int) -> int:
    """Frobnicate.

    Args:
        month: 1 to 12.
    """
    return month
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return example(tmp_path)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "frobnicate_invoices.py"
    path.write_text(MINE)
    return path


def promote(project: Path, file: Path, *words: str, data: str | BytesIO | None = None) -> str:
    place = ["--domain", "office", "--action", "letters"]
    result = route(project, "tools", "promote", str(file), *place, *words, data=data)
    return f"{result.exit_code}: {result.output}"


def test_every_tool_is_listed_with_its_first_line(project: Path) -> None:
    result = route(project, "tools", "list")
    assert result.exit_code == 0
    assert [line.partition("  ")[0] for line in result.stdout.splitlines()] == [
        "domains/analysis/summarise/summarize_matrix.py",
        "domains/analysis/visualise/plot_matrix.py",
        "domains/text/count/count_words.py",
        "shared_tools/summarise/first_sentences.py",
    ]
    assert "plot_matrix.py  Plot the column means of a matrix summary" in result.stdout
    listed = route(project, "tools", "list", "--json").stdout.splitlines()
    assert [json.loads(line)["name"] for line in listed][-1] == "first_sentences"


def test_a_shared_tool_that_gives_way_is_listed_as_such(project: Path) -> None:
    tools = project / "workflows"
    text = (tools / "shared_tools/summarise/first_sentences.py").read_text()
    (tools / "domains/text/count/first_sentences.py").write_text(text)
    lines = route(project, "tools", "list").stdout.splitlines()
    shadowed = [line for line in lines if "shadowed" in line]
    assert len(shadowed) == 1
    assert shadowed[0].startswith("shared_tools/summarise/first_sentences.py  ")
    assert shadowed[0].endswith("(shadowed by domains/text/count/first_sentences.py)")


def test_a_file_that_is_no_tool_is_a_warning_beside_the_others(project: Path) -> None:
    bad = project / "workflows/domains/text/count/bad.py"
    bad.write_text("def run(:\n")
    result = route(project, "tools", "list")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 4
    assert f"Warning: {bad}:1: " in result.stderr


def test_a_tool_is_shown_by_name_and_by_path(project: Path) -> None:
    shown = json.loads(route(project, "tools", "show", "plot_matrix", "--json").stdout)
    path = "domains/analysis/visualise/plot_matrix.py"
    assert shown == json.loads(route(project, "tools", "show", path, "--json").stdout)
    assert (shown["path"], shown["entry"], shown["returns"]) == (path, "run", ["figure_path"])
    assert shown["args"][1] == {
        "name": "figure",
        "type": "str",
        "required": False,
        "default": "'matrix.svg'",
    }
    assert shown["history_success"] == 0.5
    assert "entry: run" in route(project, "tools", "show", "plot_matrix").stdout


def test_what_is_not_there_is_refused_with_what_is_meant(project: Path) -> None:
    result = route(project, "tools", "show", "plot_matrx")
    assert result.exit_code == 2
    assert "got 'plot_matrx' (did you mean 'plot_matrix'?)" in result.stderr


def test_a_name_that_two_tools_have_is_refused_with_both(project: Path) -> None:
    source = project / "workflows/domains/text/count/count_words.py"
    other = project / "workflows/shared_tools/count/count_words.py"
    other.parent.mkdir()
    other.write_bytes(source.read_bytes())
    result = route(project, "tools", "show", "count_words")
    assert result.exit_code == 2
    assert "shared_tools/count/count_words.py" in result.stderr
    assert route(project, "tools", "show", "shared_tools/count/count_words.py").exit_code == 0


def test_an_empty_project_says_how_to_begin(tmp_path: Path) -> None:
    (tmp_path / "workflows").mkdir()
    result = route(tmp_path, "tools", "list")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("No tools yet: ")


@pytest.mark.exhaustive
@confined
def test_a_file_of_ones_own_is_validated_and_kept_with_its_record(
    project: Path, mine: Path
) -> None:
    said = promote(project, mine, data="y\n")
    assert said.startswith("0: [PREFRONTAL] ruff: ok")
    assert "promote → domains/office/letters/frobnicate_invoices.py (new: the first" in said
    folder = project / "workflows/domains/office/letters"
    assert (folder / mine.name).read_text() == mine.read_text() == MINE
    [record] = map(json.loads, (folder / "metadata.jsonl").read_text().splitlines())
    assert (record["version"], record["domain"], record["action"]) == ("1.0.0", "office", "letters")

    assert "(same: this content has a record already)" in promote(project, mine, "--yes")
    mine.write_text(MINE.replace("month: int)", "month: int, year: int = 0)"))
    told = json.loads(promote(project, mine, "--yes", "--json").removeprefix("0: "))
    assert (told["version"], told["exit_code"]) == ("1.1.0", 0)
    assert told["path"] == "domains/office/letters/frobnicate_invoices.py"
    assert told["steps"][0].startswith("ruff: ok")
    mine.write_text(MINE.replace("month: int)", "when: int)").replace("month", "when"))
    assert "version=2.0.0" in promote(project, mine, "--yes")
    assert len((folder / "metadata.jsonl").read_text().splitlines()) == 3
    assert (project / "workflows/domains/office/CHANGELOG.md").read_text().count("\n- ") == 3


@pytest.mark.exhaustive
@confined
def test_a_tool_is_moved_with_a_major_version_and_a_record_in_both_folders(project: Path) -> None:
    domains = project / "workflows/domains"
    (domains / "text/count/tool.yaml").write_text("name: count_words\nintents: [tally words]\n")
    words = ["tools", "move", "count_words", "--domain", "prose", "--action", "tally"]
    before = kept(project)
    assert route(project, *words, data="n\n").exit_code == 4
    assert kept(project) == before
    moved = route(project, *words, data="y\n")
    assert moved.exit_code == 0, moved.output
    assert "promote → domains/prose/tally/count_words.py (moved: the tool has" in moved.stdout
    assert "tool.yaml stays where it is; move the entry of count_words to prose/tally/tool" in (
        moved.stderr
    )
    assert "domains/text/count/count_words.py" not in kept(project)
    [left] = map(json.loads, (domains / "text/count/metadata.jsonl").read_text().splitlines())
    assert left["status"] == "moved"
    again = json.loads(route(project, *words[:-1], "sum", "--yes", "--json").stdout)
    assert (again["was"], again["version"]) == ("moved", "2.0.0")


def test_a_tool_that_cannot_be_moved_is_refused_before_anything_runs(project: Path) -> None:
    place = ["--domain", "text", "--action", "count", "--yes"]
    same = route(project, "tools", "move", "count_words", *place)
    assert same.exit_code == 2 and "--domain and --action must name another folder" in same.stderr
    shared = route(project, "tools", "move", "first_sentences", *place)
    assert shared.exit_code == 2 and "TOOL must be a tool of a domain" in shared.stderr
    assert not (project / "logs").exists()


@pytest.mark.exhaustive
@confined
def test_a_network_that_is_on_says_what_it_needs(project: Path) -> None:
    settings(project, "sandbox: {network: on}")
    closed = route(project, SUMMARIZE, "--dry-run")
    assert closed.exit_code == 7
    assert "--allow-weak-sandbox and a person's yes are needed" in closed.stdout
    assert "they need --allow-weak-sandbox and a person's yes" in closed.stderr
    assert route(project, SUMMARIZE, "--dry-run", "--allow-weak-sandbox").exit_code == 0


@pytest.mark.exhaustive
@confined
def test_who_declines_keeps_nothing(project: Path, mine: Path) -> None:
    before = kept(project)
    assert promote(project, mine, data="n\n").startswith("4: ")
    assert promote(project, mine, data="").startswith("4: ")
    assert kept(project) == before


@confined
def test_a_file_that_does_not_pass_is_code_5(project: Path, mine: Path) -> None:
    mine.write_text(MINE.replace("return month", "return mouth"))
    said = promote(project, mine, "--yes")
    assert said.startswith("5: ")
    assert "Undefined name `mouth`" in said
    assert not (project / "workflows/domains/office").exists()


@pytest.mark.exhaustive
@confined
def test_a_file_that_changes_while_it_is_asked_about_is_refused(project: Path, mine: Path) -> None:
    class Swapping(BytesIO):
        """Says yes, and has the file under trial changed by then."""

        def swap(self) -> None:
            for copy in project.glob(f"workflows/_tmp/route-*/{mine.name}"):
                copy.write_text(MINE + "\nPLANTED = 1\n")

        def read(self, size: int | None = -1) -> bytes:
            self.swap()
            return super().read(size)

        def read1(self, size: int | None = -1) -> bytes:
            self.swap()
            return super().read1(size)

    said = promote(project, mine, data=Swapping(b"y\n"))
    assert said.startswith("2: ")
    assert "has changed since it was validated; validate it again" in said
    assert not (project / "workflows/domains/office").exists()


@pytest.mark.exhaustive
@confined
def test_a_file_that_no_record_knows_is_not_written_over(project: Path, mine: Path) -> None:
    there = project / "workflows/domains/office/letters" / mine.name
    there.parent.mkdir(parents=True)
    there.write_text("# mine, and never promoted\n")
    said = promote(project, mine, "--yes")
    assert said.startswith("2: ")
    assert "got a file that no record knows" in said
    assert there.read_text() == "# mine, and never promoted\n"


@pytest.mark.parametrize(
    ("name", "domain", "said"),
    [
        ("My Tool.py", "office", "file must be named like a tool"),
        ("tool.txt", "office", "file must be named like a tool"),
        ("tool.py", "../office", "domain must be lower-case letters"),
    ],
)
def test_names_that_cannot_be_kept_are_refused_before_anything_runs(
    name: str, domain: str, said: str, project: Path, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(MINE)
    words = ["tools", "promote", str(tmp_path / name), "--domain", domain, "--action", "letters"]
    result = route(project, *words, "--yes")
    assert result.exit_code == 2
    assert said in result.stderr
    assert not (project / "logs").exists()


def test_a_file_that_is_not_there_is_a_sentence(project: Path, tmp_path: Path) -> None:
    said = promote(project, tmp_path / "none.py", "--yes")
    assert said.startswith("2: Error: ")
    assert "cannot be read: No such file or directory" in said


def test_the_tools_of_a_server_are_taken_in_ranked_and_not_run(
    project: Path, tmp_path: Path
) -> None:
    tools = [
        {"name": "search_flights", "description": "Search flights between two cities."},
        {"name": "book_hotel", "description": "Book a hotel room."},
        {"description": "has no name"},
    ]
    (tmp_path / "travel.json").write_text(json.dumps({"result": {"tools": tools}}))
    taken = route(project, "tools", "import-mcp", str(tmp_path / "travel.json"))
    assert taken.exit_code == 0
    assert taken.stdout == "2 tools taken in (mcp/travel.json).\n"
    assert "Warning: " in taken.stderr
    assert "mcp/travel.json#search_flights  Search flights between two cities.  (not locally" in (
        route(project, "tools", "list").stdout
    )
    routed = route(project, "search flights between two cities", "--dry-run", "--explain")
    assert routed.exit_code == 0
    assert "select search_flights of travel.json score=0." in routed.stdout
    assert "mcp/travel.json#search_flights 0." in routed.stdout
    assert "search_flights cannot be run here; mcp/travel.json#search_flights says" in (
        routed.stdout
    )


def test_an_import_makes_the_folder_of_tools_once_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    assert route(tmp_path, "tools", "import-mcp", str(tmp_path / "bad.json")).exit_code == 2
    assert not (tmp_path / "workflows").exists()
    (tmp_path / "travel.json").write_text(json.dumps([{"name": "search_flights"}]))
    taken = route(tmp_path, "tools", "import-mcp", str(tmp_path / "travel.json"))
    assert taken.exit_code == 0, taken.output
    assert (tmp_path / "workflows/mcp/travel.json").is_file()


def test_why_there_is_no_plan_is_told_once(project: Path) -> None:
    for flags in (("--plan",), ("--plan", "--explain")):
        told = route(project, "order a pizza", *flags)
        assert told.exit_code == 3
        assert told.stdout == ""
        lines = [line for line in told.stderr.splitlines() if line.startswith("[PREFRONTAL] no ")]
        assert len(lines) == 1, lines


def test_a_list_of_tools_that_is_none_is_a_sentence(project: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    result = route(project, "tools", "import-mcp", str(tmp_path / "bad.json"))
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
    assert "bad.json" in result.stderr


@pytest.mark.exhaustive
@confined
def test_an_audit_holds_for_the_example_and_finds_what_was_tampered_with(project: Path) -> None:
    assert route(project, SUMMARIZE, "--non-interactive").exit_code == 0
    green = route(project, "audit")
    assert green.exit_code == 0, green.stdout
    assert green.stdout.endswith(", 0 broken\n")
    path = project / "workflows/domains/analysis/summarise/summarize_matrix.py"
    path.write_text(path.read_text() + "\n# changed\n")
    red = route(project, "audit", "--json")
    assert red.exit_code == 5
    broken = [check for check in map(json.loads, red.stdout.splitlines()) if not check["ok"]]
    assert any("summarize_matrix.py" in str(check["problems"]) for check in broken)


PHRASINGS = "how common is each term\nwhich terms repeat\n"


def recorded_model(project: Path, reply: str) -> None:
    """A model with one reply."""
    (project / "replies").mkdir()
    (project / "replies/default.txt").write_text(reply)
    settings(project, f"model: {{provider: recorded, command: '{project}/replies'}}")


def test_phrasings_of_a_model_are_kept_after_a_yes(project: Path) -> None:
    recorded_model(project, PHRASINGS)
    words = ["tools", "expand", "count_words"]
    before = kept(project)
    for declined in (route(project, *words), route(project, *words, data="n\n")):
        assert declined.exit_code == 4
        assert "count_words.py: 2 phrasings by recorded\n  how common is each" in declined.stdout
    assert kept(project) == before
    unasked = route(project, *words)
    assert unasked.stdout.endswith("  not kept: nobody answered; --yes keeps them\n")
    assert route(project, *words, data="n\n").stdout.endswith("  not kept\n")
    agreed = route(project, *words, data="y\n")
    assert agreed.exit_code == 0
    assert agreed.stdout.endswith("  kept in count_words.tool.yaml\n")
    assert kept(project) - before == {"domains/text/count/count_words.tool.yaml"}
    shown = json.loads(route(project, "tools", "show", "count_words", "--json").stdout)
    assert shown["intents"] == ["how common is each term", "which terms repeat"]
    again = json.loads(route(project, *words, "--yes", "--json").stdout)
    assert (again["phrasings"], again["kept"]) == ([], False)


def test_without_names_every_tool_that_lacks_phrasings_is_expanded(project: Path) -> None:
    recorded_model(project, "\n".join(f"wish number{n}" for n in range(10)))
    done = route(project, "tools", "expand", "--yes", "--json")
    assert done.exit_code == 0
    assert [json.loads(line)["kept"] for line in done.stdout.splitlines()] == [True] * 4
    none = route(project, "tools", "expand", "--yes")
    assert (none.exit_code, none.stdout) == (0, "")
    assert "No tool here lacks phrasings" in none.stderr


@pytest.mark.parametrize(
    ("replies", "words"),
    [
        (0, "tool 1 of 4; nothing was kept"),
        (1, "tool 2 of 4; the phrasings of 1 tool before it are kept"),
        (2, "tool 3 of 4; the phrasings of 2 tools before it are kept"),
    ],
)
def test_a_model_that_fails_midway_is_told_with_the_tool_and_what_was_kept(
    project: Path, replies: int, words: str
) -> None:
    count = project / "count"
    script = project / "model.sh"
    script.write_text(
        f"cat > /dev/null; echo >> {count}; [ $(wc -l < {count}) -gt {replies} ] && exit 3\n"
        "echo find wish number one\necho find wish number two\n"
    )
    settings(project, f"model: {{provider: command, command: 'sh {script}'}}")
    before = kept(project)
    done = route(project, "tools", "expand", "--yes", "--json")
    assert done.exit_code == 2
    assert re.search(rf"Error: the model failed at domains/\S+\.py, {words}: ", done.stderr)
    assert len(kept(project) - before) == replies


def test_without_a_model_nothing_is_expanded(project: Path) -> None:
    refused = route(project, "tools", "expand")
    assert refused.exit_code == 2
    assert "routing.model must name a model that expands tools" in refused.stderr
