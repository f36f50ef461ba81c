"""A person's patterns take no longer than they may, in any thread, and mean what they meant."""

from __future__ import annotations

import re
import subprocess
import sys
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.replay.presets.globs import compile_glob
from prefrontal.replay.presets.presets import MessagePreset, parse_preset
from prefrontal.replay.presets.timed_search import TEXTS, TimedSearch
from prefrontal.types import Window

ENDLESS = r"(a|a|b?)+$"
TEXT = "a" * 60 + "!"


@pytest.fixture
def endless() -> TimedSearch:
    return TimedSearch(re.compile(ENDLESS), 0.05)


def test_what_takes_for_ever_is_refused_in_any_thread(endless: TimedSearch) -> None:
    sentences: list[str] = []

    def search() -> None:
        with pytest.raises(InputError) as error:
            endless.matches([TEXT])
        sentences.append(str(error.value))

    search()
    thread = Thread(target=search)
    thread.start()
    thread.join()
    assert sentences == 2 * [
        "message must be a regular expression that is searched within 0.05 s, got"
        f" {ENDLESS!r}, which takes longer: repeats in a repeat?"
    ]
    assert endless._process is None


def test_after_that_quick_texts_are_searched_again(endless: TimedSearch) -> None:
    assert endless.matches(["aab", "b!"]) == [True, True]
    with pytest.raises(InputError):
        endless.matches([TEXT])
    assert endless.matches(["a", "\ud800", ""]) == [True, True, True]
    assert endless.matches([]) == []


@pytest.mark.parametrize("text", ["fix", r"(?i)fix\b", r"[a*+]|\*|x\{", "(?:fix|bug)(?=s)", "é"])
def test_a_pattern_without_repeats_needs_no_process(text: str) -> None:
    search = TimedSearch(re.compile(text))
    assert search.is_quick
    assert search.matches(["FIX it", "nothing"]) == [
        re.search(text, each) is not None for each in ("FIX it", "nothing")
    ]
    assert search._process is None


@pytest.mark.parametrize("text", ["a*", "a+", "a?", "a{2}", r"\\+", "[*]+", "(?i)a*", "(?P<n>a)*"])
def test_a_repeat_is_seen(text: str) -> None:
    assert not TimedSearch(re.compile(text)).is_quick


def test_windows_of_a_history_are_labelled_as_the_pattern_says() -> None:
    texts = [f"{'fix' if number % 3 == 0 else 'add'}: {number}" for number in range(TEXTS + 7)]
    windows = [Window(str(number), number, (), text=text) for number, text in enumerate(texts)]
    for pattern in ("fix: [0-9]+$", "fix"):
        preset = parse_preset(f"message:{pattern}")
        assert isinstance(preset, MessagePreset)
        labelled = list(preset.apply(windows))
        assert [each.relevant for each in labelled] == [text[0] == "f" for text in texts]
        assert [each.key for each in labelled] == [each.key for each in windows]


def test_its_process_ends_with_ours() -> None:
    code = (
        "import re; from prefrontal.replay.presets.timed_search import TimedSearch\n"
        "search = TimedSearch(re.compile('a+')); search.matches(['a'])\n"
        "import os; print(search._process.pid, flush=True); os._exit(1)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip().isdigit()  # and its output was closed by both, or we would wait


STARS = ("*a" * 40 + "*b", "**/a/" * 30 + "b", "*" + "?*" * 60 + "b", "**/*a*/" * 20 + "*b")


@pytest.mark.parametrize("glob", STARS)
def test_many_stars_end(glob: str) -> None:
    pattern = compile_glob(glob)
    assert pattern.match("a" * 250) is None
    assert pattern.match("a/" * 250) is None
    assert pattern.match("a/" * 250 + "b") is not None or "/" not in glob


@given(
    st.lists(st.sampled_from(["a", "b", "*", "?"]), min_size=1, max_size=9),
    st.text("ab", max_size=12),
)
def test_a_name_is_matched_as_by_trying_everything(parts: list[str], name: str) -> None:
    glob = re.sub(r"\*+", "*", "".join(parts))
    plain = "".join({"*": "[^/]*", "?": "[^/]"}.get(each, each) for each in glob)
    assert bool(compile_glob(f"/{glob}").match(name)) == bool(re.fullmatch(plain, name))


@given(
    st.lists(st.sampled_from(["a", "b", "*", "**"]), min_size=2, max_size=6),
    st.lists(st.sampled_from("ab"), min_size=1, max_size=7),
)
def test_a_path_is_matched_as_by_trying_everything(parts: list[str], names: list[str]) -> None:
    assert bool(compile_glob("/" + "/".join(parts)).match("/".join(names))) == tried(parts, names)


def tried(parts: list[str], names: list[str]) -> bool:
    if not parts:
        return not names
    first, *rest = parts
    if first == "**":
        if set(parts) == {"**"}:
            return bool(names)
        return tried(rest, names) or bool(names and tried(parts, names[1:]))
    return bool(names) and first in ("*", names[0]) and tried(rest, names[1:])
