"""What a prompt asks for without the words of its files' names.

"Find todos in tests/test_a.py" says what is to be done, and in which file; nothing is to be tested.
"""

from __future__ import annotations

import re

_PATH = re.compile(
    r"""
    (?<!\S) ["'`(\[]*
    (?P<path>
        https?://[^\s"'`)\]]*
      | (?: ~ | \.{1,2} )? / (?: [\w.~/-]* [\w/] )?
      | (?: [\w.~-]+ / )+ (?! [^\s] )
      | (?: [\w.~-]+ / )* [\w~-] [\w.~-]* \. (?= [a-z0-9]* [a-z] ) [a-z0-9]{1,5}
    )
    (?= ["'`)\].,;:!?]* (?: \s | \Z ) )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ENDING = re.compile(r"\w\.([a-z0-9]{1,5})\Z", re.IGNORECASE)
_SCHEME = re.compile(r"https?(?=:)", re.IGNORECASE)
_NO_FILE = re.compile(
    r"(?:(?:\w\.)+\w|v?\d+(?:\.\d+)+\w*|(?:node|next|vue|nuxt|three|d3|express)\.js|[\w.-]*\.(?:com|org|net|io|edu|dev|ai))\Z",
    re.IGNORECASE,
)
_SAYS_WHAT_IT_IS = re.compile(
    r"(?:readme|changelog|changes|licen[cs]e|contributing|authors|requirements|package|pyproject"
    r"|dockerfile|makefile|setup|security)\b",
    re.IGNORECASE,
)
"""Names that everybody gives to the same file: "update the README.md" means the readme."""


def without_file_names(prompt: str) -> str:
    """The prompt with the ending alone of each file's name, and the scheme of each address.

    "count the lines of src/secrets.py" gives "count the lines of py". A path is known by an ending,
    by a slash at its start or end, or by its scheme; "and/or" is none.
    """
    return _PATH.sub(_what_is_left, prompt)


def _what_is_left(match: re.Match[str]) -> str:
    path = match["path"]
    name = path.rpartition("/")[2]
    if _NO_FILE.match(path) or _SAYS_WHAT_IT_IS.match(name):
        return match[0]
    kind = _SCHEME.match(path)
    ending = _ENDING.search(path)
    left = kind[0] if kind else ending[1] if ending else ""
    return match[0].replace(path, left)
