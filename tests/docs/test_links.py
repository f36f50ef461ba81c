"""Links between pages lead somewhere, and every page can be found."""

from __future__ import annotations

import re

import pytest

from .pages import REPOSITORY, pages, prose_of, read

LINK = re.compile(r"\]\(([^)\s]+)\)")
FOUND_BY_FOLDER = ("docs/decisions/", "docs/requirements/")
BESIDE = (
    *("CONTRIBUTING.md", "SECURITY.md", "examples/README.md"),
    *(f"benchmarks/{path.name}" for path in sorted((REPOSITORY / "benchmarks").glob("*.md"))),
)


def anchors(page: str) -> set[str]:
    """What GitHub calls the headings of a page."""
    heads = (line.lstrip("#") for _, line in prose_of(page) if line.startswith("#"))
    kept = (re.sub(r"[^\w\- ]", "", head.strip().lower()) for head in heads)
    return {head.replace(" ", "-") for head in kept}


@pytest.mark.parametrize("page", [*pages(), *BESIDE])
def test_links_lead_to_a_file_and_a_heading(page: str) -> None:
    here = (REPOSITORY / page).parent
    for number, line in prose_of(page):
        for target in LINK.findall(line):
            if re.match(r"\w+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (here / path).resolve() if path else REPOSITORY / page
            assert file.exists(), f"{page}:{number}: {target}"
            if anchor and file.suffix == ".md":
                known = anchors(file.relative_to(REPOSITORY).as_posix())
                assert anchor in known, f"{page}:{number}: {target}"


def test_the_page_of_examples_names_each() -> None:
    named = read("examples/README.md")
    for path in (REPOSITORY / "examples").iterdir():
        if path.suffix == ".py" or (path.is_dir() and path.name != "__pycache__"):
            assert path.name in named, path.name


def test_the_index_names_every_page() -> None:
    index = {
        (REPOSITORY / "docs" / link).resolve() for link in LINK.findall(read("docs/README.md"))
    }
    for page in pages():
        if page.startswith("docs/") and not page.startswith(FOUND_BY_FOLDER):
            known = (REPOSITORY / page).resolve() in index
            assert known or page == "docs/README.md", page
