"""Prompts as people write them, for the tools of examples/tools and for none of them.

Written before any of them was ranked, by somebody who had seen the tools. Of each tool, and of
those that mean none, every other prompt (from the first) is for choosing, the rest is held back.
"""

from __future__ import annotations

from collections.abc import Sequence

Pair = tuple[str, str | None]
"""A prompt and the right tool, None for none."""

BY_TOOL = {
    "check_changelog": (
        "did I forget to write a changelog entry for this",
        "does this change need a line in CHANGES",
        "make sure the changelog was updated",
        "is the changelog missing anything about the new parser",
        "verify that my patch mentions itself in the changelog",
        "has somebody added this fix to the changelog yet",
    ),
    "check_conflict_marks": (
        "are there any leftover merge conflict markers",
        "did we commit any <<<<<<< lines by mistake",
        "see whether the merge was resolved everywhere",
        "look for conflict markers in src",
        "I merged main, check nothing is left unresolved",
        "any files with unresolved conflicts?",
    ),
    "summarise_diff": (
        "what does this patch do",
        "give me a short summary of the diff",
        "tell me in one sentence what was changed here",
        "which files does this commit touch and how big is it",
        "summarize my last commit",
        "explain what changed between these two revisions",
    ),
    "check_python_syntax": (
        "does this file even compile",
        "is there a syntax error in main.py",
        "check that my python code parses",
        "I get a SyntaxError somewhere, find it",
        "make sure all the scripts are valid python",
        "validate the syntax of these modules",
    ),
    "find_long_functions": (
        "which functions are too long",
        "are there lines over 120 characters",
        "show me functions with more than 60 lines",
        "what functions should I split up because they are huge",
        "find overly long methods in this package",
        "list everything that breaks our limit on line length",
    ),
    "list_public_names": (
        "did the public API of this module change",
        "what did we add to or remove from the exported functions",
        "which signatures are different from before",
        "does this break the API for anybody",
        "list public functions that were added in this version",
        "compare the exported names of the old and the new module",
    ),
    "list_new_dependencies": (
        "does this PR add any new packages",
        "what new dependencies did we pull in",
        "which libraries were added to pyproject.toml",
        "compare requirements.txt before and after",
        "have the requirements changed",
        "show me which third party packages this change brings in",
    ),
    "check_markdown_links": (
        "are there dead links in the docs",
        "check that the links in README.md work",
        "do any pages link to files that do not exist",
        "find links that point nowhere in our documentation",
        "I renamed a heading, which markdown links are broken now",
        "verify all relative links in the markdown files",
    ),
    "count_lines": (
        "how many lines of python do we have",
        "how big is this codebase",
        "count the lines in src",
        "what languages is this project written in and how much of each",
        "number of lines of code please",
        "how much javascript is in here",
    ),
    "find_large_files": (
        "which files take the most space",
        "is anything in the repo bigger than 1 MB",
        "find the biggest files in this folder",
        "did somebody commit a huge binary",
        "what is making this repository so large",
        "list files over 500 kb",
    ),
    "find_todos": (
        "what TODOs are left in the code",
        "show me all the fixme comments",
        "is there any unfinished work noted in the source",
        "list open todos in the parser",
        "find every XXX and FIXME",
        "which comments say that something still has to be done",
    ),
    "find_secrets": (
        "did I accidentally commit a password",
        "scan the repo for api keys",
        "are there any credentials in the source code",
        "check for hardcoded secrets",
        "look for leaked tokens before I push",
        "is there a private key somewhere in these files",
    ),
    "run_test_file": (
        "run test_parser.py",
        "do the tests still pass",
        "execute the unit tests in tests/test_api.py",
        "please run pytest on this file",
        "which tests fail",
        "run the tests for the scheduler and tell me what broke",
    ),
}
NONE = (
    "rename this variable everywhere",
    "format the code with black",
    "what is the weather in Hamburg tomorrow",
    "push my branch to origin",
    "write a docstring for this function",
    "deploy the app to production",
    "book me a table for two tonight",
    "order a pizza",
    "create a new branch called fix-login",
    "convert this json file to yaml",
    "translate this paragraph to Spanish",
    "play some jazz",
    "restart the database server",
    "generate a UML diagram of these classes",
    "how do I get to the station",
    "remind me to call my mother on Sunday",
    "upgrade pip to the latest version",
    "profile the application and show the slowest calls",
    "find a cheap flight to Lisbon",
    "what time is it in Tokyo",
    "compress these images",
    "open a pull request for this branch",
    "tell me a joke",
    "how many calories does an apple have",
    "delete the build folder",
    "set up a virtual environment",
    "find my phone",
    "send the report to Anna by mail",
    "download the logs from the server",
    "squash the last three commits",
    "turn off the lights in the kitchen",
    "summarize the meeting we had this morning",
    "explain how async works",
    "which port does the server listen on",
    "check my calendar for Friday",
    "list all restaurants nearby",
    "revert the last commit",
    "estimate how long this migration will take",
    "run five kilometers every day",
    "count the guests who said yes",
    "add type hints to this module",
    "who wrote this function",
    "show me pictures of cats",
    "is my passport still valid",
    "refactor this class into two",
    "draw a plot of the training loss",
    "find a good name for my dog",
    "check the oil of the car",
    "merge the feature branch into main",
    "build a docker image",
    "what is the capital of Australia",
    "which new movies are on this week",
    "sort the imports",
    "show the memory usage of the process",
    "transfer 50 euros to Ben",
    "look up the phone number of the dentist",
    "publish the package to the index",
    "import this csv into the database",
    "what changed in the tax law this year",
    "buy more coffee",
    "bump the version to 2.1",
    "tag this release",
    "how many people live in Norway",
    "check whether the door is locked",
)


def for_choosing() -> tuple[list[Pair], list[Pair]]:
    """(prompts for a tool, prompts for none) that a map may be tuned on."""
    return _every_other(0)


def held_back() -> tuple[list[Pair], list[Pair]]:
    """The same of those that nothing was tuned on."""
    return _every_other(1)


def _every_other(first: int) -> tuple[list[Pair], list[Pair]]:
    inside: list[Pair] = [
        (text, tool) for tool, own in BY_TOOL.items() for text in _step(own, first)
    ]
    return inside, [(text, None) for text in _step(NONE, first)]


def _step(texts: Sequence[str], first: int) -> Sequence[str]:
    return texts[first::2]
