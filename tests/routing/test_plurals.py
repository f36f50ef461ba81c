from __future__ import annotations

import pytest

from prefrontal.routing.plurals import is_plural


@pytest.mark.parametrize(
    "name", ["files", "page_names", "the old files", "Lines", "people", "our children", "settings"]
)
def test_a_plural_speaks_of_several_things(name: str) -> None:
    assert is_plural(name)


@pytest.mark.parametrize(
    "name",
    [
        "file",
        "class",
        "status",
        "analysis",
        "lens",
        "bias",
        "the Analysis",
        "camera_lens",
        "",
        "files'",
    ],
)
def test_a_noun_that_only_ends_in_s_does_not(name: str) -> None:
    assert not is_plural(name)
