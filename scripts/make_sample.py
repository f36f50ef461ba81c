"""Record a public repository's history as the sample that ships with the package.

    python scripts/make_sample.py CLONE --repository python-trio/trio --until 2026-08-01 \\
        --licence "MIT OR Apache-2.0"

Written are python/prefrontal/replay/sample/history.jsonl.gz and history.json, the same bytes for
the same commits. The changes are read and labelled as `prefrontal replay --git CLONE --until DATE`
does; what gives a label away (the changelog entries) is left out. Of authors only salted hashes
stay. The salt is public: this keeps names out of the package, it does not hide who wrote what in a
public history.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from prefrontal.errors import PrefrontalError
from prefrontal.redaction import redact
from prefrontal.replay.sample import FACTS, FOLDER, WINDOWS
from prefrontal.replay.session import Request, label_git
from prefrontal.types import SignalEvent, Window

LETTERS = "abcdefghijklmnopqrstuvwxyz"
HASH_LENGTH = 6
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
HANDLE = re.compile(r"^Merge pull request #\d+ from ([\w-]+)/")
SHORTEST_NAME = 4
"""An author's name of fewer letters may be a word, and stays where it stands in a subject."""


class Pseudonyms:
    """Names of people and accounts, each with the hash that takes its place.

    owner: the account that owns the repository; it is no author.
    """

    def __init__(self, windows: Iterable[Window], repository: str) -> None:
        self._salt = blake2b(f"prefrontal sample of {repository}".encode()).digest()
        owner = repository.partition("/")[0]
        names = set[str]()
        for window in windows:
            if len(window.actor) >= SHORTEST_NAME:
                names.add(window.actor)
            if handle := HANDLE.match(window.text):
                names.add(handle[1])
        names.discard(owner)
        longest_first = sorted(names, key=lambda name: (-len(name), name))
        either = "|".join(map(re.escape, longest_first)) or r"(?!)"
        self._names = re.compile(rf"(?<![\w-])(?:{either})(?![\w-])")
        self._names_of: dict[str, str] = {}

    def hash(self, name: str) -> str:
        """Six letters, the same for the same name. Raises ValueError when two names share them."""
        value = int.from_bytes(blake2b(name.encode(), key=self._salt, digest_size=8).digest())
        letters = ""
        for _ in range(HASH_LENGTH):
            value, place = divmod(value, len(LETTERS))
            letters += LETTERS[place]
        if self._names_of.setdefault(letters, name) != name:
            raise ValueError(f"two authors must not share the hash {letters}: change the salt")
        return letters

    def subject(self, text: str) -> str:
        """A subject line without names, addresses and secrets."""
        text = EMAIL.sub("[e-mail]", redact(text))
        return self._names.sub(lambda name: self.hash(name[0]), text)


def lines(windows: Iterable[Window], names: Pseudonyms) -> Iterator[bytes]:
    """The windows, one JSON object a line."""
    for window in windows:
        line = {
            "time": int(window.time),
            "actor": names.hash(window.actor),
            "text": names.subject(window.text),
            "relevant": bool(window.relevant),
            "events": [event_object(event) for event in window.events],
        }
        yield json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def event_object(event: SignalEvent) -> dict[str, Any]:
    """What the windows format holds of a changed file; its features only where it was renamed."""
    fields: dict[str, Any] = {
        "source": event.source,
        "location": event.location,
        "delta_type": event.delta_type,
    }
    if "old_location" in event.features:
        fields["features"] = {"old_location": event.features["old_location"]}
    return fields


def packed(data: bytes) -> bytes:
    """As gzip, without a name and a time that would make each packing another."""
    target = io.BytesIO()
    with gzip.GzipFile("", "wb", compresslevel=9, fileobj=target, mtime=0) as file:
        file.write(data)
    return target.getvalue()


def record(clone: str, repository: str, licence: str, until: str) -> tuple[bytes, dict[str, Any]]:
    """The windows of a clone as JSON lines, and the facts beside them."""
    history, total, preset, notes = label_git(clone, Request(until=until))
    commits = [commit.key for commit in history]
    windows = list(preset.apply(history))
    if not windows:
        raise ValueError(f"{clone} must have changes up to {until}, got none")
    data = b"".join(lines(windows, Pseudonyms(history, repository)))
    facts = {
        "name": repository.partition("/")[2],
        "repository": repository,
        "licence": licence,
        "first": commits[0],
        "last": commits[-1],
        "until": until,
        "preset": preset.name,
        "notes": [*notes, *history.notes],
        "total": total,
        "windows": len(windows),
        "relevant": sum(bool(window.relevant) for window in windows),
        "digest": blake2b(data, digest_size=16).hexdigest(),
    }
    return data, facts


def main(arguments: list[str] | None = None) -> None:
    """Write the two files, and say what they hold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clone", help="the repository's clone")
    parser.add_argument("--repository", required=True, help="its public name, as OWNER/NAME")
    parser.add_argument("--licence", required=True, help="its licence, as an SPDX expression")
    parser.add_argument("--until", required=True, help="the last day, such as 2026-08-01")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where to write")
    options = parser.parse_args(arguments)
    try:
        data, facts = record(options.clone, options.repository, options.licence, options.until)
    except (PrefrontalError, ValueError) as error:
        sys.exit(f"make_sample: {error}")
    (options.folder / WINDOWS).write_bytes(small := packed(data))
    (options.folder / FACTS).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    print(
        f"{facts['name']}: {facts['windows']:,} windows, {facts['relevant']:,} relevant"
        f" ({facts['preset']}), {len(small):,} bytes"
    )


if __name__ == "__main__":
    main()
