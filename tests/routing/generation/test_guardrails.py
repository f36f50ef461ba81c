from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.routing.generation.forbidden_imports import STANDARD
from prefrontal.routing.generation.guardrails import LARGEST, inspect_code

from ..generated_code import GOOD, with_body


def reasons(source: str, *extras: str, writes: bool = False) -> list[str]:
    return [finding.text for finding in inspect_code(source, extras, writes)]


def test_a_module_in_good_form_has_nothing_against_it() -> None:
    assert reasons(GOOD) == []


@pytest.mark.parametrize("name", [*STANDARD, "collections.abc", "json.decoder"])
def test_harmless_modules_may_be_imported(name: str) -> None:
    top = "from __future__ import annotations" if name == "__future__" else f"import {name}"
    assert reasons(GOOD.replace("import re\n", f"import re\n{top}\n")) == []


IMPORTS = [
    ("import os", "'os'"),
    ("import os.path", "'os.path'"),
    ("import socket as re2", "'socket'"),
    ("import json, subprocess", "'subprocess'"),
    ("from urllib import request", "'urllib'"),
    ("from importlib import import_module", "'importlib'"),
    ("import jsonx", "'jsonx'"),
    ("import numpy", "'numpy'"),
    ("from . import x", "a relative one"),
    ("from .. import x", "a relative one"),
    ("from math import *", "* from math"),
    ("from pathlib import os", "pathlib.os"),
    ("from json import codecs", "json.codecs"),
    ("from random import _os", "random._os"),
    ("from random import SystemRandom", "random.SystemRandom must not be used"),
    ("from typing import get_type_hints", "typing.get_type_hints must not be used"),
    ("from dataclasses import make_dataclass", "make_dataclass must not be used"),
]


@pytest.mark.parametrize(("line", "says"), IMPORTS)
def test_other_imports_are_refused_wherever_they_stand(line: str, says: str) -> None:
    assert any(says in text for text in reasons(with_body("pass", line)))
    if "*" not in line:
        assert any(says in text for text in reasons(with_body(line)))


def test_extra_modules_may_be_allowed_with_what_is_below_them() -> None:
    source = with_body("numpy.linalg.norm(0)", "import numpy\nfrom numpy import linalg")
    assert reasons(source, "numpy") == []
    assert any("and numpy, got 'numpyx'" in one for one in reasons("import numpyx", "numpy"))
    assert any("'os'" in text for text in reasons("import os", "os.path"))


NAMES = [
    ("eval('1')", "eval must not be used"),
    ("e = exec", "exec must not be used"),
    ("compile('1', '', 'eval')", "compile must not be used"),
    ("__import__('os')", "__import__ must not be used"),
    ("x = __builtins__", "__builtins__ must not be used"),
    ("globals()", "globals must not be used"),
    ("vars()", "vars must not be used"),
    ("setattr(text, 'a', 1)", "setattr must not be used"),
    ("input()", "input must not be used"),
    ("breakpoint()", "breakpoint must not be used"),
    ("getattr(text, name)", "getattr must be called with a constant public name"),
    ("getattr(text, '__class__')", "getattr must be called with a constant public name"),
    ("getattr(text, 'f_back')", "getattr must be called"),
    ("getattr(text, '_x')", "getattr must be called"),
    ("getattr(Path('x'), 'write_text')('')", "getattr must be called"),
    ("getattr(Path('x'), 'open')('w')", "getattr must be called"),
    ("g = getattr", "getattr must be called"),
    ("().__class__", ".__class__ must not be used"),
    ("run.__globals__", ".__globals__ must not be used"),
    ("object.__subclasses__()", ".__subclasses__ must not be used"),
    ("text.tb_frame.f_back", ".f_back must not be used"),
    ("text.mro()", ".mro must not be used"),
    ("'{0.__class__}'.format(text)", "text must not reach for private names"),
    ("'{x[__a__]}'.format(x=text)", "text must not reach for private names"),
    ("ｅval('1')", "eval must not be used"),
    ("text.ｏs", "nothing may be reached through other modules, got .os"),
    ("Path._os", "nothing may be reached through other modules"),
    ("random._inst", "names of modules must be public ones, got random._inst"),
    ("random.SystemRandom()", "random.SystemRandom must not be used"),
    ("r = random", "modules must only be used with a dot"),
    ("shuffled([random], rng)", "modules must only be used with a dot"),
    ("re.enum.sys", "nothing may be reached through other modules, got re.enum"),
    ("collections.abc.sys", "nothing may be reached through other modules"),
    ("__spec__.loader", "__spec__ must not be used"),
]


@pytest.mark.parametrize(("line", "says"), NAMES)
def test_names_that_lead_elsewhere_are_refused(line: str, says: str) -> None:
    assert any(text.startswith(says) for text in reasons(with_body(line)))


def test_a_pattern_reaches_for_attributes_too() -> None:
    source = with_body("match text:\n        case object(__class__=kind): pass")
    assert reasons(source) == [".__class__ must not be used"]
    taking = source.replace("__class__", "write_text")
    assert reasons(taking) == ["patterns must not take .write_text"]


WRITES = [
    "open('x', 'w')",
    "open('x', mode='a')",
    "open('x', 'r+')",
    "open('x', 'xb')",
    "open('x', text)",
    "open('x', *text)",
    "open('x', **text)",
    "o = open",
    "Path('x').open('w')",
    "Path('x').open(mode=text)",
    "Path('x').write_text('')",
    "w = Path('x').write_bytes",
    "Path('x').unlink()",
    "Path('x').mkdir()",
    "Path('x').touch()",
    "Path('x').rename('y')",
    "Path('x').replace('y')",
    "Path('x').symlink_to('y')",
    "Path('x').chmod(0)",
]


@pytest.mark.parametrize("line", WRITES)
def test_writes_are_refused_and_may_be_allowed(line: str) -> None:
    assert any(text.startswith("files must not be written") for text in reasons(with_body(line)))
    assert reasons(with_body(line), writes=True) == []


@pytest.mark.parametrize(
    "line",
    [
        "open('/etc/x', 'w')",
        "open('../x', 'w')",
        "Path('/etc', 'x').write_text('')",
        "Path('a/../../x').unlink()",
        "(Path.home() / 'x').touch()",
        "open('~/x', 'w')",
        "open('C:\\\\x', 'w')",
        "Path('x').rename('/tmp/x')",
        "(Path('x').parent / 'y').touch()",
    ],
)
def test_allowed_writes_stay_below_the_current_folder(line: str) -> None:
    found = reasons(with_body(line), writes=True)
    assert found and all("must be written below the current folder" in text for text in found)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("random.random()", "random.random must come after random.seed()"),
        ("random.shuffle([]); random.seed(1)", "random.shuffle must come after random.seed()"),
        ("random.seed()", "random.seed must be called with a constant seed"),
        ("random.seed(None)", "random.seed must be called with a constant seed"),
        ("random.seed(text)", "random.seed must be called with a constant seed"),
        ("random.Random()", "random.Random must be called with a constant seed"),
        ("make = random.Random", "random.Random must be called with a constant seed"),
    ],
)
def test_chance_needs_a_constant_seed(line: str, says: str) -> None:
    assert any(text.startswith(says) for text in reasons(with_body(line)))


def test_imported_names_of_chance_need_a_seed_too() -> None:
    unseeded = with_body("choice([1])", "from random import choice, seed")
    assert reasons(unseeded) == ["random.choice must come after random.seed() with a constant"]
    assert reasons(unseeded.replace("choice([1])", "seed(-3); choice([1])")) == []
    assert reasons(with_body("random.seed(3); random.random()")) == []


FORM = [
    (GOOD.replace('"""Count', '"""').replace("Args:", "Of text:"), "must tell its parameters"),
    (GOOD.replace("Returns:", "Well:"), "must tell what it returns"),
    (GOOD.replace("Side effects:", "Well:"), "must tell its side effects"),
    (GOOD.replace("Count words.\n\n", ""), "must begin with a summary"),
    (GOOD.replace('"""Count words.', 'x = """Count words.'), "must begin with a docstring"),
    (GOOD.replace("def run(", "def go("), "must define run() or main() at the top"),
    (GOOD.replace("def run(", "async def run("), "run() must be a plain function"),
    (GOOD.replace("text: str)", "text: str, /)"), "run() must take its arguments by name"),
    (GOOD.replace("text: str)", "*text: str)"), "run() must name each argument"),
    (GOOD.replace("text: str)", "text: str, **more: int)"), "run() must name each argument"),
    (GOOD.replace("text: str)", "text)"), "run() must have a type for each argument"),
    (GOOD.replace('    return {"words"', '    x = {"words"'), "run() must return a value"),
    (with_body("yield 1"), "run() must return its value, got a generator"),
]


@pytest.mark.parametrize(("source", "says"), FORM)
def test_a_module_in_another_form_is_refused(source: str, says: str) -> None:
    assert any(says in text for text in reasons(source))


def test_main_may_take_any_names_and_nothing_needs_no_parameters() -> None:
    main = GOOD.replace("def run(text: str)", "def main(**kwargs: str)").replace("run(", "main(")
    assert reasons(main.replace("text.replace", "str(kwargs).replace")) == []
    nothing = GOOD.replace("Args:\n    text: What to count in.\n\n", "").replace("text: str", "")
    assert reasons(nothing) == []


def test_sections_of_numpy_and_fields_of_sphinx_count_too() -> None:
    numpy = GOOD
    for name in ("Args", "Returns", "Side effects"):
        numpy = numpy.replace(f"{name}:\n", f"{name}\n{'-' * len(name)}\n")
    assert reasons(numpy) == []
    sphinx = GOOD.replace("Args:\n    text:", ":param text:").replace("Returns:\n", ":returns: ")
    assert reasons(sphinx) == []


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        ("def run(:\n", 1, "it must be Python, got: "),
        ("x = 1\ny = = 2\n", 2, "it must be Python, got: "),
        ("x = 'a\0b'\n", 0, "it must be Python, got: "),
        ("x = " + "(" * 5000 + ")" * 5000, 1, "it must be Python"),
        ("-" * 150_000 + "1", 0, "it must be"),
        ("x" * (LARGEST + 1), 0, "the module must have at most"),
        ("# coding: utf-7\n", 1, "the text must be in UTF-8, got a declaration of utf-7"),
        ("\n# -*- coding: latin-1 -*-\n", 2, "the text must be in UTF-8"),
        ("x = 'a\u202eb'\n", 1, "the text must have no characters that hide"),
    ],
)
def test_what_is_no_plain_python_is_refused(source: str, line: int, says: str) -> None:
    found = inspect_code(source)
    assert any(one.text.startswith(says) and one.line in (line, 0) for one in found)


def test_all_reasons_come_at_once_by_line() -> None:
    source = "import os\nimport socket\n\n\ndef run(x):\n    return eval(x)\n"
    found = inspect_code(source, path=Path("made.py"))
    assert [one.line for one in found] == [1, 1, 2, 5, 6]
    assert str(found[-1]) == "made.py:6: eval must not be used"


def test_a_declaration_of_utf_8_is_harmless() -> None:
    assert reasons("# -*- coding: utf-8 -*-\n" + GOOD) == []


@given(st.text() | st.text("abx=()[]{}:.,\n\t '\"#@*-/\\0é\0\ud800"))
def test_any_text_is_inspected_without_an_error(source: str) -> None:
    found = inspect_code(source)
    assert found == inspect_code(source)
    assert list(found) == sorted(found, key=lambda one: (one.line, one.text))
