"""An adopted history comes into prefrontal.yml, and nothing else of the file changes."""

from __future__ import annotations

import pytest
import yaml  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.settings import parse_settings
from prefrontal.settings.adopted import Adopted
from prefrontal.settings.adopted_text import HEAD, with_adopted

ENTRY = {"module": "mine", "git": "~/mine", "branch": "main", "relevant": "path:news/**"}
BLOCK = f"""\
{HEAD}
adopted:
  - module: "mine"
    git: "~/mine"
    branch: "main"
    relevant: "path:news/**"
"""
SETTINGS = """\
# my settings
sources:   # where signals come from
  git: ["."]  # mine

recall: 0.95 # a lot
# the end
"""


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n"])
def test_a_file_with_nothing_gets_it(text: str) -> None:
    assert with_adopted(text, ENTRY) == text + BLOCK


def test_comments_and_keys_stay_as_they_are() -> None:
    assert with_adopted(SETTINGS, ENTRY) == f"{SETTINGS}\n{BLOCK}"
    assert with_adopted(SETTINGS.rstrip("\n"), ENTRY) == f"{SETTINGS}\n{BLOCK}"


@pytest.mark.parametrize("value", ["[]", "", "null", "[] # none"])
def test_a_key_without_any_is_filled(value: str) -> None:
    text = f"recall: 0.9\nadopted: {value}\nseed: 1\n"
    assert with_adopted(text, ENTRY) == ("recall: 0.9\n" + BLOCK.partition("\n")[2] + "seed: 1\n")


def test_a_second_one_replaces_its_own_and_no_other() -> None:
    other = ENTRY | {"module": "other", "git": "~/other"}
    text = with_adopted(with_adopted(SETTINGS, ENTRY), other) + "# below\nseed: 1\n"
    assert yaml.safe_load(text)["adopted"] == [ENTRY, other]
    again = with_adopted(text, ENTRY | {"recall": 0.8})
    assert again == text.replace('"path:news/**"\n', '"path:news/**"\n    recall: 0.8\n', 1)
    last = with_adopted(text, other | {"recall": 1e-05})
    assert yaml.safe_load(last)["adopted"] == [ENTRY, other | {"recall": 1e-05}]
    assert last.endswith("# below\nseed: 1\n")


@pytest.mark.parametrize(
    "laid_out",
    [
        "adopted:\n- module: mine\n  git: a # here\n# below\nseed: 1\n",
        "adopted:\n    -   module: mine\n\n        git: |\n          A\n          B\nseed: 1\n",
        "adopted:\n  - {module: mine, git: a}\nseed: 1\n",
        "adopted:\n  - git: x-y\n    module: mine\n  # between\n  - module: z\nseed: 1",
    ],
)
def test_however_a_person_laid_it_out(laid_out: str) -> None:
    found = with_adopted(laid_out, ENTRY)
    before, after = yaml.safe_load(laid_out), yaml.safe_load(found)
    assert after == before | {"adopted": [ENTRY, *before["adopted"][1:]]}
    for comment in ("# below", "# between"):
        assert (comment in laid_out) == (comment in found)


@pytest.mark.parametrize(
    "text", ["{recall: 0.9}", "recall: 0.9\nadopted: [{module: a}]\n", "recall: 0.9\n...\n"]
)
def test_what_cannot_be_extended_is_left_and_said(text: str) -> None:
    with pytest.raises(InputError, match='(?s)write this there:\nadopted:\n  - module: "mine"'):
        with_adopted(text, ENTRY)


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip),
    st.floats(1e-300, 1.0),
)
def test_any_text_and_number_comes_back(module: str, recall: float) -> None:
    entry = {"module": module, "recall": recall}
    assert yaml.safe_load(with_adopted(SETTINGS, entry))["adopted"] == [entry]


def test_the_settings_read_it() -> None:
    settings = parse_settings(yaml.safe_load(with_adopted(SETTINGS, ENTRY)))
    assert settings.adopted == (
        Adopted(module="mine", git="~/mine", branch="main", relevant="path:news/**"),
    )


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({}, r"adopted\[0\] must have the key module"),
        ({"module": "a", "recall": 2}, r"adopted\[0\]\.recall must be a number above 0"),
        ({"module": "a", "gitt": "x"}, r"adopted\[0\] must have only known keys, got 'gitt'"),
    ],
)
def test_a_broken_one_is_one_sentence(entry: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        parse_settings({"adopted": [entry]})
